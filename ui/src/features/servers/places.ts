/** Tabs of an external server and their addresses. No tool is called like the folder they lie in. */

import type { ExternalRow } from '@/generated/calls';

export const TABS = ['tools', 'rights', 'log'] as const;
export type Tab = (typeof TABS)[number];

export const SERVERS = '/tools/@servers';

export function tabOf(text: unknown): Tab {
  return TABS.find((tab) => tab === text) ?? 'tools';
}

export function addressOf(server: string, tab: Tab = 'tools'): string {
  const address = `${SERVERS}/${encodeURIComponent(server)}`;
  return tab === 'tools' ? address : `${address}/${tab}`;
}

/** Its log is read like that of a tool. */
export function logOf(server: string): string {
  return `server:${server}`;
}

/** As marks have it: what waits for a person is wanted before all else that is well. */
export function markOf({ state, waiting }: ExternalRow): 'ok' | 'warn' | 'bad' | 'busy' | 'off' {
  if (state === 'off') return 'off';
  if (state === 'failed') return 'bad';
  if (state === 'starting') return 'busy';
  return waiting > 0 ? 'warn' : 'ok';
}
