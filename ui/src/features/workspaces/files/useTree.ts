/** Which folders of a workspace are open, and what is in them. */

import { useQueries } from '@tanstack/vue-query';
import { computed, reactive } from 'vue';
import type { WorkspaceEntries } from '@/generated/calls';
import type { CallError } from '@/platform';
import { useTransport } from '@/shared/data/calls';
import { rowsOf, type Listing } from './tree';

/** Folders whose content is kept fresh at once; the ones opened first close first. */
const MOST_OPEN = 200;

/** As they were left, for as long as the page lives. */
const left = reactive(new Map<string, string[]>());

export function useTree(task: () => string) {
  const transport = useTransport();
  const open = computed(() => left.get(task()) ?? []);
  const folders = computed(() => ['', ...open.value]);

  const results = useQueries({
    queries: computed(() =>
      folders.value.map((path) => {
        const params = { taskId: task(), ...(path !== '' && { path }) };
        return {
          queryKey: ['workspace.ls', params],
          queryFn: ({ signal }: { signal: AbortSignal }) =>
            transport.call('workspace.ls', params, signal),
        };
      }),
    ),
  });

  const listings = computed(
    () =>
      new Map<string, Listing>(
        folders.value.map((path, index) => {
          const result = results.value[index];
          return [
            path,
            {
              data: result?.data as WorkspaceEntries | undefined,
              failed: (result?.isError ?? false) && result?.data === undefined,
            },
          ];
        }),
      ),
  );
  const rows = computed(() => rowsOf(listings.value));
  const root = computed(() => {
    const result = results.value[0];
    return {
      data: result?.data as WorkspaceEntries | undefined,
      error: (result?.error ?? null) as CallError | null,
      refetch: () => result?.refetch(),
    };
  });

  function set(path: string, wanted: boolean) {
    const rest = open.value.filter((one) => one !== path);
    left.set(task(), wanted ? [...rest, path].slice(-MOST_OPEN) : rest);
  }

  function closeAll() {
    left.set(task(), []);
  }

  return { rows, root, open, set, closeAll };
}
