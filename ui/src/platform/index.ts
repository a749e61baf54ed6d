/** Chooses the transport and the abilities of this page. */

import { httpTransport } from './http';
import { webNative, type Native } from './native';
import { openSession, pagePlace } from './session';
import { inShell, tauriTransport } from './tauri';
import { tauriNative } from './tauriNative';
import type { Transport } from './transport';

export * from './native';
export * from './transport';
export { inShell };

export interface PageOptions {
  language(): string;
  onSessionLost(): void;
  /** Resolves when somebody follows the address of the page. */
  ready(): Promise<unknown>;
}

/**
 * The transport, or `undefined` when this browser tab has no session. Takes a one-time code out of
 * the address before it first waits: the router must not see it.
 */
export async function openTransport(options: PageOptions): Promise<Transport | undefined> {
  if (inShell()) return tauriTransport(undefined, options.ready);
  if (import.meta.env.DEV && new URLSearchParams(location.search).has('fake')) {
    const { fakeScene, sceneOf } = await import('./fake');
    return fakeScene(sceneOf(location.search) ?? 'full');
  }
  const place = pagePlace();
  const session = await openSession(place);
  return session && httpTransport({ origin: place.origin, session, ...options });
}

/** What this host can do beyond a page. */
export function openNative(): Native {
  return inShell() ? tauriNative() : webNative();
}
