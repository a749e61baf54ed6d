/** Numbers of elements: the same as long as it is the same element, and no two the same. */

export const MARK = 'data-agent-id';

const numbers = new WeakMap<Element, number>();
const elements = new Map<number, WeakRef<Element>>();
let last = 0;

export function idOf(element: Element): number {
  const known = numbers.get(element);
  if (known !== undefined) return known;
  last += 1;
  numbers.set(element, last);
  elements.set(last, new WeakRef(element));
  return last;
}

export function byId(id: number): Element | undefined {
  return elements.get(id)?.deref();
}

/** Marks those that are listed, and takes the mark from all others: copies carry the mark of what they were made of. */
export function mark(roots: Iterable<Document | ShadowRoot>, listed: Set<Element>): void {
  for (const root of roots) {
    for (const element of root.querySelectorAll(`[${MARK}]`)) {
      if (!listed.has(element)) element.removeAttribute(MARK);
    }
  }
  for (const element of listed) {
    const id = String(idOf(element));
    if (element.getAttribute(MARK) !== id) element.setAttribute(MARK, id);
  }
  for (const [id, element] of elements) {
    if (!element.deref()) elements.delete(id);
  }
}
