/** What another place asks for by the address, a dialog mostly: `?add=1` opens it once, and is gone. */

import { watch, type Ref } from 'vue';
import { useRoute, useRouter } from 'vue-router';

export function useAsked(name: string, open: Ref<boolean>) {
  const route = useRoute();
  const router = useRouter();
  watch(
    () => route.query[name],
    (asked) => {
      if (asked === undefined) return;
      open.value = true;
      void router.replace(route.path);
    },
    { immediate: true },
  );
}
