/** Chooses the transport of this page. */

import { httpTransport } from './http';
import { openSession, pagePlace } from './session';
import { inShell, tauriTransport } from './tauri';
import type { Transport } from './transport';

export * from './transport';

export interface PageOptions {
  language(): string;
  onSessionLost(): void;
}

/** The transport, or `undefined` when this browser tab has no session. */
export async function openTransport(options: PageOptions): Promise<Transport | undefined> {
  if (inShell()) return tauriTransport();
  const place = pagePlace();
  const session = await openSession(place);
  return session && httpTransport({ origin: place.origin, session, ...options });
}
