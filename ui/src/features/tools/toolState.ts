import type { ToolRow, ToolState } from '@/generated/calls';
import type { Tone } from '@/shared/ui/StateMark.vue';

const TONES: Record<ToolState, Tone> = {
  ready: 'good',
  needs_configuration: 'warn',
  dependencies_missing: 'warn',
  broken: 'bad',
};

/** A state that a newer owner knows and this page does not is shown as it is called. */
export interface ShownState {
  tone: Tone;
  /** Key below `tools.state`, absent for unknown states. */
  key: ToolState | undefined;
  raw: string;
}

export function shownState(state: string): ShownState {
  const known = Object.hasOwn(TONES, state) ? (state as ToolState) : undefined;
  return { tone: known ? TONES[known] : 'quiet', key: known, raw: state };
}

/** The second line of a row: why the tool is not ready, else what it is for. */
export function secondLine(tool: Pick<ToolRow, 'description' | 'problem' | 'state'>): string {
  return (tool.state !== 'ready' && tool.problem?.message) || tool.description;
}

/** Those that need somebody first, then by name; the order does not depend on the language. */
export function inOrder(tools: readonly ToolRow[]): ToolRow[] {
  const rank = (tool: ToolRow) => (tool.state === 'broken' ? 0 : 1);
  return [...tools].sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}
