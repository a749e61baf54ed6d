import { describe, expect, it } from 'vitest';
import type { Group } from './days';
import {
  indexAt,
  layOut,
  placeOf,
  sectionOf,
  slicesIn,
  stepFrom,
  topOf,
  type Grid,
  type Step,
} from './grid';
import { seeded } from './testRandom';

const size = { width: 1000, minTile: 180, gap: 12, heading: 40, caption: 40, after: 8 };

function groups(...counts: number[]): Group[] {
  let first = 0;
  return counts.map((count, number) => {
    const group = { key: `day ${number}`, first, count };
    first += count;
    return group;
  });
}

describe('the layout', () => {
  it('fills the width with as many columns as fit', () => {
    const grid = layOut(groups(7, 3), size);
    expect(grid.columns).toBe(5);
    expect(grid.tile * 5 + 12 * 4).toBe(1000);
    expect(grid.sections.map(({ height }) => height)).toEqual([
      40 + 2 * grid.row + 8,
      40 + grid.row + 8,
    ]);
    expect(grid.height).toBe(96 + 3 * grid.row);
  });

  it('has one column in the narrowest window', () => {
    expect(layOut(groups(3), { ...size, width: 0 }).columns).toBe(1);
    expect(layOut(groups(3), { ...size, width: 150 })).toMatchObject({ columns: 1, tile: 150 });
  });

  it('places tiles row by row', () => {
    const grid = layOut(groups(7, 3), size);
    const second = sectionOf(grid, 8) as Grid['sections'][number];
    expect(second.first).toBe(7);
    expect(placeOf(grid, second, 8)).toEqual({ left: grid.tile + 12, top: 40 });
    const first = sectionOf(grid, 6) as Grid['sections'][number];
    expect(placeOf(grid, first, 6)).toEqual({ left: grid.tile + 12, top: 40 + grid.row });
    expect(sectionOf(grid, 10)).toBeUndefined();
    expect(sectionOf(grid, -1)).toBeUndefined();
  });
});

describe('what is near the window', () => {
  it('is a handful of 5,000', () => {
    const grid = layOut(groups(...Array.from({ length: 50 }, () => 100)), size);
    const slices = slicesIn(grid, grid.height / 2, grid.height / 2 + 800);
    const shown = slices.reduce((sum, { from, to }) => sum + to - from, 0);
    expect(shown).toBeGreaterThan(10);
    expect(shown).toBeLessThanOrEqual(35);
  });

  it('is everything that a plain look at every tile finds, and whole rows only (200 layouts)', () => {
    const random = seeded(5);
    for (let round = 0; round < 200; round += 1) {
      const counts = Array.from({ length: Math.floor(random(1, 12)) }, () =>
        Math.ceil(random(0.1, 30)),
      );
      const grid = layOut(groups(...counts), { ...size, width: random(100, 1900) });
      const top = random(-100, grid.height);
      const bottom = top + random(1, 900);
      const shown = new Set(
        slicesIn(grid, top, bottom).flatMap(({ from, to }) =>
          Array.from({ length: to - from }, (_, at) => from + at),
        ),
      );
      for (let index = 0; index < grid.total; index += 1) {
        const at = topOf(grid, index);
        const seen = at < bottom && at + grid.row > top;
        if (seen) expect(shown.has(index), `${round}: ${index}`).toBe(true);
        // Not more than the row that touches each edge.
        if (at > bottom + grid.row || at + 2 * grid.row < top) {
          expect(shown.has(index), `${round}: ${index} is far away`).toBe(false);
        }
      }
    }
  });

  it('is nothing in an empty gallery', () => {
    const grid = layOut([], size);
    expect(grid.height).toBe(0);
    expect(slicesIn(grid, 0, 800)).toEqual([]);
    expect(indexAt(grid, 0)).toBe(0);
  });
});

describe('what a scroll position starts with', () => {
  it('is the first picture of the row there', () => {
    const grid = layOut(groups(7, 3), size);
    expect(indexAt(grid, 0)).toBe(0);
    expect(indexAt(grid, 40 + grid.row + 1)).toBe(5);
    expect(indexAt(grid, topOf(grid, 7) + 1)).toBe(7);
    expect(indexAt(grid, 1e6)).toBe(9);
  });
});

describe('arrow keys', () => {
  const grid = layOut(groups(7, 3, 6), size);

  /** Rows of five: 0-4, 5 and 6; 7-9; 10-14, 15. */
  it.each<[Step, [from: number, to: number][]]>([
    [
      'right',
      [
        [6, 7],
        [15, 15],
      ],
    ],
    [
      'left',
      [
        [7, 6],
        [0, 0],
      ],
    ],
    ['first', [[9, 0]]],
    ['last', [[9, 15]]],
    // The column is kept, as far as a row reaches.
    [
      'down',
      [
        [1, 6],
        [4, 6],
        [6, 8],
        [8, 11],
        [15, 15],
      ],
    ],
    [
      'up',
      [
        [14, 9],
        [8, 6],
        [2, 2],
      ],
    ],
  ])('%s', (step, moves) => {
    for (const [from, to] of moves) expect(stepFrom(grid, from, step), `${from}`).toBe(to);
  });

  it('never leave the gallery (every picture, every key)', () => {
    for (let index = 0; index < grid.total; index += 1) {
      for (const step of ['left', 'right', 'up', 'down', 'first', 'last'] as const) {
        const next = stepFrom(grid, index, step);
        expect(next).toBeGreaterThanOrEqual(0);
        expect(next).toBeLessThan(grid.total);
      }
    }
  });
});
