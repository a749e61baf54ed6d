/** All runs of a filter as JSON lines, one run a line, newest first. */

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
): Promise<Blob> {
  const parts: string[] = [];
  let offset = 0;
  let more = true;
  while (more) {
    signal.throwIfAborted();
    const { runs, total } = await transport.call('run.list', asQuery(filter, offset, PAGE), signal);
    parts.push(
      ...runs.filter((run) => keeps(filter, run)).map((run) => `${JSON.stringify(run)}\n`),
    );
    offset += runs.length;
    more = runs.length > 0 && offset < total;
    onProgress(offset, total);
  }
  return new Blob(parts, { type: 'application/jsonl' });
}

/** `activity-2026-11-20.jsonl`, the day as the person has it. */
export function exportName(now: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `activity-${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}.jsonl`;
}
