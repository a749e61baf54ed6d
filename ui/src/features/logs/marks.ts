/** A text cut where it matches what is searched, for showing the matches. */

export interface Part {
  text: string;
  hit: boolean;
}

/** A pattern for {@link parts}; nothing when nothing is searched. Case does not matter. */
export function pattern(searched: string): RegExp | undefined {
  if (searched === '') return undefined;
  return new RegExp(searched.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'giu');
}

/** The text in parts, one after the other. */
export function parts(text: string, searched: RegExp | undefined): Part[] {
  if (!searched) return [{ text, hit: false }];
  const found: Part[] = [];
  let from = 0;
  for (const match of text.matchAll(searched)) {
    if (match.index > from) found.push({ text: text.slice(from, match.index), hit: false });
    found.push({ text: match[0], hit: true });
    from = match.index + match[0].length;
  }
  if (from < text.length || found.length === 0) found.push({ text: text.slice(from), hit: false });
  return found;
}
