export { useCopy, type CopyState } from './copy';
export { useDelayed } from './delayed';
export { useNarrow } from './narrow';
export { useNow } from './now';
export { useShortcuts } from './shortcuts';
export { theme, THEMES, useTheme, type Theme } from './theme';
export { useTitle } from './title';
export { useToasts, type Toast } from './toasts';
