/** Paths inside a tool's folder: `/` between names, the folder itself is empty. */

export interface Crumb {
  name: string;
  path: string;
}

/** The way from the tool's folder down to `path`, the folder itself not included. */
export function crumbsOf(path: string): Crumb[] {
  const names = path.split('/').filter((name) => name !== '');
  return names.map((name, index) => ({ name, path: names.slice(0, index + 1).join('/') }));
}

export function inside(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** What the editor knows how to colour, by the ending of the name. */
export function languageOf(path: string): 'javascript' | 'json' | 'markdown' | 'text' {
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  if (['js', 'mjs', 'cjs', 'ts'].includes(ending)) return 'javascript';
  if (ending === 'json') return 'json';
  return ending === 'md' ? 'markdown' : 'text';
}
