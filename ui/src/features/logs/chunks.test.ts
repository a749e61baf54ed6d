import { expect, it } from 'vitest';
import type { LogRecord } from '@/generated/calls';
import { Chunks, CHUNK } from './chunks';
import { dice } from './testLog';

const record = (index: number, length = 10): LogRecord => ({
  at: index,
  level: 'INFO',
  text: 'x'.repeat(length),
  truncated: false,
});
const some = (first: number, count: number, length?: number) =>
  Array.from({ length: count }, (_, at) => record(first + at, length));

it('finds a record by its number, across chunks', () => {
  const chunks = new Chunks();
  chunks.put(240, some(240, 20));
  expect(chunks.size).toBe(2);
  expect(chunks.get(239)).toBeUndefined();
  expect(chunks.get(240)?.at).toBe(240);
  expect(chunks.get(259)?.at).toBe(259);
  expect(chunks.missing(240, 259)).toBeUndefined();
  expect(chunks.missing(238, 259)).toBe(238);
  expect(chunks.missing(250, 300)).toBe(260);
});

it('drops the chunk that was seen longest ago', () => {
  const chunks = new Chunks({ chunks: 3, chars: 1e9 });
  for (const at of [0, 1, 2]) chunks.put(at * CHUNK, some(at * CHUNK, CHUNK));
  chunks.see(0, 10);
  chunks.put(3 * CHUNK, some(3 * CHUNK, CHUNK));
  expect(chunks.get(5)).toBeDefined();
  expect(chunks.get(CHUNK)).toBeUndefined();
  expect(chunks.get(2 * CHUNK)).toBeDefined();
});

it('keeps what is on the screen, however long its texts are', () => {
  const chunks = new Chunks({ chunks: 20, chars: 1_000 });
  chunks.see(0, 40);
  chunks.put(0, some(0, 50, 16_384));
  expect(chunks.get(0)).toBeDefined();
  chunks.see(5 * CHUNK, 5 * CHUNK + 40);
  expect(chunks.get(0)).toBeUndefined();
  expect(chunks.chars).toBe(0);
});

it('keeps the object of a record that comes once more, unless more of it has come', () => {
  const chunks = new Chunks();
  const [record] = some(0, 1, 10);
  if (!record) throw new Error('no record');
  chunks.put(0, [record]);
  chunks.put(0, [{ ...record }]);
  expect(chunks.get(0)).toBe(record);
  const longer = { ...record, text: `${record.text} and more` };
  chunks.put(0, [longer]);
  expect(chunks.get(0)).toBe(longer);
  expect(chunks.chars).toBe(longer.text.length);
});

it('is bounded and right after any sequence of windows', () => {
  for (let seed = 0; seed < 120; seed += 1) {
    const roll = dice(seed);
    const limits = { chunks: 4, chars: 60_000 };
    const chunks = new Chunks(limits);
    let pinned = 0;
    for (let step = 0; step < 60; step += 1) {
      const first = Math.floor(roll() * 10_000);
      if (roll() < 0.4) {
        chunks.see(first, first + 50);
        pinned = 2;
      } else {
        chunks.put(first, some(first, Math.ceil(roll() * 500), Math.ceil(roll() * 100)));
      }
      expect(chunks.size).toBeLessThanOrEqual(limits.chunks);
      // Two chunks may be pinned; nothing else is above the limit.
      expect(chunks.chars).toBeLessThanOrEqual(limits.chars + pinned * CHUNK * 100);
      const probes = Array.from({ length: 20 }, () => Math.floor(roll() * 10_500));
      expect(probes.filter((index) => (chunks.get(index)?.at ?? index) !== index)).toEqual([]);
    }
    chunks.clear();
    expect([chunks.size, chunks.chars]).toEqual([0, 0]);
  }
}, 30_000);
