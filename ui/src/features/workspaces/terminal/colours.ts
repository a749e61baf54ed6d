/** The page's tokens as the colours of a terminal, which understands nothing newer than `#rrggbb`. */

import type { ITheme } from '@xterm/xterm';

const TOKENS = {
  background: '--surface-sunken',
  foreground: '--text',
  cursor: '--accent',
  cursorAccent: '--surface-sunken',
  black: '--terminal-black',
  red: '--bad',
  green: '--good',
  yellow: '--warn',
  blue: '--accent',
  magenta: '--code-word',
  cyan: '--terminal-cyan',
  white: '--text-quiet',
  brightBlack: '--text-quiet',
  brightRed: '--bad',
  brightGreen: '--good',
  brightYellow: '--warn',
  brightBlue: '--accent',
  brightMagenta: '--code-word',
  brightCyan: '--terminal-cyan',
  brightWhite: '--text',
  scrollbarSliderBackground: '--line-strong',
  scrollbarSliderHoverBackground: '--line-control',
  scrollbarSliderActiveBackground: '--line-control',
} as const satisfies Partial<Record<keyof ITheme, string>>;

/** As they are inside `element` now: light or dark. */
export function themeOf(element: HTMLElement): ITheme {
  const probe = document.createElement('span');
  element.append(probe);
  const theme: ITheme = {};
  for (const [name, token] of Object.entries(TOKENS)) {
    probe.style.color = `var(${token})`;
    theme[name as keyof typeof TOKENS] = hex(getComputedStyle(probe).color);
  }
  probe.style.color = 'var(--accent-fill)';
  theme.selectionBackground = `${hex(getComputedStyle(probe).color)}48`;
  probe.remove();
  return theme;
}

/** Painted and read back: the browser knows every form of a colour. */
function hex(colour: string): string {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) return '#808080';
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
