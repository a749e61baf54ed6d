/** What a row shows of its record. */

import type { LogLevel, LogRecord } from '@/generated/calls';
import { clock, lineOf, utc, type Day } from './lines';
import { parts, type Part } from './marks';

/** A row shows fewer characters than this. */
const SHOWN = 1_000;

export interface Row {
  index: number;
  /** Absent while the record is on its way. */
  shown?: {
    level: LogLevel;
    time: string;
    utc: string;
    text: string;
    /** Instead of `text` where it holds what is searched. */
    parts: Part[] | undefined;
    more: number;
    payload: boolean;
  };
}

export interface Showing {
  searched: RegExp | undefined;
  language: string;
  today: Day;
}

export function rowOf(index: number, record: LogRecord | undefined, showing: Showing): Row {
  if (!record) return { index };
  const { text, more, payload } = lineOf(record);
  const cut = text.length > SHOWN ? text.slice(0, SHOWN) : text;
  const found = showing.searched && parts(cut, showing.searched);
  return {
    index,
    shown: {
      level: record.level,
      time: record.at === 0 ? '' : clock(record.at, showing.today, showing.language),
      utc: record.at === 0 ? '' : utc(record.at),
      text: cut,
      parts: found?.some((part) => part.hit) ? found : undefined,
      more,
      payload,
    },
  };
}
