/** What of an element is to be seen. */

import { isShadow } from './kind';

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

/** Whether it takes room and is drawn, where it is displayed at all. */
export function isDrawn(element: Element, style: CSSStyleDeclaration, box: Box): boolean {
  if (style.visibility !== 'visible') return false;
  if (box.width < 1 || box.height < 1) return isStretched(element);
  return element.checkVisibility({ opacityProperty: true, contentVisibilityAuto: true });
}

/** A link around a picture that floats has no room of its own. */
function isStretched(element: Element): boolean {
  for (const child of element.children) {
    const box = child.getBoundingClientRect();
    if (box.width >= 1 && box.height >= 1) return true;
  }
  return false;
}

/** What is within this window, or its frame. */
export function inViewport(box: Box, view: Window): boolean {
  return (
    box.x < view.innerWidth &&
    box.y < view.innerHeight &&
    box.x + box.width > 0 &&
    box.y + box.height > 0
  );
}

/** Places of an element: its middle, then around it. */
const PLACES = [
  [0.5, 0.5],
  [0.25, 0.25],
  [0.75, 0.25],
  [0.25, 0.75],
  [0.75, 0.75],
] as const;

/** A point of it at which a pointer meets it, in its own window; `undefined` where something lies over it. */
export function reachable(element: Element, box: Box, view: Window): Point | undefined {
  const left = Math.max(box.x, 0);
  const top = Math.max(box.y, 0);
  const right = Math.min(box.x + box.width, view.innerWidth);
  const bottom = Math.min(box.y + box.height, view.innerHeight);
  if (right <= left || bottom <= top) return undefined;
  for (const [across, down] of PLACES) {
    const x = left + (right - left) * across;
    const y = top + (bottom - top) * down;
    if (meets(element, x, y)) return { x, y };
  }
  return undefined;
}

function meets(element: Element, x: number, y: number): boolean {
  return hitsOf(element, x, y).some((hit) => within(element, hit) || isFor(hit, element));
}

/** What lies at this point of the element's window: first the page's own, then those of each shadow that it is in. */
function hitsOf({ ownerDocument }: Element, x: number, y: number): Element[] {
  const hits: Element[] = [];
  let root: Document | ShadowRoot = ownerDocument;
  for (;;) {
    const hit: Element | null = root.elementFromPoint(x, y);
    if (!hit) return hits;
    hits.push(hit);
    const inner: ShadowRoot | null = hit.shadowRoot;
    if (!inner || inner === root) return hits;
    root = inner;
  }
}

/** The innermost element at a point of the page at which this one can be met. */
export function hitAt(element: Element, at: Point): Element | undefined {
  const view = element.ownerDocument.defaultView;
  if (!view) return undefined;
  const { x, y } = offsetOf(view);
  return hitsOf(element, at.x - x, at.y - y).at(-1);
}

/** Whether the other is it or within it, also across shadows. */
export function within(element: Element, other: Element): boolean {
  for (let node: Node | null = other; node;) {
    if (node === element) return true;
    const up: Node | null = node.parentNode;
    node = isShadow(up) ? up.host : up;
  }
  return false;
}

/** Whoever points at its label points at it. */
function isFor(hit: Element, element: Element): boolean {
  const label = hit.closest('label');
  return label !== null && label.control === element;
}

/** How far a frame is from the page's own corner. */
export function offsetOf(view: Window): Point {
  let [x, y] = [0, 0];
  for (
    let frame = view.frameElement;
    frame;
    frame = frame.ownerDocument.defaultView?.frameElement ?? null
  ) {
    const box = frame.getBoundingClientRect();
    x += box.x + frame.clientLeft;
    y += box.y + frame.clientTop;
  }
  return { x, y };
}
