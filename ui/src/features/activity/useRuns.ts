/** Runs of everybody, newest first, in pages that are asked for as the list is scrolled. */

import { useInfiniteQuery } from '@tanstack/vue-query';
import { computed, watch, type ComputedRef } from 'vue';
import type { ActorKind, RunQuery, RunRow } from '@/generated/calls';
import type { CallError, Result } from '@/platform';
import { useTransport } from '@/shared/data/calls';

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
export function asQuery(filter: RunFilter, offset: number, limit: number): RunQuery {
  return {
    ...(filter.subject && { tool: filter.subject }),
    ...(filter.failed && { failed: true }),
    page: { offset, limit },
  };
}

export function keeps(filter: RunFilter, run: Pick<RunRow, 'actor'>): boolean {
  return filter.actor === '' || run.actor.kind === filter.actor;
}

export function useRuns(filter: ComputedRef<RunFilter>) {
  const transport = useTransport();
  const query = useInfiniteQuery<Result<'run.list'>, CallError>({
    // The first part is the call: events of runs make these pages stale like any other list.
    queryKey: computed(() => [
      'run.list',
      { pages: PAGE, subject: filter.value.subject, failed: filter.value.failed },
    ]),
    queryFn: ({ pageParam, signal }) =>
      transport.call('run.list', asQuery(filter.value, pageParam as number, PAGE), signal),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const loaded = pages.reduce((sum, page) => sum + page.runs.length, 0);
      return last.runs.length > 0 && loaded < last.total ? loaded : undefined;
    },
  });

  const rows = computed<RunRow[]>(() => {
    // A run that began meanwhile moves the others on: a page may begin with the last one's end.
    const seen = new Map<string, RunRow>();
    for (const page of query.data.value?.pages ?? []) {
      for (const run of page.runs) if (keeps(filter.value, run)) seen.set(run.id, run);
    }
    return [...seen.values()];
  });
  const total = computed(() => query.data.value?.pages.at(-1)?.total);

  function more() {
    if (query.hasNextPage.value && !query.isFetching.value) void query.fetchNextPage();
  }

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
