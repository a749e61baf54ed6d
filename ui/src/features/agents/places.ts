/** Tabs of a task and their addresses. */

import { placesOf } from '@/shared/places';

export const TABS = ['talk', 'team', 'kept', 'steps'] as const;
export type Tab = (typeof TABS)[number];

export const PLACES = placesOf('/agents', TABS);
