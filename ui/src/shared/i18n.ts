/**
 * The page's languages. Both are in the bundle: switching is live and needs no request.
 *
 * One file a feature and language, `src/locales/{language}/{feature}.json`; the file's name is the
 * first part of its keys.
 */

import { createI18n } from 'vue-i18n';
import { remember, remembered } from './remember';

export const LANGUAGES = ['zh-CN', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

const KEY = 'pm.language';

interface Words {
  [key: string]: string | Words;
}
type Messages = Record<Language, Words>;

const files = import.meta.glob<{ default: Words }>('../locales/*/*.json', {
  eager: true,
});

/** `../locales/en/tools.json` -> `messages.en.tools`. */
function messages(): Messages {
  const all: Messages = { 'zh-CN': {}, en: {} };
  for (const [path, file] of Object.entries(files)) {
    const [language, feature] = path.replace('.json', '').split('/').slice(-2);
    const known = LANGUAGES.find((one) => one === language);
    if (known && feature) all[known][feature] = file.default;
  }
  return all;
}

/** Chinese for Chinese browsers, English for all others. */
export function languageOf(preferred: readonly string[]): Language {
  return preferred[0]?.toLowerCase().startsWith('zh') ? 'zh-CN' : 'en';
}

export const i18n = createI18n({
  legacy: false,
  locale: remembered(KEY, LANGUAGES) ?? languageOf(navigator.languages),
  fallbackLocale: 'en',
  messages: messages(),
});

export function currentLanguage(): Language {
  return i18n.global.locale.value;
}

/** Switches the page; the owner's own choice is changed by `settings.change` (features/settings). */
export function setLanguage(language: Language): void {
  i18n.global.locale.value = language;
  remember(KEY, language);
  nameThePage();
}

/** Tells the browser and screen readers which language they read. */
export function nameThePage(): void {
  document.documentElement.lang = currentLanguage();
}
