/** Taking text out of the log: to the clipboard, and into a file. */

import { onScopeDispose, ref, shallowRef, type Ref } from 'vue';
import type { LogLevel, LogRecord } from '@/generated/calls';
import { asCallError, CallError, NativeError } from '@/platform';
import { useTransport } from '@/shared/data/calls';
import { useNative } from '@/shared/data/native';
import { fileText } from './lines';
import { fileName, readText } from './readAll';

/** A clipboard takes no more records at once; a file takes all. */
export const COPIED_MOST = 5_000;

export interface TextOptions {
  tool: string;
  levels(): readonly LogLevel[];
  generation(): string | undefined;
  record(index: number): LogRecord | undefined;
}

export interface Taking {
  done: number;
  total: number;
}

export function useText(options: TextOptions) {
  const transport = useTransport();
  const native = useNative();
  const exporting = ref<Taking>();
  const failure = shallowRef<CallError>();
  const lives: { copy?: AbortController; save?: AbortController } = {};

  /** Runs the work, the last one of its kind that was asked for, and keeps why it failed. */
  async function take(
    kind: keyof typeof lives,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<boolean> {
    lives[kind]?.abort();
    const mine = new AbortController();
    lives[kind] = mine;
    failure.value = undefined;
    try {
      await work(mine.signal);
      return !mine.signal.aborted;
    } catch (error) {
      if (!mine.signal.aborted) failure.value = asFailure(error);
      return false;
    }
  }

  /** What is here is copied at once: browsers want it in the same moment as the click. */
  async function spanText(first: number, last: number, signal: AbortSignal): Promise<string> {
    const texts: string[] = [];
    for (let index = first; index <= last; index += 1) {
      const record = options.record(index);
      if (!record) break;
      texts.push(fileText(record));
    }
    if (texts.length === last - first + 1) return texts.join('');
    const generation = options.generation();
    const reading = { call: transport.call, tool: options.tool, levels: options.levels(), signal };
    const span = { first, last, ...(generation !== undefined && { generation }) };
    return (await readText(reading, span)).join('');
  }

  onScopeDispose(() => {
    lives.copy?.abort();
    lives.save?.abort();
  });

  return {
    /** How far the export is; absent while there is none. */
    exporting: exporting as Readonly<Ref<Taking | undefined>>,
    failure,
    /** Whether the records are in the clipboard now. */
    copy: (first: number, last: number) =>
      take('copy', async (signal) => {
        if (last - first >= COPIED_MOST) throw new CallError({ code: 'log_too_long_to_copy' });
        await native.copyText((await spanText(first, last, signal)).trimEnd());
      }),
    copyText: (text: string) => take('copy', () => native.copyText(text)),
    /** The whole log, whatever is filtered. */
    save: () =>
      take('save', async (signal) => {
        exporting.value = { done: 0, total: 0 };
        const { call } = transport;
        const onProgress = (done: number, total: number) => (exporting.value = { done, total });
        try {
          const parts = await readText({ call, tool: options.tool, signal, onProgress });
          const content = new Blob(parts, { type: 'text/plain;charset=utf-8' });
          await native.saveFile(fileName(options.tool, new Date()), content);
        } finally {
          if (lives.save?.signal === signal) exporting.value = undefined;
        }
      }),
    cancel() {
      lives.save?.abort();
      exporting.value = undefined;
    },
  };
}

function asFailure(error: unknown): CallError {
  return error instanceof NativeError
    ? new CallError({ code: error.code })
    : asCallError(error, 'unknown');
}
