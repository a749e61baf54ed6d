/** How a record is written: in a row, in the clipboard, in an exported file. */

import type { LogRecord } from '@/generated/calls';
import { splitRecord } from './payload';

/** What a row says of its record, in one line. */
export interface Line {
  text: string;
  /** Lines below the first. */
  more: number;
  payload: boolean;
}

const known = new WeakMap<LogRecord, Line>();

export function lineOf(record: LogRecord): Line {
  const before = known.get(record);
  if (before) return before;
  const end = record.text.indexOf('\n');
  const line = {
    text: end < 0 ? record.text : record.text.slice(0, end),
    more: end < 0 ? 0 : record.text.split('\n').length - 1,
    payload: splitRecord(record).payload !== undefined,
  };
  known.set(record, line);
  return line;
}

/** The record as it stands in run.log; a mark where the owner sent only its beginning. */
export function fileText(record: LogRecord): string {
  const text = record.text.replaceAll('\n', '\n    ') + (record.truncated ? ' […]' : '');
  return `${record.at === 0 ? '' : `[${utc(record.at)}] `}[${record.level}] ${text}\n`;
}

export function utc(at: number): string {
  return new Date(at).toISOString();
}

const clocks = new Map<string, Intl.DateTimeFormat>();
const CLOCK: Intl.DateTimeFormatOptions = {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
};

/** A day in the local zone, from its first millisecond to the first of the next. */
export type Day = readonly [from: number, to: number];

/** The day that holds the moment. */
export function dayOf(at: number): Day {
  const day = new Date(at);
  const from = day.setHours(0, 0, 0, 0);
  return [from, day.setDate(day.getDate() + 1)];
}

/** `14:03:07.104` in the local zone, with the day when it is not `today`. */
export function clock(at: number, today: Day, language: string): string {
  const sameDay = at >= today[0] && at < today[1];
  const key = `${language} ${sameDay}`;
  let format = clocks.get(key);
  if (!format) {
    const day: Intl.DateTimeFormatOptions = sameDay ? {} : { month: '2-digit', day: '2-digit' };
    format = new Intl.DateTimeFormat(language, { ...day, ...CLOCK });
    clocks.set(key, format);
  }
  return format.format(at);
}

/** Day, time to the millisecond and zone: `11/20/2026, 14:03:07.104 GMT+8`. */
export function moment(at: number, language: string): string {
  const day: Intl.DateTimeFormatOptions = { year: 'numeric', month: '2-digit', day: '2-digit' };
  const local = new Intl.DateTimeFormat(language, { ...day, ...CLOCK });
  // Apart: some languages would put the zone between day and time.
  const zone = new Intl.DateTimeFormat(language, { timeZoneName: 'short' })
    .formatToParts(at)
    .find((part) => part.type === 'timeZoneName');
  return `${local.format(at)} ${zone?.value ?? ''}`.trimEnd();
}
