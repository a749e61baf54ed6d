/** The host's abilities, provided once by App.vue; tests and pictures provide their own. */

import { inject, type InjectionKey } from 'vue';
import type { Native } from '@/platform';

export const NATIVE: InjectionKey<Native> = Symbol('native');

export function useNative(): Native {
  const native = inject(NATIVE);
  if (!native) throw new Error('no native is provided');
  return native;
}
