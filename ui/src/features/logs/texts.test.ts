import { expect, it } from 'vitest';
import type { LogRecord } from '@/generated/calls';
import { clock, dayOf, fileText, lineOf, moment } from './lines';
import { parts, pattern } from './marks';
import { splitPayload, splitRecord } from './payload';
import { pretty } from './pretty';
import { rowsOf } from './rows';

const record = (text: string, rest: Partial<LogRecord> = {}): LogRecord => ({
  at: Date.UTC(2026, 10, 20, 14, 3, 7, 104),
  level: 'INFO',
  text,
  truncated: false,
  ...rest,
});

it('splits the JSON off the end of a message', () => {
  expect(splitPayload('done {"a":[1,{"b":"}"}]}')).toEqual({
    message: 'done',
    payload: { a: [1, { b: '}' }] },
  });
  expect(splitPayload('{"only":true}')).toEqual({ message: '', payload: { only: true } });
  expect(splitPayload('列表 [1,2]\n')).toEqual({ message: '列表', payload: [1, 2] });
  expect(splitPayload('执行开始 - 工具: t, 参数: {"p":"a {b}"}').payload).toEqual({ p: 'a {b}' });
  expect(splitPayload('two\nlines {"a":1}')).toEqual({ message: 'two\nlines', payload: { a: 1 } });
});

it('leaves braces alone that are no JSON, and empty JSON', () => {
  for (const text of ['if (x) { return }', 'a [1] b', 'array[0]', 'nothing {}', 'x{"a":1}', '']) {
    expect(splitPayload(text)).toEqual({ message: text });
  }
});

it('gives up on a text that is full of braces', () => {
  const text = `${'[ '.repeat(50_000)}]`;
  const before = performance.now();
  expect(splitPayload(text)).toEqual({ message: text });
  expect(performance.now() - before).toBeLessThan(1_000);
});

it('does not look for the payload of a cut record', () => {
  expect(splitRecord(record('x {"a":1}', { truncated: true })).payload).toBeUndefined();
});

it('says in one line what a record is', () => {
  expect(lineOf(record('first\nsecond\n{"a":1}'))).toEqual({
    text: 'first',
    more: 2,
    payload: true,
  });
  expect(lineOf(record('plain'))).toEqual({ text: 'plain', more: 0, payload: false });
});

it('writes a record as run.log has it', () => {
  expect(fileText(record('a\nb', { level: 'ERROR' }))).toBe(
    '[2026-11-20T14:03:07.104Z] [ERROR] a\n    b\n',
  );
  expect(fileText(record('a', { at: 0, truncated: true }))).toBe('[INFO] a […]\n');
});

it('shows the local clock, with the day when it is another one', () => {
  const at = new Date(2026, 10, 20, 14, 3, 7, 4).getTime();
  expect(clock(at, dayOf(at), 'en')).toBe('14:03:07.004');
  expect(clock(at, dayOf(at + 86_400_000), 'en')).toContain('11/20');
  expect(moment(at, 'zh-CN')).toMatch(/^2026\/11\/20 14:03:07\.004 /);
});

it('marks what is searched, whatever its case and whatever signs it has', () => {
  expect(parts('Slow slow', pattern('SLOW'))).toEqual([
    { text: 'Slow', hit: true },
    { text: ' ', hit: false },
    { text: 'slow', hit: true },
  ]);
  expect(parts('a.b (c) [d] {e}', pattern('(c) [d]')).filter((part) => part.hit)).toHaveLength(1);
  expect(parts('axb', pattern('a.b'))).toEqual([{ text: 'axb', hit: false }]);
  expect(pattern('')).toBeUndefined();
  for (const sign of '\\^$.*+?()[]{}|/-#&') {
    expect(parts(`x${sign}y`, pattern(sign))[1]).toEqual({ text: sign, hit: true });
  }
});

it('loses no character when it marks or lays out', () => {
  const text = 'one ONE two one';
  const joined = parts(text, pattern('one')).map((part) => part.text);
  expect(joined.join('')).toBe(text);
  const value = { a: 'x: "y"', 'b c': [1, -2.5e3, true, null], d: { e: 'false' } };
  const pieces = pretty(value);
  expect(pieces.map((piece) => piece.text).join('')).toBe(JSON.stringify(value, undefined, 2));
  expect(pieces.filter((piece) => piece.kind === 'key').map((piece) => piece.text)).toEqual([
    '"a"',
    '"b c"',
    '"d"',
    '"e"',
  ]);
  expect(pieces.filter((piece) => piece.kind === 'word')).toHaveLength(2);
});

it('cuts a row to what can be seen, once for a record', () => {
  const rowOf = rowsOf({ searched: pattern('end'), language: 'en', today: dayOf(0) });
  const long = record(`${'x'.repeat(5_000)}end`);
  const shown = rowOf(long);
  expect(shown?.text).toHaveLength(1_000);
  expect(shown?.parts).toBeUndefined();
  expect(rowOf(long)).toBe(shown);
  expect(rowOf(undefined)).toBeUndefined();
});
