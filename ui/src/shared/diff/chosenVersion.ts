/** Which of some earlier versions is looked at: the latest, until another one is asked for. */

import { computed, ref } from 'vue';

export function useChosenVersion<T extends { version: string }>(
  versions: () => readonly T[] | undefined,
) {
  const asked = ref<string>();
  const chosen = computed(() => {
    const all = versions() ?? [];
    return all.find(({ version }) => version === asked.value) ?? all[0];
  });
  return { asked, chosen };
}
