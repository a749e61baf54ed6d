/** Tabs of an external server and their addresses. No tool is called like the folder they lie in. */

import type { ExternalRow } from '@/generated/calls';
import { placesOf } from '@/shared/places';

export const TABS = ['tools', 'rights', 'log'] as const;
export type Tab = (typeof TABS)[number];

export const PLACES = placesOf('/tools/@servers', TABS);

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
