/**
 * Turns for calls that wait at the owner. A browser opens six connections to one origin; when runs
 * and waiting reads held them all, calling a run off would wait behind them.
 *
 * Deliberately not here: calls that answer at once. They never wait for a turn. And other tabs of
 * the same browser, which share its connections: several tabs full of runs can still wait for each
 * other.
 */

/** Runs at once; more wait. */
const RUNS = 3;
/** Waiting reads at once. */
const READS = 2;
/** Runs and waiting reads together: besides the events and one call that answers at once. */
const HELD = 4;

export class Turns {
  #running = 0;
  readonly #runs = new Queue<undefined>();
  /** Reads that are under way, by what calls them back. */
  readonly #reading = new Set<AbortController>();
  readonly #reads = new Queue<AbortController>();

  /**
   * A run holds its connection until it has ended. Reads make room for it. `signal` ends its
   * waiting, not the run.
   */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#turn(this.#runs, signal);
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      this.#running -= 1;
      this.#next();
    }
  }

  /**
   * Reads in the order in which they were asked for; one that is called off leaves the queue. One
   * that made room is asked for again: asking twice changes nothing.
   */
  async read<T>(work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (;;) {
      const recall = await this.#turn(this.#reads, signal);
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

  #turn<T>(queue: Queue<T>, signal: AbortSignal | undefined): Promise<T> {
    const turn = queue.join(signal);
    this.#next();
    return turn;
  }

  #next(): void {
    while (this.#running < RUNS && this.#runs.call(() => undefined)) {
      this.#running += 1;
      this.#makeRoom();
    }
    const recall = () => {
      const controller = new AbortController();
      this.#reading.add(controller);
      return controller;
    };
    let called = true;
    while (called && this.#isFree()) called = this.#reads.call(recall);
  }

  /** However many runs are open, one read goes on: they are to be seen. */
  #isFree(): boolean {
    const reads = this.#reading.size;
    return reads === 0 || (reads < READS && reads + this.#running < HELD);
  }

  #makeRoom(): void {
    const [, ...others] = this.#reading;
    for (const recall of others.reverse()) {
      if (this.#reading.size + this.#running <= HELD) return;
      this.#reading.delete(recall);
      recall.abort();
    }
  }
}

/** Who waits, in order; whoever is called off leaves. */
class Queue<T> {
  readonly #waiting: ((turn: T) => void)[] = [];

  join(signal: AbortSignal | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const go = (turn: T) => {
        signal?.removeEventListener('abort', leave);
        resolve(turn);
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.push(go);
    });
  }

  /** Calls the next one; says whether there was one. */
  call(turn: () => T): boolean {
    const go = this.#waiting.shift();
    go?.(turn());
    return go !== undefined;
  }
}
