/**
 * Turns for reads that wait at the owner. A browser opens six connections to one origin; when runs
 * and waiting reads hold them all, calling a run off would wait behind them.
 *
 * Deliberately not here: calls that answer at once. They never wait for a turn.
 */

/** Waiting reads at once. */
const READS = 2;
/** Runs and waiting reads together: besides the events and one call that answers at once. */
const HELD = 4;

export class Turns {
  #runs = 0;
  /** Reads that are under way, by what calls them back. */
  readonly #reading = new Set<AbortController>();
  readonly #queue: ((recall: AbortController) => void)[] = [];

  /** A run holds its connection until it has ended. It is never held back: reads make room. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#runs += 1;
    this.#makeRoom();
    try {
      return await work();
    } finally {
      this.#runs -= 1;
      this.#next();
    }
  }

  /**
   * Reads in the order in which they were asked for; one that is called off leaves the queue. One
   * that made room is asked for again: asking twice changes nothing.
   */
  async read<T>(work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (;;) {
      const recall = await this.#turn(signal);
      try {
        return await work(signal ? AbortSignal.any([signal, recall.signal]) : recall.signal);
      } catch (error) {
        if (!recall.signal.aborted || signal?.aborted) throw error;
      } finally {
        this.#reading.delete(recall);
        this.#next();
      }
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<AbortController> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const go = (recall: AbortController) => {
        signal?.removeEventListener('abort', leave);
        resolve(recall);
      };
      const leave = () => {
        this.#queue.splice(this.#queue.indexOf(go), 1);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#queue.push(go);
      this.#next();
    });
  }

  #next(): void {
    while (this.#isFree()) {
      const go = this.#queue.shift();
      if (!go) return;
      const recall = new AbortController();
      this.#reading.add(recall);
      go(recall);
    }
  }

  /** However many runs are open, one read goes on: they are to be seen. */
  #isFree(): boolean {
    const reads = this.#reading.size;
    return reads === 0 || (reads < READS && reads + this.#runs < HELD);
  }

  #makeRoom(): void {
    const [, ...others] = this.#reading;
    for (const recall of others.reverse()) {
      if (this.#reading.size + this.#runs <= HELD) return;
      this.#reading.delete(recall);
      recall.abort();
    }
  }
}
