/** What the list shows: runs that go on, then runs that ended. */

import type { ActiveRun, RunRow } from '@/generated/calls';
import { taskOf } from '@/features/workspaces/places';
import { keeps, type RunFilter } from './useRuns';

export interface Shown {
  id: string;
  state: 'running' | 'done' | 'failed';
  subject: string;
  startedAt: number;
  /** Absent while it runs. */
  durationMs?: number;
  error?: string | undefined;
  /** What it was given, in one line. */
  about?: string | undefined;
  actor: RunRow['actor'];
}

/** What ran, as a person calls it: a command belongs to its workspace, a cell to the room of cells. */
export function nameOf(subject: string, t: (key: string) => string): string {
  return subject.startsWith('canvas:') ? t('app.room.cells') : (taskOf(subject) ?? subject);
}

/** A command reads as it was typed. */
function aboutOf({ subject, about }: RunRow): string | undefined {
  return about !== undefined && taskOf(subject) !== undefined ? `$ ${about}` : about;
}

export function rowsOf(
  active: readonly ActiveRun[],
  ended: readonly RunRow[],
  filter: RunFilter,
): Shown[] {
  const known = new Set(ended.map(({ id }) => id));
  const running = active
    // The two lists are asked for one after the other: a run may be in both.
    .filter((run) => !known.has(run.id) && !filter.failed && keeps(filter, run))
    .filter((run) => filter.subject === '' || run.subject === filter.subject)
    .sort((a, b) => b.startedAt - a.startedAt)
    .map(({ id, subject, startedAt, actor, progress }): Shown => ({
      id,
      state: 'running',
      subject,
      startedAt,
      about: progress?.text || undefined,
      actor,
    }));
  const done = ended.map((run): Shown => ({
    id: run.id,
    state: run.success ? 'done' : 'failed',
    subject: run.subject,
    startedAt: run.startedAt,
    durationMs: run.durationMs,
    error: run.error,
    about: aboutOf(run),
    actor: run.actor,
  }));
  return [...running, ...done];
}
