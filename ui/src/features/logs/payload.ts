/**
 * The JSON that `api.logger.x(message, value)` appends to a message. Found by parsing, so that a
 * brace in a sentence stays a brace in a sentence.
 */

import type { LogRecord } from '@/generated/calls';

export interface Split {
  message: string;
  /** An object or an array with something in it. */
  payload?: unknown;
}

/** Places where a payload could begin that are tried; more are a text that is full of braces. */
const TRIES = 12;
const BEGINS = /(?:^|[\s:：,，=])([{[])/g;

export function splitPayload(text: string): Split {
  const whole = text.trimEnd();
  if (!/[}\]]$/.test(whole)) return { message: text };
  let tries = 0;
  for (const begin of whole.matchAll(BEGINS)) {
    tries += 1;
    if (tries > TRIES) break;
    const at = begin.index + begin[0].length - 1;
    const payload = parsed(whole.slice(at));
    if (payload !== undefined) return { message: whole.slice(0, at).trimEnd(), payload };
  }
  return { message: text };
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    const full = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
    return full ? value : undefined;
  } catch {
    // Not JSON: an ordinary message that ends with a bracket.
    return undefined;
  }
}

const known = new WeakMap<LogRecord, Split>();

/** The same of a record, found once. A cut record has lost the end of its payload. */
export function splitRecord(record: LogRecord): Split {
  const before = known.get(record);
  if (before) return before;
  const split = record.truncated ? { message: record.text } : splitPayload(record.text);
  known.set(record, split);
  return split;
}
