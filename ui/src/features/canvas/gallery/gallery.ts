/**
 * All pictures, of which only the pages near to what is seen are fetched. One gallery serves the
 * grid and the picture beside it, which asks it for its neighbours.
 */

import { useQueries, useQueryClient } from '@tanstack/vue-query';
import { computed, ref, shallowRef, watch, type ComputedRef, type Ref, type ShallowRef } from 'vue';
import type { ArtifactList, ArtifactRow } from '@/generated/calls';
import type { CallError } from '@/platform';
import { useTransport } from '@/shared/data/calls';
import { indexOf, noPages, PAGE, pagesFor, rowAt, withPage, type Pages } from '../model/pages';

/** Signed addresses live for an hour; a tile that cannot be loaded asks for new ones this often. */
const RENEW_MS = 30_000;

interface PageResult {
  page: number;
  list: ArtifactList;
}

export interface Gallery {
  pages: Readonly<ShallowRef<Pages<ArtifactRow>>>;
  /** The first answer is there. */
  loaded: ComputedRef<boolean>;
  error: ComputedRef<CallError | null>;
  refetch(): void;
  /** Pictures that are seen, or nearly. */
  see(from: number, to: number): void;
  /** Makes the neighbours of a picture known; finds it by its time if it is far away. */
  seek(id: string, createdAt: number): Promise<void>;
  indexOf(id: string): number | undefined;
  neighbour(id: string, by: 1 | -1): string | undefined;
  /** The addresses of this page's pictures may have expired. */
  renew(index: number): void;
}

export function useGallery(): Gallery {
  const transport = useTransport();
  const client = useQueryClient();
  const pages: ShallowRef<Pages<ArtifactRow>> = shallowRef(noPages<ArtifactRow>());
  const seen = ref<number[]>([0]);
  const sought = ref<number[]>([]);
  const renewed = new Map<number, number>();

  const wanted = computed(() => {
    const last = Math.max(0, Math.ceil(pages.value.total / PAGE) - 1);
    return [...new Set([...seen.value, ...sought.value].map((page) => Math.min(page, last)))];
  });

  const queryOf = (page: number) => {
    const params = { offset: page * PAGE, limit: PAGE };
    return {
      queryKey: ['artifact.list', params],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        transport.call('artifact.list', params, signal),
    };
  };

  const queries = useQueries({
    queries: computed(() =>
      wanted.value.map((page) => ({
        ...queryOf(page),
        select: (list: ArtifactList): PageResult => ({ page, list }),
      })),
    ),
  }) as Readonly<Ref<readonly PageQuery[]>>;

  watch(
    () => queries.value.map(({ data }) => data),
    (results, before = []) => {
      for (const result of results) {
        if (!result || before.includes(result)) continue;
        const { page, list } = result;
        pages.value = withPage(pages.value, page, list.artifacts, list.total);
      }
    },
    { immediate: true },
  );

  const place = (id: string) => indexOf(pages.value, id);

  async function seek(id: string, createdAt: number): Promise<void> {
    if (place(id) === undefined) {
      const load = (page: number) => client.fetchQuery(queryOf(page));
      const found = await pageOf({ id, createdAt }, load);
      if (!found) return;
      pages.value = withPage(pages.value, found.page, found.list.artifacts, found.list.total);
    }
    const at = place(id);
    if (at !== undefined) {
      sought.value = pagesFor(at - 1, Math.min(at + 2, pages.value.total));
    }
  }

  return {
    pages,
    loaded: computed(() => pages.value.rows.size > 0 || queries.value[0]?.data !== undefined),
    error: computed(() => queries.value.find(({ error }) => error !== null)?.error ?? null),
    refetch: () => queries.value.forEach((query) => void query.refetch()),
    see(from, to) {
      const next = pagesFor(from, to);
      if (next.join() !== seen.value.join()) seen.value = next;
    },
    seek,
    indexOf: place,
    neighbour(id, by) {
      const at = place(id);
      return at === undefined ? undefined : rowAt(pages.value, at + by)?.id;
    },
    renew(index) {
      const page = Math.floor(index / PAGE);
      const now = performance.now();
      if (now - (renewed.get(page) ?? -RENEW_MS) < RENEW_MS) return;
      renewed.set(page, now);
      void client.refetchQueries({ queryKey: queryOf(page).queryKey });
    },
  };
}

interface PageQuery {
  data: PageResult | undefined;
  error: CallError | null;
  refetch(): unknown;
}

/**
 * The page that holds a picture. The list is newest first, so its time tells in which half to look:
 * seven requests among 10,000 pictures.
 */
export async function pageOf(
  wanted: { id: string; createdAt: number },
  load: (page: number) => Promise<ArtifactList>,
): Promise<PageResult | undefined> {
  let low = 0;
  let high = Infinity;
  let page = 0;
  while (low <= high) {
    const list = await load(page);
    const rows = list.artifacts;
    if (rows.some(({ id }) => id === wanted.id)) return { page, list };
    high = Math.min(high, Math.ceil(list.total / PAGE) - 1);
    if (wanted.createdAt <= (rows.at(-1)?.createdAt ?? -Infinity)) low = page + 1;
    else if (wanted.createdAt >= (rows[0]?.createdAt ?? -Infinity)) high = page - 1;
    else return undefined;
    page = (low + high) >> 1;
  }
  return undefined;
}
