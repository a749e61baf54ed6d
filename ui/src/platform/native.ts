/**
 * What the host can do beyond a page: pickers, the clipboard, files to keep.
 *
 * A member that is absent is something this host has not got; the page then does not offer it.
 */

export interface Native {
  /** A folder chosen by the person, `undefined` when she chose none. */
  pickFolder?(): Promise<string | undefined>;
  /** The same of a file. */
  pickFile?(): Promise<string | undefined>;
  /** The title of the host's own window, where that is not the page's. */
  nameWindow?(title: string): Promise<void>;
  /** Rejects when the host refuses. */
  copyText(text: string): Promise<void>;
  copyImage(picture: Blob): Promise<void>;
  /**
   * Hands the bytes to the person under this name: a download, or a save dialog. Resolves with
   * `false` when she cancelled the dialog.
   */
  saveFile(name: string, content: Blob): Promise<boolean>;
  /** Opens an http or https address outside of this page. Absent where links do so themselves. */
  openExternal?(url: string): Promise<void>;
  /** Whether the app starts when the person logs in. */
  startAtLogin?: { get(): Promise<boolean>; set(on: boolean): Promise<void> };
  updates?: Updates;
  /** What fell on the window last. Absent where the page itself hears what falls on it. */
  dropped?: {
    look(): Promise<{ path: string; folder: boolean }[]>;
    read(path: string): Promise<Blob>;
  };
  /** The keys that bring up the search for prompts from anywhere on the desktop. */
  shortcut?: { get(): Promise<DesktopShortcut>; set(keys: string | null): Promise<void> };
}

/** Newer versions of the program that shows this page. */
export interface Updates {
  /** Whether there is a channel to ask, and whether something is done with it already. */
  channel(): Promise<{ channel: boolean; busy: boolean }>;
  check(): Promise<{ channel: boolean; update: Offered | null }>;
  /** Installs what was found and starts again. */
  install(): Promise<void>;
  progress(): Promise<UpdateProgress>;
  /** Ends an `install` that still fetches, with `update_given_up`. */
  giveUp(): Promise<void>;
}

export interface UpdateProgress {
  busy: boolean;
  /** Bytes; null when nothing is being fetched. */
  fetching: { fetched: number; total: number | null } | null;
}

export interface Offered {
  version: string;
  /** Markdown. */
  notes: string | null;
}

export interface DesktopShortcut {
  /** `ctrl+alt+p`; null: none is chosen. */
  keys: string | null;
  /** They are ours; otherwise another program has them. */
  held: boolean;
  /** The desktop gives keys to programs at all. */
  possible: boolean;
}

/** The host could not do it. */
export class NativeError extends Error {
  constructor(
    readonly code: 'clipboard_refused',
    options?: ErrorOptions,
  ) {
    super(code, options);
    this.name = 'NativeError';
  }
}

/** What every browser can do; the shell starts from this and adds its own. */
export function webNative(): Native {
  return {
    copyText,
    async copyImage(picture) {
      try {
        await navigator.clipboard.write([new ClipboardItem({ [picture.type]: picture })]);
      } catch (cause) {
        throw new NativeError('clipboard_refused', { cause });
      }
    },
    async saveFile(name, content) {
      const url = URL.createObjectURL(content);
      const link = document.createElement('a');
      link.href = url;
      link.download = name;
      link.click();
      // The browser has taken the bytes over when the click's task has ended.
      setTimeout(() => URL.revokeObjectURL(url));
      return true;
    },
  };
}

/** Addresses that may leave the page. */
export function isWebAddress(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}

async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch (cause) {
    if (!copyBySelection(text)) throw new NativeError('clipboard_refused', { cause });
  }
}

/** Pages on a LAN address have no clipboard interface; the selection still can be copied. */
function copyBySelection(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  // Inside the open dialog, if there is one: it does not let the focus leave.
  (focused?.closest('[role=dialog]') ?? document.body).append(area);
  area.select();
  try {
    return document.execCommand('copy');
  } finally {
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}
