/**
 * The one seam between the page and the owner of the data home.
 *
 * Everything above it sees only {@link Transport}; whether a call travels over HTTP or through
 * the desktop shell is known in this folder alone. Nothing here caches: that is TanStack
 * Query's job (shared/data).
 */

import type { Calls, WireError, WireEvent } from '@/generated/calls';

export type CallName = keyof Calls;
export type Params<N extends CallName> = Calls[N]['params'];
export type Result<N extends CallName> = Calls[N]['result'];

/** State of the connection that events arrive on. */
export type Link = 'connecting' | 'open' | 'lost';

export interface Listener {
  onEvent(event: WireEvent): void;
  onLink(link: Link): void;
}

/** What a change that takes long says besides its parameters. */
export interface Long {
  /** Idempotency key: under it the answer can be asked for again when the way to it broke. */
  key: string;
  /** Only that answer is wanted. Nothing is done; `answer_not_known` when the owner has none. */
  again?: boolean;
  /** It has its turn and goes out. Until then `signal` calls it off without a trace. */
  onSent?(): void;
}

export interface Transport {
  /** Makes one call of the table; rejects with {@link CallError}, or as `signal` says. */
  call<N extends CallName>(
    name: N,
    params: Params<N>,
    signal?: AbortSignal,
    long?: Long,
  ): Promise<Result<N>>;
  /** Listens until the returned function is called. Reconnects by itself. */
  subscribe(listener: Listener): () => void;
  /** Makes the address of an artifact's bytes, as calls return it, loadable from this page. */
  assetUrl(url: string): string;
}

/**
 * A failed call. `message` comes worded from the owner; failures that never reached it have
 * none and are worded from `errors.{code}` of the page's own locale.
 */
export class CallError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  readonly args: Record<string, unknown>;

  constructor(error: Pick<WireError, 'code'> & Partial<WireError>) {
    super(error.message ?? '');
    this.name = 'CallError';
    this.code = error.code;
    this.hint = error.hint;
    this.args = error.args ?? {};
  }
}

/** The way to the owner broke, before the answer or before the question: nobody knows. */
export function isCut({ code }: CallError): boolean {
  return code === 'server_not_reachable' || code === 'connection_broken';
}

/** The owner is not there, or about to go: it may be asked again. */
export function isAway(error: CallError): boolean {
  return isCut(error) || error.code === 'server_not_running' || error.code === 'server_ending';
}

/**
 * An idempotency key. `crypto.randomUUID` exists in secure contexts only; a page on a LAN address
 * has none.
 */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Everything shown may be out of date: refetch it. */
export const RESYNC = 'resync';

/** The event that a transport makes itself when it may have missed some. */
export function resyncEvent(cursor = ''): WireEvent {
  return { cursor, kind: RESYNC, tags: [], data: null };
}

/** Reads a {@link WireError} out of whatever a failed call brought back. */
export function asCallError(value: unknown, fallback: string): CallError {
  if (value instanceof CallError) return value;
  if (typeof value === 'object' && value !== null && 'code' in value) {
    const { code, message, hint, args } = value as Record<string, unknown>;
    if (typeof code === 'string') {
      return new CallError({
        code,
        ...(typeof message === 'string' && { message }),
        ...(typeof hint === 'string' && { hint }),
        ...(typeof args === 'object' && args !== null && { args: args as Record<string, unknown> }),
      });
    }
  }
  return new CallError({ code: fallback });
}
