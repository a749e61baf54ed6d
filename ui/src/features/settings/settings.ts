/** The settings that the owner keeps, and changing them. */

import { useQueryClient } from '@tanstack/vue-query';
import { watch } from 'vue';
import type { SettingsChange } from '@/generated/calls';
import { useCall, useChange } from '@/shared/data/calls';
import { currentLanguage, LANGUAGES, setLanguage, type Language } from '@/shared/i18n';

export function useSettings() {
  const query = useCall('settings.show', {});
  const client = useQueryClient();
  const change = useChange('settings.change');

  return {
    query,
    error: change.error,
    saving: change.isPending,
    change: (what: SettingsChange) =>
      change.mutate(what, {
        onSuccess: (view) => client.setQueryData(['settings.show', {}], view),
      }),
  };
}

/**
 * Switches the page at once and then tells the owner, whose own texts and tray follow. When it
 * refuses, the page goes back to what the owner has.
 */
export function useLanguage() {
  const client = useQueryClient();
  const change = useChange('settings.change');
  return {
    error: change.error,
    choose(language: Language) {
      const before = currentLanguage();
      setLanguage(language);
      change.mutate(
        { language },
        {
          onSuccess: (view) => {
            client.setQueryData(['settings.show', {}], view);
            // The owner words errors, advice and descriptions: all of it is in the old language.
            void client.invalidateQueries();
          },
          onError: () => setLanguage(before),
        },
      );
    },
  };
}

/**
 * The owner's language wins over the copy that this browser kept; it may change elsewhere. Until
 * somebody has chosen, the page speaks what its system does, and tells the owner, whose own texts
 * and tray follow.
 */
export function useOwnersLanguage(): void {
  const { data } = useCall('settings.show', {});
  const client = useQueryClient();
  const change = useChange('settings.change', { unasked: true });
  watch(
    data,
    (settings) => {
      const language = currentLanguage();
      if (!settings || settings.language === language) return;
      const known = LANGUAGES.find((one) => one === settings.language);
      if (settings.languageChosen && known) setLanguage(known);
      // A refusal changes nothing for the person: the page is in her language.
      else if (!settings.languageChosen)
        change.mutate({ language }, { onSuccess: () => void client.invalidateQueries() });
    },
    { immediate: true },
  );
}
