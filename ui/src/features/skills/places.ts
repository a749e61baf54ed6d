/** Tabs of a skill and their addresses, which lie below those of the prompts. */

export const TABS = ['text', 'edit', 'files', 'clients', 'history'] as const;
export type Tab = (typeof TABS)[number];

export const SKILLS = '/prompts/skills';

export function tabOf(text: unknown): Tab {
  return TABS.find((tab) => tab === text) ?? 'text';
}

export function addressOf(skill: string, tab: Tab = 'text'): string {
  const address = `${SKILLS}/${encodeURIComponent(skill)}`;
  return tab === 'text' ? address : `${address}/${tab}`;
}
