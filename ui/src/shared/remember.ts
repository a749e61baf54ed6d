/** Small choices of this browser. Storage may be switched off: then they last as long as the page. */

/** What the storage refused. */
const refused = new Map<string, string>();

/** The remembered value of `key`, if it is one of the `known`. */
export function remembered<T extends string>(key: string, known: readonly T[]): T | undefined {
  const value = rememberedText(key);
  return known.find((one) => one === value);
}

/** The remembered number of `key`, if it is one. */
export function rememberedNumber(key: string): number | undefined {
  const text = rememberedText(key);
  const value = text ? Number(text) : NaN;
  return Number.isFinite(value) ? value : undefined;
}

export function rememberedText(key: string): string | undefined {
  try {
    return refused.get(key) ?? localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
    refused.delete(key);
  } catch {
    refused.set(key, value);
  }
}
