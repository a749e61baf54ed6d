import { toValue, watchEffect, type MaybeRefOrGetter } from 'vue';
import { i18n } from '@/shared/i18n';

/** Names the window after the page: `Log · filesystem · Prompt Manager`. */
export function useTitle(parts: MaybeRefOrGetter<readonly (string | undefined)[]>): void {
  watchEffect(() => {
    const shown = toValue(parts).filter((part) => part !== undefined && part !== '');
    document.title = [...shown, i18n.global.t('app.name')].join(' · ');
  });
}
