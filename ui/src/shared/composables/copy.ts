import { onScopeDispose, ref, type Ref } from 'vue';
import { useNative } from '@/shared/data/native';

/** How long "copied" stays. */
const SHOWN_MS = 1600;

export type CopyState = 'idle' | 'copied' | 'failed';

export interface Copy {
  state: Readonly<Ref<CopyState>>;
  copy(text: string): Promise<void>;
}

/** Copies text and says for a moment whether it worked. */
export function useCopy(): Copy {
  const native = useNative();
  const state = ref<CopyState>('idle');
  let timer: ReturnType<typeof setTimeout> | undefined;
  onScopeDispose(() => clearTimeout(timer));
  return {
    state,
    async copy(text) {
      state.value = await native.copyText(text).then(
        () => 'copied' as const,
        () => 'failed' as const,
      );
      clearTimeout(timer);
      timer = setTimeout(() => (state.value = 'idle'), SHOWN_MS);
    },
  };
}
