/** The services that can be asked, and which one is. */

import { computed, ref } from 'vue';
import { useCall } from '@/shared/data/calls';

export function useServices() {
  const query = useCall('models.list', {});
  const asked = ref<string>();
  const services = computed(() => query.data.value?.services ?? []);
  const chosen = computed({
    get: () =>
      (
        services.value.find(({ name }) => name === asked.value) ??
        services.value.find((one) => one.default) ??
        services.value[0]
      )?.name ?? '',
    set: (name: string) => (asked.value = name),
  });
  const options = computed(() =>
    services.value.map(({ name, model }) => ({ value: name, label: `${name} · ${model}` })),
  );
  /** Known to be none, not only not known yet. */
  const none = computed(() => query.data.value?.services.length === 0);
  return { query, chosen, options, none };
}
