/**
 * A log for looking at: `full` has some hundred records and grows slowly, `many` has 100,000 and
 * gets 1,000 a second. Records are computed from their number, so that nothing is held.
 */

import type {
  LogFindQuery,
  LogLevel,
  LogRecord,
  LogWindow,
  LogWindowQuery,
} from '@/generated/calls';
import { pause } from '../backoff';
import type { FakeHandlers, Scene } from './index';

/** Twenty records repeat their levels, so that filtered numbers can be computed as well. */
const LEVELS: readonly LogLevel[] = [
  ...['INFO', 'DEBUG', 'DEBUG', 'INFO', 'DEBUG', 'INFO', 'WARN', 'DEBUG', 'INFO', 'INFO'],
  ...['DEBUG', 'INFO', 'ERROR', 'DEBUG', 'INFO', 'DEBUG', 'WARN', 'INFO', 'DEBUG', 'INFO'],
] as LogLevel[];
const PERIOD = LEVELS.length;
const RECORD_BYTES = 104;
const LONGEST_WAIT_MS = 20_000;
const STEP_MS = 50;

interface Shape {
  first: number;
  perSecond: number;
}

const SHAPES: Record<Scene, Shape> = {
  full: { first: 420, perSecond: 0.5 },
  many: { first: 100_000, perSecond: 1_000 },
  empty: { first: 0, perSecond: 0 },
  error: { first: 0, perSecond: 0 },
  loading: { first: 0, perSecond: 0 },
};

function textOf(index: number): string {
  switch (LEVELS[index % PERIOD]) {
    case 'ERROR':
      return index % 40 === 12
        ? [
            '执行失败 - 错误: ENOENT: no such file or directory, open "/data/reports/2026-11.xlsx"',
            'Error: ENOENT: no such file or directory, open "/data/reports/2026-11.xlsx"',
            '    at readSheet (file-reader.tool.js:184:17)',
            '    at async execute (file-reader.tool.js:62:20)',
          ].join('\n')
        : `Request ${index} failed after 3 attempts {"status":503,"host":"api.example.org","retryAfter":30}`;
    case 'WARN':
      return `Slow answer: ${800 + (index % 700)} ms {"url":"https://api.example.org/v1/items?page=${index % 90}","attempt":${1 + (index % 3)},"cached":false}`;
    case 'DEBUG':
      return `cache ${index % 3 === 0 ? 'miss' : 'hit'} for sheet ${index % 17}, row ${index}`;
    default:
      if (index % 10 === 0) {
        return `执行开始 - 工具: file-reader, 参数: {"path":"reports/${index % 12}.xlsx","sheet":null,"rows":[${index},${index + 250}]}`;
      }
      if (index % 10 === 9)
        return `执行完成 - 结果大小: ${index % 300}KB, 用时: ${index % 9}.${index % 7}s`;
      return `Read ${index % 997} rows of 年度报表-${index % 12}.xlsx`;
  }
}

export default (scene: Scene): FakeHandlers => {
  const { first, perSecond } = SHAPES[scene];
  const born = Date.now();
  const grown = (now: number) => Math.floor(((now - born) * perSecond) / 1000);
  const total = () => first + grown(Date.now());
  /** Records before the page was opened came as fast as those after it, but for slow ones. */
  const at = (index: number) => born + ((index - first) * 1000) / Math.max(perSecond, 8);
  const recordAt = (index: number): LogRecord => ({
    at: Math.round(at(index)),
    level: LEVELS[index % PERIOD] ?? 'INFO',
    text: textOf(index),
    truncated: index % 400 === 39,
  });

  function numbers(levels: readonly LogLevel[] | undefined) {
    const wanted = levels?.length ? levels : LEVELS;
    const slots = LEVELS.flatMap((level, slot) => (wanted.includes(level) ? [slot] : []));
    const before = (end: number) =>
      Math.floor(end / PERIOD) * slots.length + slots.filter((slot) => slot < end % PERIOD).length;
    const indexOf = (number: number) =>
      Math.floor(number / slots.length) * PERIOD + (slots[number % slots.length] ?? 0);
    return { before, indexOf };
  }

  function look(query: LogWindowQuery): LogWindow {
    const all = total();
    const { before, indexOf } = numbers(query.levels);
    const wanted = before(all);
    const from = Math.min(query.first ?? Math.max(0, wanted - query.count), wanted);
    const count = Math.min(query.count, wanted - from);
    const of = (level: LogLevel) => numbers([level]).before(all);
    return {
      stamp: `1:${all * RECORD_BYTES}`,
      generation: '1',
      total: wanted,
      counts: { debug: of('DEBUG'), info: of('INFO'), warn: of('WARN'), error: of('ERROR') },
      bytes: all * RECORD_BYTES,
      first: from,
      records: Array.from({ length: count }, (_, offset) => recordAt(indexOf(from + offset))),
    };
  }

  return {
    async 'log.window'(query: LogWindowQuery, signal?: AbortSignal) {
      const never = new AbortController().signal;
      const until = Date.now() + LONGEST_WAIT_MS;
      while (query.unlike === look({ ...query, count: 0 }).stamp && Date.now() < until) {
        await pause(STEP_MS, signal ?? never);
        signal?.throwIfAborted();
      }
      return look(query);
    },
    'log.find'({ levels, text, from, direction }: LogFindQuery) {
      const { before, indexOf } = numbers(levels);
      const searched = text.toLowerCase();
      const hits: number[] = [];
      for (let number = 0; number < before(total()); number += 1) {
        if (textOf(indexOf(number)).toLowerCase().includes(searched)) hits.push(number);
      }
      const index =
        direction === 'forward'
          ? (hits.find((hit) => hit >= from) ?? hits[0])
          : (hits.findLast((hit) => hit <= from) ?? hits.at(-1));
      return {
        ...(index !== undefined && { index }),
        matches: hits.length,
        ordinal: index === undefined ? 0 : hits.indexOf(index) + 1,
        generation: '1',
      };
    },
  };
};
