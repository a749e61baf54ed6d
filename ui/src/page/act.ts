/**
 * Steps on the page. Where a driver has real events it asks only for `prepare`, which says where to point; `perform`
 * does the same with events of its own, and says so.
 */

import { byId } from './ids';
import { is } from './kind';
import { nameOf } from './name';
import { cut, textOf } from './text';
import { boxOf, moved, offsetOf, type Point } from './box';
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

/**
 * Brings an element to where it can be used, and looks whether it is still what it was: where a pointer meets it, in the
 * viewport of the page itself.
 */
export function prepare(id: number, name?: string): Point | Refusal {
  const element = byId(id);
  if (!element?.isConnected || !element.ownerDocument.defaultView) return 'missing';
  if (!isShown(element)) return 'hidden';
  if (name !== undefined && cut(nameOf(element)) !== name) return 'renamed';
  if (element.matches(':disabled') || element.getAttribute('aria-disabled') === 'true')
    return 'disabled';
  const view = element.ownerDocument.defaultView;
  if (!reachable(element, boxOf(element), view)) {
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  }
  const point = reachable(element, boxOf(element), view);
  return point ? moved(offsetOf(view), point) : 'covered';
}

export function perform({ type, id, value, name }: Step): Outcome {
  if (id === undefined) return onPage(type, value);
  const ready = prepare(id, name);
  if (typeof ready === 'string') return refused(ready);
  const element = byId(id);
  if (!element) return refused('missing');
  switch (type) {
    case 'click':
      return click(element, ready);
    case 'input':
      return write(element, value ?? '');
    case 'select':
      return select(element, value ?? '');
    case 'hover':
      pointer(element, ready, [
        'pointerover',
        'pointerenter',
        'pointermove',
        'mouseover',
        'mouseenter',
        'mousemove',
      ]);
      return done();
    case 'key':
      return press(element, value ?? '');
    case 'scroll':
      return done();
    case 'extract':
      return done({ text: textWithin(element) });
    default:
      return refused('not_for_this');
  }
}

function onPage(type: string, value: string | undefined): Outcome {
  switch (type) {
    case 'scroll': {
      const most = window.innerHeight * 0.85;
      window.scrollBy({ top: value === 'up' ? -most : most, behavior: 'instant' });
      return done();
    }
    case 'key':
      return press(document.activeElement ?? document.body, value ?? '');
    case 'extract':
      return done({ text: textWithin(document.body) });
    default:
      return refused('not_for_this');
  }
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

/** The window of an element that is prepared, whose classes its events are of. */
const viewOf = (element: Element) =>
  element.ownerDocument.defaultView as Window & typeof globalThis;

/** The events of a pointer, as they come from a real one. */
function pointer(element: Element, { x, y }: Point, types: string[]) {
  const view = viewOf(element);
  const { x: left, y: top, scale } = offsetOf(view);
  for (const type of types) {
    const init = {
      bubbles: !type.endsWith('enter'),
      cancelable: true,
      composed: true,
      view,
      clientX: (x - left) / scale,
      clientY: (y - top) / scale,
      button: 0,
      buttons: type.endsWith('down') ? 1 : 0,
    };
    const event = type.startsWith('pointer')
      ? new view.PointerEvent(type, {
          ...init,
          pointerId: 1,
          isPrimary: true,
          pointerType: 'mouse',
        })
      : new view.MouseEvent(type, { ...init, detail: 1 });
    element.dispatchEvent(event);
  }
}

function click(element: Element, at: Point): Outcome {
  pointer(element, at, [
    'pointerover',
    'mouseover',
    'pointermove',
    'mousemove',
    'pointerdown',
    'mousedown',
  ]);
  focus(element);
  pointer(element, at, ['pointerup', 'mouseup']);
  if ('click' in element) inThisWindow(element, () => (element as HTMLElement).click());
  else pointer(element, at, ['click']);
  return done();
}

/** No browser opens a window for an event that is not a hand's: the page behind the link comes into this one. */
function inThisWindow(element: Element, press: () => void) {
  const link = element.closest<HTMLAnchorElement>('a[target],area[target]');
  const target = link?.getAttribute('target') ?? null;
  link?.removeAttribute('target');
  press();
  if (target !== null) link?.setAttribute('target', target);
}

function focus(element: Element) {
  const target = element.closest<HTMLElement>(
    'a,button,input,select,textarea,[tabindex],[contenteditable]',
  );
  target?.focus({ preventScroll: true });
}

/** What was there is replaced; whoever controls the field hears of it as of typing. */
function write(element: Element, text: string): Outcome {
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
    Object.getOwnPropertyDescriptor(prototype.prototype, 'value')?.set?.call(element, text);
    const typed = { bubbles: true, composed: true, inputType: 'insertText', data: text };
    element.dispatchEvent(new view.InputEvent('input', typed));
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

function press(element: Element, key: string): Outcome {
  if (key === '') return refused('not_for_this');
  const view = viewOf(element);
  focus(element);
  const init = { key, bubbles: true, cancelable: true, composed: true };
  const goes = element.dispatchEvent(new view.KeyboardEvent('keydown', init));
  if (goes) byDefault(element, key);
  element.dispatchEvent(new view.KeyboardEvent('keyup', init));
  return done();
}

/** What a browser does of a key by itself, and does not do for events that are not its own. */
function byDefault(element: Element, key: string) {
  if (key === 'Enter' && is(element, 'input')) {
    element.form?.requestSubmit(
      element.form.querySelector<HTMLElement>('[type=submit],button:not([type])'),
    );
  } else if ((key === 'Enter' || key === ' ') && element.matches('button,a[href],summary')) {
    (element as HTMLElement).click();
  }
}

/** Resolves when nothing has changed for so long, or it never gets quiet in so long; in milliseconds. */
export function quiet(still: number, most: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isQuiet: boolean) => {
      observer.disconnect();
      clearTimeout(last);
      clearTimeout(rest);
      resolve(isQuiet);
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
