/** What the desktop shell can do beyond a page (src-tauri/src/native.rs). */

import { invoke } from '@tauri-apps/api/core';
import { webNative, type Native } from './native';
import { asCallError } from './transport';

export function tauriNative(web: Native = webNative()): Native {
  return {
    pickFolder: async () => (await command<string | null>('pick_folder')) ?? undefined,
    pickFile: async () => (await command<string | null>('pick_file')) ?? undefined,
    nameWindow: (title) => command('name_window', { title }),
    // Where the shell has no clipboard of its own, the page's is as good.
    copyText: async (text) => {
      await command('copy_text', { text }).catch(() => web.copyText(text));
    },
    copyImage: async (picture) => {
      const bytes = new Uint8Array(await picture.arrayBuffer());
      await command('copy_image', bytes).catch(() => web.copyImage(picture));
    },
    async saveFile(name, content) {
      const bytes = new Uint8Array(await content.arrayBuffer());
      return command<boolean>('save_file', bytes, { 'file-name': encodeURIComponent(name) });
    },
    openExternal: (url) => command('open_external', { url }),
    startAtLogin: {
      get: () => command<boolean>('starts_at_login'),
      set: (on) => command('start_at_login', { on }),
    },
    dropped: {
      look: () => command('dropped'),
      read: async (path) => new Blob([await command<ArrayBuffer>('read_dropped', { path })]),
    },
    updates: {
      channel: () => command('update_channel'),
      check: () => command('update_check'),
      install: () => command('update_install'),
      progress: () => command('update_progress'),
      giveUp: () => command('update_give_up'),
    },
    shortcut: {
      get: () => command('shortcut'),
      set: (keys) => command('set_shortcut', { keys }),
    },
  };
}

async function command<T>(
  name: string,
  body?: Record<string, unknown> | Uint8Array,
  headers?: Record<string, string>,
): Promise<T> {
  try {
    return await invoke<T>(name, body, headers && { headers });
  } catch (error) {
    throw asCallError(error, 'unknown');
  }
}
