/** Tabs of a prompt and their addresses. A prompt's path is one part of the address. */

export const TABS = ['use', 'edit', 'history'] as const;
export type Tab = (typeof TABS)[number];

export function tabOf(text: unknown): Tab {
  return TABS.find((tab) => tab === text) ?? 'use';
}

export function addressOf(path: string, tab: Tab = 'use'): string {
  const address = `/prompts/${encodeURIComponent(path)}`;
  return tab === 'use' ? address : `${address}/${tab}`;
}

/** The folder that a path lies in; empty at the top. */
export function groupOf(path: string): string {
  return path.split('/').slice(0, -1).join('/');
}
