/** A look at the page: what can be used, those in the viewport first. */

import { delegatesOf, type Delegate } from './hooks';
import { idOf, mark } from './ids';
import { is, isShadow } from './kind';
import { isRedundant, whyUsed, type Why } from './interactive';
import { nameOf } from './name';
import { cut, textOf } from './text';
import { inViewport, isDrawn, offsetOf, reachable, type Box, type Point } from './visible';

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
}

/** Where an element is: in which window, and how far that is from the page's own corner. */
interface Place extends Point {
  view: Window;
  frame: number[];
  /** The frame itself is in the viewport, with nothing over it. */
  shown: boolean;
}

interface Found {
  element: Element;
  why: Why;
  box: Box;
  place: Place;
  shown: boolean;
}

/** Our own panel is not a part of the page. */
const OURS = 'data-ava';
const FRAMES = 32;

export function scan(most: number): Observation {
  const found: Found[] = [];
  const roots = new Set<Document | ShadowRoot>();
  const page: Place = { view: window, x: 0, y: 0, frame: [], shown: true };
  walk(document, page, found, roots);
  const reasons = new Map(found.map(({ element, why }) => [element, why]));
  const kept = found.filter(
    ({ element, why }) => !isRedundant(why, element, (other) => reasons.get(other)),
  );
  kept.sort((one, other) => Number(other.shown) - Number(one.shown));
  const listed = kept.slice(0, most);
  mark(roots, new Set(listed.map(({ element }) => element)));
  const scroller = document.scrollingElement ?? document.documentElement;
  return {
    url: location.href,
    title: document.title,
    elements: listed.map(described),
    more: kept.length - listed.length,
    below: Math.max(0, scroller.scrollHeight - scroller.scrollTop - window.innerHeight),
  };
}

function walk(
  root: Document | ShadowRoot,
  place: Place,
  found: Found[],
  roots: Set<Document | ShadowRoot>,
) {
  roots.add(root);
  const delegates = delegatesOf(root);
  const walker = (isShadow(root) ? root.ownerDocument : root).createTreeWalker(
    root,
    NodeFilter.SHOW_ELEMENT,
    {
      acceptNode: (node) =>
        (node as Element).hasAttribute(OURS) || (node as HTMLElement).inert === true
          ? NodeFilter.FILTER_REJECT
          : NodeFilter.FILTER_ACCEPT,
    },
  );
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node as Element;
    look(element, place, found, delegates);
    delegates.push(...delegatesOf(element));
    if (element.shadowRoot) walk(element.shadowRoot, place, found, roots);
    if (element.localName === 'iframe' && roots.size < FRAMES)
      enter(element as HTMLIFrameElement, place, found, roots);
  }
}

function look(element: Element, place: Place, found: Found[], delegates: readonly Delegate[]) {
  const style = getComputedStyle(element);
  if (style.display === 'none') return;
  const why = whyUsed(element, style, delegates);
  if (!why) return;
  const { x, y, width, height } = element.getBoundingClientRect();
  const box = { x, y, width, height };
  if (!isDrawn(element, style, box)) return;
  const shown =
    place.shown && inViewport(box, place.view) && reachable(element, box, place.view) !== undefined;
  found.push({ element, why, box, place, shown });
}

/** A frame of the same origin; others cannot be looked into. */
function enter(
  frame: HTMLIFrameElement,
  place: Place,
  found: Found[],
  roots: Set<Document | ShadowRoot>,
) {
  const inner = documentOf(frame);
  const view = inner?.defaultView;
  if (
    !inner ||
    !view ||
    !frame.checkVisibility({ opacityProperty: true, visibilityProperty: true })
  )
    return;
  const { x, y, width, height } = frame.getBoundingClientRect();
  const within: Place = {
    view,
    ...offsetOf(view),
    frame: [...place.frame, idOf(frame)],
    shown: place.shown && inViewport({ x, y, width, height }, place.view),
  };
  walk(inner, within, found, roots);
}

function documentOf(frame: HTMLIFrameElement): Document | null {
  try {
    return frame.contentDocument;
  } catch {
    return null;
  }
}

function described({ element, box, place, shown }: Found): Seen {
  const type = element.getAttribute('type');
  const seen: Seen = {
    id: idOf(element),
    tagName: element.localName,
    className: element.getAttribute('class') ?? '',
    type: is(element, 'input') ? element.type : type,
    role: element.getAttribute('role'),
    text: cut(textOf(element)),
    name: cut(nameOf(element)),
    rect: { ...box, x: box.x + place.x, y: box.y + place.y },
    state: stateOf(element),
    visible: shown,
  };
  if (place.frame.length > 0) seen.frame = place.frame;
  return seen;
}

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
