/** Commands of a task, newest first: the open and latest ones fresh, older ones as they were. */

import { computed, ref, shallowRef, watch } from 'vue';
import type { CommandRow } from '@/generated/calls';
import { asCallError, type CallError } from '@/platform';
import { useCall, useTransport } from '@/shared/data/calls';

const PAGE = 100;

export function useCommands(task: () => string) {
  const transport = useTransport();
  const query = useCall('workspace.commands', () => ({ taskId: task(), limit: PAGE }));
  const older = ref<CommandRow[]>([]);
  /** Whether there are more than `older`; unknown while none were asked for. */
  const olderMore = ref<boolean>();
  const loading = ref(false);
  const failure = shallowRef<CallError>();

  watch(task, () => {
    older.value = [];
    olderMore.value = undefined;
  });

  const rows = computed(() => {
    const first = query.data.value?.commands ?? [];
    const known = new Set(first.map(({ run }) => run));
    return [...first, ...older.value.filter(({ run }) => !known.has(run))];
  });
  const more = computed(() => olderMore.value ?? query.data.value?.more ?? false);

  async function loadMore() {
    const last = rows.value.at(-1);
    if (!last || loading.value) return;
    loading.value = true;
    failure.value = undefined;
    const taskId = task();
    try {
      const params = { taskId, before: last.run, limit: PAGE };
      const page = await transport.call('workspace.commands', params);
      if (taskId !== task()) return;
      older.value = [...older.value, ...page.commands];
      olderMore.value = page.more;
    } catch (error) {
      failure.value = asCallError(error, 'unknown');
    } finally {
      loading.value = false;
    }
  }

  return { query, rows, more, loading, failure, loadMore };
}
