/** From all that could be done to the short list that the palette shows. */

import type { Component } from 'vue';
import { match, type Match } from './match';

export const GROUPS = [
  'go',
  'action',
  'tool',
  'run',
  'server',
  'workspace',
  'notebook',
  'prompt',
  'skill',
  'picture',
] as const;
export type Group = (typeof GROUPS)[number];

export interface Entry {
  id: string;
  group: Group;
  label: string;
  /** The second, quiet part of the row. */
  detail?: string | undefined;
  icon: Component;
  shortcut?: string | undefined;
  /** Other words for it, in either language. */
  words?: string | undefined;
  run: () => void;
}

export interface Found extends Entry {
  ranges: Match['ranges'];
}

export interface FoundGroup {
  group: Group;
  entries: Found[];
}

/** Rows of a group: with nothing typed only a taste of the long ones. */
const SHOWN: Record<Group, { idle: number; searching: number }> = {
  go: { idle: 4, searching: 8 },
  action: { idle: 9, searching: 8 },
  tool: { idle: 5, searching: 12 },
  run: { idle: 0, searching: 4 },
  server: { idle: 0, searching: 4 },
  notebook: { idle: 2, searching: 8 },
  workspace: { idle: 3, searching: 8 },
  prompt: { idle: 3, searching: 8 },
  skill: { idle: 0, searching: 8 },
  picture: { idle: 3, searching: 8 },
};

/** Rows of the one group that is looked into. */
const ALONE = 50;

/** With `only`, the other groups are left out. */
export function find(entries: readonly Entry[], query: string, only?: Group): FoundGroup[] {
  const idle = query.trim() === '';
  const groups = (only ? [only] : GROUPS)
    .map((group) => {
      const scored = entries
        .filter((entry) => entry.group === group)
        .flatMap((entry) => {
          const found = best(entry, query);
          return found ? [{ ...found, entry }] : [];
        });
      if (!idle) scored.sort((a, b) => b.score - a.score);
      const shown = scored.slice(0, only ? ALONE : SHOWN[group][idle ? 'idle' : 'searching']);
      return {
        group,
        top: shown[0]?.score ?? -Infinity,
        entries: shown.map(({ entry, ranges }): Found => ({ ...entry, ranges })),
      };
    })
    .filter(({ entries: found }) => found.length > 0);
  // What matches best stands first; the order of groups decides between equals.
  if (!idle) groups.sort((a, b) => Math.round(b.top) - Math.round(a.top));
  return groups.map(({ group, entries: found }) => ({ group, entries: found }));
}

/** The label counts in full, other words and the detail for half. */
function best({ label, detail, words }: Entry, query: string): Match | undefined {
  const own = match(query, label);
  if (own) return own;
  const other = match(query, [label, detail, words].filter(Boolean).join(' '));
  return other && { score: other.score / 2, ranges: [] };
}
