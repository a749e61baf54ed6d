import { describe, expect, it } from 'vitest';
import { hexOf } from './color';
import { indexOf, noPages, PAGE, pagesFor, rowAt, withPage, type Timed } from './pages';
import { spacing, ticks } from './ruler';

const rows = (page: number, count = PAGE): Timed[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `p${page * PAGE + at}`,
    createdAt: 1e6 - (page * PAGE + at),
  }));

describe('pages', () => {
  it('know rows and times of what was loaded', () => {
    const pages = withPage(withPage(noPages<Timed>(), 0, rows(0), 1000), 3, rows(3), 1000);
    expect(rowAt(pages, 5)?.id).toBe('p5');
    expect(rowAt(pages, 3 * PAGE + 1)?.id).toBe(`p${3 * PAGE + 1}`);
    expect(rowAt(pages, PAGE)).toBeUndefined();
    expect(pages.times[PAGE]).toBeUndefined();
    expect(pages.times[3 * PAGE]).toBe(1e6 - 3 * PAGE);
    expect(pages.times).toHaveLength(1000);
    expect(indexOf(pages, `p${3 * PAGE + 7}`)).toBe(3 * PAGE + 7);
    expect(indexOf(pages, 'elsewhere')).toBeUndefined();
  });

  it('keep a bounded number of rows, the near ones, and all times', () => {
    let pages = noPages<Timed>();
    for (let page = 0; page < 40; page += 1) pages = withPage(pages, page, rows(page), 40 * PAGE);
    expect(pages.rows.size).toBe(12);
    expect(rowAt(pages, 39 * PAGE)?.id).toBe(`p${39 * PAGE}`);
    expect(rowAt(pages, 0)).toBeUndefined();
    expect(pages.times.every((time) => time !== undefined)).toBe(true);
  });

  it('forget what is beyond the end when pictures were deleted', () => {
    const two = withPage(withPage(noPages<Timed>(), 0, rows(0), 200), 1, rows(1, 80), 200);
    const less = withPage(two, 0, rows(0, 50), 50);
    expect(less.times).toHaveLength(50);
    expect([...less.rows.keys()]).toEqual([0]);
  });

  it('are asked for where they are needed', () => {
    expect(pagesFor(0, 1)).toEqual([0]);
    expect(pagesFor(PAGE - 1, PAGE + 1)).toEqual([0, 1]);
    expect(pagesFor(PAGE, 2 * PAGE)).toEqual([1]);
    expect(pagesFor(0, 0)).toEqual([0]);
  });
});

describe('rulers', () => {
  it('number whole pixels at round distances', () => {
    expect([64, 10, 1, 0.5, 0.1, 0.01].map(spacing)).toEqual([1, 10, 100, 200, 1000, 10000]);
  });

  it('put their marks where the pixels are', () => {
    const marks = ticks(2, 30, 300);
    expect(marks.every(({ at, value }) => at === value * 2 + 30)).toBe(true);
    expect(marks.every(({ at }) => at >= 0 && at <= 300)).toBe(true);
    expect(marks.filter(({ long }) => long).map(({ value }) => value)).toEqual([0, 50, 100]);
  });

  it('stay few at every scale', () => {
    for (let scale = 0.005; scale <= 64; scale *= 1.7) {
      const marks = ticks(scale, -1234, 2000);
      expect(marks.length).toBeLessThan(200);
      expect(marks.filter(({ long }) => long).length).toBeGreaterThan(4);
      expect(marks.every(({ value }) => Number.isInteger(value))).toBe(true);
    }
  });
});

it('writes a colour with its alpha', () => {
  expect(hexOf([255, 8, 0, 128])).toBe('#ff080080');
});
