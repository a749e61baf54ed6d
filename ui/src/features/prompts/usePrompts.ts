/** The prompts that fit, best first, in pages; with what is said of the library as a whole. */

import { computed, type Ref } from 'vue';
import { distinct, usePages } from '@/shared/data/pages';

const PAGE = 200;
/** Rows before the end at which the next page is asked for. */
const AHEAD = 40;

export function usePrompts(search: Ref<string>, group: Ref<string>) {
  const { query, pages, more } = usePages(
    'prompt.list',
    () => ({ words: search.value.trim(), search: 'full_text' as const, group: group.value }),
    PAGE,
    ({ prompts, total }) => ({ rows: prompts.length, total }),
    { keep: true },
  );
  const rows = computed(() =>
    distinct(
      pages.value.flatMap(({ prompts }) => prompts),
      ({ path }) => path,
    ),
  );
  const last = computed(() => pages.value.at(-1));

  /** The rows up to this one are on the screen. */
  function seen(row: number) {
    if (row >= rows.value.length - AHEAD) more();
  }

  return { query, rows, last, seen };
}

export type Prompts = ReturnType<typeof usePrompts>;
