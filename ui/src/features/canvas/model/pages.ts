/**
 * What of a long list is in memory. Rows of a few pages near to what is seen are kept; of all
 * others only their time, a number each, so that days stay where they are.
 */

export interface Timed {
  id: string;
  createdAt: number;
}

/** Rows that are asked for at once; the owner gives at most 500. */
export const PAGE = 120;
/** Pages whose rows are kept. */
const KEPT = 12;

export interface Pages<T extends Timed> {
  total: number;
  rows: ReadonlyMap<number, readonly T[]>;
  times: readonly (number | undefined)[];
}

export function noPages<T extends Timed>(): Pages<T> {
  return { total: 0, rows: new Map(), times: [] };
}

/** With another page, and without the rows that are farthest from it. */
export function withPage<T extends Timed>(
  pages: Pages<T>,
  page: number,
  rows: readonly T[],
  total: number,
): Pages<T> {
  const times = pages.times.slice(0, total);
  times.length = total;
  for (let at = 0; at < PAGE && page * PAGE + at < total; at += 1) {
    times[page * PAGE + at] = rows[at]?.createdAt;
  }
  const all = [...pages.rows.entries()].filter(([number]) => number !== page);
  const near = [...all, [page, rows] as const]
    .filter(([number]) => number * PAGE < total)
    .sort(([a], [b]) => Math.abs(a - page) - Math.abs(b - page))
    .slice(0, KEPT);
  return { total, rows: new Map(near), times };
}

export function rowAt<T extends Timed>(pages: Pages<T>, index: number): T | undefined {
  return pages.rows.get(Math.floor(index / PAGE))?.[index % PAGE];
}

/** Where a picture is in the list, if its row is known. */
export function indexOf<T extends Timed>(pages: Pages<T>, id: string): number | undefined {
  for (const [page, rows] of pages.rows) {
    const at = rows.findIndex((row) => row.id === id);
    if (at >= 0) return page * PAGE + at;
  }
  return undefined;
}

/** Pages that hold pictures `from` up to, not including, `to`. */
export function pagesFor(from: number, to: number): number[] {
  const first = Math.floor(Math.max(0, from) / PAGE);
  const last = Math.floor(Math.max(0, to - 1) / PAGE);
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}
