/**
 * Reads a log that may be long and may grow fast: what is seen is fetched in windows, and one call
 * at a time waits for news.
 *
 * The page does not use the query cache for this: windows overlap, numbers move, and only a bounded
 * part of the log may be held. Everything asked for here ends with {@link LogReader.stop}.
 */

import type { LogCounts, LogLevel, LogRecord, LogWindow, LogWindowQuery } from '@/generated/calls';
import { asCallError, type CallError, type Transport } from '@/platform';
import { Backoff, pause } from '@/platform/backoff';
import { CHUNK, Chunks } from './chunks';
import { NO_COUNTS } from './levels';
import { findPlace } from './place';

/** News are asked for at most ten times a second, windows at most every 60 ms. */
const TICK_MS = 100;
const FETCH_MS = 60;
/** What the call allows. */
const MOST = 500;

export interface ReaderOptions {
  call: Transport['call'];
  tool: string;
  levels?: readonly LogLevel[];
  chunks?: Chunks;
  /** Something to show has changed. */
  onChange(): void;
  /** Number of the first record seen; nothing while the view sticks to the end. */
  place(): number | undefined;
  /** The numbers are new: the view belongs at `index`, or at the end. */
  onRenumbered(index: number | undefined, before: number): void;
}

export interface Numbers {
  total: number;
  counts: LogCounts;
  bytes: number;
}

/** Where the view was before the numbers changed. */
interface Was {
  index: number | undefined;
  anchor: LogRecord | undefined;
  before: number;
}

export class LogReader {
  readonly #options: ReaderOptions;
  readonly chunks: Chunks;
  #levels: readonly LogLevel[];
  #numbers: Numbers = { total: 0, counts: NO_COUNTS, bytes: 0 };
  #generation: string | undefined;
  #stamp: string | undefined;
  #failure: CallError | undefined;
  #ready = false;
  #wanted: readonly [first: number, last: number] = [0, -1];
  /** Records wanted at the end with every news. */
  #tail = CHUNK;
  /** Ends the waiting for news. */
  #life: AbortController | undefined;
  #fetch: { first: number; last: number; stop: AbortController } | undefined;
  #placing = false;
  #paused = false;
  #fetchedAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The owner had no record of this number, as the log was then. */
  #absent: string | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#levels = options.levels ?? [];
    this.chunks = options.chunks ?? new Chunks();
  }

  get numbers(): Readonly<Numbers> {
    return this.#numbers;
  }
  get generation(): string | undefined {
    return this.#generation;
  }
  /** Why the last call failed; the records before it stay. */
  get failure(): CallError | undefined {
    return this.#failure;
  }
  /** The log has answered at least once. */
  get ready(): boolean {
    return this.#ready;
  }
  record(index: number): LogRecord | undefined {
    return this.chunks.get(index);
  }

  /** Starts waiting for news, at once and not after a pause between attempts. */
  start(): void {
    this.#paused = false;
    if (this.#placing) return;
    this.#life?.abort();
    this.#life = new AbortController();
    void this.#follow(this.#life.signal);
  }

  /** Asks for no more news. What is seen is still fetched. */
  pause(): void {
    this.#paused = true;
    if (!this.#placing) this.#life?.abort();
  }

  /** Ends every call. */
  stop(): void {
    this.#life?.abort();
    this.#stopFetch();
  }

  /** How many of the newest records come with news; 0 for the numbers alone. */
  tail(count: number): void {
    this.#tail = Math.min(count, MOST);
  }

  /** Records `first` to `last` are seen: the missing ones are fetched, the newest wish first. */
  want(first: number, last: number): void {
    this.#wanted = [Math.max(0, first), last];
    this.chunks.see(...this.#wanted);
    this.#fetchSoon();
  }

  /** Other levels: other numbers. The view stays at the same time. */
  choose(levels: readonly LogLevel[]): void {
    this.#levels = levels;
    this.#renumber();
  }

  /** Another call answered with this generation. */
  expect(generation: string): void {
    if (this.#ready && generation !== this.#generation) this.#renumber();
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(500, 8_000);
    while (!signal.aborted) {
      const asked = performance.now();
      const tail = this.#tail;
      try {
        const unlike = this.#stamp;
        const query = { count: Math.max(1, tail), ...(unlike !== undefined && { unlike }) };
        const window = await this.#ask(query, signal);
        if (signal.aborted) return;
        backoff.reset();
        this.#stamp = window.stamp;
        this.#take(window, tail > 0);
        if (signal.aborted) return;
        await pause(TICK_MS - (performance.now() - asked), signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#fail(error);
        // An owner that comes back may have another log: do not wait until it differs.
        this.#stamp = undefined;
        await pause(backoff.take(), signal);
      }
    }
  }

  #ask(query: Omit<LogWindowQuery, 'tool'>, signal: AbortSignal): Promise<LogWindow> {
    const levels = this.#levels.length > 0 ? { levels: [...this.#levels] } : {};
    return this.#options.call(
      'log.window',
      { tool: this.#options.tool, ...levels, ...query },
      signal,
    );
  }

  #take(window: LogWindow, keep: boolean): void {
    const { total, counts, bytes, generation } = window;
    this.#failure = undefined;
    if (this.#ready && generation !== this.#generation) {
      this.#renumber();
      return;
    }
    this.#ready = true;
    this.#generation = generation;
    // Two calls are under way at a time: the older answer may come last.
    if (bytes >= this.#numbers.bytes) this.#numbers = { total, counts, bytes };
    if (keep) this.chunks.put(window.first, window.records);
    this.#options.onChange();
    this.#fetchSoon();
  }

  #fail(error: unknown): void {
    this.#failure = asCallError(error, 'unknown');
    this.#options.onChange();
  }

  /** Forgets what has old numbers, and finds where the view belongs among the new ones. */
  #renumber(): void {
    const index = this.#options.place();
    const anchor = index === undefined ? undefined : this.chunks.get(index);
    const before = this.#numbers.total;
    this.stop();
    this.chunks.clear();
    this.#numbers = { ...this.#numbers, bytes: 0 };
    this.#generation = undefined;
    this.#stamp = undefined;
    this.#absent = undefined;
    this.#ready = false;
    this.#placing = true;
    this.#life = new AbortController();
    void this.#place(this.#life.signal, { index, anchor, before });
  }

  async #place(signal: AbortSignal, was: Was): Promise<void> {
    const ask = (query: Omit<LogWindowQuery, 'tool'>) => this.#ask(query, signal);
    let place = was.index;
    try {
      const window = await ask({ count: CHUNK });
      if (place !== undefined && was.anchor) place = await findPlace(ask, window, was.anchor);
      if (signal.aborted) return;
      this.#placing = false;
      this.#stamp = window.stamp;
      this.#take(window, true);
      this.#options.onRenumbered(place, was.before);
    } catch (error) {
      if (signal.aborted) return;
      this.#placing = false;
      this.#fail(error);
    }
    if (!this.#paused) void this.#follow(signal);
  }

  #fetchSoon(): void {
    const [first, last] = this.#wanted;
    const end = Math.min(last, this.#numbers.total - 1);
    const missing = this.#placing || !this.#ready ? undefined : this.chunks.missing(first, end);
    if (missing === undefined || this.#absent === this.#mark(missing)) return;
    if (this.#fetch) {
      if (missing >= this.#fetch.first && missing <= this.#fetch.last) return;
      this.#stopFetch();
    }
    if (this.#timer !== undefined) return;
    const wait = FETCH_MS - (performance.now() - this.#fetchedAt);
    if (wait <= 0) void this.#fetchFrom(missing, end);
    else {
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#fetchSoon();
      }, wait);
    }
  }

  /** Whole chunks around what is missing, but for what of them is there. */
  async #fetchFrom(missing: number, end: number): Promise<void> {
    const from = Math.floor(missing / CHUNK) * CHUNK;
    const first = this.chunks.missing(from, missing) ?? missing;
    const last = Math.min((Math.floor(end / CHUNK) + 1) * CHUNK, first + MOST) - 1;
    const stop = new AbortController();
    this.#fetch = { first, last, stop };
    this.#fetchedAt = performance.now();
    try {
      const window = await this.#ask({ first, count: last - first + 1 }, stop.signal);
      if (stop.signal.aborted) return;
      this.#fetch = undefined;
      const held = window.first <= missing && missing < window.first + window.records.length;
      if (!held) this.#absent = this.#mark(missing);
      this.#take(window, true);
    } catch (error) {
      if (stop.signal.aborted) return;
      this.#fetch = undefined;
      this.#fail(error);
    }
  }

  #mark(index: number): string {
    return `${index} of ${this.#numbers.bytes}`;
  }

  #stopFetch(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#fetch?.stop.abort();
    this.#fetch = undefined;
  }
}
