/**
 * What was written into the forms of tools, for as long as the page lives, and what should be
 * written into one next: "run again" from a page where the form is not.
 */

import { shallowReactive } from 'vue';
import type { Json } from '@/shared/form/json';

/** Forms that are remembered; the oldest go. */
const MOST = 100;

const drafts = new Map<string, Json>();
const wanted = shallowReactive(new Map<string, Json>());

export function keepDraft(tool: string, value: Json): void {
  drafts.delete(tool);
  drafts.set(tool, value);
  for (const oldest of drafts.keys()) {
    if (drafts.size <= MOST) return;
    drafts.delete(oldest);
  }
}

export function draftOf(tool: string): Json | undefined {
  return drafts.get(tool);
}

/** The tool's form, where it is shown next, gets these parameters. */
export function wantAgain(tool: string, parameters: Json): void {
  wanted.set(tool, parameters);
}

export function wantedFor(tool: string): Json | undefined {
  return wanted.get(tool);
}

/** The form has got them. */
export function tookWanted(tool: string): void {
  wanted.delete(tool);
}
