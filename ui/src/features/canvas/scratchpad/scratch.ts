/**
 * The one scratchpad: its draft, kept over restarts, and its run, which goes on while other pages
 * are shown. It lives outside of components for that.
 */

import type { QueryClient } from '@tanstack/vue-query';
import { reactive, watch } from 'vue';
import { calls, type RunLine, type ScriptResult } from '@/generated/calls';
import { asCallError, CallError, isAway, type Transport } from '@/platform';
import { Backoff, pause } from '@/platform/backoff';
import { invalidateTags } from '@/shared/data/calls';
import { runToEnd } from '@/shared/data/longRun';
import { parseJson, type Parsed } from '@/shared/form/json';
import { remember, rememberedText } from '@/shared/remember';
import { uuid } from '@/shared/uuid';

export const CODE_LIMIT = 20_000;
const CODE_KEY = 'pm.canvas.draft';
const INPUT_KEY = 'pm.canvas.input';
/** Lines of the console that are kept while a run goes on; the result brings its own. */
const LINES = 1000;

export type Phase =
  | { name: 'idle' }
  | {
      name: 'running';
      run: string;
      startedAt: number;
      /** `queued`: other runs of this page come first. `lost`: the way to the owner broke. */
      way: 'queued' | 'sent' | 'lost';
      stopping: boolean;
      /** Calling it off failed. */
      refused: CallError | undefined;
      lines: RunLine[];
      /** What was shown before stays in sight. */
      before: ScriptResult | undefined;
    }
  /** `code` is what ran: marks of its failure mean nothing in another text. */
  | { name: 'done'; result: ScriptResult; code: string }
  /** It has ended while the owner was away; only its record in the history says how. */
  | { name: 'recorded'; run: string }
  | { name: 'broken'; error: CallError };

export interface Scratch {
  code: string;
  /** JSON text; empty is no input. */
  input: string;
  phase: Phase;
}

export const scratch: Scratch = reactive({
  code: rememberedText(CODE_KEY) ?? '',
  input: rememberedText(INPUT_KEY) ?? '',
  phase: { name: 'idle' },
});

watch(
  () => scratch.code,
  (code) => remember(CODE_KEY, code),
);
watch(
  () => scratch.input,
  (input) => remember(INPUT_KEY, input),
);

/** Puts a script into the scratchpad. Gives back what brings the old draft back. */
export function openDraft(code: string): () => void {
  const before = scratch.code;
  scratch.code = code;
  if (scratch.phase.name === 'broken') scratch.phase = { name: 'idle' };
  return () => {
    scratch.code = before;
  };
}

let arriving = false;

/** The scratchpad runs its draft when it is opened next. */
export function runOnArrival(): void {
  arriving = true;
}

export function takeArrival(): boolean {
  const was = arriving;
  arriving = false;
  return was;
}

/** Characters as the owner counts them: a character beyond the first plane is one. */
export function characters(text: string): number {
  let count = 0;
  for (const character of text) if (character !== '') count += 1;
  return count;
}

/** Reads the input field; `undefined` is no input. */
export function readInput(text: string): Parsed | undefined {
  return text.trim() === '' ? undefined : parseJson(text);
}

type Running = Phase & { name: 'running' };

/** Takes the run out of the queue. */
let queued = new AbortController();

/** The open run, if it is this one. */
function open(run: string): Running | undefined {
  const { phase } = scratch;
  return phase.name === 'running' && phase.run === run ? phase : undefined;
}

function onTheWay(run: string, way: Running['way']): void {
  const phase = open(run);
  if (phase) phase.way = way;
}

/** Runs the draft unless a run is open or the draft cannot be run. */
export async function runDraft(transport: Transport, client: QueryClient): Promise<void> {
  const input = readInput(scratch.input);
  const { code } = scratch;
  if (scratch.phase.name === 'running' || input?.ok === false || code.trim() === '') return;
  const run = uuid();
  const before = scratch.phase.name === 'done' ? scratch.phase.result : undefined;
  scratch.phase = {
    name: 'running',
    run,
    startedAt: Date.now(),
    way: 'queued',
    stopping: false,
    refused: undefined,
    lines: [],
    before,
  };
  const ended = new AbortController();
  void follow(transport, run, ended.signal);
  queued = new AbortController();
  const { signal } = queued;
  const steps = {
    onSent: () => onTheWay(run, 'sent'),
    onLost: () => onTheWay(run, 'lost'),
    async onBack() {
      onTheWay(run, 'sent');
      const phase = open(run);
      if (phase?.stopping) await cancel(phase, transport);
    },
  };
  try {
    const params = { code, run, ...(input?.ok && { input: input.value }) };
    const ending = await runToEnd({ transport, name: 'run_javascript', params, steps, signal });
    scratch.phase =
      'answer' in ending
        ? { name: 'done', result: ending.answer, code }
        : { name: 'recorded', run: ending.record };
  } catch (failure) {
    const error = signal.aborted
      ? new CallError({ code: 'cancelled' })
      : asCallError(failure, 'unknown');
    scratch.phase = { name: 'broken', error };
  } finally {
    ended.abort();
    // Events say the same; a window whose stream is away is right as well.
    void invalidateTags(client, calls.run_javascript.tags);
  }
}

/** Asks for the end of the run; the run itself then answers that it was cancelled. */
export async function cancelRun(transport: Transport): Promise<void> {
  const { phase } = scratch;
  if (phase.name !== 'running' || phase.stopping) return;
  phase.stopping = true;
  phase.refused = undefined;
  if (phase.way === 'queued') queued.abort();
  // A lost owner is told when it is there again.
  if (phase.way === 'sent') await cancel(phase, transport);
}

async function cancel(phase: Running, transport: Transport): Promise<void> {
  try {
    await transport.call('run.cancel', { run: phase.run });
  } catch (failure) {
    const error = asCallError(failure, 'unknown');
    if (phase.way === 'lost' && isAway(error)) return;
    phase.stopping = false;
    phase.refused = error;
  }
}

/** Lines as they are written. They are a courtesy: the result has all of them. */
async function follow(transport: Transport, run: string, signal: AbortSignal): Promise<void> {
  const wait = new Backoff();
  let at = { from: 0, version: 0 };
  while (!signal.aborted) {
    // Trouble on the way is only a pause: the run's own call says what is wrong.
    const news = await transport.call('run.watch', { run, ...at }, signal).catch(() => undefined);
    const { phase } = scratch;
    if (signal.aborted || phase.name !== 'running' || phase.run !== run) return;
    if (news) phase.lines = [...phase.lines, ...news.lines].slice(-LINES);
    if (news?.state === 'ended') return;
    const quiet = !news || news.version === at.version;
    if (news) at = { from: news.next, version: news.version };
    if (quiet) await pause(wait.take(), signal);
    else wait.reset();
  }
}
