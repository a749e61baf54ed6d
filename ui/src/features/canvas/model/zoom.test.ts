import { describe, expect, it } from 'vitest';
import { seeded } from './testRandom';
import {
  bounded,
  distance,
  fit,
  held,
  MAX_SCALE,
  nextScale,
  pinched,
  pixelAt,
  restaged,
  wheelFactor,
  zoomAt,
  type Point,
  type View,
} from './zoom';

const stage = { width: 800, height: 600 };
const random = seeded(7);
const view = (): View => ({
  scale: Math.exp(random(-3, 4)),
  x: random(-4000, 900),
  y: random(-4000, 900),
});
const point = (): Point => ({ x: random(0, 800), y: random(0, 600) });
const under = ({ scale, x, y }: View, at: Point) => ({
  x: (at.x - x) / scale,
  y: (at.y - y) / scale,
});

describe('zoom at the pointer', () => {
  it('keeps what lies under it (500 cases)', () => {
    for (let round = 0; round < 500; round += 1) {
      const before = view();
      const at = point();
      const after = zoomAt(before, Math.exp(random(-3, 4)), at);
      expect(under(after, at).x).toBeCloseTo(under(before, at).x, 6);
      expect(under(after, at).y).toBeCloseTo(under(before, at).y, 6);
    }
  });

  it('is undone by zooming back (200 cases)', () => {
    for (let round = 0; round < 200; round += 1) {
      const before = view();
      const at = point();
      const back = zoomAt(zoomAt(before, random(0.1, 60), at), before.scale, at);
      expect(back.x).toBeCloseTo(before.x, 6);
      expect(back.y).toBeCloseTo(before.y, 6);
    }
  });

  it('keeps what two fingers hold under them (300 cases)', () => {
    for (let round = 0; round < 300; round += 1) {
      const before = view();
      const from: [Point, Point] = [point(), point()];
      const turn = { x: random(-50, 50), y: random(-50, 50) };
      const by = random(0.3, 3);
      const [a, b] = from;
      const to: [Point, Point] = [
        { x: a.x + turn.x, y: a.y + turn.y },
        { x: a.x + turn.x + (b.x - a.x) * by, y: a.y + turn.y + (b.y - a.y) * by },
      ];
      const scale = (before.scale * distance(to)) / distance(from);
      const after = pinched(before, from, to, scale);
      for (const finger of [0, 1] as const) {
        expect(under(after, to[finger]).x).toBeCloseTo(under(before, from[finger]).x, 5);
        expect(under(after, to[finger]).y).toBeCloseTo(under(before, from[finger]).y, 5);
      }
    }
  });
});

describe('fit', () => {
  it('shows all of a picture, in the middle (200 sizes)', () => {
    for (let round = 0; round < 200; round += 1) {
      const picture = { width: Math.ceil(random(1, 16384)), height: Math.ceil(random(1, 16384)) };
      const { scale, x, y } = fit(stage, picture);
      expect(scale).toBeLessThanOrEqual(1);
      expect(x).toBeGreaterThanOrEqual(0);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(x * 2 + picture.width * scale).toBeCloseTo(stage.width, 6);
      expect(y * 2 + picture.height * scale).toBeCloseTo(stage.height, 6);
    }
  });

  it('leaves small pictures at their size', () => {
    expect(fit(stage, { width: 20, height: 10 })).toEqual({ scale: 1, x: 390, y: 295 });
  });

  it('survives a stage that has no size yet', () => {
    expect(Number.isFinite(fit({ width: 0, height: 0 }, stage).scale)).toBe(true);
  });
});

describe('bounds', () => {
  it('let one zoom out to the whole picture and in to single pixels', () => {
    const huge = { width: 16384, height: 16384 };
    expect(bounded(1e-6, stage, huge)).toBe(fit(stage, huge).scale);
    expect(bounded(1e6, stage, huge)).toBe(MAX_SCALE);
    expect(bounded(0.5, stage, huge)).toBe(0.5);
  });

  it('keep a piece of the picture on the stage (300 cases)', () => {
    for (let round = 0; round < 300; round += 1) {
      const picture = { width: Math.ceil(random(1, 3000)), height: Math.ceil(random(1, 3000)) };
      const shown = held(view(), stage, picture);
      const right = shown.x + picture.width * shown.scale;
      const bottom = shown.y + picture.height * shown.scale;
      const piece = Math.min(64, picture.width * shown.scale) - 1e-6;
      expect(Math.min(right, stage.width) - Math.max(shown.x, 0)).toBeGreaterThanOrEqual(piece);
      expect(bottom).toBeGreaterThan(0);
      expect(shown.y).toBeLessThan(stage.height);
    }
  });

  it('leave alone what is well placed', () => {
    const good = fit(stage, { width: 400, height: 300 });
    expect(held(good, stage, { width: 400, height: 300 })).toEqual(good);
  });
});

it('steps through round scales and stops at the ends', () => {
  expect(nextScale(1, 1)).toBe(1.5);
  expect(nextScale(1, -1)).toBe(0.75);
  expect(nextScale(0.9, 1)).toBe(1);
  expect(nextScale(MAX_SCALE, 1)).toBe(MAX_SCALE);
  expect(nextScale(0.02, -1)).toBe(0.02);
});

it('keeps the middle of the stage where it is when the stage changes', () => {
  const before = { scale: 2, x: 10, y: 20 };
  const after = restaged(before, stage, { width: 1000, height: 500 });
  expect(under(after, { x: 500, y: 250 })).toEqual(under(before, { x: 400, y: 300 }));
});

it('knows the pixel under the pointer and none beside the picture', () => {
  const shown = { scale: 4, x: 100, y: 50 };
  const picture = { width: 10, height: 10 };
  expect(pixelAt(shown, picture, { x: 100, y: 50 })).toEqual({ x: 0, y: 0 });
  expect(pixelAt(shown, picture, { x: 139.9, y: 89.9 })).toEqual({ x: 9, y: 9 });
  expect(pixelAt(shown, picture, { x: 140, y: 89 })).toBeUndefined();
  expect(pixelAt(shown, picture, { x: 99.9, y: 60 })).toBeUndefined();
});

it('turns a wheel into a factor that turning back undoes', () => {
  expect(wheelFactor(100, 0) * wheelFactor(-100, 0)).toBeCloseTo(1, 12);
  expect(wheelFactor(-3, 1)).toBeGreaterThan(1);
  expect(wheelFactor(1e9, 2)).toBeGreaterThan(0.5);
});
