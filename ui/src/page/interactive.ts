/** Which elements can be used. */

import { hasRoom, type Box } from './box';
import { isListening, isMeant, isRoot, type Delegate } from './hooks';
import { is, parentOf } from './kind';
import { contains } from './visible';

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

/** Roles of what can be focused only so that it can be read or scrolled. */
const READ = new Set([
  'alertdialog',
  'article',
  'dialog',
  'document',
  'figure',
  'group',
  'heading',
  'img',
  'list',
  'listitem',
  'log',
  'main',
  'navigation',
  'region',
  'status',
  'table',
  'tabpanel',
]);

/** Roles of what consists of parts, and listens for them. */
const WHOLE = new Set([
  'grid',
  'listbox',
  'menu',
  'menubar',
  'radiogroup',
  'tablist',
  'toolbar',
  'tree',
  'treegrid',
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
  if (isNative(element) || isEditing(element)) return 'native';
  const role = roleOf(element);
  if (role && ROLES.has(role)) return 'role';
  if (isListening(element) || isMeant(element, delegates))
    return isRoot(element) ? undefined : 'listens';
  const tabindex = element.getAttribute('tabindex');
  if (tabindex !== null && Number(tabindex) >= 0 && !READ.has(role ?? ''))
    return isRoot(element) ? undefined : 'focus';
  if (style.cursor === 'pointer' && isPointing(element)) return 'cursor';
  return undefined;
}

function roleOf(element: Element): string | undefined {
  return element.getAttribute('role')?.trim().split(/\s+/u)[0]?.toLowerCase();
}

function isNative(element: Element): boolean {
  switch (element.localName) {
    case 'a':
    case 'area':
      return element.hasAttribute('href') || element.hasAttribute('xlink:href');
    case 'button':
    case 'select':
    case 'textarea':
      return true;
    case 'summary':
      return isOpening(element);
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

/** Only the first of them opens and closes what it is of. */
function isOpening(summary: Element): boolean {
  return (
    summary.parentElement?.querySelector(':scope > summary') === summary &&
    is(summary.parentElement, 'details')
  );
}

/** What is edited in place; what is within it is a part of it. */
function isEditing(element: Element): boolean {
  const value = element.getAttribute('contenteditable')?.toLowerCase();
  if (value !== undefined) return ['', 'true', 'plaintext-only'].includes(value);
  return (
    element.localName === 'body' &&
    element === element.ownerDocument.body &&
    element.ownerDocument.designMode === 'on'
  );
}

/** The pointer is inherited: whoever sets it is meant. A label of a field that can be seen is a part of that. */
function isPointing(element: Element): boolean {
  const around = parentOf(element);
  if (around && getComputedStyle(around).cursor === 'pointer') return false;
  return !element.closest('label')?.control && !isRoot(element);
}

export interface Candidate {
  element: Element;
  why: Why;
  box: Box;
  /** It sets the pointer, or has it set. */
  points: boolean;
}

/**
 * Without those that are a part of others, and those that listen only for their parts. They are in the order of the
 * page: what is in an element follows it.
 */
export function withoutParts<T extends Candidate>(found: T[], page: Box): T[] {
  const all = new Map<Element, T>(found.map((one) => [one.element, one]));
  const dropped = new Set<T>();
  found.forEach((one, nth) => {
    if (one.why === 'cursor') {
      const { whole, delegates } = around(one, all);
      if (whole) dropped.add(one);
      else delegates.forEach((other) => dropped.add(other));
    } else if (one.why === 'listens' && !one.points) {
      const next = found[nth + 1];
      if (next && isForParts(one, page) && contains(one.element, next.element)) dropped.add(one);
    }
  });
  return dropped.size === 0 ? found : found.filter((one) => !dropped.has(one));
}

/** Whoever only looks as if it could be used is a part of what can; or that listens for it without looking so itself. */
function around<T extends Candidate>({ element }: T, all: Map<Element, T>) {
  const delegates: T[] = [];
  for (let up = parentOf(element); up; up = parentOf(up)) {
    const other = all.get(up);
    if (!other) continue;
    if (other.why === 'listens' && !other.points) delegates.push(other);
    else if (other.why !== 'focus' && other.why !== 'cursor')
      return { whole: other, delegates: [] };
  }
  return { whole: undefined, delegates };
}

/** Of a role whose parts are used, or as large as the window. */
function isForParts({ element, box }: Candidate, page: Box): boolean {
  const role = roleOf(element);
  if (role && WHOLE.has(role)) return true;
  return hasRoom(page) && box.width >= page.width * 0.8 && box.height >= page.height * 0.8;
}
