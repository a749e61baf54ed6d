/**
 * Pictures by day of the local calendar. Days are counted in calendar fields, never in
 * milliseconds: where clocks change, a day has 23 or 25 hours.
 */

/** A run of neighbouring pictures of one day; `key` is absent where nothing was loaded yet. */
export interface Group {
  key: string | undefined;
  /** Number of the first picture. */
  first: number;
  count: number;
}

/** `2026-11-20`, in the local zone. */
export function dayOf(ms: number): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function limitsOf(ms: number) {
  const from = new Date(ms);
  from.setHours(0, 0, 0, 0);
  const to = new Date(from.getFullYear(), from.getMonth(), from.getDate() + 1);
  return { key: dayOf(ms), from: from.getTime(), to: to.getTime() };
}

/**
 * Groups pictures `0..total` by the day that each was made on. `timeOf` does not know all of them:
 * what lies between loaded pages becomes groups without a day.
 */
export function groupByDay(total: number, timeOf: (index: number) => number | undefined): Group[] {
  const groups: Group[] = [];
  // Neighbours are mostly of one day: its limits are compared, not a date made for each.
  let day: { key: string; from: number; to: number } | undefined;
  for (let index = 0; index < total; index += 1) {
    const time = timeOf(index);
    if (time !== undefined && !(day && time >= day.from && time < day.to)) day = limitsOf(time);
    const key = time === undefined ? undefined : day?.key;
    const last = groups.at(-1);
    if (last && last.key === key) last.count += 1;
    else groups.push({ key, first: index, count: 1 });
  }
  return groups;
}

export type DayName = 'today' | 'yesterday';

/** Days that have a name of their own. */
export function dayName(key: string, now: number): DayName | undefined {
  if (key === dayOf(now)) return 'today';
  const date = new Date(now);
  // Noon exists on every day; midnight does not where clocks change at midnight.
  const before = new Date(date.getFullYear(), date.getMonth(), date.getDate() - 1, 12);
  return key === dayOf(before.getTime()) ? 'yesterday' : undefined;
}

/** `Friday, November 20`; with the year unless it is this one. */
export function dayText(key: string, now: number, language: string): string {
  const [year = 0, month = 1, day = 1] = key.split('-').map(Number);
  const date = new Date(year, month - 1, day, 12);
  return new Intl.DateTimeFormat(language, {
    weekday: 'long',
    month: 'long',
    day: 'numeric',
    ...(year !== new Date(now).getFullYear() && { year: 'numeric' }),
  }).format(date);
}
