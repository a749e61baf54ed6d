/** States of all kinds of things, as the five that a mark can show. */

export type Mark = 'ok' | 'warn' | 'bad' | 'busy' | 'off';

const MARKS: Record<string, Mark> = {
  ok: 'ok',
  good: 'ok',
  ready: 'ok',
  done: 'ok',
  success: 'ok',
  pass: 'ok',
  open: 'ok',
  full: 'ok',
  warn: 'warn',
  reduced: 'warn',
  needs_configuration: 'warn',
  dependencies_missing: 'warn',
  bad: 'bad',
  broken: 'bad',
  failed: 'bad',
  fail: 'bad',
  error: 'bad',
  lost: 'bad',
  none: 'bad',
  busy: 'busy',
  running: 'busy',
  queued: 'busy',
  connecting: 'busy',
  describing: 'busy',
  waiting: 'busy',
  installing: 'busy',
};

/** What this page does not know, such as a newer owner's state, is shown as neither good nor bad. */
export function markOf(state: string): Mark {
  return Object.hasOwn(MARKS, state) ? (MARKS[state] as Mark) : 'off';
}
