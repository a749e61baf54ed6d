import { onScopeDispose, ref, type Ref } from 'vue';

/** Below this the window has room for one thing at a time: list and detail become pages. */
const NARROW = '(max-width: 699.98px)';

/** Whether the window is narrower than 700 px. */
export function useNarrow(): Readonly<Ref<boolean>> {
  const query = window.matchMedia(NARROW);
  const narrow = ref(query.matches);
  const follow = () => (narrow.value = query.matches);
  query.addEventListener('change', follow);
  onScopeDispose(() => query.removeEventListener('change', follow));
  return narrow;
}
