/** What something that fell on the window is good for: by its name, and by whether its place is known. */

/** Of the host's window it is a place of this machine; of a browser its content and no place. */
export type Fallen = { path: string; folder: boolean } | { file: File };

export type Use = 'tool' | 'workspace' | 'skills' | 'prompts' | 'cells' | 'picture';

const FOLDER: readonly Use[] = ['tool', 'workspace', 'prompts', 'skills'];
/** Of a file: its endings, and whether its place is needed. */
const FILES: readonly { use: Use; ends: RegExp; placed: boolean }[] = [
  { use: 'picture', ends: /\.(png|jpe?g|webp|gif|svg)$/, placed: false },
  { use: 'tool', ends: /\.(zip|tgz|tar\.gz|mcpb|tool\.js|tool\.py)$/, placed: true },
  { use: 'cells', ends: /\.(xml|acp|ipynb|md|txt)$/, placed: false },
  { use: 'prompts', ends: /\.(ya?ml|json|md|txt)$/, placed: true },
];

export function nameOf(fallen: Fallen): string {
  if ('file' in fallen) return fallen.file.name;
  return (
    fallen.path
      .split(/[\\/]/)
      .filter((part) => part !== '')
      .at(-1) ?? fallen.path
  );
}

/** The likeliest first. */
export function usesOf(fallen: Fallen): Use[] {
  if ('path' in fallen && fallen.folder) return [...FOLDER];
  return fit(fallen).flatMap(({ use, placed }) => (placed && 'file' in fallen ? [] : [use]));
}

/** Whether it would be good for more if its place were known. */
export function needsPlace(fallen: Fallen): boolean {
  return 'file' in fallen && fit(fallen).some(({ placed }) => placed);
}

function fit(fallen: Fallen) {
  const name = nameOf(fallen).toLowerCase();
  return FILES.filter(({ ends }) => ends.test(name));
}

/** What is taken in by a room's own dialog, which is opened with the place in it. */
const DIALOGS = {
  tool: ['/tools', 'add'],
  workspace: ['/workspaces', 'bind'],
  skills: ['/prompts/skills', 'import'],
  prompts: ['/prompts', 'import'],
} as const;

export function dialogOf(use: keyof typeof DIALOGS, place: string) {
  const [path, asks] = DIALOGS[use];
  return { path, query: { [asks]: place } };
}
