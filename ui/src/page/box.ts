/** Where elements are, also those that have no box of their own, and those of frames. */

import { is, parentOf } from './kind';

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

export const hasRoom = ({ width, height }: Box) => width >= 1 && height >= 1;

/** In the element's own window. */
export function boxOf(element: Element): Box {
  if (is(element, 'area')) return boxOfArea(element);
  const box = element.getBoundingClientRect();
  if (hasRoom(box)) return box;
  if ('getTotalLength' in element) return stroked(element, box);
  // A link around a picture that floats has no room of its own.
  for (const child of (element.shadowRoot ?? element).children) {
    const inner = child.getBoundingClientRect();
    if (hasRoom(inner)) return inner;
  }
  return box;
}

/** A line of a drawing is as wide as its pen. */
function stroked(line: Element, { x, y, width, height }: Box): Box {
  const { stroke, strokeWidth } = getComputedStyle(line);
  const pen = stroke === 'none' ? 0 : parseFloat(strokeWidth);
  return { x: x - pen / 2, y: y - pen / 2, width: width + pen, height: height + pen };
}

/** The picture that an area is a part of. */
export function pictureOf(area: HTMLAreaElement): HTMLImageElement | undefined {
  const name = area.closest('map')?.getAttribute('name');
  if (!name) return undefined;
  const root = area.getRootNode() as Document | ShadowRoot;
  return [...root.querySelectorAll<HTMLImageElement>('img[usemap]')].find(
    (picture) => picture.getAttribute('usemap') === `#${name}`,
  );
}

function cornerOf(picture: HTMLImageElement): Point {
  const { x, y } = picture.getBoundingClientRect();
  const { paddingLeft, paddingTop } = getComputedStyle(picture);
  return {
    x: x + picture.clientLeft + parseFloat(paddingLeft),
    y: y + picture.clientTop + parseFloat(paddingTop),
  };
}

const numbersOf = ({ coords }: HTMLAreaElement) => coords.split(/[\s,;]+/u).map(Number);
const shapeOf = (area: HTMLAreaElement) => area.shape.toLowerCase().slice(0, 4);

function boxOfArea(area: HTMLAreaElement): Box {
  const picture = pictureOf(area);
  if (!picture) return { x: 0, y: 0, width: 0, height: 0 };
  const shape = shapeOf(area);
  if (shape === 'defa') return picture.getBoundingClientRect();
  const { x, y } = cornerOf(picture);
  const numbers = numbersOf(area);
  let [across, down] = [0, 1].map((from) => numbers.filter((_, nth) => nth % 2 === from));
  if (shape === 'circ') {
    const [middle = 0, high = 0, radius = 0] = numbers;
    [across, down] = [
      [middle - radius, middle + radius],
      [high - radius, high + radius],
    ];
  }
  const [left, top] = [Math.min(...(across ?? [])), Math.min(...(down ?? []))];
  return {
    x: x + left,
    y: y + top,
    width: Math.max(...(across ?? [])) - left,
    height: Math.max(...(down ?? [])) - top,
  };
}

/** Whether a point that the picture is met at is one of this area: of a shape with corners, by the even-odd rule. */
export function isInArea(area: HTMLAreaElement, at: Point): boolean {
  if (shapeOf(area) !== 'poly') return true;
  const picture = pictureOf(area);
  if (!picture) return false;
  const corner = cornerOf(picture);
  const [x, y] = [at.x - corner.x, at.y - corner.y];
  const numbers = numbersOf(area);
  let isIn = false;
  for (let one = 0, other = numbers.length - 2; one + 1 < numbers.length; other = one, one += 2) {
    const [x1 = 0, y1 = 0] = numbers.slice(one, one + 2);
    const [x2 = 0, y2 = 0] = numbers.slice(other, other + 2);
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) isIn = !isIn;
  }
  return isIn;
}

/** Where a window's own corner is in the page, and how large its pixels are there: frames may be scaled. */
export interface Offset extends Point {
  scale: number;
}

export function offsetOf(view: Window): Offset {
  const frame = view === window ? null : view.frameElement;
  const outer = frame?.ownerDocument.defaultView;
  if (!frame || !outer) return { x: 0, y: 0, scale: 1 };
  return within(offsetOf(outer), offsetIn(frame as HTMLIFrameElement));
}

const within = (outer: Offset, inner: Offset): Offset => ({
  x: outer.x + inner.x * outer.scale,
  y: outer.y + inner.y * outer.scale,
  scale: outer.scale * inner.scale,
});

/** As `offsetOf`, in the window that the frame is in. */
export function offsetIn(frame: HTMLIFrameElement): Offset {
  const box = frame.getBoundingClientRect();
  const scale = frame.offsetWidth > 0 ? box.width / frame.offsetWidth : 1;
  const { paddingLeft, paddingTop } = getComputedStyle(frame);
  return {
    x: box.x + (frame.clientLeft + parseFloat(paddingLeft)) * scale,
    y: box.y + (frame.clientTop + parseFloat(paddingTop)) * scale,
    scale,
  };
}

export const moved = ({ x, y, scale }: Offset, point: Point): Point => ({
  x: x + point.x * scale,
  y: y + point.y * scale,
});

/** A point of the page, in a window there. */
export const back = ({ x, y, scale }: Offset, point: Point): Point => ({
  x: (point.x - x) / scale,
  y: (point.y - y) / scale,
});

/** Left of or above all that can be scrolled to: where pages put what is not to be seen. */
export function isOutOfReach(element: Element, box: Box, view: Window): boolean {
  const { documentElement } = element.ownerDocument;
  let right = box.x + box.width;
  let bottom = box.y + box.height;
  if (right > 0 && bottom > 0) return false;
  // Pages that are read from the right scroll to the left.
  if (right <= 0 && getComputedStyle(documentElement).direction === 'rtl') return false;
  let isFixed = getComputedStyle(element).position === 'fixed';
  for (let around = parentOf(element); around && !isFixed; around = parentOf(around)) {
    if (around === documentElement) break;
    right += around.scrollLeft;
    bottom += around.scrollTop;
    isFixed = getComputedStyle(around).position === 'fixed';
  }
  if (!isFixed) {
    right += view.scrollX;
    bottom += view.scrollY;
  }
  return right <= 0 || bottom <= 0;
}
