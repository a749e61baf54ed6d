import { expect, it } from 'vitest';
import {
  centre,
  endOf,
  heightOf,
  isAtEnd,
  offsetOf,
  placeAt,
  reveal,
  rowsAt,
  scrolled,
  START,
  type Size,
} from './scroll';
import { dice } from './testLog';

const short: Size = { total: 1_000, row: 20, view: 600 };
const long: Size = { total: 3_600_000, row: 20, view: 600 };

it('is plain scrolling while the element is high enough', () => {
  expect(heightOf(short)).toBe(20_000);
  const place = scrolled(short, START, 12_345);
  expect(place).toEqual({ top: 12_345, physical: 12_345 });
  expect(rowsAt(short, place, 0)).toEqual([617, 647]);
  expect(offsetOf(short, place, 617)).toBe(12_340);
});

it('knows the rows of an empty and of a short list', () => {
  const empty = { ...short, total: 0 };
  expect(rowsAt(empty, placeAt(empty, 0), 10)).toEqual([0, -1]);
  const few = { ...short, total: 3 };
  expect(rowsAt(few, placeAt(few, 500), 10)).toEqual([0, 2]);
  expect(isAtEnd(few, START)).toBe(true);
});

it('stays below what browsers allow, and still reaches both ends', () => {
  expect(heightOf(long)).toBe(8_000_000);
  const room = heightOf(long) - long.view;
  const end = scrolled(long, START, room);
  expect(isAtEnd(long, end)).toBe(true);
  expect(rowsAt(long, end, 0)[1]).toBe(long.total - 1);
  expect(scrolled(long, end, 0)).toEqual(START);
});

it('reads the scrollbar as a part of the whole, the wheel pixel by pixel', () => {
  const room = heightOf(long) - long.view;
  const middle = scrolled(long, START, room / 2);
  expect(middle.top).toBeCloseTo(endOf(long) / 2);
  const wheel = scrolled(long, middle, middle.physical + 100);
  expect(wheel.top - middle.top).toBeCloseTo(100);
  // What is drawn moves with the element.
  const [first] = rowsAt(long, middle, 0);
  expect(offsetOf(long, wheel, first)).toBeCloseTo(offsetOf(long, middle, first));
});

it('shows every row exactly, wherever one goes', () => {
  for (let seed = 0; seed < 120; seed += 1) {
    const roll = dice(seed);
    const size = { total: Math.ceil(roll() * 2_000_000), row: 20, view: 100 + roll() * 900 };
    let place = START;
    for (let step = 0; step < 30; step += 1) {
      const index = Math.floor(roll() * size.total);
      const kind = Math.floor(roll() * 4);
      if (kind === 0) place = reveal(size, place, index);
      else if (kind === 1) place = centre(size, index);
      else if (kind === 2) place = scrolled(size, place, roll() * (heightOf(size) - size.view));
      else place = scrolled(size, place, Math.max(0, place.physical + (roll() - 0.5) * 400));
      expect(place.top).toBeGreaterThanOrEqual(0);
      expect(place.top).toBeLessThanOrEqual(endOf(size));
      const [first, last] = rowsAt(size, place, 3);
      expect(first).toBeGreaterThanOrEqual(0);
      expect(last).toBeLessThan(size.total);
      // The rows cover what is seen: from its upper edge to its lower one.
      const above = offsetOf(size, place, first) - place.physical;
      const below = offsetOf(size, place, last) + size.row - place.physical;
      expect(above).toBeLessThanOrEqual(0.001);
      expect(below).toBeGreaterThanOrEqual(Math.min(size.view, size.total * size.row) - 0.001);
      if (kind < 2) {
        const top = index * size.row - place.top;
        expect(top).toBeGreaterThanOrEqual(-0.001);
        expect(top + size.row).toBeLessThanOrEqual(size.view + 0.001);
      }
    }
  }
}, 30_000);
