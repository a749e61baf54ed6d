/** The tree of a workspace as the rows that are seen: folders are read when they are opened. */

import type { WorkspaceEntries, WorkspaceEntry } from '@/generated/calls';
import { inside } from '@/features/tools/paths';

export interface TreeRow {
  path: string;
  name: string;
  kind: 'directory' | 'file' | 'symlink' | 'other' | 'more';
  size: number;
  /** From 1. */
  level: number;
  open: boolean;
  /** It is open, and what is in it has not come yet. */
  waiting: boolean;
  /** Its content could not be read. */
  failed: boolean;
}

export interface Listing {
  data: WorkspaceEntries | undefined;
  failed: boolean;
}

/** Folders first, then by name as people read it. */
export function sorted(entries: readonly WorkspaceEntry[]): WorkspaceEntry[] {
  const names = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
  const rank = ({ type }: WorkspaceEntry) => (type === 'directory' ? 0 : 1);
  return [...entries].sort((a, b) => rank(a) - rank(b) || names.compare(a.name, b.name));
}

/** `listings` by folder; the workspace itself is the empty path. */
export function rowsOf(listings: ReadonlyMap<string, Listing>): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (folder: string, level: number) => {
    const entries = listings.get(folder)?.data;
    if (!entries) return;
    for (const { name, type, size } of sorted(entries.files)) {
      const path = inside(folder, name);
      const listing = type === 'directory' ? listings.get(path) : undefined;
      rows.push({
        path,
        name,
        kind: kindOf(type),
        size,
        level,
        open: listing !== undefined,
        waiting: listing !== undefined && listing.data === undefined && !listing.failed,
        failed: listing?.failed ?? false,
      });
      if (listing) add(path, level + 1);
    }
    if (entries.truncated) {
      const path = inside(folder, '…');
      const more = { size: 0, open: false, waiting: false, failed: false } as const;
      rows.push({ path, name: '…', kind: 'more', level, ...more });
    }
  };
  add('', 1);
  return rows;
}

function kindOf(type: string): TreeRow['kind'] {
  return type === 'directory' || type === 'file' || type === 'symlink' ? type : 'other';
}

/** The folder that holds it; the workspace itself is the empty path. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

/** A folder and all that are above it, without the workspace itself. */
export function above(path: string): string[] {
  const names = folderOf(path).split('/').filter(Boolean);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}
