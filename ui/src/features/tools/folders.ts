/** Folders of a tool: what it asks for, what it was given, and what its next run really gets. */

import type { Grants } from '@/generated/calls';

export type FolderState =
  /** The next run gets it. */
  | 'used'
  /** The tool asks for it and a person has to decide. */
  | 'waiting'
  /** Granted, but the tool does not ask for it. */
  | 'idle';

export interface Folder {
  path: string;
  state: FolderState;
  granted: boolean;
}

/** What is asked for first, in the tool's order; then what is only granted. */
export function foldersOf(grants: Grants): Folder[] {
  const { requested, granted, effective } = grants;
  const asked = [...new Set([...requested, ...effective])].map((path): Folder => ({
    path,
    state: effective.includes(path) ? 'used' : 'waiting',
    granted: granted.includes(path),
  }));
  const others = granted
    .filter((path) => !asked.some((folder) => folder.path === path))
    .map((path): Folder => ({
      path,
      state: effective.some((used) => isWithin(used, path)) ? 'used' : 'idle',
      granted: true,
    }));
  return [...asked, ...others];
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
