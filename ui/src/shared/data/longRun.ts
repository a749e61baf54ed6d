/**
 * A run from its start to its end, however often the way to the owner breaks meanwhile.
 *
 * The owner goes on without the page and keeps the answer for some minutes under the key of the
 * call. So after a break the answer is asked for again, never the run: an owner that knows nothing
 * of the key does nothing. What is left then is the record of the run, and without one the run was
 * cut off.
 *
 * Deliberately not here: what the run writes meanwhile (`run.watch`), and how any of it is shown.
 */

import {
  asCallError,
  CallError,
  isAway,
  isCut,
  randomKey,
  type Params,
  type Result,
  type Transport,
} from '@/platform';
import { Backoff, pause } from '@/platform/backoff';

export type RunCall = 'tool.run' | 'run_javascript' | 'npm.install';

export interface RunSteps {
  /** It goes out. Until then it waits for other runs of this page. */
  onSent(): void;
  /** The way to the owner broke. */
  onLost(): void;
  /** The owner is there again; its answer is waited for when this has resolved. */
  onBack(): Promise<void>;
}

/** The answer, or only the record of the run: the answer itself is forgotten. */
export type Ending<N extends RunCall> = { answer: Result<N> } | { record: string };

export interface LongRun<N extends RunCall> {
  transport: Transport;
  name: N;
  params: Params<N> & { run: string };
  steps: RunSteps;
  /** Calls it off before it is sent. */
  signal: AbortSignal;
  backoff?: Backoff;
}

/** Rejects with {@link CallError}: the run was refused, or `run_cut_off`. */
export async function runToEnd<N extends RunCall>(long: LongRun<N>): Promise<Ending<N>> {
  const { transport, name, params, steps, signal } = long;
  const key = randomKey();
  const sent = transport.call(name, params, signal, { key, onSent: steps.onSent });
  const first = await sent.then(
    (answer) => ({ answer }),
    (failure: unknown) => unless(isCut, failure),
  );
  return first ?? (await landAgain(long, key));
}

/** After a break: asks until somebody can say how the run ended. */
async function landAgain<N extends RunCall>(long: LongRun<N>, key: string): Promise<Ending<N>> {
  const wait = long.backoff ?? new Backoff(250, 2000);
  for (;;) {
    long.steps.onLost();
    await returned(long.transport, wait);
    wait.reset();
    await long.steps.onBack();
    const ending = await endingOf(long, key).catch((failure: unknown) => unless(isAway, failure));
    if (ending) return ending;
  }
}

/** Resolves when the owner answers again. */
async function returned(transport: Transport, wait: Backoff): Promise<void> {
  const never = new AbortController().signal;
  for (;;) {
    await pause(wait.take(), never);
    const asked = transport.call('run.active', {});
    if (await asked.catch((failure: unknown) => unless(isAway, failure))) return;
  }
}

async function endingOf<N extends RunCall>(long: LongRun<N>, key: string): Promise<Ending<N>> {
  const { transport, name, params } = long;
  try {
    return { answer: await transport.call(name, params, undefined, { key, again: true }) };
  } catch (failure) {
    if (asCallError(failure, 'unknown').code !== 'answer_not_known') throw failure;
  }
  try {
    return { record: (await transport.call('run.show', { run: params.run })).id };
  } catch (failure) {
    const error = asCallError(failure, 'unknown');
    throw error.code === 'run_not_found' ? new CallError({ code: 'run_cut_off' }) : error;
  }
}

/** Nothing, when the failure is one that is waited out. */
function unless(waitedOut: (error: CallError) => boolean, failure: unknown): undefined {
  if (!waitedOut(asCallError(failure, 'unknown'))) throw failure;
  return undefined;
}
