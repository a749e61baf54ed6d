/** A part of a log, or all of it, as text: through windows, whatever its size. */

import type { LogLevel, LogRecord } from '@/generated/calls';
import { CallError, type Transport } from '@/platform';
import { fileText } from './lines';

/** Records of a call; what the owner allows. */
const STEP = 500;
/** Records may leave while one reads. Then it starts again, but not for ever. */
const ATTEMPTS = 3;

export interface Reading {
  call: Transport['call'];
  tool: string;
  levels?: readonly LogLevel[];
  signal: AbortSignal;
  onProgress?(done: number, total: number): void;
}

export interface Span {
  first: number;
  /** Itself included; absent means what is the last record now. */
  last?: number;
  /** The numbers are of this generation; reading them in another one fails. */
  generation?: string;
}

/** The records as run.log has them, in parts. What is written meanwhile is not among them. */
export async function readText(reading: Reading, span: Span = { first: 0 }): Promise<string[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const text = await readOnce(reading, span);
    if (text) return text;
    if (span.generation !== undefined) break;
  }
  throw new CallError({ code: 'log_moved' });
}

/** Nothing when records left meanwhile. */
async function readOnce(reading: Reading, span: Span): Promise<string[] | undefined> {
  const { call, tool, levels = [], signal } = reading;
  const texts: string[] = [];
  let { generation, last = Infinity } = span;
  let next = span.first;
  while (next <= last) {
    signal.throwIfAborted();
    const count = Math.min(STEP, last - next + 1);
    const chosen = levels.length > 0 ? { levels: [...levels] } : {};
    const window = await call('log.window', { tool, ...chosen, first: next, count }, signal);
    signal.throwIfAborted();
    generation ??= window.generation;
    if (window.generation !== generation) return undefined;
    last = Math.min(last, window.total - 1);
    if (window.records.length === 0) break;
    texts.push(window.records.map((record: LogRecord) => fileText(record)).join(''));
    next = window.first + window.records.length;
    reading.onProgress?.(Math.min(next, last + 1) - span.first, last + 1 - span.first);
  }
  return texts;
}

/** `filesystem-20261120-140307.log`, in the local zone. */
export function fileName(tool: string, at: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${at.getFullYear()}${two(at.getMonth() + 1)}${two(at.getDate())}`;
  return `${tool}-${day}-${two(at.getHours())}${two(at.getMinutes())}${two(at.getSeconds())}.log`;
}
