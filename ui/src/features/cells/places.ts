/** Tabs of a notebook and their addresses. */

import { placesOf } from '@/shared/places';

export const TABS = ['cells', 'source'] as const;
export type Tab = (typeof TABS)[number];

export const PLACES = placesOf('/cells', TABS);
