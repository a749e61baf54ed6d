/** Whether a text has every one of the words that somebody typed, in any order. */
export function hasWords(text: string, typed: string): boolean {
  const within = text.toLowerCase();
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => within.includes(word));
}
