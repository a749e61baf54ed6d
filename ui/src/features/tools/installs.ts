/**
 * Installs that go on, one a tool, whoever started them. They live here and not in a component:
 * whoever leaves the tool and comes back finds the install as it is.
 */

import { reactive } from 'vue';
import type { NpmInstalled, RunProgress } from '@/generated/calls';
import { asCallError, CallError, type Transport } from '@/platform';
import { runToEnd } from '@/shared/data/longRun';
import { watchRun } from '@/shared/data/watchRun';
import { uuid } from '@/shared/uuid';

export interface Install {
  /** Of its run. */
  id: string;
  state: 'running' | 'ended';
  progress: RunProgress | undefined;
  cancelling: boolean;
  /** What it did; of one that somebody else started the page does not learn it. */
  result: NpmInstalled | undefined;
  error: CallError | undefined;
}

const installs = reactive(new Map<string, Install>());

export function installOf(tool: string): Install | undefined {
  return installs.get(tool);
}

/** Starts one, unless one goes on. `onEnd` is called in any case when it has ended. */
export function install(
  transport: Transport,
  tool: string,
  again: boolean,
  onEnd: () => void,
): Promise<void> {
  return begin(tool, uuid(), onEnd, async (own) => {
    const over = new AbortController();
    void watchRun(transport, own.id, (news) => (own.progress = news.progress), over.signal);
    const steps = { onSent: () => {}, onLost: () => {}, onBack: () => Promise.resolve() };
    const params = { tool, again, run: own.id };
    try {
      const { signal } = new AbortController();
      const ending = await runToEnd({ transport, name: 'npm.install', params, steps, signal });
      if ('answer' in ending) own.result = ending.answer;
    } finally {
      over.abort();
    }
  });
}

/** Looks at one that goes on already. */
export function follow(
  transport: Transport,
  tool: string,
  run: string,
  onEnd: () => void,
): Promise<void> {
  return begin(tool, run, onEnd, (own) =>
    watchRun(
      transport,
      run,
      (news) => (own.progress = news.progress),
      new AbortController().signal,
    ),
  );
}

export async function callOff(transport: Transport, own: Install): Promise<void> {
  own.cancelling = true;
  try {
    await transport.call('run.cancel', { run: own.id });
  } catch {
    // It has ended meanwhile, or goes on; either shows.
    own.cancelling = false;
  }
}

async function begin(
  tool: string,
  id: string,
  onEnd: () => void,
  work: (own: Install) => Promise<void>,
): Promise<void> {
  if (installs.get(tool)?.state === 'running') return;
  const fresh = { progress: undefined, cancelling: false, result: undefined, error: undefined };
  installs.set(tool, { id, state: 'running', ...fresh });
  // Through the map, so that what is written to it is seen.
  const own = installs.get(tool) as Install;
  try {
    await work(own);
  } catch (failure) {
    own.error = asCallError(failure, 'unknown');
  }
  own.state = 'ended';
  own.progress = undefined;
  onEnd();
}
