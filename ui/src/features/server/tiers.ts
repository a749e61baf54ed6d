import type { Link } from '@/platform';
import type { Tone } from '@/shared/ui/StateMark.vue';

/** The isolation tiers of `server.hello`, best first. */
export const TIERS = ['full', 'reduced', 'none'] as const;
export type Tier = (typeof TIERS)[number];

export function tierOf(text: string): Tier {
  return TIERS.find((tier) => tier === text) ?? 'none';
}

export function tierTone(tier: Tier): Tone {
  return ({ full: 'good', reduced: 'warn', none: 'bad' } as const)[tier];
}

export function linkTone(link: Link): Tone {
  return ({ open: 'good', connecting: 'quiet', lost: 'bad' } as const)[link];
}
