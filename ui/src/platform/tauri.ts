/**
 * The transport of the desktop window: the shell's one command.
 *
 * Events are not streamed through the shell yet. What is shown is refetched when the window
 * gets the focus and when the shell says that the server came back; nothing polls.
 */

import { invoke } from '@tauri-apps/api/core';
import { listen } from '@tauri-apps/api/event';
import {
  asCallError,
  resyncEvent,
  type CallName,
  type Link,
  type Params,
  type Result,
  type Transport,
} from './transport';

/** Sent by the shell (src-tauri/src/owner.rs) when its knowledge of the server changes. */
const SERVER_STATE = 'server-state';

const LINKS: Record<string, Link> = { running: 'open', starting: 'connecting', waiting: 'lost' };

/** Whether this page runs in the desktop window. */
export function inShell(): boolean {
  return '__TAURI_INTERNALS__' in window;
}

export function tauriTransport(): Transport {
  // Artifacts are loaded from the server's address, which `server.hello` tells.
  let address: string | undefined;

  async function call<N extends CallName>(name: N, params: Params<N>): Promise<Result<N>> {
    if (name.startsWith('artifact.') && address === undefined) await call('server.hello', {});
    try {
      const result = await invoke<Result<N>>('call', { name, params });
      if (name === 'server.hello') address = (result as Result<'server.hello'>).address;
      return result;
    } catch (error) {
      throw asCallError(error, 'answer_not_understood');
    }
  }

  return {
    call,
    assetUrl: (url) => (address === undefined ? url : new URL(url, address).href),
    subscribe(listener) {
      const onFocus = () => listener.onEvent(resyncEvent());
      window.addEventListener('focus', onFocus);
      const unlisten = listen<{ state: string }>(SERVER_STATE, ({ payload }) => {
        listener.onLink(LINKS[payload.state] ?? 'connecting');
        if (payload.state !== 'running') return;
        address = undefined;
        listener.onEvent(resyncEvent());
      });
      // The shell may have found the server before this page listened.
      listener.onLink('connecting');
      call('server.hello', {}).then(
        () => listener.onLink('open'),
        () => listener.onLink('lost'),
      );
      return () => {
        window.removeEventListener('focus', onFocus);
        void unlisten.then((stop) => stop());
      };
    },
  };
}
