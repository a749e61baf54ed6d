// Applies the remembered theme before the first paint; src/shared/composables/theme.ts owns it.
try {
  const theme = localStorage.getItem('pm.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is switched off: the system's theme applies.
}
