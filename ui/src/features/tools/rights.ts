/** Rights of a tool, of one kind: what it asks for, what it was given, and what its next run really gets. */

import type { Grants } from '@/generated/calls';

export const KINDS = ['folders', 'network', 'programs'] as const;
export type Kind = (typeof KINDS)[number];

export type RightState =
  /** The next run gets it. */
  | 'used'
  /** The tool asks for it and a person has to decide. */
  | 'waiting'
  /** Granted, but the tool does not ask for it. */
  | 'idle';

export interface Right {
  /** A path, a host, or nothing where there is but one right of its kind. */
  value: string;
  state: RightState;
  granted: boolean;
}

export const EVERY = '*';
const LOCAL = 'localhost:';

export function rightsOf(kind: Kind, grants: Grants): Right[] {
  switch (kind) {
    case 'folders':
      return compared(grants, isBelow);
    case 'network':
      return compared(grants.network, isReachedBy);
    case 'programs': {
      const { requested, granted, effective } = grants.processes;
      const one = (is: boolean) => (is ? [''] : []);
      const texts = { requested: one(requested), granted: one(granted), effective: one(effective) };
      return compared(texts, Object.is);
    }
  }
}

/** The port of this machine that a host stands for. */
export function portOf(host: string): string | undefined {
  return host.startsWith(LOCAL) ? host.slice(LOCAL.length) : undefined;
}

type Texts = Record<'requested' | 'granted' | 'effective', readonly string[]>;

/** What is asked for first, in the tool's order; then what is only granted. */
function compared(
  { requested, granted, effective }: Texts,
  covers: (used: string, granted: string) => boolean,
): Right[] {
  const asked = [...new Set([...requested, ...effective])].map((value): Right => ({
    value,
    state: effective.includes(value) ? 'used' : 'waiting',
    granted: granted.includes(value),
  }));
  const others = granted
    .filter((value) => !asked.some((right) => right.value === value))
    .map((value): Right => ({
      value,
      state: effective.some((used) => covers(used, value)) ? 'used' : 'idle',
      granted: true,
    }));
  return [...asked, ...others];
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

function isReachedBy(used: string, granted: string): boolean {
  return used === granted || (granted === EVERY && portOf(used) === undefined);
}
