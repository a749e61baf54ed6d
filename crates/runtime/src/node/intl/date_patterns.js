// The fields of a date as a pattern has them: parts `[type, text]`. Gregorian calendar.
const { reader, supplemental } = require('internal/intl/data');
const { localDigits } = require('internal/intl/number_patterns');
const { items } = require('internal/intl/skeletons');
const { nameOf, offsetOf } = require('internal/intl/zones');

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
// The first day of the Gregorian calendar is not asked of Date, which knows no other: as in Node,
// earlier days are of the Julian one only where a formatter says so, and none here does.
function fieldsOf(time, zone) {
  const [offset, summer] = offsetOf(zone, time);
  const date = new Date(time + offset * 1000);
  const year = date.getUTCFullYear();
  return {
    time, offset, summer, year, month: date.getUTCMonth(), day: date.getUTCDate(), weekday: date.getUTCDay(),
    hour: date.getUTCHours(), minute: date.getUTCMinutes(), second: date.getUTCSeconds(), milliseconds: date.getUTCMilliseconds(),
  };
}

const WIDTHS = { 1: 'abbreviated', 2: 'abbreviated', 3: 'abbreviated', 4: 'wide', 5: 'narrow', 6: 'short' };

/** The part of the day, by the language's rules; noon is by its name, midnight as in ICU is not. */
function dayPeriod(state, fields) {
  const all = supplemental('periods');
  const rules = all[state.data] ?? all[state.data.split('-')[0]];
  if (!rules) return undefined;
  const time = fields.hour * 60 + (state.hasMinute ? fields.minute : 0);
  const exact = !state.hasSecond || fields.second === 0;
  const minutes = (text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
  if (exact) for (const [name, rule] of Object.entries(rules)) if (name === 'noon' && rule._at && minutes(rule._at) === time) return [name, spanOf(rules, fields.hour)];
  return [spanOf(rules, fields.hour)];
}
function spanOf(rules, hour) {
  const number = (text) => Number(text.slice(0, 2));
  for (const [name, { _from, _before }] of Object.entries(rules)) {
    if (_from === undefined) continue;
    const [from, before] = [number(_from), number(_before)];
    if (from < before ? hour >= from && hour < before : hour >= from || hour < before) return name;
  }
  return undefined;
}

function periodText(state, fields, width, names) {
  const read = reader('dates', state.data);
  for (const name of names) {
    if (name === undefined) continue;
    const found = read(`dayPeriods/format/${width}/${name}`);
    if (found) return found;
  }
  return read(`dayPeriods/format/${width}/${fields.hour < 12 ? 'am' : 'pm'}`);
}

function fieldText(state, fields, letter, part) {
  const read = reader('dates', state.data);
  const { length } = part;
  const digits = (value, least = length) => localDigits(state.nu, String(value).padStart(least, '0'));
  const width = WIDTHS[length] ?? 'wide';
  switch (letter) {
    case 'G': return ['era', read(`eras/${length >= 5 ? 'eraNarrow' : length === 4 ? 'eraNames' : 'eraAbbr'}/${fields.year > 0 ? 1 : 0}`)];
    case 'y': {
      const year = fields.year > 0 ? fields.year : 1 - fields.year;
      return ['year', length === 2 ? digits(year % 100) : digits(year)];
    }
    case 'M': case 'L': {
      if (length <= 2) return ['month', digits(fields.month + 1)];
      return ['month', read(`months/${letter === 'L' ? 'stand-alone' : 'format'}/${width}/${fields.month + 1}`)];
    }
    case 'd': return ['day', digits(fields.day)];
    case 'E': case 'c': case 'e': {
      if (length <= 2 && letter !== 'E') return ['weekday', digits(fields.weekday + 1)];
      return ['weekday', read(`days/${letter === 'c' ? 'stand-alone' : 'format'}/${width}/${DAYS[fields.weekday]}`)];
    }
    case 'a': return ['dayPeriod', read(`dayPeriods/format/${length >= 5 ? 'narrow' : length === 4 ? 'wide' : 'abbreviated'}/${fields.hour < 12 ? 'am' : 'pm'}`)];
    case 'b': case 'B': return ['dayPeriod', periodText(state, fields, width, dayPeriod(state, fields) ?? [])];
    case 'H': return ['hour', digits(fields.hour)];
    case 'k': return ['hour', digits(fields.hour === 0 ? 24 : fields.hour)];
    case 'h': return ['hour', digits(fields.hour % 12 === 0 ? 12 : fields.hour % 12)];
    case 'K': return ['hour', digits(fields.hour % 12)];
    case 'm': return ['minute', digits(fields.minute)];
    case 's': return ['second', digits(fields.second)];
    case 'S': return ['fractionalSecond', localDigits(state.nu, String(fields.milliseconds).padStart(3, '0').slice(0, length))];
    case 'z': case 'v': case 'O': case 'V': return ['timeZoneName', nameOf(state, state.zone, fields.time, part)];
    default: return ['literal', part];
  }
}

function written(state, pattern, fields) {
  const parts = [];
  const push = (type, text) => {
    if (type === 'literal' && parts.at(-1)?.[0] === 'literal') parts.at(-1)[1] += text;
    else parts.push([type, text]);
  };
  for (const [letter, part] of items(pattern)) {
    const [type, text] = letter === '' ? ['literal', part] : fieldText(state, fields, letter, part);
    if (text) push(type, text);
  }
  return parts;
}

module.exports = { fieldsOf, written };
