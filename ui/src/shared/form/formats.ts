/**
 * Formats of strings that the form checks. An unknown format says nothing about a value, as JSON
 * Schema has it.
 */

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && leap ? 29 : DAYS[month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

/** With a zone, as RFC 3339 wants it; a 60th second exists. */
function isTime(text: string): boolean {
  const found = /^(\d{2}):(\d{2}):(\d{2})(\.\d+)?(z|[+-](\d{2})(?::?(\d{2}))?)$/i.exec(text);
  if (!found) return false;
  const [hour, minute, second, zoneHour, zoneMinute] = [1, 2, 3, 6, 7].map((at) =>
    Number(found[at] ?? 0),
  ) as [number, number, number, number, number];
  return hour <= 23 && minute <= 59 && second <= 60 && zoneHour <= 23 && zoneMinute <= 59;
}

function isDateTime(text: string): boolean {
  const parts = text.split(/t|\s/i);
  return parts.length === 2 && isDate(parts[0] ?? '') && isTime(parts[1] ?? '');
}

function isUri(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:/i.test(text) && !/[\s<>"{}|\\^`]/.test(text) && URL.canParse(text);
}

const CHECKS: Record<string, (text: string) => boolean> = {
  date: isDate,
  time: isTime,
  'date-time': isDateTime,
  email: (text) =>
    /^[a-z\d!#$%&'*+/=?^_`{|}~-]+(\.[a-z\d!#$%&'*+/=?^_`{|}~-]+)*@([a-z\d]([a-z\d-]*[a-z\d])?\.)+[a-z\d]([a-z\d-]*[a-z\d])?$/i.test(
      text,
    ),
  uri: isUri,
  url: isUri,
  uuid: (text) => /^(urn:uuid:)?[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i.test(text),
  ipv4: (text) => /^((25[0-5]|2[0-4]\d|1?\d?\d)(\.(?!$)|$)){4}$/.test(text),
  hostname: (text) =>
    text.length <= 253 &&
    /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?(\.[a-z\d]([a-z\d-]{0,61}[a-z\d])?)*$/i.test(text),
};

export function fitsFormat(text: string, format: string): boolean {
  return CHECKS[format]?.(text) ?? true;
}
