/** What was done to a file. */

export const OPS = ['write', 'append', 'edit', 'move', 'delete', 'restore', 'undelete'] as const;
export type Op = (typeof OPS)[number] | 'other';

/** What this page does not know, such as a newer owner's word, is some other change. */
export function opOf(text: string): Op {
  return OPS.find((op) => op === text) ?? 'other';
}
