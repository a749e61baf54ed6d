/** Runs of one tool, newest first, in pages; and those of it that are open now. */

import { useInfiniteQuery } from '@tanstack/vue-query';
import { computed, toValue, type MaybeRefOrGetter } from 'vue';
import type { RunRow } from '@/generated/calls';
import type { CallError, Result } from '@/platform';
import { useCall, useTransport } from '@/shared/data/calls';

const PAGE = 20;

export function useHistory(tool: MaybeRefOrGetter<string>) {
  const transport = useTransport();
  const query = useInfiniteQuery<Result<'run.list'>, CallError>({
    // The first part is the call: events of runs make these pages stale like any other list.
    queryKey: computed(() => ['run.list', { pages: PAGE, tool: toValue(tool) }]),
    queryFn: ({ pageParam, signal }) => {
      const page = { offset: pageParam as number, limit: PAGE };
      return transport.call('run.list', { tool: toValue(tool), page }, signal);
    },
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const loaded = pages.reduce((sum, page) => sum + page.runs.length, 0);
      return last.runs.length > 0 && loaded < last.total ? loaded : undefined;
    },
  });
  const active = useCall('run.active', {});

  const rows = computed<RunRow[]>(() => {
    // A run that ended meanwhile moves the others on: a page may begin with the last one's end.
    const seen = new Map<string, RunRow>();
    for (const page of query.data.value?.pages ?? []) {
      for (const run of page.runs) seen.set(run.id, run);
    }
    return [...seen.values()];
  });
  const total = computed(() => query.data.value?.pages.at(-1)?.total);
  const open = computed(() =>
    (active.data.value?.runs ?? []).filter(({ subject }) => subject === toValue(tool)),
  );
  return { query, rows, total, open };
}
