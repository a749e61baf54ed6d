/** A log in memory that answers as the owner does, for tests: it grows, rotates, fails, waits. */

import type {
  LogFindQuery,
  LogFound,
  LogLevel,
  LogRecord,
  LogWindow,
  LogWindowQuery,
} from '@/generated/calls';
import type { FakeHandlers } from '@/platform/fake';
import { LEVELS } from './levels';

const RECORD_BYTES = 50;

export class TestLog {
  records: LogRecord[] = [];
  generation = 'a';
  /** Thrown by every call while it is set. */
  failure: Error | undefined;
  /** Milliseconds until an answer is there. */
  latency = () => 0;
  /** Calls that have no answer yet. */
  open = 0;
  aborted = 0;
  readonly asked: LogWindowQuery[] = [];
  #written = 0;
  #bytes = 0;
  readonly #waiting = new Set<() => void>();

  constructor(count = 0) {
    this.append(count);
  }

  append(count: number, text = (index: number) => `record ${index}`, level?: LogLevel): void {
    for (let at = 0; at < count; at += 1) {
      this.records.push({
        at: 1_000_000 + this.#written * 10,
        level: level ?? LEVELS[this.#written % LEVELS.length] ?? 'INFO',
        text: text(this.#written),
        truncated: false,
      });
      this.#written += 1;
      this.#bytes += RECORD_BYTES;
    }
    this.#wake();
  }

  /** Only the newest `keep` records stay; numbers start again. */
  rotate(keep: number): void {
    this.records = keep === 0 ? [] : this.records.slice(-keep);
    this.#bytes = this.records.length * RECORD_BYTES;
    this.generation += 'a';
    this.#wake();
  }

  filtered(levels: readonly LogLevel[] = []): LogRecord[] {
    if (levels.length === 0) return this.records;
    return this.records.filter((record) => levels.includes(record.level));
  }

  handlers(): FakeHandlers {
    return {
      'log.window': (query: LogWindowQuery, signal) =>
        this.#answer(signal, () => this.#changed(query, signal), query),
      'log.find': (query: LogFindQuery, signal) => this.#answer(signal, () => this.#find(query)),
    };
  }

  async #answer<T>(
    signal: AbortSignal | undefined,
    answer: () => T | Promise<T>,
    query?: LogWindowQuery,
  ): Promise<T> {
    if (query) this.asked.push(query);
    this.open += 1;
    try {
      const latency = this.latency();
      if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency));
      signal?.throwIfAborted();
      if (this.failure) throw this.failure;
      return await answer();
    } catch (error) {
      if (signal?.aborted) this.aborted += 1;
      throw error;
    } finally {
      this.open -= 1;
    }
  }

  async #changed(query: LogWindowQuery, signal: AbortSignal | undefined): Promise<LogWindow> {
    while (query.unlike === this.#stamp()) {
      await new Promise<void>((resolve, reject) => {
        this.#waiting.add(resolve);
        signal?.addEventListener('abort', () => {
          this.#waiting.delete(resolve);
          reject(signal.reason as Error);
        });
      });
      if (this.failure) throw this.failure;
    }
    const all = this.filtered(query.levels);
    const first = Math.min(query.first ?? Math.max(0, all.length - query.count), all.length);
    const of = (level: LogLevel) => this.filtered([level]).length;
    return {
      stamp: this.#stamp(),
      generation: this.generation,
      total: all.length,
      counts: { debug: of('DEBUG'), info: of('INFO'), warn: of('WARN'), error: of('ERROR') },
      bytes: this.#bytes,
      first,
      records: all.slice(first, first + Math.min(query.count, 500)),
    };
  }

  #find({ levels, text, from, direction }: LogFindQuery): LogFound {
    const hits = this.filtered(levels).flatMap((record, index) =>
      record.text.toLowerCase().includes(text.toLowerCase()) ? [index] : [],
    );
    const index =
      direction === 'forward'
        ? (hits.find((hit) => hit >= from) ?? hits[0])
        : (hits.findLast((hit) => hit <= from) ?? hits.at(-1));
    return {
      ...(index !== undefined && { index }),
      matches: hits.length,
      ordinal: index === undefined ? 0 : hits.indexOf(index) + 1,
      generation: this.generation,
    };
  }

  /** Ends every waiting, as a change or a broken connection does. */
  wake(): void {
    this.#wake();
  }

  #wake(): void {
    for (const resolve of [...this.#waiting]) {
      this.#waiting.delete(resolve);
      resolve();
    }
  }

  #stamp(): string {
    return `${this.generation}:${this.#bytes}`;
  }
}

/** The same numbers from 0 up to 1 for the same seed. */
export function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
