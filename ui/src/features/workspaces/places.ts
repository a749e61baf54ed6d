/** Tabs of a workspace and their addresses. */

import { placesOf } from '@/shared/places';

export const TABS = ['files', 'commands', 'terminal', 'history', 'trash', 'access'] as const;
export type Tab = (typeof TABS)[number];

export const PLACES = placesOf('/workspaces', TABS);

/** How grants and approvals name a task. */
export function subjectOf(task: string): string {
  return `task:${task}`;
}

/** The task of a subject, if it is one. */
export function taskOf(subject: string): string | undefined {
  return subject.startsWith('task:') ? subject.slice('task:'.length) : undefined;
}

/** A task id that fits a folder: its last name, with what an id may not hold as hyphens. */
export function taskFor(path: string, taken: readonly string[]): string {
  const last = path.split(/[/\\]/).filter(Boolean).at(-1) ?? '';
  const name = last
    .normalize('NFKD')
    .replace(/[^\w-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 56);
  const base = name || 'task';
  for (let n = 1; ; n += 1) {
    const id = n === 1 ? base : `${base}-${n}`;
    if (!taken.includes(id)) return id;
  }
}
