// Time zones: which there are, and what they are called.
const { reader, supplemental } = require('internal/intl/data');
const { localDigits } = require('internal/intl/number_patterns');

let known;
/** Every name in lower case, to the name that CLDR prefers. */
function names() {
  if (known) return known;
  known = new Map();
  for (const [aliases] of Object.values(supplemental('zones').ids)) {
    const [first, ...others] = aliases.split(' ');
    for (const name of [first, ...others]) known.set(name.toLowerCase(), first);
  }
  return known;
}

const UTC = new Set(['Etc/UTC', 'Etc/GMT', 'Etc/Unknown']);
/** The canonical name, `+hh:mm`, or nothing. */
function canonical(name) {
  const offset = /^([+-])([01]\d|2[0-3])(?::?([0-5]\d))?$/.exec(name);
  if (offset) {
    const [, sign, hours, minutes = '00'] = offset;
    return hours === '00' && minutes === '00' ? '+00:00' : `${sign}${hours}:${minutes}`;
  }
  const found = names().get(name.toLowerCase()) ?? native.zoneOf(name) ?? undefined;
  if (found === 'Etc/Unknown') return undefined;
  return UTC.has(found) ? 'UTC' : found;
}

let system;
function usual() {
  if (system === undefined) system = canonical(native.systemZone() ?? 'UTC') ?? 'UTC';
  return system;
}

/** `[seconds east of Greenwich, whether it is summer time]`. */
function offsetOf(zone, time) {
  const fixed = /^([+-])(\d\d):(\d\d)$/.exec(zone);
  if (fixed) return [(Number(fixed[2]) * 60 + Number(fixed[3])) * 60 * (fixed[1] === '-' ? -1 : 1), false];
  if (zone === 'UTC') return [0, false];
  const [seconds, summer] = native.offset(zone, time) ?? [0, 0];
  // Where the database calls winter the exception, CLDR's names do not.
  if (zone === 'Europe/Dublin') return [seconds, seconds !== 0];
  if (zone === 'Africa/Casablanca' || zone === 'Africa/El_Aaiun') return [seconds, seconds > 0 && time > Date.UTC(2018, 9, 28)];
  return [seconds, summer === 1];
}

function metazone(zone, time) {
  const spans = supplemental('zones').metazones[zone];
  // CLDR says nothing of the time before 1970.
  if (!spans || time < 0) return undefined;
  const at = (text, otherwise) => (text ? Date.parse(`${text.replace(' ', 'T')}Z`) : otherwise);
  return spans.find(([, from, to]) => time >= at(from, -Infinity) && time < at(to, Infinity))?.[0];
}

function gmt(state, seconds, long) {
  const read = reader('zones', state.data);
  const [plus, minus] = read('hourFormat').split(';');
  const total = Math.abs(seconds);
  const [hours, minutes, rest] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
  const pattern = seconds < 0 ? minus : plus;
  const separator = /H+(.*?)m+/.exec(pattern)[1];
  const pad = (number) => String(number).padStart(2, '0');
  let body = long ? pad(hours) : String(hours);
  if (long || minutes || rest) body += `${separator}${pad(minutes)}`;
  if (rest) body += `${separator}${pad(rest)}`;
  const text = localDigits(state.nu, body);
  return read('gmtFormat').replace('{0}', () => pattern.replace(long || minutes || rest ? /H+.*?m+/ : /H+.*/, () => text));
}

const canonicalKey = (zone) => (zone === 'UTC' ? 'Etc/UTC' : zone);

function city(state, zone) {
  return reader('zones', state.data)(`zone/${zone}/exemplarCity`) ?? zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ');
}

let places;
/** The country of a zone by CLDR's short name, and whether it is the only or the first one there. */
function countryOf(zone) {
  if (!places) {
    places = new Map();
    const count = new Map();
    const { ids, primary } = supplemental('zones');
    for (const [short, [aliases]] of Object.entries(ids)) {
      const [first] = aliases.split(' ');
      if (!/^(Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)\//.test(first)) continue;
      const country = short.slice(0, 2).toUpperCase();
      places.set(first, country);
      count.set(country, (count.get(country) ?? 0) + 1);
    }
    for (const [zone_, country] of places) places.set(zone_, [country, count.get(country) === 1 || primary[country] === zone_]);
  }
  return places.get(zone);
}

function location(state, zone) {
  const found = countryOf(zone);
  if (!found) return undefined;
  const [country, alone] = found;
  const name = alone ? reader('names', state.data)(`territories/${country}`) ?? country : city(state, zone);
  return reader('zones', state.data)('regionFormat').replace('{0}', () => name);
}

function generic(state, zone, time, length) {
  const read = reader('zones', state.data);
  const key = canonicalKey(zone);
  const own = read(`zone/${key}/${length}/generic`);
  if (own !== undefined && own !== '∅∅∅') return own;
  const [seconds, summer] = offsetOf(zone, time);
  const meta = metazone(key, time);
  if (meta !== undefined) {
    const turns = summer || [-184, -123, -62, 62, 123, 184].some((days) => offsetOf(zone, time + days * 86400000)[1]);
    if (!turns) {
      const standard = read(`zone/${key}/${length}/standard`) ?? read(`metazone/${meta}/${length}/standard`);
      const common = read(`metazone/${meta}/${length}/generic`);
      if (standard !== undefined && standard !== '∅∅∅' && standard !== common) return standard;
    }
    const name = read(`metazone/${meta}/${length}/generic`);
    if (name !== undefined && name !== '∅∅∅') {
      const { golden } = supplemental('zones');
      const region = /-([A-Z]{2}|\d{3})(?=-|$)/.exec(state.region ?? '')?.[1] ?? state.region;
      const reference = golden[`${meta}/${region}`] ?? golden[`${meta}/001`];
      if (reference === undefined || reference === key || offsetOf(reference, time)[0] === seconds) return name;
      const found = countryOf(key);
      const place = found?.[1] || golden[`${meta}/${found?.[0]}`] === key ? reader('names', state.data)(`territories/${found[0]}`) : city(state, key);
      return read('fallbackFormat').replace('{1}', () => name).replace('{0}', () => place);
    }
  }
  return location(state, key);
}

/** The name of a zone at a time, `field` being what a pattern has. */
function nameOf(state, zone, time, field) {
  const [letter, { length }] = [field[0], field];
  const [seconds, summer] = offsetOf(zone, time);
  const long = length === 4;
  if (letter === 'O') return gmt(state, seconds, long);
  if (letter === 'v') return (/^[+-]/.test(zone) ? undefined : generic(state, zone, time, long ? 'long' : 'short')) ?? gmt(state, seconds, long);
  if (/^[+-]/.test(zone)) return gmt(state, seconds, long);
  const read = reader('zones', state.data);
  const kind = `${long ? 'long' : 'short'}/${summer ? 'daylight' : 'standard'}`;
  const meta = metazone(canonicalKey(zone), time);
  const found = [read(`zone/${canonicalKey(zone)}/${kind}`), meta && read(`metazone/${meta}/${kind}`)].find((name) => name && name !== '∅∅∅');
  return found ?? gmt(state, seconds, long);
}

const all = () => [...new Set(names().values())].map((name) => (UTC.has(name) ? 'UTC' : name)).filter((name, n, list) => list.indexOf(name) === n && (name === 'UTC' || /^(?!Etc|System)[A-Z]\w+\//.test(name)));

module.exports = { all, canonical, nameOf, offsetOf, usual };
