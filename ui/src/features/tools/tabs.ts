/** Tabs of a tool and their addresses. */

export const TABS = [
  'manual',
  'run',
  'configure',
  'log',
  'dependencies',
  'checks',
  'files',
] as const;
export type Tab = (typeof TABS)[number];

/** The tab that an address names; the manual where it names none or one that is not there. */
export function tabOf(text: unknown): Tab {
  return TABS.find((tab) => tab === text) ?? 'manual';
}

export function addressOf(tool: string, tab: Tab = 'manual'): string {
  const address = `/tools/${encodeURIComponent(tool)}`;
  return tab === 'manual' ? address : `${address}/${tab}`;
}

/** Tabs whose content comes from the tool's code: there is none while that cannot be read. */
export const FROM_CODE = ['manual', 'run', 'configure', 'dependencies'] as const satisfies Tab[];
export type FromCode = (typeof FROM_CODE)[number];

export function isFromCode(tab: Tab): tab is FromCode {
  return FROM_CODE.some((one) => one === tab);
}
