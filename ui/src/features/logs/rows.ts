/** What a row shows of its record. */

import type { LogLevel, LogRecord } from '@/generated/calls';
import { clock, lineOf, utc, type Day } from './lines';
import { parts, type Part } from './marks';

/** A row shows fewer characters than this. */
const SHOWN = 1_000;

export interface Shown {
  level: LogLevel;
  time: string;
  utc: string;
  text: string;
  /** Instead of `text` where it holds what is searched. */
  parts: Part[] | undefined;
  more: number;
  payload: boolean;
}

export interface Showing {
  searched: RegExp | undefined;
  language: string;
  today: Day;
}

/**
 * What rows show of their records, in this language and with these marks. The same record gives the
 * same object: a row that is drawn already is not drawn again.
 */
export function rowsOf(showing: Showing): (record?: LogRecord) => Shown | undefined {
  const known = new WeakMap<LogRecord, Shown>();
  return (record) => {
    if (!record) return undefined;
    const shown = known.get(record) ?? shownOf(record, showing);
    known.set(record, shown);
    return shown;
  };
}

function shownOf(record: LogRecord, { searched, language, today }: Showing): Shown {
  const { text, more, payload } = lineOf(record);
  const cut = text.length > SHOWN ? text.slice(0, SHOWN) : text;
  const found = searched && parts(cut, searched);
  return {
    level: record.level,
    time: record.at === 0 ? '' : clock(record.at, today, language),
    utc: record.at === 0 ? '' : utc(record.at),
    text: cut,
    parts: found?.some((part) => part.hit) ? found : undefined,
    more,
    payload,
  };
}
