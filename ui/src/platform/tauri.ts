/**
 * The transport of the desktop window: commands of the shell (src-tauri/src/call.rs), which passes
 * calls on to the owner and gathers its events until the page fetches them.
 */

import { convertFileSrc, invoke } from '@tauri-apps/api/core';
import type { WireEvent } from '@/generated/calls';
import { Backoff, pause } from './backoff';
import { asCallError, type Link, type Listener, type Transport } from './transport';

/** What `invoke('news')` brings. */
interface News {
  /** The shell's name for this listener. */
  page: number;
  link: Link;
  events: WireEvent[];
  /** A place of the page that the person chose in the tray. */
  goto?: string;
}

/** Whether this page runs in the desktop window. */
export function inShell(): boolean {
  return '__TAURI_INTERNALS__' in window;
}

/** `ready`: who follows the address listens to it; places that the tray asks for wait for that. */
export function tauriTransport(
  backoff = new Backoff(),
  ready: () => Promise<unknown> = () => Promise.resolve(),
): Transport {
  return {
    async call(name, params, signal, long) {
      signal?.throwIfAborted();
      long?.onSent?.();
      const id = callId();
      // The owner is told by the end of the connection; the answer, if any, has no reader.
      const cancel = () => void invoke('cancel_call', { id }).catch(() => undefined);
      signal?.addEventListener('abort', cancel, { once: true });
      try {
        const repeat = long && { key: long.key, again: long.again ?? false };
        return await invoke('call', { id, name, params, ...(repeat && { repeat }) });
      } catch (error) {
        signal?.throwIfAborted();
        throw asCallError(error, 'answer_not_understood');
      } finally {
        signal?.removeEventListener('abort', cancel);
      }
    },
    assetUrl: (url) => new URL(url, convertFileSrc('', 'artifact')).href,
    subscribe(listener) {
      const stop = new AbortController();
      void follow(listener, stop.signal, backoff, ready);
      return () => stop.abort();
    },
  };
}

/** Fetches news until `stop`; each fetch waits in the shell until there are some. */
async function follow(
  listener: Listener,
  stop: AbortSignal,
  backoff: Backoff,
  ready: () => Promise<unknown>,
): Promise<void> {
  let page: number | undefined;
  let link: Link | undefined;
  const tell = (now: Link) => {
    if (now !== link) listener.onLink(now);
    link = now;
  };
  while (!stop.aborted) {
    let news: News | null;
    try {
      news = await invoke<News | null>('news', { page });
    } catch {
      if (stop.aborted) return;
      tell('lost');
      page = undefined;
      await pause(backoff.take(), stop);
      continue;
    }
    // Nothing is for this page any more: a newer one listens.
    if (stop.aborted || !news) return;
    backoff.reset();
    page = news.page;
    tell(news.link);
    for (const event of news.events) listener.onEvent(event);
    if (news.goto !== undefined) {
      await ready();
      location.hash = placeOf(news.goto);
    }
  }
}

/** What begins with a question mark is asked for wherever the page is. */
function placeOf(goto: string): string {
  return goto.startsWith('?') ? `${location.hash.split('?')[0]}${goto}` : goto;
}

/** Unlike those of the page before a reload, whose calls may still be open. */
function callId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(3)), (part) => part.toString(36)).join(
    '-',
  );
}
