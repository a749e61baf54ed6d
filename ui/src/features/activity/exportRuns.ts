/** All runs of a filter as JSON lines, one run a line, newest first, and how many they are. */

import type { Transport } from '@/platform';
import { asQuery, keeps, type RunFilter } from './useRuns';

/** The owner gives at most this many at once. */
const PAGE = 500;

export interface Export {
  signal: AbortSignal;
  onProgress(done: number, total: number): void;
}

export async function exportRuns(
  transport: Transport,
  filter: RunFilter,
  { signal, onProgress }: Export,
): Promise<{ content: Blob; count: number }> {
  const lines = new Map<string, string>();
  let offset = 0;
  let more = true;
  while (more) {
    signal.throwIfAborted();
    const query = { ...asQuery(filter), page: { offset, limit: PAGE } };
    const { runs, total } = await transport.call('run.list', query, signal);
    for (const run of runs) {
      // A run that ended meanwhile moves all others on: the next page may begin with known ones.
      if (keeps(filter, run) && !lines.has(run.id)) lines.set(run.id, `${JSON.stringify(run)}\n`);
    }
    offset += runs.length;
    more = runs.length > 0 && offset < total;
    onProgress(offset, total);
  }
  return {
    content: new Blob([...lines.values()], { type: 'application/jsonl' }),
    count: lines.size,
  };
}

/** `activity-2026-11-20.jsonl`, the day as the person has it. */
export function exportName(now: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `activity-${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}.jsonl`;
}
