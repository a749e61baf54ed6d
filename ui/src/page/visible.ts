/** What of an element is to be seen. */

import {
  back,
  boxOf,
  hasRoom,
  isInArea,
  moved,
  offsetIn,
  offsetOf,
  pictureOf,
  type Box,
  type Point,
} from './box';
import { is, isShadow, parentOf } from './kind';

/** Whether it is drawn, takes room, and is met by pointers. `style` of the element, which is computed once. */
export function isDrawn(element: Element, style: CSSStyleDeclaration, box: Box): boolean {
  if (style.visibility !== 'visible' || style.pointerEvents === 'none') return false;
  // A single pixel is what is there for those who do not see.
  if (!hasRoom(box) || (box.width <= 1 && box.height <= 1)) return false;
  if (is(element, 'area')) return isPictured(element);
  if (style.opacity === '0' && isGlass(element))
    return parentOf(element)?.checkVisibility({ opacityProperty: true }) === true;
  return element.checkVisibility({ opacityProperty: true });
}

function isPictured(area: HTMLAreaElement): boolean {
  const picture = pictureOf(area);
  return picture !== undefined && isDrawn(picture, getComputedStyle(picture), boxOf(picture));
}

/** Whether it can be seen at all, wherever it is scrolled to. */
export function isShown(element: Element): boolean {
  return isDrawn(element, getComputedStyle(element), boxOf(element));
}

/** Fields that lie unseen over a picture of themselves; where a label can be seen, it stands for its field. */
function isGlass(element: Element): boolean {
  if (!is(element, 'input')) return false;
  if (!['checkbox', 'radio', 'file', 'range'].includes(element.type)) return false;
  return ![...(element.labels ?? [])].some((label) => label.checkVisibility());
}

/** Within something that is folded up to nothing. What is known of the elements around is kept for the next. */
export function isFolded(element: Element, known: Map<Element, boolean>): boolean {
  const around = parentOf(element);
  // What the body hides is cut off at the window, wherever the body is.
  if (!around || around === element.ownerDocument.body) return false;
  const before = known.get(around);
  if (before !== undefined) return before;
  const style = getComputedStyle(around);
  const folds =
    isCutting(style) && style.display !== 'contents' && !hasRoom(around.getBoundingClientRect());
  const folded = folds || (style.position !== 'fixed' && isFolded(around, known));
  known.set(around, folded);
  return folded;
}

const isCutting = ({ overflowX, overflowY }: CSSStyleDeclaration) =>
  overflowX !== 'visible' || overflowY !== 'visible';

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

/** Lines of an element that runs over several of them, at most. */
const LINES = 4;

/** A point of it at which a pointer meets it, in its own window; `undefined` where something lies over it. */
export function reachable(element: Element, box: Box, view: Window): Point | undefined {
  const point = reachableIn(element, box, view);
  if (point) return point;
  const lines = element.getClientRects();
  if (lines.length < 2) return undefined;
  for (const line of [...lines].filter(hasRoom).slice(0, LINES)) {
    const there = reachableIn(element, line, view);
    if (there) return there;
  }
  return undefined;
}

function reachableIn(element: Element, box: Box, view: Window): Point | undefined {
  const left = Math.max(box.x, 0);
  const top = Math.max(box.y, 0);
  const right = Math.min(box.x + box.width, view.innerWidth);
  const bottom = Math.min(box.y + box.height, view.innerHeight);
  if (right <= left || bottom <= top) return undefined;
  for (const [across, down] of PLACES) {
    const point = { x: left + (right - left) * across, y: top + (bottom - top) * down };
    if (meets(element, point) && isClear(view, point)) return point;
  }
  return undefined;
}

function meets(element: Element, at: Point): boolean {
  return hitsOf(element, at).some((hit) => contains(element, hit) || isFor(hit, element, at));
}

/** What lies at this point of the element's window: first the page's own, then those of each shadow that it is in. */
function hitsOf({ ownerDocument }: Element, { x, y }: Point): Element[] {
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
  return view ? hitsOf(element, back(offsetOf(view), at)).at(-1) : undefined;
}

/** Whether a frame's point is to be seen in the page: not cut off by the windows around it, and not covered. */
function isClear(view: Window, point: Point): boolean {
  if (view === window) return true;
  const frame = view.frameElement as HTMLIFrameElement | null;
  const outer = frame?.ownerDocument.defaultView;
  if (!frame || !outer) return true;
  const there = moved(offsetIn(frame), point);
  return meets(frame, there) && isClear(outer, there);
}

/** Also across shadows, and what is shown in a slot of it. */
export function contains(element: Element, other: Element): boolean {
  for (let node: Node | null = other; node;) {
    if (node === element) return true;
    const up: Node | null = (node as Element).assignedSlot ?? node.parentNode;
    node = isShadow(up) ? up.host : up;
  }
  return false;
}

/** Whoever points at its label points at it; whoever points at a picture, at the area there. */
function isFor(hit: Element, element: Element, at: Point): boolean {
  if (is(element, 'area')) return hit === pictureOf(element) && isInArea(element, at);
  const label = hit.closest('label');
  return label !== null && label.control === element;
}
