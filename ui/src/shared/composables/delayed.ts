import { onScopeDispose, ref, toValue, watch, type MaybeRefOrGetter, type Ref } from 'vue';

/** True once `condition` has held for `ms`: what is quick never flashes a placeholder. */
export function useDelayed(condition: MaybeRefOrGetter<boolean>, ms = 150): Readonly<Ref<boolean>> {
  const shown = ref(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  watch(
    () => toValue(condition),
    (holds) => {
      clearTimeout(timer);
      shown.value = false;
      if (holds) timer = setTimeout(() => (shown.value = true), ms);
    },
    { immediate: true },
  );
  onScopeDispose(() => clearTimeout(timer));
  return shown;
}
