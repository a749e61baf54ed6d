/** Finds what somebody means who types a few letters of it. */

export interface Match {
  score: number;
  /** Pairs of start and end in the text, for showing what matched. */
  ranges: [number, number][];
}

/** Beginnings of words weigh most, then substrings, then letters in order. */
const START = 100;
const WORD = 60;
const INSIDE = 30;
const LETTERS = 8;

/**
 * Every word of `query` must be in `text`, as a piece of it or, failing that, letter by letter in
 * order. `undefined` when one is not. An empty query matches everything alike.
 */
export function match(query: string, text: string): Match | undefined {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const lower = text.toLowerCase();
  let score = 0;
  const ranges: [number, number][] = [];
  for (const word of words) {
    const found = piece(word, lower) ?? letters(word, lower);
    if (!found) return undefined;
    score += found.score;
    ranges.push(...found.ranges);
  }
  // Of two that match alike the shorter is nearer to what was typed.
  return { score: score - text.length / 1000, ranges: merged(ranges) };
}

function piece(word: string, text: string): Match | undefined {
  let best: Match | undefined;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const score = at === 0 ? START : /[\s\-_./:]/.test(text[at - 1] ?? '') ? WORD : INSIDE;
    if (!best || score > best.score) best = { score, ranges: [[at, at + word.length]] };
  }
  return best;
}

function letters(word: string, text: string): Match | undefined {
  // Two letters are in almost everything.
  if (word.length < 3) return undefined;
  const ranges: [number, number][] = [];
  let at = -1;
  for (const letter of word) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return undefined;
    ranges.push([at, at + 1]);
  }
  const spread = at - (ranges[0]?.[0] ?? 0) - word.length;
  return spread > 3 * word.length ? undefined : { score: LETTERS - spread / 10, ranges };
}

function merged(ranges: [number, number][]): [number, number][] {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0]);
  const out: [number, number][] = [];
  for (const [start, end] of sorted) {
    const last = out.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else out.push([start, end]);
  }
  return out;
}

/** The text in pieces, each matched or not. */
export function pieces(text: string, ranges: Match['ranges']): { text: string; hit: boolean }[] {
  const out: { text: string; hit: boolean }[] = [];
  let at = 0;
  for (const [start, end] of ranges) {
    if (start > at) out.push({ text: text.slice(at, start), hit: false });
    out.push({ text: text.slice(start, end), hit: true });
    at = end;
  }
  if (at < text.length) out.push({ text: text.slice(at), hit: false });
  return out;
}
