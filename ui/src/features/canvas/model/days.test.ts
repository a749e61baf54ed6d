import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dayName, dayOf, dayText, groupByDay } from './days';

const zone = process.env.TZ;

function inZone(name: string) {
  beforeEach(() => void (process.env.TZ = name));
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });
}

const HOUR = 3_600_000;

describe('where the clock goes forward', () => {
  inZone('Europe/Berlin');

  it('gives the short day its 23 hours', () => {
    // 2026-03-29, from 00:00+01:00 to 24:00+02:00.
    const start = Date.UTC(2026, 2, 28, 23);
    const hours = Array.from({ length: 26 }, (_, hour) => start + (hour - 1) * HOUR);
    const days = hours.map(dayOf);
    expect(days.filter((day) => day === '2026-03-29')).toHaveLength(23);
    expect(days[0]).toBe('2026-03-28');
    expect(days.at(-1)).toBe('2026-03-30');
  });

  it('gives the long day its 25 hours', () => {
    const start = Date.UTC(2026, 9, 24, 22);
    const days = Array.from({ length: 25 }, (_, hour) => dayOf(start + hour * HOUR));
    expect(new Set(days)).toEqual(new Set(['2026-10-25']));
    expect(dayOf(start - 1)).toBe('2026-10-24');
    expect(dayOf(start + 25 * HOUR)).toBe('2026-10-26');
  });

  it('knows yesterday from one hour into the day after a long one', () => {
    const now = Date.UTC(2026, 9, 25, 23, 30);
    expect(dayOf(now)).toBe('2026-10-26');
    expect(dayName('2026-10-26', now)).toBe('today');
    expect(dayName('2026-10-25', now)).toBe('yesterday');
    // 24 hours ago is still the 25th there, 25 hours and a half is not.
    expect(dayName('2026-10-24', now)).toBeUndefined();
  });
});

describe('where midnight does not exist', () => {
  inZone('America/Sao_Paulo');

  it('still knows today and yesterday', () => {
    // 2018-11-04 began at 01:00.
    const now = new Date(2018, 10, 5, 9).getTime();
    expect(dayName('2018-11-04', now)).toBe('yesterday');
    expect(dayText('2018-11-04', now, 'en')).toBe('Sunday, November 4');
    expect(dayName(dayOf(new Date(2018, 10, 4, 1).getTime()), now)).toBe('yesterday');
  });
});

describe('a zone far east', () => {
  inZone('Asia/Shanghai');

  it('counts by the local calendar, not by UTC', () => {
    expect(dayOf(Date.UTC(2026, 10, 19, 15, 59))).toBe('2026-11-19');
    expect(dayOf(Date.UTC(2026, 10, 19, 16))).toBe('2026-11-20');
  });

  it('writes days in the language, with the year of other years', () => {
    const now = Date.UTC(2026, 10, 20);
    expect(dayText('2026-11-18', now, 'zh-CN')).toBe('11月18日星期三');
    expect(dayText('2025-11-18', now, 'en')).toBe('Tuesday, November 18, 2025');
  });
});

describe('groups', () => {
  inZone('UTC');

  const at = (day: number) => Date.UTC(2026, 0, day, 12);

  it('are runs of one day, newest first as they come', () => {
    const times = [at(3), at(3), at(2), at(1), at(1), at(1)];
    expect(groupByDay(6, (index) => times[index])).toEqual([
      { key: '2026-01-03', first: 0, count: 2 },
      { key: '2026-01-02', first: 2, count: 1 },
      { key: '2026-01-01', first: 3, count: 3 },
    ]);
  });

  it('have no day where nothing was loaded', () => {
    const times: Record<number, number> = { 0: at(3), 4: at(1) };
    expect(groupByDay(5, (index) => times[index])).toEqual([
      { key: '2026-01-03', first: 0, count: 1 },
      { key: undefined, first: 1, count: 3 },
      { key: '2026-01-01', first: 4, count: 1 },
    ]);
  });

  it('are none without pictures', () => {
    expect(groupByDay(0, () => 0)).toEqual([]);
  });
});
