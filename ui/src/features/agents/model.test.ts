import { expect, test } from 'vitest';
import { agent } from '@/platform/fake/agents';
import { aboutOf, barsOf, changeOf, laidOut, treeOf } from './model';

test('each stands below whoever made it, in the order in which they were made', () => {
  const rows = treeOf([
    agent(1),
    agent(2, { parent: 1 }),
    agent(3, { parent: 1 }),
    agent(4, { parent: 2 }),
    agent(5, { parent: 4 }),
  ]);
  expect(rows.map(({ agent: { id }, depth }) => [id, depth])).toEqual([
    [1, 0],
    [2, 1],
    [4, 2],
    [5, 3],
    [3, 1],
  ]);
  expect(treeOf([])).toEqual([]);
});

test('tokens are shown in any case, all else where it is limited', () => {
  const spent = { tokens: 5, calls: 1, time: 2, agents: 3, money: 0 };
  expect(barsOf(spent, {}).map(({ kind }) => kind)).toEqual(['tokens']);
  expect(barsOf(spent, { calls: 9 })).toEqual([
    { kind: 'tokens', spent: 5, limit: undefined },
    { kind: 'calls', spent: 1, limit: 9 },
  ]);
});

test('what is no JSON is shown as it is', () => {
  expect(laidOut('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(laidOut('"word"')).toBe('"word"');
  expect(laidOut('{"a":')).toBe('{"a":');
  expect(aboutOf('{"n":1,"path":"a.txt\\nb"}')).toBe('a.txt');
  expect(aboutOf('[')).toBe('');
  expect(aboutOf('3')).toBe('');
});

test('tools that write say what they changed', () => {
  expect(changeOf('{"ok":true,"change":"c1"}')).toBe('c1');
  for (const other of [undefined, 'ok', '{"ok":false,"change":"c1"}', '{"ok":true}', '{"ok":tr']) {
    expect(changeOf(other)).toBeUndefined();
  }
});
