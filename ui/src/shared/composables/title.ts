import { inject, toValue, watchEffect, type MaybeRefOrGetter } from 'vue';
import { NATIVE } from '@/shared/data/native';
import { i18n } from '@/shared/i18n';

/** Names the window after the page: `Log · filesystem · Prompt Manager`. */
export function useTitle(parts: MaybeRefOrGetter<readonly (string | undefined)[]>): void {
  const native = inject(NATIVE, undefined);
  watchEffect(() => {
    const shown = toValue(parts).filter((part) => part !== undefined && part !== '');
    const title = [...shown, i18n.global.t('app.name')].join(' · ');
    document.title = title;
    native?.nameWindow?.(title).catch((error: unknown) => {
      // It keeps the name before; nothing on the page depends on it.
      console.warn(error);
    });
  });
}
