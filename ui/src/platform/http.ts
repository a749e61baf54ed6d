/** The transport of a page in a browser: `POST /api/{name}` and a streamed `GET /api/events`. */

import { calls, type WireEvent } from '@/generated/calls';
import { Backoff, pause } from './backoff';
import { ndjson } from './ndjson';
import type { Session } from './session';
import {
  asCallError,
  CallError,
  randomKey,
  resyncEvent,
  type CallName,
  type Listener,
  type Long,
  type Params,
  type Result,
  type Transport,
} from './transport';
import { Turns } from './turns';

export interface HttpOptions {
  origin: string;
  session: Session;
  /** The language that the owner words its errors in. */
  language(): string;
  /** The owner no longer knows the session. */
  onSessionLost(): void;
  backoff?: Backoff;
}

export function httpTransport(options: HttpOptions): Transport {
  const turns = new Turns();
  return {
    call(name, params, signal, long) {
      const work = (until = signal) => call(options, name, params, until, long);
      if (isRun(name)) {
        const go = () => {
          long?.onSent?.();
          return work();
        };
        return turns.run(go, signal);
      }
      long?.onSent?.();
      return isWaiting(name, params) ? turns.read(work, signal) : work();
    },
    subscribe(listener) {
      const stop = new AbortController();
      void follow(options, listener, stop.signal);
      return () => stop.abort();
    },
    assetUrl: (url) => new URL(url, options.origin).href,
  };
}

const RUNS: CallName[] = [
  'tool.run',
  'run_javascript',
  'workspace.run',
  'npm.install',
  'models.test',
  'prompt.try',
  'prompt.optimise',
];

/** Calls that are answered when a run has ended. */
function isRun(name: CallName): boolean {
  return RUNS.includes(name);
}

/** Reads that the owner answers when there is something new. */
function isWaiting(name: CallName, params: object): boolean {
  return (
    name === 'run.watch' ||
    name === 'terminal.watch' ||
    (name === 'log.window' && 'unlike' in params)
  );
}

async function call<N extends CallName>(
  options: HttpOptions,
  name: N,
  params: Params<N>,
  signal?: AbortSignal,
  long?: Long,
): Promise<Result<N>> {
  const headers = authorised(options);
  headers.set('content-type', 'application/json');
  if (calls[name].changes) headers.set('idempotency-key', long?.key ?? randomKey());
  if (long?.again) headers.set('idempotency-again', '1');
  const response = await send(`${options.origin}/api/${name}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(params),
    ...(signal && { signal }),
  });
  if (response.status === 401) throw loseSession(options);
  const answer = parsed(await received(response, signal));
  if (!response.ok) throw asCallError(answer, 'answer_not_understood');
  if (answer === undefined) throw new CallError({ code: 'answer_not_understood' });
  return answer as Result<N>;
}

/** Keeps one event stream open until `stop`, continuing from the last cursor after a break. */
async function follow(options: HttpOptions, listener: Listener, stop: AbortSignal): Promise<void> {
  const backoff = options.backoff ?? new Backoff();
  let cursor: string | undefined;
  while (!stop.aborted) {
    listener.onLink('connecting');
    try {
      const body = await openEvents(options, cursor, stop);
      listener.onLink('open');
      // Without a cursor, whatever happened before the stream opened was not seen.
      if (cursor === undefined) listener.onEvent(resyncEvent());
      for await (const value of ndjson(body)) {
        const event = asEvent(value);
        if (!event || stop.aborted) continue;
        cursor = event.cursor;
        backoff.reset();
        listener.onEvent(event);
      }
    } catch (error) {
      if (error instanceof CallError && error.code === 'session_lost') return;
    }
    if (stop.aborted) return;
    listener.onLink('lost');
    await pause(backoff.take(), stop);
  }
}

async function openEvents(
  options: HttpOptions,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
  const response = await send(`${options.origin}/api/events${query}`, {
    headers: authorised(options),
    cache: 'no-store',
    signal,
  });
  if (response.status === 401) throw loseSession(options);
  if (!response.ok || !response.body) throw new CallError({ code: 'answer_not_understood' });
  return response.body;
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, credentials: 'omit', redirect: 'error' });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new CallError({ code: 'server_not_reachable' });
  }
}

/** The whole answer; one that breaks off is a broken way, not a strange answer. */
async function received(response: Response, signal?: AbortSignal): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new CallError({ code: 'server_not_reachable' });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function authorised(options: HttpOptions): Headers {
  const headers = new Headers({ 'accept-language': options.language() });
  const token = options.session.token();
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  return headers;
}

function loseSession(options: HttpOptions): CallError {
  options.session.drop();
  options.onSessionLost();
  return new CallError({ code: 'session_lost' });
}

function asEvent(value: unknown): WireEvent | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { cursor, kind, tags, data } = value as Partial<WireEvent>;
  if (typeof cursor !== 'string' || typeof kind !== 'string') return undefined;
  return { cursor, kind, tags: Array.isArray(tags) ? tags : [], data };
}
