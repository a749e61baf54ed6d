/** What workspaces are called: where agents work, as their task is; elsewhere the task's id is its name. */

import { computed } from 'vue';
import { useCall } from '@/shared/data/calls';

export function useTitles() {
  const tasks = useCall('society.list', { removed: false });
  const titles = computed(
    () => new Map(tasks.data.value?.tasks.map(({ id, title }) => [id, title] as const)),
  );
  return (task: string) => titles.value.get(task) ?? task;
}
