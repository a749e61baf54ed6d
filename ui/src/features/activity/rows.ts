/** What the list shows: runs that go on, then runs that ended. */

import type { ActiveRun, RunRow } from '@/generated/calls';
import { keeps, type RunFilter } from './useRuns';

export interface Shown {
  id: string;
  state: 'running' | 'done' | 'failed';
  subject: string;
  startedAt: number;
  /** Absent while it runs. */
  durationMs?: number;
  error?: string | undefined;
  actor: RunRow['actor'];
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
    .map(({ id, subject, startedAt, actor }): Shown => ({
      id,
      state: 'running',
      subject,
      startedAt,
      actor,
    }));
  const done = ended.map(
    ({ id, subject, startedAt, durationMs, success, error, actor }): Shown => ({
      id,
      state: success ? 'done' : 'failed',
      subject,
      startedAt,
      durationMs,
      error,
      actor,
    }),
  );
  return [...running, ...done];
}
