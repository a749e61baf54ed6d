/** The isolation tiers of `server.hello`, best first. */
export const TIERS = ['full', 'reduced', 'none'] as const;
export type Tier = (typeof TIERS)[number];

export function tierOf(text: string): Tier {
  return TIERS.find((tier) => tier === text) ?? 'none';
}
