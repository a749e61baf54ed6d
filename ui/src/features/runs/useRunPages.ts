/** The history in pages, newest first, the next page when it is asked for. */

import { useInfiniteQuery } from '@tanstack/vue-query';
import { computed, toValue, type MaybeRefOrGetter } from 'vue';
import type { RunQuery, RunRow } from '@/generated/calls';
import type { CallError, Result } from '@/platform';
import { useTransport } from '@/shared/data/calls';

/** What the owner filters; the page of it is added here. */
export type RunQuestion = Omit<RunQuery, 'page'>;

export function useRunPages(question: MaybeRefOrGetter<RunQuestion>, limit: number) {
  const transport = useTransport();
  const query = useInfiniteQuery<Result<'run.list'>, CallError>({
    // The first part is the call: events of runs make these pages stale like any other list.
    queryKey: computed(() => ['run.list', { pages: limit, ...toValue(question) }]),
    queryFn: ({ pageParam, signal }) => {
      const page = { offset: pageParam as number, limit };
      return transport.call('run.list', { ...toValue(question), page }, signal);
    },
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const loaded = pages.reduce((sum, page) => sum + page.runs.length, 0);
      return last.runs.length > 0 && loaded < last.total ? loaded : undefined;
    },
  });

  const rows = computed<RunRow[]>(() => {
    // A run that ended meanwhile moves the others on: a page may begin with the last one's end.
    const seen = new Map<string, RunRow>();
    for (const page of query.data.value?.pages ?? []) {
      for (const run of page.runs) seen.set(run.id, run);
    }
    return [...seen.values()];
  });
  const total = computed(() => query.data.value?.pages.at(-1)?.total);

  function more(): void {
    if (query.hasNextPage.value && !query.isFetching.value) void query.fetchNextPage();
  }

  return { query, rows, total, more };
}
