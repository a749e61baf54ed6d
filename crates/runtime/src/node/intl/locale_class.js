// Intl.Locale.
const { supplemental } = require('internal/intl/data');
const locale = require('internal/intl/locale');

const states = new WeakMap();
const KEYS = { ca: 'calendar', co: 'collation', fw: 'firstDayOfWeek', hc: 'hourCycle', kf: 'caseFirst', nu: 'numberingSystem' };
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

function parts(tag) {
  const [bare] = locale.split(tag);
  const found = /^([a-z]{2,3}|[a-z]{5,8})(?:-([a-z]{4}))?(?:-([a-z]{2}|\d{3}))?((?:-(?:[a-z0-9]{5,8}|\d[a-z0-9]{3}))*)(?=-[a-z0-9]-|$)(.*)$/i.exec(bare);
  const [, language, script, region, variants, rest] = found;
  return { language, script, region, variants: variants.slice(1), rest };
}
const build = ({ language, script, region, variants, rest }) => [language, script, region, variants].filter(Boolean).join('-') + rest;
const PATTERNS = { language: /^([a-z]{2,3}|[a-z]{5,8})$/i, script: /^[a-z]{4}$/i, region: /^([a-z]{2}|\d{3})$/i };

class Locale {
  constructor(tag, options) {
    if (typeof tag !== 'string' && !locale.isObject(tag)) throw new TypeError('First argument to Intl.Locale constructor can\'t be empty or missing');
    let canonical = locale.canonical(states.has(tag) ? states.get(tag).tag : String(tag));
    const given = locale.coerced(options);
    const subtags = parts(canonical);
    let changed = false;
    for (const [name, pattern] of Object.entries(PATTERNS)) {
      const value = locale.option(given, name);
      if (value === undefined) continue;
      if (!pattern.test(value)) throw new RangeError('Incorrect locale information provided');
      subtags[name] = value;
      changed = true;
    }
    const variants = locale.option(given, 'variants');
    if (variants !== undefined) {
      if (!/^([a-z0-9]{5,8}|\d[a-z0-9]{3})(-([a-z0-9]{5,8}|\d[a-z0-9]{3}))*$/i.test(variants)) throw new RangeError('Incorrect locale information provided');
      subtags.variants = variants;
      changed = true;
    }
    let [, keywords, attributes] = locale.split(canonical);
    keywords = { ...keywords };
    const set = (key, value) => {
      if (value === undefined) return;
      keywords[key] = value;
      changed = true;
    };
    const word = (name) => {
      const value = locale.option(given, name);
      if (value !== undefined && !/^[a-z0-9]{3,8}(-[a-z0-9]{3,8})*$/i.test(value)) throw new RangeError(`Incorrect locale information provided`);
      return value;
    };
    set('ca', word('calendar'));
    set('co', word('collation'));
    let first = locale.option(given, 'firstDayOfWeek');
    if (first !== undefined) {
      if (/^[0-7]$/.test(first)) first = DAYS[Number(first)];
      if (!/^[a-z0-9]{3,8}(-[a-z0-9]{3,8})*$/i.test(first)) throw new RangeError('Incorrect locale information provided');
      set('fw', first);
    }
    set('hc', locale.option(given, 'hourCycle', ['h11', 'h12', 'h23', 'h24']));
    set('kf', locale.option(given, 'caseFirst', ['upper', 'lower', 'false']));
    if (given.numeric !== undefined) set('kn', given.numeric ? '' : 'false');
    set('nu', word('numberingSystem'));
    if (changed) canonical = locale.canonical(locale.join(build(subtags), keywords, attributes));
    [, keywords] = locale.split(canonical);
    states.set(this, { tag: canonical, keywords, ...parts(canonical) });
  }
  get baseName() {
    const { language, script, region, variants } = state(this, 'baseName');
    return build({ language, script, region, variants, rest: '' });
  }
  // As V8: a language that is not known is none.
  get language() { const { language } = state(this, 'language'); return language === 'und' ? undefined : language; }
  get script() { return state(this, 'script').script; }
  get region() { return state(this, 'region').region; }
  get variants() { return state(this, 'variants').variants || undefined; }
  get numeric() {
    const { kn } = state(this, 'numeric').keywords;
    return kn === '' || kn === 'true';
  }
  maximize() { return new Locale(changed(this, 'maximize', locale.maximized)); }
  minimize() { return new Locale(changed(this, 'minimize', locale.minimized)); }
  toString() { return state(this, 'toString').tag; }
  getCalendars() {
    const { keywords } = state(this, 'getCalendars');
    if (keywords.ca) return [keywords.ca];
    const all = supplemental('calendars');
    return [all[regionOf(this)] ?? all['001']].flat().flatMap((names) => names.split(' ')).map((name) => (name === 'gregorian' ? 'gregory' : name));
  }
  getCollations() {
    const { co } = state(this, 'getCollations').keywords;
    if (co) return [co];
    const { KINDS } = require('internal/intl/collator');
    const [language] = states.get(this).tag.split('-');
    return ['emoji', 'eor', ...Object.keys(KINDS).filter((name) => KINDS[name].includes(language) && name !== 'searchjl')].sort();
  }
  getHourCycles() {
    const { hc } = state(this, 'getHourCycles').keywords;
    if (hc) return [hc];
    const { language } = states.get(this);
    const hours = supplemental('hours');
    const [usual] = hours[`${language}-${regionOf(this)}`] ?? hours[`${language}_${regionOf(this)}`] ?? hours[regionOf(this)] ?? hours['001'];
    return [{ h: 'h12', H: 'h23', K: 'h11', k: 'h24' }[usual]];
  }
  getNumberingSystems() {
    const { nu } = state(this, 'getNumberingSystems').keywords;
    return [nu ?? locale.numbering.usual(dataOf(this))];
  }
  getTimeZones() {
    const { region } = state(this, 'getTimeZones');
    if (!region) return undefined;
    const { ids } = supplemental('zones');
    return Object.entries(ids).filter(([short]) => short.startsWith(region.toLowerCase())).map(([, [id]]) => id.split(' ')[0]).sort();
  }
  getTextInfo() {
    const script = locale.maximized(states.get(this).tag).split('-')[1];
    return { direction: /^(Arab|Hebr|Thaa|Syrc|Nkoo|Adlm|Rohg|Mand|Samr|Mend|Hebr|Aran)$/.test(script) ? 'rtl' : 'ltr' };
  }
  getWeekInfo() {
    const { keywords } = state(this, 'getWeekInfo');
    return weekOf(regionOf(this), keywords.fw);
  }
}
function weekOf(region, first) {
  const week = supplemental('week');
  const at = (name) => week[name][region] ?? week[name]['001'];
  const number = (name) => { const n = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'].indexOf(name); return n === 0 ? 7 : n; };
  const [from, to] = [number(at('weekendStart')), number(at('weekendEnd'))];
  const weekend = [];
  for (let day = from; ; day = (day % 7) + 1) {
    weekend.push(day);
    if (day === to) break;
  }
  return { firstDay: number(first && DAYS.includes(first) ? first : at('firstDay')), weekend: weekend.sort((a, b) => a - b), minimalDays: Number(at('minDays')) };
}
const state = (object, name) => locale.held(states, object, `Intl.Locale.prototype.${name}`);
const changed = (object, name, work) => {
  const [bare, keywords, attributes] = locale.split(state(object, name).tag);
  return locale.join(work(bare), keywords, attributes);
};
const regionOf = (object) => {
  const { keywords, region, tag } = states.get(object);
  if (/^[a-z]{2}z{4}$/.test(keywords.rg ?? '')) return keywords.rg.slice(0, 2).toUpperCase();
  return region ?? /-([A-Z]{2}|\d{3})(?=-|$)/.exec(locale.maximized(locale.split(tag)[0]))?.[1] ?? '001';
};
const dataOf = (object) => locale.resolve([states.get(object).tag]).data;
for (const [key, name] of Object.entries(KEYS)) {
  Object.defineProperty(Locale.prototype, name, { configurable: true, get: Object.getOwnPropertyDescriptor({ get [name]() { return state(this, name).keywords[key]; } }, name).get });
}
// What Node 22 has as getters and later ones as methods is here as both.
for (const name of ['Calendars', 'Collations', 'HourCycles', 'NumberingSystems', 'TextInfo', 'TimeZones', 'WeekInfo']) {
  const key = name[0].toLowerCase() + name.slice(1);
  const getter = { get [key]() { return Locale.prototype[`get${name}`].call(this); } };
  Object.defineProperty(Locale.prototype, key, { ...Object.getOwnPropertyDescriptor(getter, key), enumerable: false });
}
const isLocale = (value) => states.has(value);

module.exports = { Locale: locale.define('Locale', Locale, { length: 1, statics: false }), isLocale, weekOf };
