/**
 * What was typed into variables and not saved yet, so that looking into another tab loses nothing.
 * In memory only: some of it is secret.
 */

import { reactive } from 'vue';

/** Drafts that are kept; the oldest go. */
const MOST = 100;

const drafts = reactive(new Map<string, string>());

/** No name has a line break. */
const keyOf = (tool: string, name: string) => `${tool}\n${name}`;

export function variableDraft(tool: string, name: string): string | undefined {
  return drafts.get(keyOf(tool, name));
}

export function keepVariableDraft(tool: string, name: string, text: string): void {
  const key = keyOf(tool, name);
  drafts.set(key, text);
  for (const oldest of drafts.keys()) {
    if (drafts.size <= MOST) return;
    drafts.delete(oldest);
  }
}

export function dropVariableDraft(tool: string, name: string): void {
  drafts.delete(keyOf(tool, name));
}

export function dropAllVariableDrafts(): void {
  drafts.clear();
}
