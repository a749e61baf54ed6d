/** The history in pages, newest first. */

import { computed, type MaybeRefOrGetter } from 'vue';
import type { RunRow } from '@/generated/calls';
import { distinct, usePages, type Question } from '@/shared/data/pages';

export type RunQuestion = Question<'run.list'>;

export function useRunPages(question: MaybeRefOrGetter<RunQuestion>, limit: number) {
  const { query, pages, more } = usePages('run.list', question, limit, ({ runs, total }) => ({
    rows: runs.length,
    total,
  }));
  const rows = computed<RunRow[]>(() =>
    distinct(
      pages.value.flatMap(({ runs }) => runs),
      ({ id }) => id,
    ),
  );
  const total = computed(() => pages.value.at(-1)?.total);
  return { query, rows, total, more };
}
