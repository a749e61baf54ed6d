/**
 * One terminal of the owner, from the page: what it writes, and what is typed into it.
 *
 * The owner keeps the last part of what a terminal has written, so a page that comes later, or
 * comes back, reads it from its beginning.
 */

import type { TerminalNews } from '@/generated/calls';
import { asCallError, isAway, type CallError, type Transport } from '@/platform';
import { Backoff, pause } from '@/platform/backoff';

export interface Hearing {
  /** Resolves when it is on the screen: a flood waits for it. */
  write(bytes: Uint8Array): Promise<void>;
  /** So many bytes were lost before what comes next. */
  lost(bytes: number): void;
  ended(exitCode: number): void;
  /** The terminal is gone. */
  failed(error: CallError): void;
}

/** Until the shell has ended, the terminal is gone, or `signal`. */
export async function listen(
  transport: Transport,
  id: string,
  hearing: Hearing,
  signal: AbortSignal,
): Promise<void> {
  const wait = new Backoff();
  let from = 0;
  while (!signal.aborted) {
    let news: TerminalNews;
    try {
      news = await transport.call('terminal.watch', { id, from }, signal);
    } catch (failure) {
      if (signal.aborted) return;
      const error = asCallError(failure, 'unknown');
      if (!isAway(error)) return hearing.failed(error);
      await pause(wait.take(), signal);
      continue;
    }
    if (signal.aborted) return;
    if (news.cut > 0) hearing.lost(news.cut);
    if (news.data !== '') {
      wait.reset();
      await hearing.write(Uint8Array.from(atob(news.data), (char) => char.charCodeAt(0)));
    }
    if (news.exitCode !== undefined) return hearing.ended(news.exitCode);
    // An owner that answers at once without news would be asked without end.
    if (news.next === from && news.data === '') await pause(wait.take(), signal);
    from = news.next;
  }
}

/** Characters of one call; four bytes each stay below the owner's limit. */
const MOST = 16 * 1024;

/** Sends what is typed in its order, one call at a time; what comes meanwhile goes together. */
export function typist(transport: Transport, id: string, failed: (error: CallError) => void) {
  let pending = '';
  let sending = false;
  async function send() {
    if (sending) return;
    sending = true;
    while (pending !== '') {
      const data = pending.slice(0, MOST);
      pending = pending.slice(data.length);
      try {
        await transport.call('terminal.input', { id, data });
      } catch (failure) {
        pending = '';
        failed(asCallError(failure, 'unknown'));
      }
    }
    sending = false;
  }
  return (text: string) => {
    pending += text;
    void send();
  };
}
