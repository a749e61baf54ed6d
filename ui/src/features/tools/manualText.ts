/** A manual as it is shown below a heading that says its title already. */

export interface Heading {
  words: string;
  level: number;
  element: HTMLElement;
}

/**
 * The manual begins with the tool's name, which stands above it in the page already. A manual of
 * the tool's own making that begins with something else keeps its beginning.
 */
export function withoutTitle(text: string, names: readonly string[]): string {
  const first = /^\s*# +(.+?) *(?:\r?\n|$)/.exec(text);
  return first?.[1] !== undefined && names.includes(first[1]) ? text.slice(first[0].length) : text;
}

/** The level that `#` becomes, so that no level is left out below the page's own headings. */
export function topLevel(text: string, level: 2 | 3): 1 | 2 | 3 {
  return /^# /m.test(text) ? level : level === 3 ? 2 : 1;
}

/** The two upper levels of headings, for the table of contents; a lone first one is a title. */
export function contentsOf(headings: readonly Heading[]): (Heading & { deep: boolean })[] {
  const levels = [...new Set(headings.map(({ level }) => level))].sort();
  const alone = headings.filter(({ level }) => level === levels[0]).length === 1;
  const [upper, lower] = levels.slice(alone && levels.length > 1 ? 1 : 0);
  return headings
    .filter(({ level }) => level === upper || level === lower)
    .map((heading) => ({ ...heading, deep: heading.level !== upper }));
}
