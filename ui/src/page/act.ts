/**
 * Steps on the page. Where a driver has real events it asks only for `prepare`, which says where to point; `perform`
 * does the same with events of its own, and says so.
 */

import { boxOf, moved, offsetOf, type Point } from './box';
import { highlight } from './highlight';
import { byId } from './ids';
import { press, send } from './keys';
import { is } from './kind';
import { nameOf } from './name';
import { click, focus, moveTo, viewOf } from './pointer';
import { cut, textOf } from './text';
import { isShown, reachable } from './visible';

/** Why a step was not done: codes, the words are others' matter. */
export type Refusal =
  | 'missing'
  | 'hidden'
  | 'disabled'
  | 'covered'
  | 'renamed'
  | 'readonly'
  | 'no_option'
  | 'not_for_this';

export interface Step {
  type: string;
  id?: number | undefined;
  value?: string | undefined;
  /** What the element was called when it was looked at. */
  name?: string | undefined;
}

export type Outcome =
  { success: true; synthetic?: true; text?: string } | { success: false; refusal: Refusal };

/** Characters of a text that is told. */
const TOLD = 20_000;

const refused = (refusal: Refusal): Outcome => ({ success: false, refusal });
const done = (more: { text?: string } = {}): Outcome => ({
  success: true,
  synthetic: true,
  ...more,
});

/** The element, where it can still be seen and is called what it was. */
function present(id: number, name: string | undefined): Element | Refusal {
  const element = byId(id);
  if (!element?.isConnected || !element.ownerDocument.defaultView) return 'missing';
  if (!isShown(element)) return 'hidden';
  if (name !== undefined && cut(nameOf(element)) !== name) return 'renamed';
  highlight(element);
  return element;
}

/**
 * Brings an element to where it can be used, and looks whether it is still what it was: where a pointer meets it, in the
 * viewport of the page itself.
 */
export function prepare(id: number, name?: string): Point | Refusal {
  const element = present(id, name);
  if (typeof element === 'string') return element;
  if (element.matches(':disabled') || element.getAttribute('aria-disabled') === 'true')
    return 'disabled';
  return bring(element);
}

function bring(element: Element): Point | 'covered' {
  const view = viewOf(element);
  if (!reachable(element, boxOf(element), view)) {
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  }
  const point = reachable(element, boxOf(element), view);
  return point ? moved(offsetOf(view), point) : 'covered';
}

export function perform({ type, id, value, name }: Step): Outcome {
  if (id === undefined) return onPage(type, value);
  if (type === 'extract' || type === 'scroll') {
    // What is switched off can be read all the same.
    const element = present(id, name);
    if (typeof element === 'string') return refused(element);
    return type === 'extract' ? done({ text: textWithin(element) }) : scroll(element, value);
  }
  const ready = prepare(id, name);
  if (typeof ready === 'string') return refused(ready);
  const element = byId(id);
  if (!element) return refused('missing');
  switch (type) {
    case 'click':
      click(element, ready);
      return done();
    case 'input':
      return write(element, value ?? '');
    case 'select':
      return select(element, value ?? '');
    case 'hover':
      moveTo(element, ready);
      return done();
    case 'key':
      return key(element, value ?? '');
    default:
      return refused('not_for_this');
  }
}

function onPage(type: string, value: string | undefined): Outcome {
  switch (type) {
    case 'scroll': {
      const middle = document.elementFromPoint(window.innerWidth / 2, window.innerHeight / 2);
      turn(middle ?? document.documentElement, value);
      return done();
    }
    case 'key':
      return key(document.activeElement ?? document.body, value ?? '');
    case 'extract':
      return done({ text: textWithin(document.body) });
    default:
      return refused('not_for_this');
  }
}

function key(element: Element, value: string): Outcome {
  if (value === '') return refused('not_for_this');
  press(element, value);
  return done();
}

/** Into view; or, up or down, what is in it. */
function scroll(element: Element, way: string | undefined): Outcome {
  const point = bring(element);
  if (way === 'up' || way === 'down') turn(element, way);
  else if (point === 'covered') return refused(point);
  return done();
}

/** A screen up or down, as a wheel does it: the innermost that can be scrolled that way, else what it is in. */
function turn(element: Element, way: string | undefined) {
  const sign = way === 'up' ? -1 : 1;
  for (let one: Element | null = element; one; one = one.parentElement) {
    if (!scrolls(one)) continue;
    const before = one.scrollTop;
    one.scrollBy({ top: sign * one.clientHeight * 0.85, behavior: 'instant' });
    if (one.scrollTop !== before) return;
  }
  const view = viewOf(element);
  view.scrollBy({ top: sign * view.innerHeight * 0.85, behavior: 'instant' });
}

function scrolls(element: Element): boolean {
  const { documentElement, body } = element.ownerDocument;
  // What they say of it is the window's.
  if (element === documentElement || element === body) return false;
  if (element.scrollHeight <= element.clientHeight) return false;
  return ['auto', 'scroll'].includes(getComputedStyle(element).overflowY);
}

const textWithin = (element: Element) =>
  (is(element, 'input') || is(element, 'textarea')
    ? is(element, 'input') && element.type === 'password'
      ? ''
      : element.value
    : 'innerText' in element
      ? (element as HTMLElement).innerText
      : textOf(element)
  ).slice(0, TOLD);

/** What was there is replaced; whoever controls the field hears of it as of typing. */
function write(element: Element, text: string): Outcome {
  const last = [...text].at(-1) ?? 'Backspace';
  const view = viewOf(element);
  focus(element);
  if (is(element, 'input') || is(element, 'textarea')) {
    if (element.readOnly) return refused('readonly');
    if (is(element, 'input') && ['checkbox', 'radio'].includes(element.type)) {
      if (element.checked !== (text === 'true')) element.click();
      return done();
    }
    if (is(element, 'input') && element.type === 'file') return refused('not_for_this');
    // Frameworks put a setter of their own over the element's.
    const prototype = is(element, 'input') ? view.HTMLInputElement : view.HTMLTextAreaElement;
    send(element, 'keydown', last);
    Object.getOwnPropertyDescriptor(prototype.prototype, 'value')?.set?.call(element, text);
    const typed = { bubbles: true, composed: true, inputType: 'insertText', data: text };
    element.dispatchEvent(new view.InputEvent('input', typed));
    // Some look at what was typed only when a key is let go of.
    send(element, 'keyup', last);
    element.dispatchEvent(new view.Event('change', { bubbles: true }));
    return done();
  }
  if (!(element as HTMLElement).isContentEditable) return refused('not_for_this');
  const { ownerDocument } = element;
  ownerDocument.getSelection()?.selectAllChildren(element);
  // The one way that editors hear of as of typing.
  if (!ownerDocument.execCommand('insertText', false, text)) element.textContent = text;
  return done();
}

/** By what the option says, or by its value. */
function select(element: Element, wanted: string): Outcome {
  if (!is(element, 'select')) return refused('not_for_this');
  const options = [...element.options];
  const named = cut(wanted);
  const option =
    options.find((one) => cut(one.text) === named) ?? options.find((one) => one.value === wanted);
  if (!option || option.disabled) return refused('no_option');
  const view = viewOf(element);
  focus(element);
  if (element.multiple) option.selected = true;
  else element.selectedIndex = option.index;
  element.dispatchEvent(new view.Event('input', { bubbles: true, composed: true }));
  element.dispatchEvent(new view.Event('change', { bubbles: true }));
  return done();
}

/** Resolves when nothing has changed for so long, or it never gets quiet in so long; in milliseconds. */
export function quiet(still: number, most: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isQuiet: boolean) => {
      observer.disconnect();
      clearTimeout(last);
      clearTimeout(rest);
      // What the page itself still has to do goes first, where the browser can tell (WebKit cannot).
      if ('requestIdleCallback' in window)
        requestIdleCallback(() => resolve(isQuiet), { timeout: still });
      else resolve(isQuiet);
    };
    let rest = setTimeout(() => end(true), still);
    const last = setTimeout(() => end(false), most);
    const observer = new MutationObserver(() => {
      clearTimeout(rest);
      rest = setTimeout(() => end(true), still);
    });
    observer.observe(document, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
  });
}
