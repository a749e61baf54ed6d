/** A look at the page: what can be used, those in the viewport first. */

import { delegatesOf, jQueryOf, type Delegate, type JQuery } from './hooks';
import { idOf, mark } from './ids';
import { boxOf, isOutOfReach, offsetOf, type Box, type Offset } from './box';
import { is, isShadow } from './kind';
import { whyUsed, withoutParts, type Candidate } from './interactive';
import { nameOf } from './name';
import { cut, textOf } from './text';
import { inViewport, isDrawn, isFolded, reachable } from './visible';

/** As the contract has it. */
export interface Seen {
  id: number;
  tagName: string;
  className: string;
  type: string | null;
  role: string | null;
  text: string;
  name: string;
  rect: Box;
  state: { checked?: boolean; disabled?: boolean; expanded?: boolean; value?: string };
  visible: boolean;
  frame?: number[];
}

export interface Observation {
  url: string;
  title: string;
  elements: Seen[];
  more: number;
  below: number;
  /** Of the viewport. */
  width: number;
  height: number;
}

/** Where an element is: in which window, and how far that is from the page's own corner. */
interface Place extends Offset {
  view: Window;
  jQuery: JQuery | undefined;
  frame: number[];
  /** The frame itself is in the viewport. */
  shown: boolean;
}

interface Found extends Candidate {
  place: Place;
  shown: boolean;
}

/** What a look has come upon so far. */
interface Look {
  found: Found[];
  roots: Set<Document | ShadowRoot>;
  frames: number;
  folded: Map<Element, boolean>;
  delegates: Delegate[];
}

/** Our own panel is not a part of the page. */
const OURS = 'data-ava';
const FRAMES = 32;

export function scan(most: number): Observation {
  const look: Look = {
    found: [],
    roots: new Set(),
    frames: 0,
    folded: new Map(),
    delegates: [],
  };
  const page: Place = {
    view: window,
    jQuery: jQueryOf(window),
    ...offsetOf(window),
    frame: [],
    shown: true,
  };
  walk(document, page, look);
  const screen = { x: 0, y: 0, width: window.innerWidth, height: window.innerHeight };
  const kept = withoutParts(look.found, screen);
  kept.sort((one, other) => Number(other.shown) - Number(one.shown));
  const listed = kept.slice(0, most);
  mark(look.roots, new Set(listed.map(({ element }) => element)));
  const scroller = document.scrollingElement ?? document.documentElement;
  return {
    url: location.href,
    title: document.title,
    elements: listed.map(described),
    more: kept.length - listed.length,
    below: Math.max(0, scroller.scrollHeight - scroller.scrollTop - window.innerHeight),
    width: window.innerWidth,
    height: window.innerHeight,
  };
}

function walk(root: Document | ShadowRoot, place: Place, look: Look) {
  look.roots.add(root);
  if (place.jQuery) look.delegates.push(...delegatesOf(root, place.jQuery));
  for (let element = root.firstElementChild; element;) {
    const goesOn = visit(element, place, look);
    element = (goesOn && element.firstElementChild) || after(element);
  }
}

/** The next element that is not within this one. */
function after(element: Element): Element | null {
  for (let up: Element | null = element; up; up = up.parentElement) {
    if (up.nextElementSibling) return up.nextElementSibling;
  }
  return null;
}

/** Whether what is in it is looked at too. */
function visit(element: Element, place: Place, look: Look): boolean {
  if (element.hasAttribute(OURS)) return false;
  const style = getComputedStyle(element);
  // Areas are not displayed themselves, but as a part of a picture.
  const isAway = style.display === 'none' && !['area', 'map'].includes(element.localName);
  if (isAway || (element as HTMLElement).inert) {
    pass(element, look);
    return false;
  }
  consider(element, style, place, look);
  if (place.jQuery) look.delegates.push(...delegatesOf(element, place.jQuery));
  if (element.shadowRoot) walk(element.shadowRoot, place, look);
  if (is(element, 'iframe') && look.frames < FRAMES) {
    look.frames += 1;
    enter(element, place, look);
  }
  return true;
}

/** Nothing there can be used; what was marked there before is to lose its mark. */
function pass(around: Element | ShadowRoot, look: Look) {
  if (isShadow(around)) look.roots.add(around);
  else if (around.shadowRoot) pass(around.shadowRoot, look);
  for (const element of around.querySelectorAll('*')) {
    if (element.shadowRoot) pass(element.shadowRoot, look);
    const inner = is(element, 'iframe') ? documentOf(element) : null;
    if (inner) look.roots.add(inner);
  }
}

function consider(element: Element, style: CSSStyleDeclaration, place: Place, look: Look) {
  const why = whyUsed(element, style, look.delegates);
  if (!why) return;
  const { x, y, width, height } = boxOf(element);
  const box = { x, y, width, height };
  if (!isDrawn(element, style, box)) return;
  const shown =
    place.shown && inViewport(box, place.view) && reachable(element, box, place.view) !== undefined;
  if (!shown && (isFolded(element, look.folded) || isOutOfReach(element, box, place.view))) return;
  look.found.push({ element, why, box, points: style.cursor === 'pointer', place, shown });
}

/** A frame of the same origin; others cannot be looked into. */
function enter(frame: HTMLIFrameElement, place: Place, look: Look) {
  const inner = documentOf(frame);
  const view = inner?.defaultView;
  if (!inner || !view) return;
  look.roots.add(inner);
  if (!frame.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return;
  const { x, y, width, height } = frame.getBoundingClientRect();
  const within: Place = {
    view,
    jQuery: jQueryOf(view),
    ...offsetOf(view),
    frame: [...place.frame, idOf(frame)],
    shown: place.shown && inViewport({ x, y, width, height }, place.view),
  };
  walk(inner, within, look);
}

function documentOf(frame: HTMLIFrameElement): Document | null {
  try {
    return frame.contentDocument;
  } catch {
    return null;
  }
}

function described({ element, box, place, shown }: Found): Seen {
  const seen: Seen = {
    id: idOf(element),
    tagName: element.localName,
    className: element.getAttribute('class') ?? '',
    type: typeOf(element),
    role: element.getAttribute('role'),
    text: cut(textOf(element)),
    name: cut(nameOf(element)),
    rect: inPage(box, place),
    state: stateOf(element),
    visible: shown,
  };
  if (place.frame.length > 0) seen.frame = place.frame;
  return seen;
}

/** A button of a form submits it where nothing else is said. */
function typeOf(element: Element): string | null {
  if (is(element, 'input')) return element.type;
  if (is(element, 'button') && element.form) return element.type;
  return element.getAttribute('type');
}

const inPage = (box: Box, { x, y, scale }: Offset): Box => ({
  x: x + box.x * scale,
  y: y + box.y * scale,
  width: box.width * scale,
  height: box.height * scale,
});

function stateOf(element: Element): Seen['state'] {
  const state: Seen['state'] = {};
  const checked = element.getAttribute('aria-checked') ?? element.getAttribute('aria-selected');
  if (is(element, 'input') && ['checkbox', 'radio'].includes(element.type)) {
    state.checked = element.checked;
  } else if (checked !== null) {
    state.checked = checked === 'true';
  }
  if (element.matches(':disabled') || element.getAttribute('aria-disabled') === 'true')
    state.disabled = true;
  const expanded = element.getAttribute('aria-expanded');
  if (expanded !== null) state.expanded = expanded === 'true';
  else if (element.localName === 'summary' && is(element.parentElement, 'details')) {
    state.expanded = element.parentElement.open;
  }
  const value = valueOf(element);
  if (value !== undefined) state.value = cut(value);
  return state;
}

/** What is typed or chosen; never a password. */
function valueOf(element: Element): string | undefined {
  if (is(element, 'select')) return [...element.selectedOptions].map(({ text }) => text).join(', ');
  if (is(element, 'textarea')) return element.value;
  if (!is(element, 'input')) return undefined;
  if (
    [
      'password',
      'checkbox',
      'radio',
      'submit',
      'button',
      'reset',
      'image',
      'file',
      'hidden',
    ].includes(element.type)
  ) {
    return undefined;
  }
  return element.value;
}
