/** Waiting times between attempts: doubling from `first` to `last`, from the start after success. */
export class Backoff {
  readonly #first: number;
  readonly #last: number;
  #next: number;

  constructor(first = 250, last = 10_000) {
    this.#first = first;
    this.#last = last;
    this.#next = first;
  }

  /** Milliseconds to wait now. */
  take(): number {
    const wait = this.#next;
    this.#next = Math.min(wait * 2, this.#last);
    return wait;
  }

  reset(): void {
    this.#next = this.#first;
  }
}

/** Resolves after `ms`, or at once when `signal` aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
