/**
 * Where everything in the gallery lies, and which part of it is worth having. Pure arithmetic over
 * groups: a gallery of 100,000 pictures costs a few additions a day and no elements.
 */

import type { Group } from './days';

export interface GridSize {
  /** Width that the tiles share. */
  width: number;
  /** A tile is at least so wide. */
  minTile: number;
  gap: number;
  /** Height of a day's heading. */
  heading: number;
  /** Height of the words under a picture. */
  caption: number;
  /** Below the last row of a day. */
  after: number;
}

export interface Section extends Group {
  top: number;
  height: number;
}

export interface Grid {
  columns: number;
  tile: number;
  /** From the top of one row to the top of the next. */
  row: number;
  heading: number;
  gap: number;
  sections: Section[];
  height: number;
  total: number;
}

/** Pictures are shown in 4:3. */
const RATIO = 3 / 4;

export function layOut(groups: readonly Group[], size: GridSize): Grid {
  const columns = Math.max(1, Math.floor((size.width + size.gap) / (size.minTile + size.gap)));
  const tile = Math.max(1, (size.width - size.gap * (columns - 1)) / columns);
  const row = Math.round(tile * RATIO) + size.caption + size.gap;
  const sections: Section[] = [];
  let top = 0;
  for (const group of groups) {
    const rows = Math.ceil(group.count / columns);
    const height = size.heading + rows * row + size.after;
    sections.push({ ...group, top, height });
    top += height;
  }
  const total = groups.reduce((sum, { count }) => sum + count, 0);
  return { columns, tile, row, heading: size.heading, gap: size.gap, sections, height: top, total };
}

export interface Place {
  left: number;
  /** Below the top of its section. */
  top: number;
}

/** Where a picture lies inside its section. */
export function placeOf(grid: Grid, section: Section, index: number): Place {
  const at = index - section.first;
  return {
    left: (at % grid.columns) * (grid.tile + grid.gap),
    top: grid.heading + Math.floor(at / grid.columns) * grid.row,
  };
}

export function sectionOf(grid: Grid, index: number): Section | undefined {
  const at = firstWhere(grid.sections, ({ first, count }) => first + count > index);
  return index < 0 ? undefined : grid.sections[at];
}

/** Distance of a picture from the top of the gallery. */
export function topOf(grid: Grid, index: number): number {
  const section = sectionOf(grid, index);
  return section ? section.top + placeOf(grid, section, index).top : 0;
}

/** Part of a section: pictures `from` up to, not including, `to`. */
export interface Slice {
  section: Section;
  from: number;
  to: number;
}

/** What lies between `top` and `bottom`: whole rows of the sections there. */
export function slicesIn(grid: Grid, top: number, bottom: number): Slice[] {
  const slices: Slice[] = [];
  let at = firstWhere(grid.sections, (one) => one.top + one.height > top);
  for (; at < grid.sections.length; at += 1) {
    const section = grid.sections[at];
    if (!section || section.top >= bottom) break;
    const inside = top - section.top - grid.heading;
    const firstRow = Math.max(0, Math.floor(inside / grid.row));
    const lastRow = Math.floor((bottom - section.top - grid.heading) / grid.row);
    const from = Math.min(section.count, firstRow * grid.columns);
    const to = Math.min(section.count, Math.max(0, lastRow + 1) * grid.columns);
    slices.push({ section, from: section.first + from, to: section.first + Math.max(from, to) });
  }
  return slices;
}

/** The picture that a scroll position starts with: what stays in place when the layout changes. */
export function indexAt(grid: Grid, top: number): number {
  const section = grid.sections[firstWhere(grid.sections, (one) => one.top + one.height > top)];
  if (!section) return Math.max(0, grid.total - 1);
  const row = Math.max(0, Math.floor((top - section.top - grid.heading) / grid.row));
  return section.first + Math.min(section.count - 1, row * grid.columns);
}

export type Step = 'left' | 'right' | 'up' | 'down' | 'first' | 'last';

/** The picture that an arrow key leads to. Up and down keep the column across days. */
export function stepFrom(grid: Grid, index: number, step: Step): number {
  if (grid.total === 0) return 0;
  const section = sectionOf(grid, index);
  switch (step) {
    case 'left':
      return Math.max(0, index - 1);
    case 'right':
      return Math.min(grid.total - 1, index + 1);
    case 'first':
      return 0;
    case 'last':
      return grid.total - 1;
    case 'up':
      return section ? upFrom(grid, section, index) : index;
    case 'down':
      return section ? downFrom(grid, section, index) : index;
  }
}

function upFrom(grid: Grid, section: Section, index: number): number {
  if (index - grid.columns >= section.first) return index - grid.columns;
  const before = grid.sections[grid.sections.indexOf(section) - 1];
  if (!before) return index;
  const column = (index - section.first) % grid.columns;
  const lastRow = Math.floor((before.count - 1) / grid.columns) * grid.columns;
  return before.first + Math.min(before.count - 1, lastRow + column);
}

function downFrom(grid: Grid, section: Section, index: number): number {
  const at = index - section.first;
  const lastRow = Math.floor((section.count - 1) / grid.columns);
  if (Math.floor(at / grid.columns) < lastRow) {
    return section.first + Math.min(section.count - 1, at + grid.columns);
  }
  const after = grid.sections[grid.sections.indexOf(section) + 1];
  return after ? after.first + Math.min(after.count - 1, at % grid.columns) : index;
}

/** Number of the first item that passes; items that pass come after all that do not. */
function firstWhere<T>(items: readonly T[], passes: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && passes(item)) high = middle;
    else low = middle + 1;
  }
  return low;
}
