import { onScopeDispose, ref, type Ref } from 'vue';

/** How long "copied" stays. */
const SHOWN_MS = 1600;

export type CopyState = 'idle' | 'copied' | 'failed';

export interface Copy {
  state: Readonly<Ref<CopyState>>;
  copy(text: string): Promise<void>;
}

/** Copies text and says for a moment whether it worked. */
export function useCopy(): Copy {
  const state = ref<CopyState>('idle');
  let timer: ReturnType<typeof setTimeout> | undefined;
  onScopeDispose(() => clearTimeout(timer));
  return {
    state,
    async copy(text) {
      state.value = (await write(text)) ? 'copied' : 'failed';
      clearTimeout(timer);
      timer = setTimeout(() => (state.value = 'idle'), SHOWN_MS);
    },
  };
}

async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return writeBySelection(text);
  }
}

/** Pages on a LAN address have no clipboard interface; the selection still can be copied. */
function writeBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  document.body.append(area);
  const focused = document.activeElement;
  area.select();
  try {
    return document.execCommand('copy');
  } finally {
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}
