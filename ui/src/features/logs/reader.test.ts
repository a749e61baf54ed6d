import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LogLevel, LogRecord } from '@/generated/calls';
import { CallError } from '@/platform';
import { fakeTransport } from '@/platform/fake';
import { CHUNK, Chunks, LIMITS } from './chunks';
import { LogReader } from './reader';
import { dice, TestLog } from './testLog';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp(log: TestLog, place: () => number | undefined = () => undefined) {
  const renumbered: (number | undefined)[] = [];
  const onChange = vi.fn();
  const reader = new LogReader({
    call: fakeTransport(log.handlers()).call,
    tool: 'reader',
    onChange,
    place,
    onRenumbered: (index) => void renumbered.push(index),
  });
  return { reader, renumbered, onChange };
}

const settle = (ms = 3_000) => vi.advanceTimersByTimeAsync(ms);

it('opens a long log with one call for its end', async () => {
  const log = new TestLog(100_000);
  const { reader } = setUp(log);
  reader.start();
  await settle(50);
  expect(reader.ready).toBe(true);
  expect(reader.numbers.total).toBe(100_000);
  expect(reader.record(99_999)).toEqual(log.records[99_999]);
  expect(reader.record(0)).toBeUndefined();
  await settle(10_000);
  // The second one waits for news.
  expect(log.asked).toHaveLength(2);
  expect(log.open).toBe(1);
  reader.stop();
});

it('asks for news at most ten times a second, however fast the log grows', async () => {
  const log = new TestLog(500);
  const { reader, onChange } = setUp(log);
  reader.start();
  await settle(20);
  log.asked.length = 0;
  onChange.mockClear();
  for (let at = 0; at < 1_000; at += 1) {
    log.append(1);
    await settle(1);
  }
  expect(log.asked.length).toBeLessThanOrEqual(11);
  expect(onChange.mock.calls.length).toBeLessThanOrEqual(11);
  await settle(200);
  expect(reader.numbers.total).toBe(1_500);
  expect(reader.chunks.size).toBeLessThanOrEqual(LIMITS.chunks);
  reader.stop();
});

it('ends the waiting call when it is stopped, and when it is paused', async () => {
  const log = new TestLog(10);
  const { reader, onChange } = setUp(log);
  reader.start();
  await settle();
  expect(log.open).toBe(1);
  reader.pause();
  await settle();
  expect([log.open, log.aborted]).toEqual([0, 1]);
  log.append(5);
  await settle();
  expect(reader.numbers.total).toBe(10);
  reader.start();
  await settle();
  expect(reader.numbers.total).toBe(15);
  onChange.mockClear();
  reader.stop();
  log.append(5);
  await settle(60_000);
  expect([log.open, log.aborted]).toEqual([0, 2]);
  expect(onChange).not.toHaveBeenCalled();
});

it('still fetches what is scrolled to while it is paused', async () => {
  const log = new TestLog(10_000);
  const { reader } = setUp(log);
  reader.start();
  await settle();
  reader.pause();
  reader.want(100, 140);
  await settle();
  expect(reader.record(120)).toEqual(log.records[120]);
  expect(log.open).toBe(0);
  reader.stop();
});

it('asks only for the newest place while the scrollbar is dragged', async () => {
  const log = new TestLog(100_000);
  log.latency = () => 40;
  const { reader } = setUp(log);
  reader.start();
  await settle();
  log.asked.length = 0;
  log.aborted = 0;
  for (let at = 0; at < 60; at += 1) {
    reader.want(at * 1_000, at * 1_000 + 40);
    await settle(16);
  }
  await settle();
  // 60 places in 960 ms: a fetch at most every 60 ms, the stale ones given up.
  expect(log.asked.length).toBeLessThanOrEqual(18);
  expect(log.aborted).toBeGreaterThan(0);
  expect(reader.record(59_020)).toEqual(log.records[59_020]);
  reader.stop();
});

it('does not ask again and again for what the owner does not have', async () => {
  const log = new TestLog(1_000);
  const handlers = log.handlers();
  const call = fakeTransport({
    'log.window': async (query, signal) => {
      const window = (await handlers['log.window']?.(query, signal)) as { records: LogRecord[] };
      return query.first === undefined ? window : { ...window, records: [] };
    },
  }).call;
  const options = { onChange: () => undefined, place: () => 0, onRenumbered: () => undefined };
  const reader = new LogReader({ call, tool: 'reader', ...options });
  reader.start();
  await settle();
  log.asked.length = 0;
  reader.want(0, 40);
  await settle(30_000);
  expect(log.asked).toHaveLength(1);
  reader.stop();
});

it('keeps what it has while the owner is away, and goes on when it is back', async () => {
  const log = new TestLog(100);
  const { reader } = setUp(log);
  reader.start();
  await settle();
  log.failure = new CallError({ code: 'server_not_reachable' });
  log.wake();
  await settle();
  expect(reader.failure?.code).toBe('server_not_reachable');
  expect(reader.record(99)).toEqual(log.records[99]);
  log.asked.length = 0;
  await settle(60_000);
  expect(log.asked.length).toBeLessThan(12);
  log.failure = undefined;
  log.append(1);
  await settle(9_000);
  expect(reader.failure).toBeUndefined();
  expect(reader.numbers.total).toBe(101);
  reader.stop();
});

it('finds the same record again after old ones left', async () => {
  const log = new TestLog(10_000);
  const { reader, renumbered } = setUp(log, () => 9_400);
  reader.start();
  await settle();
  reader.want(9_400, 9_440);
  await settle();
  const seen = log.records[9_400];
  log.rotate(1_000);
  await settle();
  expect(renumbered).toEqual([400]);
  expect(log.records[400]).toBe(seen);
  reader.want(400, 440);
  await settle();
  expect(reader.record(400)).toEqual(seen);
  reader.stop();
});

it('goes to the oldest record when the one that was seen has left, and stays at the end', async () => {
  const log = new TestLog(10_000);
  let place: number | undefined = 200;
  const { reader, renumbered } = setUp(log, () => place);
  reader.start();
  reader.want(200, 240);
  await settle();
  log.rotate(1_000);
  await settle();
  place = undefined;
  log.rotate(500);
  await settle();
  expect(renumbered).toEqual([0, undefined]);
  reader.stop();
});

it('stays at the same time when the levels change', async () => {
  const log = new TestLog(10_000);
  const { reader, renumbered } = setUp(log, () => 6_000);
  reader.start();
  await settle();
  reader.want(6_000, 6_040);
  await settle();
  reader.choose(['ERROR']);
  await settle();
  const [index = -1] = renumbered;
  const errors = log.filtered(['ERROR']);
  expect(reader.numbers.total).toBe(errors.length);
  expect(errors[index]?.at).toBeGreaterThanOrEqual(log.records[6_000]?.at ?? Infinity);
  expect(errors[index - 1]?.at).toBeLessThan(log.records[6_000]?.at ?? 0);
  reader.stop();
});

it('a paused log may be filtered, and waits for nothing afterwards', async () => {
  const log = new TestLog(100);
  const { reader } = setUp(log);
  reader.start();
  await settle();
  reader.pause();
  reader.choose(['WARN']);
  await settle();
  expect(reader.numbers.total).toBe(25);
  expect(log.open).toBe(0);
  reader.stop();
});

it('has the right record at every number, whatever happens, in bounded memory', async () => {
  for (let seed = 0; seed < 100; seed += 1) {
    const roll = dice(seed);
    const log = new TestLog(Math.floor(roll() * 20_000));
    log.latency = () => Math.floor(roll() * 120);
    /** What each number meant, by generation and levels. */
    const meant = new Map<string, LogRecord[]>();
    let levels: LogLevel[] = [];
    let first = 0;
    const remember = () => meant.set(log.generation + levels.join(), [...log.filtered(levels)]);
    const limits = { chunks: 5, chars: 100_000 };
    const reader = new LogReader({
      call: fakeTransport(log.handlers()).call,
      tool: 'reader',
      chunks: new Chunks(limits),
      onChange: () => undefined,
      place: () => first,
      onRenumbered: (index) => (first = index ?? first),
    });
    const check = () => {
      const numbers = meant.get((reader.generation ?? '') + levels.join()) ?? [];
      const wrong: number[] = [];
      for (let index = first - 50; index < first + 100; index += 1) {
        const record = reader.record(index);
        if (record && reader.ready && record !== numbers[index]) wrong.push(index);
      }
      expect(wrong).toEqual([]);
      expect(reader.chunks.size).toBeLessThanOrEqual(limits.chunks);
    };
    remember();
    reader.start();
    for (let step = 0; step < 25; step += 1) {
      const kind = roll();
      if (kind < 0.5) {
        first = Math.floor(roll() * reader.numbers.total);
        reader.want(first, first + 45);
      } else if (kind < 0.75) log.append(Math.floor(roll() * 800));
      else if (kind < 0.85) log.rotate(Math.floor(roll() * log.records.length));
      else if (kind < 0.9) reader.choose((levels = roll() < 0.5 ? [] : ['ERROR', 'INFO']));
      else if (kind < 0.95) reader.pause();
      else reader.start();
      remember();
      await settle(Math.floor(roll() * 300));
      check();
    }
    reader.start();
    await settle(5_000);
    first = Math.min(first, Math.max(0, reader.numbers.total - 1));
    reader.want(first, first + 45);
    await settle(2_000);
    const now = log.filtered(levels);
    expect(reader.numbers.total).toBe(now.length);
    const seen = now.slice(first, first + 46);
    expect(seen.map((_, at) => reader.record(first + at))).toEqual(seen);
    reader.stop();
    await settle(200);
    expect(log.open).toBe(0);
  }
}, 60_000);

it('fetches whole chunks, and at most what a call allows', async () => {
  const log = new TestLog(10_000);
  const { reader } = setUp(log);
  reader.start();
  await settle();
  log.asked.length = 0;
  reader.want(CHUNK - 10, CHUNK + 30);
  await settle();
  const fetches = log.asked.filter((query) => query.first !== undefined);
  expect(fetches).toEqual([{ tool: 'reader', first: 0, count: 500 }]);
  reader.stop();
});
