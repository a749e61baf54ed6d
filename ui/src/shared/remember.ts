/** Small choices of this browser. Storage may be switched off: then they last as long as the page. */

/** The remembered value of `key`, if it is one of the `known`. */
export function remembered<T extends string>(key: string, known: readonly T[]): T | undefined {
  try {
    const value = localStorage.getItem(key);
    return known.find((one) => one === value);
  } catch {
    return undefined;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Not remembered; the choice itself was applied by the caller.
  }
}
