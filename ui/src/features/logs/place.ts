/** Finds a record again after its number changed: by its time, then by its text. */

import type { LogRecord, LogWindow, LogWindowQuery } from '@/generated/calls';
import { CHUNK } from './chunks';

type Ask = (query: Omit<LogWindowQuery, 'tool'>) => Promise<LogWindow>;

/** Records of a probe: a few, because one of them may have no time. */
const PROBE = 8;

/**
 * The new number of `anchor`, or of the first record that is not older; `end` is any window of the
 * log as it is now.
 */
export async function findPlace(ask: Ask, end: LogWindow, anchor: LogRecord): Promise<number> {
  let low = 0;
  let high = end.total;
  while (high - low > CHUNK) {
    const middle = Math.floor((low + high) / 2);
    const probe = await ask({ first: middle, count: PROBE });
    const timed = probe.records.findIndex((record) => record.at > 0);
    const at = probe.records[timed]?.at;
    // Without a time there is nothing to go by: the older side, which is shorter of time.
    if (at === undefined || at >= anchor.at) high = middle;
    else low = middle + timed + 1;
  }
  const first = Math.max(0, low - 1);
  const window = await ask({ first, count: CHUNK + 2 });
  const same = window.records.findIndex(
    (record) => record.at === anchor.at && record.text === anchor.text,
  );
  const later = window.records.findIndex((record) => record.at >= anchor.at);
  const found = same >= 0 ? same : later;
  return found >= 0 ? window.first + found : Math.max(0, Math.min(high, end.total) - 1);
}
