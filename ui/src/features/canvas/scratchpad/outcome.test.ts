import { describe, expect, it } from 'vitest';
import type { ScriptResult } from '@/generated/calls';
import { consoleLine, outcomeOf, problemsOf } from './outcome';
import { characters, CODE_LIMIT, readInput } from './scratch';

const answer = (success: boolean, value: unknown): ScriptResult => ({
  run: 'r',
  success,
  value,
  durationMs: 1,
  log: [],
});

describe('the answer of a script', () => {
  it('is a value and a picture when there was a canvas', () => {
    expect(outcomeOf(answer(true, { result: 3, images: ['abc.png'] }))).toEqual({
      ok: true,
      value: 3,
      picture: 'abc',
    });
  });

  it.each([null, 7, 'text', [1], { images: [] }, { images: ['a.png'] }, { result: 1, images: [] }])(
    'is the plain value otherwise: %j',
    (value) => {
      expect(outcomeOf(answer(true, value))).toEqual({ ok: true, value });
    },
  );

  it('is a failure with what is known of it', () => {
    const failure = { error: 'js_execution_failed', message: 'x', line: 4, column: 2, stack: ' ' };
    expect(outcomeOf(answer(false, failure))).toEqual({
      ok: false,
      failure: { code: 'js_execution_failed', message: 'x', line: 4, column: 2 },
    });
    expect(outcomeOf(answer(false, 'odd'))).toMatchObject({ ok: false });
  });
});

describe('marks', () => {
  it('stand at the line that failed', () => {
    const failure = { code: 'js_execution_failed', message: 'x', line: 4, column: 2 };
    expect(problemsOf(failure, 'a')).toEqual([{ line: 4, column: 2, message: 'x' }]);
  });

  it('stand at every free use of a blocked name', () => {
    const code = 'const a = fetch("x");\nb.fetch();\n  fetch(1); prefetch();';
    const failure = { code: 'blocked_code', message: 'no', blocked: ['fetch'] };
    expect(problemsOf(failure, code)).toEqual([
      { line: 1, column: 11, message: 'no' },
      { line: 3, column: 3, message: 'no' },
    ]);
  });

  it('are none where nothing is known', () => {
    expect(problemsOf({ code: 'timeout', message: 'late' }, 'code')).toEqual([]);
  });
});

it('tells levels of console lines', () => {
  expect(consoleLine('plain [Warn] inside')).toEqual({
    level: 'INFO',
    text: 'plain [Warn] inside',
  });
  expect(consoleLine('[Warn] two\nlines')).toEqual({ level: 'WARN', text: 'two\nlines' });
  expect(consoleLine('[Other] x')).toEqual({ level: 'INFO', text: '[Other] x' });
});

it('counts characters as the owner does', () => {
  expect(characters('a字😀')).toBe(3);
  expect(CODE_LIMIT).toBe(20_000);
});

it('reads the input, and none', () => {
  expect(readInput('  ')).toBeUndefined();
  expect(readInput('{"a": [1]}')).toEqual({ ok: true, value: { a: [1] } });
  expect(readInput('{\n  "a": }')).toMatchObject({ ok: false, line: 2 });
  expect(readInput('[9007199254740993]')).toMatchObject({ ok: false, code: 'unsafe' });
});
