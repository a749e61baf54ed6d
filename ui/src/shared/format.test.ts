import { describe, expect, it } from 'vitest';
import { ago, bytes, duration, moment } from './format';

const NOW = Date.UTC(2026, 10, 20, 12);
const MINUTE = 60_000;

describe('ago', () => {
  it.each([
    [0, 'now', '现在'],
    [59_000, 'now', '现在'],
    [MINUTE, '1m ago', '1分钟前'],
    [59 * MINUTE, '59m ago', '59分钟前'],
    [60 * MINUTE, '1h ago', '1小时前'],
    [26 * 60 * MINUTE, 'yesterday', '昨天'],
  ])('%d ms', (past, en, zh) => {
    expect(ago(NOW - past, NOW, 'en')).toBe(en);
    expect(ago(NOW - past, NOW, 'zh-CN')).toBe(zh);
  });

  it('is a date after a week', () => {
    expect(ago(NOW - 8 * 24 * 60 * MINUTE, NOW, 'en')).toMatch(/Nov 12, 2026/);
  });
});

it('writes durations in one or two units', () => {
  const all = [3.25, 48, 1240, 59_960, 95_500, 3_599_000, 3_600_000, 14_700_000];
  expect(all.map((ms) => duration(ms, 'en'))).toEqual([
    '3.3 ms',
    '48 ms',
    '1.2 sec',
    '1 min',
    '1 min 36 sec',
    '59 min 59 sec',
    '1 hr',
    '4 hr 5 min',
  ]);
});

it('writes sizes with three digits at most', () => {
  expect([0, 999, 1000, 999_600, 1_234_567_890].map((count) => bytes(count, 'en'))).toEqual([
    '0 B',
    '999 B',
    '1 kB',
    '1 MB',
    '1.2 GB',
  ]);
});

it('gives every moment in UTC as well', () => {
  expect(moment(NOW, 'en')).toContain('2026-11-20T12:00:00.000Z');
});
