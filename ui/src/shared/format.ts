/** Numbers and times as people read them, in the page's language. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const RELATIVE: readonly [limit: number, unit: Intl.RelativeTimeFormatUnit, size: number][] = [
  [HOUR, 'minute', MINUTE],
  [DAY, 'hour', HOUR],
  [7 * DAY, 'day', DAY],
];

/** `3m ago`; a date once it is a week away. */
export function ago(ms: number, now: number, language: string): string {
  const past = now - ms;
  const numeric = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'narrow' });
  if (Math.abs(past) < MINUTE) return numeric.format(0, 'second');
  const step = RELATIVE.find(([limit]) => Math.abs(past) < limit);
  if (!step) return new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(ms);
  return numeric.format(-Math.trunc(past / step[2]), step[1]);
}

/** Local date and time with seconds, and the same moment in UTC. */
export function moment(ms: number, language: string): string {
  const local = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
  return `${local.format(ms)} · ${new Date(ms).toISOString()}`;
}

/** `14:03:07`, in the local zone. */
export function time(ms: number, language: string): string {
  return new Intl.DateTimeFormat(language, { timeStyle: 'medium', hourCycle: 'h23' }).format(ms);
}

/** `Nov 20, 2026, 14:03`, in the local zone. */
export function dateTime(ms: number, language: string): string {
  return new Intl.DateTimeFormat(language, {
    dateStyle: 'medium',
    timeStyle: 'short',
    hourCycle: 'h23',
  }).format(ms);
}

/** `840 ms`, `1.2 s`, `3 min 5 s`, `4 h`. */
export function duration(ms: number, language: string): string {
  const unit = (value: number, name: string, digits = 0) =>
    new Intl.NumberFormat(language, {
      style: 'unit',
      unit: name,
      unitDisplay: 'short',
      maximumFractionDigits: digits,
    }).format(value);
  if (ms < 10) return unit(ms, 'millisecond', 1);
  if (ms < 999.5) return unit(ms, 'millisecond');
  if (ms < 59_950) return unit(ms / 1000, 'second', 1);
  const seconds = Math.round(ms / 1000);
  const minutes = Math.round(seconds / 60);
  const [large, small] =
    seconds < 3600
      ? [unit(Math.trunc(seconds / 60), 'minute'), seconds % 60 && unit(seconds % 60, 'second')]
      : [unit(Math.trunc(minutes / 60), 'hour'), minutes % 60 && unit(minutes % 60, 'minute')];
  return small === 0 ? large : `${large} ${small}`;
}

/** `125 kB`; `155 B`, which Intl words as "155 byte". */
export function bytes(count: number, language: string): string {
  if (count < 1000) return `${count} B`;
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];
  let value = count;
  let index = 0;
  while (value >= 999.5 && index < units.length - 1) {
    value /= 1000;
    index += 1;
  }
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: units[index] ?? 'byte',
    unitDisplay: 'short',
    maximumFractionDigits: value < 10 && index > 0 ? 1 : 0,
  }).format(value);
}

/** `800 × 600`. */
export function pixels(width: number, height: number): string {
  return `${width} × ${height}`;
}

/** `12,000` */
export function whole(count: number, language: string): string {
  return new Intl.NumberFormat(language).format(count);
}
