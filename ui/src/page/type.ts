/** Fields that a person types into, for drivers that type as she does. */

import { byId } from './ids';
import { is } from './kind';

/** Inputs whose value is text as it is typed; the others are set. */
const TYPED = new Set(['text', 'search', 'url', 'tel', 'email', 'password']);

/**
 * Focuses an element and selects all that is in it, so that what is typed next replaces it. `false`: nothing is typed
 * into it, its value is set.
 */
export function selectAll(id: number): boolean {
  const element = byId(id);
  if (!element) return false;
  if (is(element, 'input') || is(element, 'textarea')) {
    if (element.readOnly || (is(element, 'input') && !TYPED.has(element.type))) return false;
    element.focus({ preventScroll: true });
    element.select();
    return true;
  }
  if (!(element as HTMLElement).isContentEditable) return false;
  (element as HTMLElement).focus({ preventScroll: true });
  element.ownerDocument.getSelection()?.selectAllChildren(element);
  return true;
}

/** Focuses what a key is pressed in. */
export function focus(id: number): boolean {
  const element = byId(id);
  (element as HTMLElement | undefined)?.focus?.({ preventScroll: true });
  return element !== undefined;
}
