/** Runs of everybody, newest first, in pages that are asked for as the list is scrolled. */

import { computed, watch, type ComputedRef } from 'vue';
import { useRunPages, type RunQuestion } from '@/features/runs/useRunPages';
import type { ActorKind, RunRow } from '@/generated/calls';

export interface RunFilter {
  /** Tool, or `run_javascript`; empty for all. */
  subject: string;
  actor: ActorKind | '';
  failed: boolean;
}

export const NO_FILTER: RunFilter = { subject: '', actor: '', failed: false };

const PAGE = 200;
/** Rows before the end at which the next page is asked for. */
const AHEAD = 40;

/** What the owner filters; the actor is filtered here. */
export function asQuery(filter: RunFilter): RunQuestion {
  return {
    ...(filter.subject && { tool: filter.subject }),
    ...(filter.failed && { failed: true }),
  };
}

export function keeps(filter: RunFilter, run: Pick<RunRow, 'actor'>): boolean {
  return filter.actor === '' || run.actor.kind === filter.actor;
}

export function useRuns(filter: ComputedRef<RunFilter>) {
  const { query, rows: all, total, more } = useRunPages(() => asQuery(filter.value), PAGE);
  const rows = computed(() => all.value.filter((run) => keeps(filter.value, run)));

  /** The rows up to `last` are on the screen. */
  function shown(last: number) {
    if (last >= rows.value.length - AHEAD) more();
  }

  // An actor's runs may be far apart: what is loaded must fill the window before it can scroll.
  watch([rows, query.isFetching], () => {
    if (query.error.value === null && rows.value.length < AHEAD) more();
  });

  return { query, rows, total, shown };
}
