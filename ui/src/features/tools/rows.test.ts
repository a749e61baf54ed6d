import { describe, expect, it } from 'vitest';
import type { ToolRow, ToolState } from '@/generated/calls';
import {
  GROUPS,
  listed,
  matching,
  NO_FILTER,
  options,
  toggled,
  wanting,
  type Filter,
  type ListedTool,
} from './rows';

/** A small generator: the same seed gives the same toolbox. */
function generator(seed: number) {
  let state = seed;
  const next = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return { next, pick: <T>(from: readonly T[]): T => from[next(from.length)] as T };
}

const WORDS = ['Read', 'write', 'PDF', '文件', 'ＣＳＶ', 'mail', 'chart', 'sync', 'ähnlich'];
const STATES: ToolState[] = [
  'ready',
  'needs_configuration',
  'dependencies_missing',
  'broken',
  'describing',
];
const TAGS = ['files', 'data', '网络', 'constructor', 'x y'];

function toolbox(seed: number): { rows: ListedTool[]; search: string; filter: Filter } {
  const { next, pick } = generator(seed);
  const some = <T>(from: readonly T[], most: number): T[] =>
    Array.from({ length: next(most + 1) }, () => pick(from));
  const tools = Array.from({ length: next(60) }, (_, index): ToolRow => ({
    name: `${pick(WORDS).toLowerCase()}-${next(1000)}-${index}`,
    title: `${pick(WORDS)} ${pick(WORDS)}`,
    version: '1.0.0',
    description: some(WORDS, 5).join(' '),
    author: pick(['', 'Ana', 'Lin']),
    tags: some(TAGS, 3),
    builtIn: next(4) === 0,
    state: pick(STATES),
  }));
  const running = new Set(tools.filter(() => next(8) === 0).map(({ name }) => name));
  const filter = {
    state: some(['running', ...STATES], 2),
    origin: some(['builtIn', 'own'], 1),
    tag: some(TAGS, 2),
    author: some(['Ana', 'Lin'], 1),
  };
  return { rows: listed(tools, running), search: some(WORDS, 2).join('  '), filter };
}

/** What a person would expect, said the long way. */
function expected(row: ListedTool, search: string, filter: Filter): boolean {
  const { tool, state } = row;
  const fold = (text: string) => text.normalize('NFKC').toLowerCase();
  const texts = [tool.name, tool.title, tool.description, ...tool.tags].map(fold);
  const words = fold(search).trim().split(/\s+/).filter(Boolean);
  const any = (chosen: readonly string[], has: readonly string[]) =>
    chosen.length === 0 || has.some((value) => chosen.includes(value));
  return (
    words.every((word) => texts.some((text) => text.includes(word))) &&
    any(filter.state, [state]) &&
    any(filter.origin, [tool.builtIn ? 'builtIn' : 'own']) &&
    any(filter.tag, tool.tags) &&
    any(filter.author, [tool.author])
  );
}

const names = (rows: readonly ListedTool[]) => rows.map(({ tool }) => tool.name);

describe('over 300 generated toolboxes', () => {
  const cases = Array.from({ length: 300 }, (_, seed) => toolbox(seed + 1));

  it('finds exactly what matches, each once', () => {
    let found = 0;
    for (const { rows, search, filter } of cases) {
      const shown = matching(rows, search, filter);
      found += shown.length;
      expect(names(shown).sort()).toEqual(
        names(rows.filter((row) => expected(row, search, filter))).sort(),
      );
    }
    expect(found).toBeGreaterThan(300);
  });

  it('never finds more with another word or another group', () => {
    for (const { rows, search, filter } of cases) {
      const all = new Set(names(matching(rows, search, NO_FILTER)));
      for (const name of names(matching(rows, `${search} read`, NO_FILTER))) {
        expect(all.has(name)).toBe(true);
      }
      for (const name of names(matching(rows, search, filter))) expect(all.has(name)).toBe(true);
    }
  });

  it('counts for each value what choosing it alone in its group would show', () => {
    for (const { rows, search, filter } of cases) {
      for (const group of GROUPS) {
        for (const { value, count } of options(rows, search, filter, group)) {
          const shown = matching(rows, search, { ...filter, [group]: [value] });
          expect(shown.length, `${group} ${value}`).toBe(count);
        }
      }
    }
  });

  it('keeps what is chosen among the options, so that it can be taken back', () => {
    for (const { rows, search, filter } of cases) {
      for (const group of GROUPS) {
        const values = options(rows, search, filter, group).map(({ value }) => value);
        expect(values).toEqual(expect.arrayContaining([...filter[group]]));
        expect(new Set(values).size).toBe(values.length);
      }
    }
  });

  it('switches a value on and off again', () => {
    for (const { filter } of cases) {
      const once = toggled(filter, 'tag', 'new');
      expect(once.tag).toContain('new');
      expect(toggled(once, 'tag', 'new')).toEqual(filter);
    }
  });

  it('lists by name, and first the names that begin with what one types', () => {
    for (const { rows } of cases) {
      const sorted = [...names(rows)].sort((a, b) => (a < b ? -1 : 1));
      expect(names(rows)).toEqual(sorted);
      const shown = matching(rows, 'read', NO_FILTER).map(({ name }) => name.startsWith('read'));
      expect(shown).toEqual([...shown].sort((a, b) => Number(b) - Number(a)));
    }
  });
});

describe('single cases', () => {
  const row = (name: string, more: Partial<ToolRow> = {}): ToolRow => ({
    name,
    title: name,
    version: '1.0.0',
    description: '',
    author: '',
    tags: [],
    builtIn: false,
    state: 'ready',
    ...more,
  });

  it('finds full-width letters by half-width ones and the reverse', () => {
    const rows = listed([row('a', { description: 'ＣＳＶ 表格' }), row('b')], new Set());
    expect(names(matching(rows, 'csv 表', NO_FILTER))).toEqual(['a']);
    expect(names(matching(rows, 'Ａ', NO_FILTER))).toEqual(['a']);
  });

  it('shows that a tool runs, whatever else it is', () => {
    expect(listed([row('a')], new Set(['a']))[0]?.state).toBe('running');
  });

  it('says who waits for somebody, the worst first', () => {
    const rows = listed(
      [
        row('a', { state: 'needs_configuration' }),
        row('b', { state: 'broken' }),
        row('c'),
        row('d', { state: 'dependencies_missing' }),
      ],
      new Set(['a']),
    );
    expect(names(wanting(rows))).toEqual(['b', 'd', 'a']);
  });

  it('takes a thousand tools in a few milliseconds', () => {
    const tools = Array.from({ length: 1000 }, (_, index) =>
      row(`tool-${index}`, { description: 'Reads and writes '.repeat(10), tags: ['a', 'b'] }),
    );
    const rows = listed(tools, new Set());
    const begin = performance.now();
    for (let round = 0; round < 20; round += 1) {
      expect(matching(rows, `tool wri ${round}`, NO_FILTER).length).toBeGreaterThan(0);
    }
    // One round is about a millisecond; the bound only tells a quadratic search.
    expect((performance.now() - begin) / 20).toBeLessThan(100);
  });
});
