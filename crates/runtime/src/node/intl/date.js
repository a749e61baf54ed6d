// DateTimeFormat: options, hour cycles, and what comes of them.
const { reader, supplemental } = require('internal/intl/data');
const locale = require('internal/intl/locale');
const skeletons = require('internal/intl/skeletons');
const zones = require('internal/intl/zones');
const { fieldsOf, written } = require('internal/intl/date_patterns');

const { option } = locale;
const NAMES = ['narrow', 'short', 'long'];
const DIGITS = ['2-digit', 'numeric'];
const OPTIONS = {
  weekday: [NAMES, { long: 'EEEE', short: 'EEE', narrow: 'EEEEE' }], era: [NAMES, { long: 'GGGG', short: 'GGG', narrow: 'GGGGG' }],
  year: [DIGITS, { '2-digit': 'yy', numeric: 'y' }],
  month: [[...DIGITS, ...NAMES], { long: 'MMMM', short: 'MMM', narrow: 'MMMMM', '2-digit': 'MM', numeric: 'M' }],
  day: [DIGITS, { '2-digit': 'dd', numeric: 'd' }], dayPeriod: [NAMES, { long: 'BBBB', short: 'B', narrow: 'BBBBB' }],
  hour: [DIGITS], minute: [DIGITS, { '2-digit': 'mm', numeric: 'm' }], second: [DIGITS, { '2-digit': 'ss', numeric: 's' }],
  timeZoneName: [['short', 'long', 'shortOffset', 'longOffset', 'shortGeneric', 'longGeneric'], { long: 'zzzz', short: 'z', longOffset: 'OOOO', shortOffset: 'O', longGeneric: 'vvvv', shortGeneric: 'v' }],
};
const HOURS = { h11: 'K', h12: 'h', h23: 'H', h24: 'k' };
const STYLES = ['full', 'long', 'medium', 'short'];
const CALENDARS = new Set(['gregory', 'iso8601']);

/** `required` and `defaults` are those of the standard's CreateDateTimeFormat. */
function create(locales, options, required, defaults, zoneGiven) {
  const requested = locale.canonicalList(locales);
  const given = locale.coerced(options);
  locale.matcher(given);
  const calendar = locale.keyword(given, 'calendar');
  const numbering = locale.keyword(given, 'numberingSystem');
  const hour12 = given.hour12 === undefined ? undefined : Boolean(given.hour12);
  let hourCycle = option(given, 'hourCycle', Object.keys(HOURS));
  if (hour12 !== undefined) hourCycle = null;
  const found = locale.resolve(requested, {
    ca: { option: calendar, usual: () => 'gregory', accepts: (name) => CALENDARS.has(name === 'gregorian' ? 'gregory' : name) },
    hc: { option: hourCycle ?? undefined, usual: () => undefined, accepts: (name) => name in HOURS },
    nu: { option: numbering, ...locale.numbering },
  });
  const state = { ...found };
  let zone = given.timeZone;
  if (zone === undefined) zone = zoneGiven ?? zones.usual();
  else {
    zone = zones.canonical(String(zone));
    if (zone === undefined) throw new RangeError(`Invalid time zone specified: ${String(given.timeZone)}`);
  }
  state.zone = zone;
  const [language] = found.locale.split('-');
  const region = /-([A-Z]{2}|\d{3})(?=-|$)/.exec(locale.maximized(locale.split(found.locale)[0]))?.[1];
  state.region = region;
  const usual = Object.keys(HOURS).find((name) => HOURS[name] === skeletons.usualHour(language, region));
  if (hour12 !== undefined) {
    const twelve = usual === 'h11' || usual === 'h12' ? usual : /-JP(-|$)/.test(found.locale) ? 'h11' : 'h12';
    state.hc = hour12 ? twelve : usual === 'h23' || usual === 'h24' ? usual : 'h23';
    state.locale = state.locale.replace(/-hc-h\d\d/, '').replace(/-u$/, '');
  } else state.hc ??= usual;
  const fields = {};
  let explicit = false;
  for (const name of ['weekday', 'era', 'year', 'month', 'day', 'dayPeriod', 'hour', 'minute', 'second']) {
    fields[name] = option(given, name, OPTIONS[name][0]);
    explicit ||= fields[name] !== undefined;
  }
  const fraction = locale.number(given.fractionalSecondDigits, 'fractionalSecondDigits', 1, 3, undefined);
  fields.timeZoneName = option(given, 'timeZoneName', OPTIONS.timeZoneName[0]);
  explicit ||= fraction !== undefined || fields.timeZoneName !== undefined;
  option(given, 'formatMatcher', ['basic', 'best fit'], 'best fit');
  const dateStyle = option(given, 'dateStyle', STYLES);
  const timeStyle = option(given, 'timeStyle', STYLES);
  if (dateStyle !== undefined || timeStyle !== undefined) {
    if (explicit) throw new TypeError(`Can't set option ${Object.keys(fields).find((name) => fields[name] !== undefined) ?? 'fractionalSecondDigits'} when ${dateStyle === undefined ? 'timeStyle' : 'dateStyle'} is used`);
    if (required === 'date' && timeStyle !== undefined) throw new TypeError('Invalid option : timeStyle');
    if (required === 'time' && dateStyle !== undefined) throw new TypeError('Invalid option : dateStyle');
    Object.assign(state, { dateStyle, timeStyle });
    return finish(state, styled(state));
  }
  const date = ['weekday', 'year', 'month', 'day'];
  const time = ['dayPeriod', 'hour', 'minute', 'second'];
  let needs = true;
  if ((required === 'date' || required === 'any') && date.some((name) => fields[name] !== undefined)) needs = false;
  if ((required === 'time' || required === 'any') && (fraction !== undefined || time.some((name) => fields[name] !== undefined))) needs = false;
  if (needs && (defaults === 'date' || defaults === 'all')) fields.year = fields.month = fields.day = 'numeric';
  if (needs && (defaults === 'time' || defaults === 'all')) fields.hour = fields.minute = fields.second = 'numeric';
  return finish(state, patterned(state, fields, fraction));
}

/** Every hour of a pattern in the letters of a cycle. */
function cycled(pattern, hc) {
  return skeletons.joined(skeletons.items(pattern).map(([letter, part]) => ('HhKk'.includes(letter) && letter ? [HOURS[hc], HOURS[hc].repeat(part.length)] : [letter, part])));
}

function styled(state) {
  const read = reader('dates', state.data);
  const { dateStyle, timeStyle } = state;
  const date = dateStyle && read(`dateFormats/${dateStyle}`);
  const time = timeStyle && read(`timeFormats/${timeStyle}`);
  if (!time) {
    state.hc = undefined;
    return date;
  }
  const pattern = date ? skeletons.glue(read, dateStyle, date, time) : time;
  const own = skeletons.items(time).find(([letter]) => letter && 'HhKk'.includes(letter))?.[0];
  if (own === HOURS[state.hc]) return pattern;
  const skeleton = skeletons.skeletonOf(pattern).replace(/[bB]/g, '').replace(/[HhKk]+/, (hours) => HOURS[state.hc].repeat(hours.length));
  return cycled(skeletons.best(state.data, skeleton, { decimal: decimalOf(state), hour: true }), state.hc);
}
const decimalOf = (state) => reader('numbers', state.data)(`symbols/${state.nu}/decimal`) ?? reader('numbers', state.data)('symbols/latn/decimal');

function patterned(state, fields, fraction) {
  let skeleton = '';
  for (const [name, [, letters]] of Object.entries(OPTIONS)) {
    if (name === 'timeZoneName' && fraction !== undefined) skeleton += 'S'.repeat(fraction);
    if (fields[name] === undefined) continue;
    if (name === 'dayPeriod' && fields.hour !== undefined && !'hK'.includes(HOURS[state.hc])) continue;
    if (name === 'hour') skeleton += HOURS[state.hc].repeat(fields.hour === '2-digit' ? 2 : 1);
    else skeleton += letters[fields[name]];
  }
  state.skeleton = skeleton;
  if (fields.hour === undefined) state.hc = undefined;
  const pattern = skeletons.best(state.data, skeleton, { decimal: decimalOf(state) });
  return state.hc ? cycled(pattern, state.hc) : pattern;
}

function finish(state, pattern) {
  state.pattern = pattern;
  const letters = skeletons.items(pattern).map(([letter]) => letter);
  state.hasMinute = letters.includes('m');
  state.hasSecond = letters.includes('s');
  return state;
}

/** What a pattern shows, as options. */
function shownBy(state) {
  const result = {};
  for (const [letter, part] of skeletons.items(state.pattern)) {
    const { length } = part;
    const name = length === 4 ? 'long' : length === 5 ? 'narrow' : 'short';
    const digits = length === 2 ? '2-digit' : 'numeric';
    switch (letter) {
      case 'E': case 'c': case 'e': result.weekday = name; break;
      case 'G': result.era = name; break;
      case 'y': result.year = digits; break;
      case 'M': case 'L': result.month = length <= 2 ? digits : name; break;
      case 'd': result.day = digits; break;
      case 'B': case 'b': result.dayPeriod = name; break;
      case 'h': case 'H': case 'K': case 'k': result.hour = digits; break;
      case 'm': result.minute = digits; break;
      case 's': result.second = digits; break;
      case 'S': result.fractionalSecondDigits = length; break;
      case 'z': result.timeZoneName = length === 4 ? 'long' : 'short'; break;
      case 'O': result.timeZoneName = length === 4 ? 'longOffset' : 'shortOffset'; break;
      case 'v': result.timeZoneName = length === 4 ? 'longGeneric' : 'shortGeneric'; break;
      default:
    }
  }
  return result;
}

function timeOf(value) {
  const time = value === undefined ? Date.now() : Number(value);
  if (!(Math.abs(time) <= 8.64e15)) throw new RangeError('Invalid time value');
  return Math.trunc(time);
}
// As V8: what reads dates is not used to the narrow space that CLDR has since 42. Parts and ranges keep it.
const textAt = (state, time) => narrow(text(partsAt(state, time)));
const narrow = (all) => all.replaceAll('\u202f', ' ');
const partsAt = (state, time) => written(state, state.pattern, fieldsOf(time, state.zone));
const text = (parts) => {
  let all = '';
  for (const [, part] of parts) all += part;
  return all;
};

const states = new WeakMap();
const bound = new WeakMap();
class DateTimeFormat {
  constructor(locales, options) {
    states.set(this, create(locales, options, 'any', 'date'));
  }
  get format() {
    const state = locale.held(states, this, 'get Intl.DateTimeFormat.prototype.format');
    if (!bound.has(this)) bound.set(this, Object.defineProperty((date) => textAt(state, timeOf(date)), 'name', { value: '' }));
    return bound.get(this);
  }
  formatToParts(date) {
    const state = locale.held(states, this, 'Intl.DateTimeFormat.prototype.formatToParts');
    return partsAt(state, timeOf(date)).map(([type, value]) => ({ type, value }));
  }
  formatRange(start, end) {
    const state = locale.held(states, this, 'Intl.DateTimeFormat.prototype.formatRange');
    const list = rangeOf(state, start, end);
    return list.every(([, , source]) => source === 'shared') ? narrow(text(list)) : text(list);
  }
  formatRangeToParts(start, end) {
    const state = locale.held(states, this, 'Intl.DateTimeFormat.prototype.formatRangeToParts');
    return rangeOf(state, start, end).map(([type, value, source]) => ({ type, value, source }));
  }
  resolvedOptions() {
    const state = locale.held(states, this, 'Intl.DateTimeFormat.prototype.resolvedOptions');
    const { ca, nu, zone, hc, dateStyle, timeStyle } = state;
    const result = { locale: state.locale, calendar: ca, numberingSystem: nu, timeZone: zone };
    if (hc) Object.assign(result, { hourCycle: hc, hour12: hc === 'h11' || hc === 'h12' });
    const shown = shownBy(state);
    if (dateStyle === undefined && timeStyle === undefined) {
      for (const name of ['weekday', 'era', 'year', 'month', 'day', 'dayPeriod', 'hour', 'minute', 'second', 'fractionalSecondDigits', 'timeZoneName']) {
        if (shown[name] !== undefined) result[name] = shown[name];
      }
    }
    if (dateStyle !== undefined) result.dateStyle = dateStyle;
    if (timeStyle !== undefined) result.timeStyle = timeStyle;
    return result;
  }
}
function rangeOf(state, start, end) {
  if (start === undefined || end === undefined) throw new TypeError('startDate or endDate cannot be undefined');
  return require('internal/intl/date_ranges').parts(state, timeOf(start), timeOf(end));
}

const format = (state, date) => textAt(state, timeOf(date));
module.exports = { DateTimeFormat: locale.define('DateTimeFormat', DateTimeFormat, { callable: true }), create, format };
void supplemental;
