/** How a command came out, as a mark and a word. */

import type { CommandRow } from '@/generated/calls';

export type Outcome =
  | 'asking'
  | 'running'
  | 'done'
  | 'failed'
  | 'blocked'
  | 'denied'
  | 'timeout'
  | 'cancelled'
  | 'refused'
  | 'ended';

const BY_ERROR: Record<string, Outcome> = {
  command_blocked: 'blocked',
  approval_denied: 'denied',
  command_timeout: 'timeout',
  command_cancelled: 'cancelled',
};

export function outcomeOf({ state, exitCode, error }: CommandRow): Outcome {
  if (state === 'asking' || state === 'running') return state;
  if (state === 'exited') return exitCode === 0 ? 'done' : 'failed';
  const known = error && Object.hasOwn(BY_ERROR, error.code) ? BY_ERROR[error.code] : undefined;
  return known ?? state;
}

export const MARKS: Record<Outcome, string> = {
  asking: 'warn',
  running: 'busy',
  done: 'ok',
  failed: 'bad',
  blocked: 'bad',
  denied: 'bad',
  timeout: 'bad',
  cancelled: 'off',
  refused: 'bad',
  ended: 'bad',
};

export function isOpen({ state }: Pick<CommandRow, 'state'>): boolean {
  return state === 'asking' || state === 'running';
}
