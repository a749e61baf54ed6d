/** Which elements can be used. */

import { isListening, isMeant, isRoot, type Delegate } from './hooks';
import { is } from './kind';

const ROLES = new Set([
  'button',
  'checkbox',
  'combobox',
  'gridcell',
  'link',
  'menuitem',
  'menuitemcheckbox',
  'menuitemradio',
  'option',
  'radio',
  'scrollbar',
  'searchbox',
  'slider',
  'spinbutton',
  'switch',
  'tab',
  'textbox',
  'treeitem',
]);

/** Why an element is listed; some reasons are stronger than others. */
export type Why = 'native' | 'role' | 'listens' | 'focus' | 'cursor';

/**
 * `undefined`: it is not to be used. `style` of the element, which is computed once; `delegates` among what it is in.
 */
export function whyUsed(
  element: Element,
  style: CSSStyleDeclaration,
  delegates: readonly Delegate[],
): Why | undefined {
  if (isNative(element)) return 'native';
  const role = element.getAttribute('role')?.trim().split(/\s+/u)[0]?.toLowerCase();
  if (role && ROLES.has(role)) return 'role';
  if (isRoot(element)) return undefined;
  if (isListening(element) || isMeant(element, delegates)) return 'listens';
  if (isEditing(element)) return 'native';
  const tabindex = element.getAttribute('tabindex');
  if (tabindex !== null && Number(tabindex) >= 0) return 'focus';
  // It is inherited: whoever sets it is meant.
  if (style.cursor === 'pointer' && parentCursor(element) !== 'pointer') return 'cursor';
  return undefined;
}

function isNative(element: Element): boolean {
  switch (element.localName) {
    case 'a':
    case 'area':
      return element.hasAttribute('href') || element.hasAttribute('xlink:href');
    case 'button':
    case 'select':
    case 'textarea':
    case 'summary':
      return true;
    case 'input':
      return (element as HTMLInputElement).type !== 'hidden';
    case 'audio':
    case 'video':
      return element.hasAttribute('controls');
    case 'label':
      return isStandIn(element as HTMLLabelElement);
    default:
      return false;
  }
}

/** A label whose field is not to be seen is what people click. */
function isStandIn(label: HTMLLabelElement): boolean {
  const { control } = label;
  if (!is(control, 'input')) return false;
  if (!['checkbox', 'radio', 'file'].includes(control.type)) return false;
  const box = control.getBoundingClientRect();
  const style = getComputedStyle(control);
  return (
    style.display === 'none' ||
    style.visibility === 'hidden' ||
    style.opacity === '0' ||
    box.width <= 1 ||
    box.height <= 1
  );
}

/** What is edited in place; what is within it is a part of it. */
function isEditing(element: Element): boolean {
  const value = element.getAttribute('contenteditable');
  return value !== null && value.toLowerCase() !== 'false';
}

function parentCursor(element: Element): string {
  const parent = element.parentElement ?? (element.getRootNode() as Partial<ShadowRoot>).host;
  return parent ? getComputedStyle(parent).cursor : '';
}

/** Whoever only looks as if it could be used, within something that can, is a part of that. */
export function isRedundant(
  why: Why,
  element: Element,
  listed: (other: Element) => Why | undefined,
): boolean {
  if (why !== 'cursor') return false;
  for (let around = element.parentElement; around; around = around.parentElement) {
    const reason = listed(around);
    // A list that listens does so for its items; what has a pointer of its own there is one of them.
    if (reason === 'native' || reason === 'role') return true;
  }
  return false;
}
