/** Tabs of a skill and their addresses, which lie below those of the prompts. */

import { placesOf } from '@/shared/places';

export const TABS = ['text', 'edit', 'files', 'clients', 'history'] as const;
export type Tab = (typeof TABS)[number];

export const PLACES = placesOf('/prompts/skills', TABS);
