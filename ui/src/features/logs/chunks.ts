/**
 * The records of a log that the page holds: some chunks of 250, the least recently seen leave.
 *
 * A record is found by its number. Holes are normal: a chunk may have come in parts, and what
 * nobody scrolled to was never fetched. Numbers belong to one generation and one choice of levels;
 * whoever changes either calls {@link Chunks.clear}.
 */

import type { LogRecord } from '@/generated/calls';

/** Records of a chunk; also what fetches are aligned to. */
export const CHUNK = 250;

export interface Limits {
  chunks: number;
  /** Characters of all texts: records may have 16 KiB each. */
  chars: number;
}

export const LIMITS: Limits = { chunks: 20, chars: 4_000_000 };

interface Chunk {
  records: (LogRecord | undefined)[];
  chars: number;
}

/** Records of a log never change, but the owner may send a longer beginning of one. */
function isSame(one: LogRecord, other: LogRecord): boolean {
  return (
    one.at === other.at &&
    one.level === other.level &&
    one.truncated === other.truncated &&
    one.text === other.text
  );
}

export class Chunks {
  readonly #limits: Limits;
  /** By number of the chunk, the least recently seen first. */
  readonly #chunks = new Map<number, Chunk>();
  #chars = 0;
  #pinned: readonly [first: number, last: number] = [0, -1];

  constructor(limits: Limits = LIMITS) {
    this.#limits = limits;
  }

  get(index: number): LogRecord | undefined {
    return this.#chunks.get(Math.floor(index / CHUNK))?.records[index % CHUNK];
  }

  /** Chunks held now. */
  get size(): number {
    return this.#chunks.size;
  }

  /** Characters held now. */
  get chars(): number {
    return this.#chars;
  }

  /** Keeps `records`, of which the first has the number `first`. */
  put(first: number, records: readonly LogRecord[]): void {
    records.forEach((record, offset) => {
      const index = first + offset;
      const chunk = this.#use(Math.floor(index / CHUNK));
      const held = chunk.records[index % CHUNK];
      // What is drawn stays the same object, and is not drawn again.
      if (held && isSame(held, record)) return;
      const grown = record.text.length - (held?.text.length ?? 0);
      chunk.records[index % CHUNK] = record;
      chunk.chars += grown;
      this.#chars += grown;
    });
    this.#evict();
  }

  /** Records `first` to `last` are seen now: they leave last. */
  see(first: number, last: number): void {
    this.#pinned = [Math.floor(first / CHUNK), Math.floor(last / CHUNK)];
    for (let at = this.#pinned[0]; at <= this.#pinned[1]; at += 1) {
      if (this.#chunks.has(at)) this.#use(at);
    }
    this.#evict();
  }

  /** The first number from `first` to `last` that is not held. */
  missing(first: number, last: number): number | undefined {
    for (let index = first; index <= last; index += 1) {
      if (this.get(index) === undefined) return index;
    }
    return undefined;
  }

  clear(): void {
    this.#chunks.clear();
    this.#chars = 0;
    this.#pinned = [0, -1];
  }

  /** The chunk, made if need be, as the most recently seen one. */
  #use(at: number): Chunk {
    const chunk = this.#chunks.get(at) ?? { records: [], chars: 0 };
    this.#chunks.delete(at);
    this.#chunks.set(at, chunk);
    return chunk;
  }

  #evict(): void {
    for (const [at, chunk] of this.#chunks) {
      if (this.size <= this.#limits.chunks && this.#chars <= this.#limits.chars) return;
      // What is on the screen stays, however long its texts are.
      if (at >= this.#pinned[0] && at <= this.#pinned[1]) continue;
      this.#chunks.delete(at);
      this.#chars -= chunk.chars;
    }
  }
}
