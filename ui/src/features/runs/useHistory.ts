/** Runs of one tool, newest first, in pages; and those of it that are open now. */

import { computed, toValue, type MaybeRefOrGetter } from 'vue';
import { useCall } from '@/shared/data/calls';
import { useRunPages } from './useRunPages';

const PAGE = 20;

export function useHistory(tool: MaybeRefOrGetter<string>) {
  const pages = useRunPages(() => ({ tool: toValue(tool) }), PAGE);
  const active = useCall('run.active', {});
  const open = computed(() =>
    (active.data.value?.runs ?? []).filter(({ subject }) => subject === toValue(tool)),
  );
  return { ...pages, open };
}
