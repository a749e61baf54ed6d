import { onScopeDispose, ref, type Ref } from 'vue';

/** The time, moved on every half minute, for "3 minutes ago". */
export function useNow(): Readonly<Ref<number>> {
  const now = ref(Date.now());
  const timer = setInterval(() => (now.value = Date.now()), 30_000);
  onScopeDispose(() => clearInterval(timer));
  return now;
}
