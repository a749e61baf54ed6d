/** A reading call whose answer comes in pages, the next one when it is asked for. */

import { keepPreviousData, useInfiniteQuery } from '@tanstack/vue-query';
import { computed, toValue, type MaybeRefOrGetter } from 'vue';
import type { CallError, CallName, Params, Result } from '@/platform';
import { useTransport, type CallOptions } from './calls';

/** Calls that are asked for a page. */
export type PagedCall = {
  [N in CallName]: Params<N> extends { page?: { offset: number; limit: number } | undefined }
    ? N
    : never;
}[CallName];

/** What the owner filters; the page of it is added here. */
export type Question<N extends CallName> = Omit<Params<N>, 'page'>;

/** `count`: rows in an answer, and how many there are in all. */
export function usePages<N extends PagedCall>(
  name: N,
  question: MaybeRefOrGetter<Question<N>>,
  limit: number,
  count: (page: Result<N>) => { rows: number; total: number },
  options: CallOptions = {},
) {
  const transport = useTransport();
  const query = useInfiniteQuery<Result<N>, CallError>({
    // The first part is the call: events make these pages stale like any other answer of it.
    queryKey: computed(() => [name, { pages: limit, ...toValue(question) }]),
    queryFn: ({ pageParam, signal }) => {
      const page = { offset: pageParam as number, limit };
      return transport.call(name, { ...toValue(question), page } as unknown as Params<N>, signal);
    },
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const loaded = pages.reduce((sum, page) => sum + count(page).rows, 0);
      return count(last).rows > 0 && loaded < count(last).total ? loaded : undefined;
    },
    enabled: computed(() => toValue(options.enabled) ?? true),
    ...(options.keep && { placeholderData: keepPreviousData }),
  });
  const pages = computed(() => query.data.value?.pages ?? []);

  function more(): void {
    if (query.hasNextPage.value && !query.isFetching.value) void query.fetchNextPage();
  }

  return { query, pages, more };
}

/** Each once: rows that moved on meanwhile stand in two pages. */
export function distinct<T>(rows: Iterable<T>, key: (row: T) => string): T[] {
  const seen = new Map<string, T>();
  for (const row of rows) seen.set(key(row), row);
  return [...seen.values()];
}
