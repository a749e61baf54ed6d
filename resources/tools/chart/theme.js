/** 颜色和字体。颜色相邻也分得清，色弱也分得清；文字从不用系列的颜色。 */
const SERIES = ['#3b6fe0', '#e8833a', '#2ba583', '#d6457a', '#8a63d2', '#c9a227', '#3fa7d6', '#7a7f87'];

const THEMES = {
  light: { background: '#ffffff', title: '#1f2328', text: '#59636e', strong: '#1f2328', grid: '#e8ebef', axis: '#aab2bd', stripe: '#f6f7f9', low: [239, 244, 254], high: [30, 74, 178], negative: [196, 72, 52] },
  dark: { background: '#16181d', title: '#f0f2f5', text: '#a5adb8', strong: '#f0f2f5', grid: '#2a2e36', axis: '#5b6370', stripe: '#1d2026', low: [30, 36, 50], high: [112, 160, 255], negative: [255, 128, 104] },
};

export const THEME_NAMES = Object.keys(THEMES);

export function themeOf(name) {
  return { ...THEMES[name], color: (index) => SERIES[index % SERIES.length] };
}

export const font = (size, weight = 400) => `${weight} ${size}px sans-serif`;

/** 一种颜色到另一种颜色之间。 */
export function mix(from, to, share) {
  return from.map((part, i) => Math.round(part + (to[i] - part) * share));
}

export const rgb = (parts) => `rgb(${parts.join(', ')})`;

/** 在这种底色上看得清的文字。 */
export function readable([r, g, b]) {
  return 0.299 * r + 0.587 * g + 0.114 * b > 150 ? '#1f2328' : '#ffffff';
}
