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
