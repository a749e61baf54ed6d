/** The page's languages. Both are in the bundle: switching is live and needs no request. */

import { createI18n } from 'vue-i18n';
import en from '@/locales/en.json';
import zhCN from '@/locales/zh-CN.json';
import { remember, remembered } from './remember';

export const LANGUAGES = ['zh-CN', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

const KEY = 'pm.language';

/** Chinese for Chinese browsers, English for all others. */
export function languageOf(preferred: readonly string[]): Language {
  return preferred[0]?.toLowerCase().startsWith('zh') ? 'zh-CN' : 'en';
}

export const i18n = createI18n({
  legacy: false,
  locale: remembered(KEY, LANGUAGES) ?? languageOf(navigator.languages),
  fallbackLocale: 'en',
  messages: { en, 'zh-CN': zhCN },
});

export function currentLanguage(): Language {
  return i18n.global.locale.value;
}

export function setLanguage(language: Language): void {
  i18n.global.locale.value = language;
  remember(KEY, language);
  nameThePage();
}

/** Tells the browser and screen readers which language they read. */
export function nameThePage(): void {
  document.documentElement.lang = currentLanguage();
  document.title = i18n.global.t('app.name');
}
