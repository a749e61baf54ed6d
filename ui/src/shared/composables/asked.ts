/** What another place asks for by the address, a dialog mostly: `?add=1` opens it once, and is gone. */

import { ref, watch, type Ref } from 'vue';
import { useRoute, useRouter } from 'vue-router';

/** Gives back what it is opened with: of `?add=/a/place`, as long as it is open, `/a/place`. */
export function useAsked(name: string, open: Ref<boolean>): Readonly<Ref<string>> {
  const from = ref('');
  const route = useRoute();
  const router = useRouter();
  watch(
    () => route.query[name],
    (asked) => {
      if (asked === undefined) return;
      from.value = typeof asked === 'string' && asked !== '1' ? asked : '';
      open.value = true;
      void router.replace(route.path);
    },
    { immediate: true },
  );
  watch(open, (now) => {
    if (!now) from.value = '';
  });
  return from;
}
