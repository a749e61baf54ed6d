/** Our own strokes on a 16 px grid, 1.5 px wide. */
export const ICONS = {
  copy: 'M5.75 5.75h7.5v7.5h-7.5zM3.5 10.25h-.75v-7.5h7.5v.75',
  check: 'M3 8.5 6.5 12 13 4.5',
  chevron: 'M6 3.5 10.5 8 6 12.5',
  back: 'M10 3.5 5.5 8l4.5 4.5',
  close: 'M4 4l8 8M12 4l-8 8',
  warning: 'M8 2.25 14.5 13.5h-13zM8 6.5v3.25M8 11.75v.01',
  refresh: 'M13 8a5 5 0 1 1-1.5-3.57L13.25 6M13.25 2.75V6H10',
  tool: 'M9.9 6.1a3 3 0 0 1 3.6-3.9l-1.9 1.9.3 1.9 1.9.3 1.7-1.7a3 3 0 0 1-4 3.6l-5.6 5.6a1.35 1.35 0 0 1-1.9-1.9z',
  picture: 'M2.25 3h11.5v10H2.25zM2.5 11 6 7.5l3 3 1.75-1.75 2.75 2.75M10.5 5.75v.01',
  run: 'M5 3.25v9.5L12.5 8z',
  file: 'M4 2h5l3 3v9H4zM9 2v3h3',
  link: 'M6.75 9.25l2.5-2.5M7 4.75 8.6 3.2a2.97 2.97 0 0 1 4.2 4.2L11.25 9M9 11.25 7.4 12.8a2.97 2.97 0 0 1-4.2-4.2L4.75 7',
  shield: 'M8 2l5 1.75v4c0 3-2 5.25-5 6.25-3-1-5-3.25-5-6.25v-4z',
} as const;

export type IconName = keyof typeof ICONS;
