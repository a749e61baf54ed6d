/**
 * For a webview that gives values and no promises: what takes a while is asked about again, under the key it was given.
 */

type Told = { document: string; waits?: true; value?: unknown; thrown?: string };

/** Another for each document. */
const mark = `${Date.now()}-${Math.random()}`;
const settled = new Map<string, Told>();

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as { then?: unknown }).then === 'function';

const failed = (error: unknown): Told => ({ document: mark, thrown: String(error) });

export function ask(key: string, work: () => unknown): Told {
  try {
    const value = work();
    if (!isPromise(value)) return { document: mark, value: value ?? null };
    void value.then(
      (value) => settled.set(key, { document: mark, value: value ?? null }),
      (error: unknown) => settled.set(key, failed(error)),
    );
    return { document: mark, waits: true };
  } catch (error) {
    return failed(error);
  }
}

export function asked(key: string): Told {
  const told = settled.get(key);
  settled.delete(key);
  return told ?? { document: mark, waits: true };
}
