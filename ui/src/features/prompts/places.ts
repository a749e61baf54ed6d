/** Tabs of a prompt and their addresses. A prompt's path is one part of the address. */

import { placesOf } from '@/shared/places';

export const TABS = ['use', 'edit', 'history'] as const;
export type Tab = (typeof TABS)[number];

export const PLACES = placesOf('/prompts', TABS);

/** The folder that a path lies in; empty at the top. */
export function groupOf(path: string): string {
  return path.split('/').slice(0, -1).join('/');
}
