import { describe, expect, it } from 'vitest';
import { match, pieces } from './match';

describe('match', () => {
  it('wants every word, in any order', () => {
    expect(match('run file', 'Run filesystem')).toBeDefined();
    expect(match('file run', 'Run filesystem')).toBeDefined();
    expect(match('run pdf', 'Run filesystem')).toBeUndefined();
  });

  it('prefers beginnings to words to pieces to letters', () => {
    const score = (query: string, text: string) => match(query, text)?.score ?? -1;
    const start = score('log', 'log viewer');
    const word = score('log', 'the log');
    const inside = score('log', 'catalogue');
    const letters = score('log', 'lots of g');
    expect(start).toBeGreaterThan(word);
    expect(word).toBeGreaterThan(inside);
    expect(inside).toBeGreaterThan(letters);
    expect(letters).toBeGreaterThan(0);
  });

  it('finds letters in order when they are near, but not two of them anywhere', () => {
    expect(match('fsm', 'filesystem')?.ranges).toEqual([
      [0, 1],
      [4, 5],
      [9, 10],
    ]);
    expect(match('fm', 'filesystem')).toBeUndefined();
    expect(match('abc', `a${'-'.repeat(30)}b${'-'.repeat(30)}c`)).toBeUndefined();
  });

  it('takes Chinese as it takes anything', () => {
    expect(match('设置', '前往设置')?.ranges).toEqual([[2, 4]]);
  });

  it('lets everything through while nothing is typed', () => {
    expect(match('  ', 'anything')?.ranges).toEqual([]);
  });
});

it('cuts a text into what matched and what did not', () => {
  expect(pieces('filesystem', [[0, 4]])).toEqual([
    { text: 'file', hit: true },
    { text: 'system', hit: false },
  ]);
  // Every text comes back whole, whatever matched in it.
  for (const query of ['s', 'fil sys', 'fsm', 'tem file']) {
    const found = match(query, 'filesystem');
    expect(
      pieces('filesystem', found?.ranges ?? [])
        .map((one) => one.text)
        .join(''),
    ).toBe('filesystem');
  }
});
