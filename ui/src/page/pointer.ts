/** Events of a pointer that is moved and pressed, in the order and at the elements at which real ones come. */

import { back, offsetOf, type Point } from './box';
import { hitAt } from './visible';

/** The window of an element that is prepared, whose classes its events are of. */
export const viewOf = (element: Element) =>
  element.ownerDocument.defaultView as Window & typeof globalThis;

/** Where the pointer was moved last. */
let over: WeakRef<Element> | undefined;

interface More {
  bubbles?: boolean;
  buttons?: number;
  relatedTarget?: Element | null;
}

/** Whether the page leaves it to the browser what is to be done. */
function send(type: string, target: Element, at: Point, more: More = {}): boolean {
  const view = viewOf(target);
  const { x, y } = back(offsetOf(view), at);
  const isClick = type === 'click';
  const init = {
    bubbles: true,
    cancelable: true,
    composed: true,
    view,
    clientX: x,
    clientY: y,
    button: 0,
    buttons: 0,
    detail: isClick || type === 'mousedown' || type === 'mouseup' ? 1 : 0,
    ...more,
  };
  const of = { pointerId: 1, isPrimary: true, pointerType: 'mouse' };
  const event =
    isClick || type.startsWith('pointer')
      ? new view.PointerEvent(type, { ...init, ...of })
      : new view.MouseEvent(type, init);
  return target.dispatchEvent(event);
}

/** The elements that an event at this one passes, from within. */
function path(element: Element | undefined): Element[] {
  const all: Element[] = [];
  for (let one: Element | null = element ?? null; one;) {
    all.push(one);
    const root = one.getRootNode() as Partial<ShadowRoot>;
    one = one.parentElement ?? root.host ?? null;
  }
  return all;
}

/** Leaves what it was over and enters what it is over now; the element at which the pointer is. */
export function moveTo(element: Element, at: Point): Element {
  const target = hitAt(element, at) ?? element;
  const known = over?.deref();
  const before =
    known?.isConnected && known.ownerDocument === target.ownerDocument ? known : undefined;
  over = new WeakRef(target);
  if (before !== target) {
    const left = path(before);
    const entered = path(target);
    const leave = left.filter((one) => !entered.includes(one));
    const enter = entered.filter((one) => !left.includes(one)).reverse();
    for (const kind of ['pointer', 'mouse']) {
      if (before) {
        send(`${kind}out`, before, at, { relatedTarget: target });
        for (const one of leave)
          send(`${kind}leave`, one, at, { bubbles: false, relatedTarget: target });
      }
      const from = { relatedTarget: before ?? null };
      send(`${kind}over`, target, at, from);
      for (const one of enter) send(`${kind}enter`, one, at, { ...from, bubbles: false });
    }
  }
  send('pointermove', target, at);
  send('mousemove', target, at);
  return target;
}

export function click(element: Element, at: Point): void {
  const target = moveTo(element, at);
  const held = { buttons: 1 };
  // Whoever takes a press for itself keeps the focus where it is: buttons of editors do.
  const goes = send('pointerdown', target, at, held);
  if (send('mousedown', target, at, held) && goes) focus(target);
  send('pointerup', target, at);
  send('mouseup', target, at);
  // What was pressed may be gone by now, and something else in its place.
  const hears = target.isConnected ? target : element;
  if (hears.isConnected) inThisWindow(hears, () => send('click', hears, at));
}

/** No browser opens a window for an event that is not a hand's: the page behind the link comes into this one. */
function inThisWindow(element: Element, press: () => void) {
  const link = element.closest<HTMLAnchorElement>('a[target],area[target]');
  const target = link?.getAttribute('target') ?? null;
  link?.removeAttribute('target');
  press();
  if (target !== null) link?.setAttribute('target', target);
}

export function focus(element: Element): void {
  const target = element.closest<HTMLElement>(
    'a[href],button,input,select,textarea,summary,[tabindex],[contenteditable]',
  );
  if (target) target.focus({ preventScroll: true });
  else (element.ownerDocument.activeElement as Partial<HTMLElement> | null)?.blur?.();
}
