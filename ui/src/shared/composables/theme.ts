import { ref, watchEffect, type Ref } from 'vue';
import { remember, remembered } from '@/shared/remember';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Also read by public/theme.js before the first paint. */
const KEY = 'pm.theme';

/** The chosen theme; tokens.css does the rest through `color-scheme`. */
export const theme = ref<Theme>(remembered(KEY, THEMES) ?? 'system');

watchEffect(() => {
  const root = document.documentElement;
  if (theme.value === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme.value;
  remember(KEY, theme.value);
});

export function useTheme(): Ref<Theme> {
  return theme;
}
