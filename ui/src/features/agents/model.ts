/** What a task is made of, as the page shows it. */

import type {
  SocietyAgent,
  SocietyAgentState,
  SocietyBudget,
  SocietyParty,
  SocietySpent,
  SocietyStanding,
} from '@/generated/calls';

/** The root of every task. */
export const ROOT = 1;

export interface Row {
  agent: SocietyAgent;
  depth: number;
}

/** Whoever was made by one stands below it, in the order in which they were made. */
export function treeOf(agents: readonly SocietyAgent[]): Row[] {
  const below = new Map<number | undefined, SocietyAgent[]>();
  for (const agent of agents) {
    const beside = below.get(agent.parent);
    if (beside) beside.push(agent);
    else below.set(agent.parent, [agent]);
  }
  const rows: Row[] = [];
  const waiting = (below.get(undefined) ?? []).map((agent) => ({ agent, depth: 0 })).reverse();
  for (let row = waiting.pop(); row; row = waiting.pop()) {
    rows.push(row);
    const { id } = row.agent;
    const next = (below.get(id) ?? []).map((agent) => ({ agent, depth: (row?.depth ?? 0) + 1 }));
    waiting.push(...next.reverse());
  }
  return rows;
}

const STANDINGS: Record<SocietyStanding, string> = {
  working: 'busy',
  waiting: 'ok',
  paused: 'warn',
  stopped: 'off',
};

/** The mark of a task. */
export function markOf(standing: SocietyStanding): string {
  return STANDINGS[standing];
}

const STATES: Record<SocietyAgentState, string> = {
  thinking: 'busy',
  calling: 'busy',
  resting: 'ok',
  waiting: 'ok',
  failed: 'bad',
  ended: 'off',
};

/** The mark of an agent. */
export function markOfAgent(state: SocietyAgentState): string {
  return STATES[state];
}

export function agentOf(party: SocietyParty): number | undefined {
  return typeof party === 'object' ? party.agent : undefined;
}

/** As agents name it. */
export function artifactName(id: number): string {
  return `artifact:${id}`;
}

export interface Bar {
  kind: 'tokens' | 'calls' | 'time' | 'agents' | 'money';
  spent: number;
  limit: number | undefined;
}

/** What is counted: all that is limited, and tokens in any case. */
export function barsOf(spent: SocietySpent, budget: SocietyBudget): Bar[] {
  const kinds = ['tokens', 'calls', 'time', 'agents', 'money'] as const;
  return kinds
    .map((kind) => ({ kind, spent: spent[kind], limit: budget[kind] }))
    .filter(({ kind, limit }) => kind === 'tokens' || limit !== undefined);
}

/** JSON for people: laid out, where it is JSON at all. */
export function laidOut(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}

/** What a call is about, in a few words: the first text among its arguments. */
export function aboutOf(args: string): string {
  try {
    const value: unknown = JSON.parse(args);
    if (typeof value !== 'object' || value === null) return '';
    const first = Object.values(value).find((one) => typeof one === 'string' && one !== '');
    return typeof first === 'string' ? (first.split('\n', 1)[0] ?? '') : '';
  } catch {
    return '';
  }
}

/** The change of the workspace that a call made, by its id; tools that write say it. */
export function changeOf(result: string | undefined): string | undefined {
  if (result === undefined || !result.startsWith('{')) return undefined;
  try {
    const { ok, change } = JSON.parse(result) as Record<string, unknown>;
    return ok === true && typeof change === 'string' ? change : undefined;
  } catch {
    // It was cut: then it is no short answer of a tool that writes.
    return undefined;
  }
}
