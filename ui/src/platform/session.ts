/**
 * The session of a page in a browser.
 *
 * The page is opened by a one-time link `http://HOST/#code=…`. The code lives in the fragment,
 * which browsers never send, is taken out of the address at once, and is exchanged for a token
 * that lives as long as the tab. There is no cookie: nothing a foreign page could ride on.
 */

import { asCallError, CallError } from './transport';

const KEY = 'pm.session';
/** A code that could not be exchanged yet: the owner was not there. */
const WAITING = 'pm.session.code';

/** What of the browser a session needs; tests give their own. */
export interface SessionPlace {
  origin: string;
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /** Takes the one-time code out of the address, if there is one. */
  takeCode(): string | undefined;
}

export interface Session {
  token(): string | undefined;
  /** The owner no longer knows the token. */
  drop(): void;
}

/** This page's own place. */
export function pagePlace(): SessionPlace {
  return {
    origin: location.origin,
    storage: sessionStorage,
    takeCode() {
      const code = codeOf(location.hash);
      if (code !== undefined) history.replaceState(null, '', location.pathname + location.search);
      return code;
    },
  };
}

/** `#code=X` -> `X`; also with the slash that the router puts before it in a tab that is open. */
export function codeOf(hash: string): string | undefined {
  return new URLSearchParams(hash.replace(/^#\/?/, '')).get('code') ?? undefined;
}

/**
 * Opens the session: a new code wins over a remembered token, which goes on when the code is
 * refused. Resolves with `undefined` when there is neither; rejects with {@link CallError} when
 * the code is refused and there is no token, or when the owner is not there: the code is then
 * kept, and tried again when the page is loaded again.
 */
export async function openSession(place: SessionPlace): Promise<Session | undefined> {
  const code = place.takeCode() ?? place.storage.getItem(WAITING) ?? undefined;
  if (code !== undefined) await useCode(place, code);
  if (place.storage.getItem(KEY) === null) return undefined;
  return {
    token: () => place.storage.getItem(KEY) ?? undefined,
    drop: () => place.storage.removeItem(KEY),
  };
}

async function useCode({ origin, storage }: SessionPlace, code: string): Promise<void> {
  storage.removeItem(WAITING);
  try {
    storage.setItem(KEY, await exchange(origin, code));
  } catch (failure) {
    const away = failure instanceof CallError && failure.code === 'server_not_reachable';
    if (away) storage.setItem(WAITING, code);
    if (away || storage.getItem(KEY) === null) throw failure;
  }
}

async function exchange(origin: string, code: string): Promise<string> {
  const response = await fetch(`${origin}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  }).catch(() => undefined);
  if (!response) throw new CallError({ code: 'server_not_reachable' });
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw asCallError(answer, 'link_refused');
  if (typeof answer === 'object' && answer !== null && 'token' in answer) {
    const { token } = answer;
    if (typeof token === 'string' && token !== '') return token;
  }
  throw new CallError({ code: 'answer_not_understood' });
}
