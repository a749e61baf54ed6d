/**
 * What the list shows: which tools, in which order, and what one can filter by.
 *
 * Pure, so that a thousand rows can be asked in a test. Words are not here: states and origins are
 * keys below `tools.state` and `tools.origin`.
 */

import type { ToolRow, ToolState } from '@/generated/calls';

/** A tool's state as a person sees it: what runs now counts more than that it is ready. */
export type ShownState = ToolState | 'running';

export const STATES: readonly ShownState[] = [
  'running',
  'ready',
  'needs_configuration',
  'dependencies_missing',
  'broken',
  'describing',
];

export type Origin = 'builtIn' | 'own';
export const ORIGINS: readonly Origin[] = ['builtIn', 'own'];

/** Within a group any of the chosen will do; every group that has one must agree. */
export interface Filter {
  state: readonly string[];
  origin: readonly string[];
  tag: readonly string[];
  author: readonly string[];
}

export type Group = keyof Filter;
export const GROUPS: readonly Group[] = ['state', 'origin', 'tag', 'author'];
export const NO_FILTER: Filter = { state: [], origin: [], tag: [], author: [] };

export interface ListedTool {
  tool: ToolRow;
  state: ShownState;
  favourite: boolean;
  /** Folded texts that the search looks into, the name first. */
  name: string;
  title: string;
  rest: string;
}

export interface Option {
  value: string;
  /** How many rows there would be of it, the other groups and the search left as they are. */
  count: number;
}

/** Favourites first, each half by name, which is unique and the same in every language. */
export function listed(
  tools: readonly ToolRow[],
  running: ReadonlySet<string>,
  favourites: ReadonlySet<string> = new Set(),
): ListedTool[] {
  const late = ({ name }: ToolRow) => (favourites.has(name) ? 0 : 1);
  return [...tools]
    .sort((a, b) => late(a) - late(b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map((tool) => ({
      tool,
      state: running.has(tool.name) ? 'running' : tool.state,
      favourite: favourites.has(tool.name),
      name: fold(tool.name),
      title: fold(tool.title),
      rest: fold([tool.description, ...tool.tags].join('\n')),
    }));
}

/** The rows that the search and the filter leave; names that begin with the search come first. */
export function matching(
  rows: readonly ListedTool[],
  search: string,
  filter: Filter,
): ListedTool[] {
  const words = wordsOf(search);
  const found = rows.filter((row) => finds(row, words) && passes(row, filter));
  if (words.length === 0) return found;
  const ranked = found.map((row) => ({ row, rank: rank(row, words) }));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ row }) => row);
}

const inWords = new Intl.Collator(undefined, { numeric: true });

/**
 * What can be chosen in a group. What is chosen already stays even where nothing is left; of tags
 * and authors, which may be hundreds, the others leave then.
 */
export function options(
  rows: readonly ListedTool[],
  search: string,
  filter: Filter,
  group: Group,
): Option[] {
  const counts = new Map<string, number>();
  for (const row of rows) for (const value of valuesOf(row, group)) counts.set(value, 0);
  for (const value of filter[group]) counts.set(value, 0);
  for (const row of matching(rows, search, { ...filter, [group]: [] })) {
    for (const value of valuesOf(row, group)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const all = [...counts].map(([value, count]): Option => ({ value, count }));
  if (group === 'tag' || group === 'author') {
    return all
      .filter(({ value, count }) => count > 0 || filter[group].includes(value))
      .sort((a, b) => inWords.compare(a.value, b.value));
  }
  const order: readonly string[] = group === 'state' ? STATES : ORIGINS;
  // What a newer owner knows and this page does not comes last.
  const place = ({ value }: Option) => {
    const index = order.indexOf(value);
    return index < 0 ? order.length : index;
  };
  return all.sort((a, b) => place(a) - place(b));
}

/** `filter` with one value switched. */
export function toggled(filter: Filter, group: Group, value: string): Filter {
  const on = filter[group].includes(value);
  const values = on ? filter[group].filter((one) => one !== value) : [...filter[group], value];
  return { ...filter, [group]: values };
}

export function isFiltered(filter: Filter): boolean {
  return GROUPS.some((group) => filter[group].length > 0);
}

/** Those that somebody has to do something about, the worst first. */
export function wanting(rows: readonly ListedTool[]): ListedTool[] {
  const order: readonly ShownState[] = ['broken', 'dependencies_missing', 'needs_configuration'];
  return order.flatMap((state) => rows.filter((row) => row.tool.state === state));
}

function valuesOf({ tool, state }: ListedTool, group: Group): readonly string[] {
  switch (group) {
    case 'state':
      return [state];
    case 'origin':
      return [tool.builtIn ? 'builtIn' : 'own'];
    case 'tag':
      return [...new Set(tool.tags)];
    case 'author':
      return tool.author === '' ? [] : [tool.author];
  }
}

function passes(row: ListedTool, filter: Filter): boolean {
  return GROUPS.every((group) => {
    const chosen = filter[group];
    return chosen.length === 0 || valuesOf(row, group).some((value) => chosen.includes(value));
  });
}

function finds({ name, title, rest }: ListedTool, words: readonly string[]): boolean {
  return words.every((word) => name.includes(word) || title.includes(word) || rest.includes(word));
}

function rank({ name, title }: ListedTool, words: readonly string[]): number {
  const [first = ''] = words;
  if (name.startsWith(first)) return 0;
  return words.every((word) => name.includes(word) || title.includes(word)) ? 1 : 2;
}

function wordsOf(search: string): string[] {
  return fold(search)
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** Full-width and half-width, upper and lower case are the same when one searches. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
