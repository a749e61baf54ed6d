/**
 * Runs that this page has started, one a tool. They live here and not in a component: whoever
 * leaves the tool and comes back finds the run as it is, with its lines, or its result.
 *
 * Deliberately not here: runs that others started (`run.active`), and the history (`run.list`).
 */

import { reactive } from 'vue';
import type { RunLine, RunNews, RunProgress, RunResult } from '@/generated/calls';
import { asCallError, CallError, isAway, type Params, type Transport } from '@/platform';
import { runToEnd } from '@/shared/data/longRun';
import { watchRun } from '@/shared/data/watchRun';
import { uuid } from '@/shared/uuid';

export interface Flight {
  /** Of the run; chosen here, so that it can be watched and called off. */
  id: string;
  tool: string;
  startedAt: number;
  parameters: Params<'tool.run'>['parameters'];
  /** `lost`: the way to the owner broke; the run is waited for. */
  state: 'queued' | 'running' | 'lost' | 'ended';
  progress: RunProgress | undefined;
  lines: RunLine[];
  /** Lines that left because there were too many. */
  dropped: number;
  cancelling: boolean;
  result: RunResult | undefined;
  /** It has ended, and only its record in the history says how. */
  recorded: boolean;
  /** The call itself failed: there is no run to speak of. */
  error: CallError | undefined;
  /** Calling it off failed. */
  notCancelled: CallError | undefined;
}

/** Lines that are kept of a run; all of them are in the tool's log. */
const MOST_LINES = 1000;
/** How long the last lines of an ended run are waited for. */
const LAST_LINES_MS = 3000;
/** Ended flights that are kept, of tools that nobody came back to. */
const MOST_FLIGHTS = 50;

const flights = reactive(new Map<string, Flight>());
/** Takes a run out of the queue. Not in the flight: browsers' own objects do not bear proxies. */
const queued = new WeakMap<Flight, AbortController>();

export function flightOf(tool: string): Flight | undefined {
  return flights.get(tool);
}

/** Takes an ended run off the tool's page. */
export function forget(tool: string): void {
  if (flights.get(tool)?.state === 'ended') flights.delete(tool);
}

export interface Take {
  transport: Transport;
  tool: string;
  parameters: Params<'tool.run'>['parameters'];
  /** Called when the run has ended, so that what it made stale is refetched. */
  onEnd: () => void;
}

/** Starts a run; one that is open for the tool goes on alone and is answered instead. */
export function takeOff({ transport, tool, parameters, onEnd }: Take): Flight {
  const had = flights.get(tool);
  if (had && had.state !== 'ended') return had;
  makeRoom();
  flights.set(tool, {
    id: uuid(),
    tool,
    startedAt: Date.now(),
    parameters,
    state: 'queued',
    progress: undefined,
    lines: [],
    dropped: 0,
    cancelling: false,
    result: undefined,
    recorded: false,
    error: undefined,
    notCancelled: undefined,
  });
  // Through the map, so that what is written to it is seen.
  const flight = flights.get(tool) as Flight;
  void fly(flight, transport, onEnd);
  return flight;
}

export async function callOff(flight: Flight, transport: Transport): Promise<void> {
  flight.cancelling = true;
  flight.notCancelled = undefined;
  if (flight.state === 'queued') return queued.get(flight)?.abort();
  // The owner is told when it is there again.
  if (flight.state === 'lost') return;
  try {
    await transport.call('run.cancel', { run: flight.id });
  } catch (failure) {
    const error = asCallError(failure, 'unknown');
    // While it is lost, the wish waits for the owner.
    if (isLost(flight) && isAway(error)) return;
    flight.cancelling = false;
    // One that has ended meanwhile needs no calling off.
    if (flight.state === 'running') flight.notCancelled = error;
  }
}

const isLost = ({ state }: Flight) => state === 'lost';

async function fly(flight: Flight, transport: Transport, onEnd: () => void): Promise<void> {
  const over = new AbortController();
  const watching = watchRun(
    transport,
    flight.id,
    (news, from) => hear(flight, news, from),
    over.signal,
  );
  const { tool, parameters, id } = flight;
  const queue = new AbortController();
  queued.set(flight, queue);
  const steps = {
    onSent: () => (flight.state = 'running'),
    onLost: () => (flight.state = 'lost'),
    async onBack() {
      flight.state = 'running';
      if (flight.cancelling) await callOff(flight, transport);
    },
  };
  try {
    const params = { tool, parameters, run: id };
    const { signal } = queue;
    const ending = await runToEnd({ transport, name: 'tool.run', params, steps, signal });
    if ('answer' in ending) flight.result = ending.answer;
    else flight.recorded = true;
  } catch (failure) {
    flight.error = queue.signal.aborted
      ? new CallError({ code: 'cancelled' })
      : asCallError(failure, 'unknown');
  }
  flight.state = 'ended';
  flight.progress = undefined;
  onEnd();
  const late = setTimeout(() => over.abort(), flight.error ? 0 : LAST_LINES_MS);
  await watching;
  clearTimeout(late);
}

function hear(flight: Flight, news: RunNews, from: number): void {
  if (flight.state !== 'ended') flight.progress = news.progress;
  // Lines that left before they were asked for.
  flight.dropped += Math.max(0, news.next - from - news.lines.length);
  flight.lines.push(...news.lines);
  const over = flight.lines.length - MOST_LINES;
  if (over > 0) {
    flight.lines.splice(0, over);
    flight.dropped += over;
  }
}

function makeRoom(): void {
  for (const [tool, flight] of flights) {
    if (flights.size < MOST_FLIGHTS) return;
    if (flight.state === 'ended') flights.delete(tool);
  }
}
