/** Tabs of a tool and their addresses. */

import { placesOf } from '@/shared/places';

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

export const PLACES = placesOf('/tools', TABS);

/** Tabs whose content comes from the tool's code: there is none while that cannot be read. */
export const FROM_CODE = ['manual', 'run', 'configure', 'dependencies'] as const satisfies Tab[];
export type FromCode = (typeof FROM_CODE)[number];

export function isFromCode(tab: Tab): tab is FromCode {
  return FROM_CODE.some((one) => one === tab);
}
