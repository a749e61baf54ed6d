import { onScopeDispose, ref, type Ref } from 'vue';

/** The time, moved on every so many milliseconds: half a minute for "3 minutes ago". */
export function useNow(every = 30_000): Readonly<Ref<number>> {
  const now = ref(Date.now());
  const timer = setInterval(() => (now.value = Date.now()), every);
  onScopeDispose(() => clearInterval(timer));
  return now;
}
