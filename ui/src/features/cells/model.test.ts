import { expect, test } from 'vitest';
import type { CellRef } from '@/generated/calls';
import { cell } from '@/platform/fake/cells';
import { draftOf, fileOf, formatOf, graphOf, nameOf, refOf, refsOf, waitsAt } from './model';

function ref(name: string): CellRef {
  const found = refOf(name);
  if (!found) throw new Error(`${name} is no cell`);
  return found;
}

test('names of cells are read back, whatever their originator is called', () => {
  for (const name of ['User:0', 'a:b:12', '模型:3']) {
    const ref = refOf(name);
    expect(ref && nameOf(ref)).toBe(name);
  }
  for (const text of ['', 'User', 'User:', ':1', 'User:x', 'User:-1']) {
    expect(refOf(text), text).toBeUndefined();
  }
});

test('a list of cells names cells that are there, or is none', () => {
  const known = new Set(['User:0', 'User:1']);
  expect(refsOf(' User:0 ，User:1,', known)?.map(nameOf)).toEqual(['User:0', 'User:1']);
  expect(refsOf('', known)).toEqual([]);
  expect(refsOf('User:0, User:7', known)).toBeUndefined();
  expect(refsOf('User', known)).toBeUndefined();
});

test('what is put at the end says what it is', () => {
  const plain = { originator: 'User', dependsOn: [], flags: [], text: 'x' };
  expect(draftOf('auto', 'x', [], 'Bot')).toEqual({ ...plain, type: 'EXEC' });
  expect(draftOf('note', 'x', [], 'Bot')).toEqual({ ...plain, type: 'MARKDOWN' });
  expect(draftOf('shell', 'x', [], 'Bot')).toMatchObject({ executionContext: 'local_bash_shell' });
  expect(draftOf('delegate', 'x', [], ' Bot ')).toMatchObject({
    type: 'EXEC',
    targetCognitor: 'Bot',
  });
});

test('the graph has the cells that need each other, without outputs', () => {
  const needs = (name: string, ...others: string[]) =>
    cell(name, 'done', '', { dependsOn: others.map((one) => ref(one)) });
  const cells = [
    needs('User:0'),
    needs('User:1'),
    { ...needs('Arena:0', 'User:1'), type: 'OUTPUT' },
    needs('User:2', 'User:1', 'Gone:9'),
    needs('User:3', 'User:1', 'User:2'),
  ];
  const { nodes, edges } = graphOf(cells);
  expect(nodes.map(({ name, row }) => [name, row])).toEqual([
    ['User:1', 0],
    ['User:2', 1],
    ['User:3', 2],
  ]);
  expect(edges).toEqual([
    { from: 0, to: 1 },
    { from: 0, to: 2 },
    { from: 1, to: 2 },
  ]);
});

test('a question is asked at its output, a delegation at its cell', () => {
  const question = { cell: ref('User:0'), question: ref('Arena:0'), from: 'User', hint: '?' };
  const delegation = { cell: ref('User:1'), to: 'Bot', text: 'do' };
  const view = { questions: [question], delegations: [delegation] } as never;
  const at = (name: string) => waitsAt(view, cell(name, 'waiting', ''));
  expect(at('Arena:0')).toEqual({ question, delegation: undefined });
  expect(at('User:0')).toEqual({ question: undefined, delegation: undefined });
  expect(at('User:1')).toEqual({ question: undefined, delegation });
});

test('files have names and endings that every system takes', () => {
  expect(formatOf('a.IPYNB')).toBe('ipynb');
  expect(formatOf('a.md')).toBe('markdown');
  expect(formatOf('a.acp.xml')).toBe('acp');
  expect(formatOf('a.txt')).toBe('acp');
  expect(fileOf('a/b: c', 'markdown')).toBe('a b c.md');
  expect(fileOf(' ', 'acp')).toBe('cells.acp.xml');
});
