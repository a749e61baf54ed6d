/** How a picture lies on the stage: `stage = picture * scale + offset`, in CSS pixels. */

export interface Size {
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

export interface View extends Point {
  scale: number;
}

export const MAX_SCALE = 64;
/** Free space around a fitted picture. */
const MARGIN = 24;
/** So much of a picture stays on the stage, wherever it is dragged. */
const KEPT = 64;
/** What + and - lead through. */
const STEPS = [
  0.02, 0.05, 0.1, 0.15, 0.25, 0.33, 0.5, 0.67, 0.75, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64,
];

/** All of it, in the middle; small pictures are not blown up. */
export function fit(stage: Size, picture: Size): View {
  const room = (side: number) => Math.max(1, side - Math.min(2 * MARGIN, side / 4));
  const scale = Math.min(room(stage.width) / picture.width, room(stage.height) / picture.height, 1);
  return centred(stage, picture, scale);
}

export function centred(stage: Size, picture: Size, scale: number): View {
  return {
    scale,
    x: (stage.width - picture.width * scale) / 2,
    y: (stage.height - picture.height * scale) / 2,
  };
}

/** Zooms so that what lies under `point` stays there. */
export function zoomAt(view: View, scale: number, point: Point): View {
  const by = scale / view.scale;
  return { scale, x: point.x - (point.x - view.x) * by, y: point.y - (point.y - view.y) * by };
}

/** The scale within its bounds; one may always zoom out until the whole picture is seen. */
export function bounded(scale: number, stage: Size, picture: Size): number {
  return Math.min(MAX_SCALE, Math.max(Math.min(fit(stage, picture).scale, 0.1), scale));
}

/** The next of the round scales, above or below. */
export function nextScale(scale: number, direction: 1 | -1): number {
  const near = 1e-3;
  const next =
    direction === 1
      ? STEPS.find((step) => step > scale * (1 + near))
      : STEPS.findLast((step) => step < scale * (1 - near));
  return next ?? scale;
}

/** Keeps a piece of the picture on the stage. */
export function held(view: View, stage: Size, picture: Size): View {
  const along = (offset: number, side: number, room: number) => {
    const kept = Math.min(KEPT, side, room);
    return Math.min(Math.max(offset, kept - side), room - kept);
  };
  return {
    scale: view.scale,
    x: along(view.x, picture.width * view.scale, stage.width),
    y: along(view.y, picture.height * view.scale, stage.height),
  };
}

/** Keeps what is in the middle of the stage there when the stage changes its size. */
export function restaged(view: View, before: Size, after: Size): View {
  return {
    scale: view.scale,
    x: view.x + (after.width - before.width) / 2,
    y: view.y + (after.height - before.height) / 2,
  };
}

/** Two fingers from one place to another: what lay under them lies under them again. */
export function pinched(view: View, from: [Point, Point], to: [Point, Point], scale: number): View {
  const before = middle(from);
  const after = middle(to);
  const zoomed = zoomAt(view, scale, before);
  return { scale, x: zoomed.x + after.x - before.x, y: zoomed.y + after.y - before.y };
}

export function distance([a, b]: [Point, Point]): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function middle([a, b]: [Point, Point]): Point {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}

/** The pixel of the picture under a point of the stage. */
export function pixelAt(view: View, picture: Size, point: Point): Point | undefined {
  const x = Math.floor((point.x - view.x) / view.scale);
  const y = Math.floor((point.y - view.y) / view.scale);
  const inside = x >= 0 && y >= 0 && x < picture.width && y < picture.height;
  return inside ? { x, y } : undefined;
}

/** A wheel's turn as a factor. Pages and lines are told apart from pixels. */
export function wheelFactor(delta: number, mode: number): number {
  const pixels = mode === 1 ? delta * 16 : mode === 2 ? delta * 400 : delta;
  return Math.exp(-Math.max(-240, Math.min(240, pixels)) / 400);
}
