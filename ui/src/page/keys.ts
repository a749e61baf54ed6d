/** Events of keys, and what a browser does of them by itself and does not do for events that are not its own. */

import { is } from './kind';
import { focus, viewOf } from './pointer';

/** Numbers that pages ask for though they are obsolete. */
const CODES: Record<string, number> = {
  Backspace: 8,
  Tab: 9,
  Enter: 13,
  Escape: 27,
  ' ': 32,
  PageUp: 33,
  PageDown: 34,
  End: 35,
  Home: 36,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
  Delete: 46,
};

const isPrintable = (key: string) => key.length === 1;

function initOf(key: string) {
  const number = CODES[key] ?? (/^[a-z0-9]$/iu.test(key) ? key.toUpperCase().charCodeAt(0) : 0);
  const code = /^[a-z]$/iu.test(key)
    ? `Key${key.toUpperCase()}`
    : /^\d$/u.test(key)
      ? `Digit${key}`
      : key === ' '
        ? 'Space'
        : isPrintable(key)
          ? ''
          : key;
  return {
    key,
    code,
    keyCode: number,
    which: number,
    bubbles: true,
    cancelable: true,
    composed: true,
  };
}

export function send(element: Element, type: 'keydown' | 'keyup', key: string): boolean {
  const view = viewOf(element);
  return element.dispatchEvent(new view.KeyboardEvent(type, initOf(key)));
}

export function press(element: Element, key: string): void {
  focus(element);
  const { ownerDocument } = element;
  const view = viewOf(element);
  let goes = send(element, 'keydown', key);
  if (goes && (isPrintable(key) || key === 'Enter')) {
    const number = key === 'Enter' ? 13 : key.charCodeAt(0);
    const init = { ...initOf(key), keyCode: number, which: number, charCode: number };
    goes = element.dispatchEvent(new view.KeyboardEvent('keypress', init));
  }
  if (goes) byDefault(element, key);
  // A key is let go of where the focus is by then.
  const now = ownerDocument.activeElement;
  send(element.isConnected || !now ? element : now, 'keyup', key);
}

function byDefault(element: Element, key: string) {
  if (is(element, 'input') && element.type === 'checkbox' && key === ' ') element.click();
  else if ((key === 'Enter' || key === ' ') && element.matches('button,a[href],summary')) {
    (element as HTMLElement).click();
  } else if (is(element, 'input') && key === 'Enter') submit(element);
  else if (is(element, 'input') && ['number', 'range'].includes(element.type)) step(element, key);
  else edit(element, key);
}

/** A form is sent by its first button, which hears of it as of a click; without one, if it has a single field. */
function submit({ form }: HTMLInputElement) {
  if (!form) return;
  const button = [...form.elements].find(
    (one): one is HTMLButtonElement | HTMLInputElement =>
      (is(one, 'input') || one.localName === 'button') &&
      (one as HTMLInputElement).type === 'submit',
  );
  if (button) button.click();
  else if ([...form.elements].filter((one) => is(one, 'input') && isField(one)).length <= 1) {
    form.requestSubmit();
  }
}

const isField = ({ type }: HTMLInputElement) =>
  !['checkbox', 'radio', 'button', 'reset', 'file', 'range', 'color', 'hidden', 'image'].includes(
    type,
  );

/** Numbers go up and down by arrows; others are written into such a field. */
function step(field: HTMLInputElement, key: string) {
  const isRange = field.type === 'range';
  const up = key === 'ArrowUp' || (isRange && key === 'ArrowRight');
  const down = key === 'ArrowDown' || (isRange && key === 'ArrowLeft');
  if (!up && !down) {
    if (!isRange) edit(field, key);
    return;
  }
  const before = field.value;
  if (up) field.stepUp();
  else field.stepDown();
  if (field.value === before) return;
  const view = viewOf(field);
  field.dispatchEvent(new view.InputEvent('input', { bubbles: true, composed: true }));
  field.dispatchEvent(new view.Event('change', { bubbles: true }));
}

function edit(element: Element, key: string) {
  const isText = is(element, 'input') || is(element, 'textarea');
  if (!isText && !(element as HTMLElement).isContentEditable) return;
  // The one way by which the page hears of it as of typing.
  const { ownerDocument } = element;
  if (isPrintable(key)) ownerDocument.execCommand('insertText', false, key);
  else if (key === 'Enter') ownerDocument.execCommand('insertLineBreak');
  else if (key === 'Backspace') ownerDocument.execCommand('delete');
  else if (key === 'Delete') ownerDocument.execCommand('forwardDelete');
}
