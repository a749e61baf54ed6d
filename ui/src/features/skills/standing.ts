/** How a skill stands at a client: its mark, and whether somebody has to decide. */

import type { SkillPlace, SkillStanding } from '@/generated/calls';

export const MARKS: Record<SkillStanding, 'ok' | 'warn' | 'bad' | 'busy' | 'off'> = {
  waiting: 'busy',
  linked: 'ok',
  copied: 'ok',
  theirs: 'warn',
  both: 'warn',
  occupied: 'warn',
  left: 'off',
  failed: 'bad',
};

/** What lies there is not ours to change; a conflict that was left can be taken up again. */
export function isConflict({ standing }: SkillPlace): boolean {
  return ['theirs', 'both', 'occupied', 'left'].includes(standing);
}

/** What stands below the front matter. */
export function bodyOf(text: string): string {
  const found = /^\uFEFF?---\r?\n(?:[\s\S]*?\r?\n)?---[ \t]*(?:\r?\n|$)/.exec(text);
  return found ? text.slice(found[0].length) : text;
}
