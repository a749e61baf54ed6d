// DisplayNames.
const { reader } = require('internal/intl/data');
const locale = require('internal/intl/locale');

const FIELDS = { era: 'era', year: 'year', quarter: 'quarter', month: 'month', weekOfYear: 'week', weekday: 'weekday', day: 'day', dayPeriod: 'dayperiod', hour: 'hour', minute: 'minute', second: 'second', timeZoneName: 'zone' };

function languageName(state, code) {
  if (!/^([a-z]{2,3}|[a-z]{5,8})(-[a-z]{4})?(-([a-z]{2}|\d{3}))?(-([a-z0-9]{5,8}|\d[a-z0-9]{3}))*$/i.test(code)) throw new RangeError(`Invalid argument to Intl.DisplayNames.prototype.of`);
  const tag = locale.canonical(code);
  const read = reader('names', state.data);
  const named = (kind, key) => (state.style !== 'long' && read(`${kind}/${key}-alt-short`)) || read(`${kind}/${key}`);
  const parts = tag.split('-');
  const rest = parts.slice(1);
  let base = parts[0];
  if (state.languageDisplay === 'dialect') {
    // As ICU: a language with a script and a country has no name of its own but with both.
    const key = parts.slice(0, Math.min(parts.length, 3)).join('-');
    if (rest.length > 0 && read(`languages/${key}`)) {
      base = key;
      rest.splice(0, 2);
    }
  }
  const language = named('languages', base);
  if (language === undefined && state.fallback === 'none') return undefined;
  const others = rest.map((part) => {
    if (/^[A-Z][a-z]{3}$/.test(part)) return named('scripts', part) ?? part;
    if (/^([A-Z]{2}|\d{3})$/.test(part)) return named('territories', part) ?? part;
    return part.toUpperCase();
  });
  const inner = others.map((name) => name.replaceAll('(', '[').replaceAll(')', ']').replaceAll('（', '［').replaceAll('）', '］'));
  const first = language ?? base;
  if (inner.length === 0) return first;
  const separator = read('localeDisplayPattern/localeSeparator') ?? '{0}, {1}';
  const list = inner.reduce((left, right) => separator.replace('{0}', () => left).replace('{1}', () => right));
  return (read('localeDisplayPattern/localePattern') ?? '{0} ({1})').replace('{0}', () => first).replace('{1}', () => list);
}

const invalid = () => new RangeError('Invalid argument to Intl.DisplayNames.prototype.of');
function nameOf(state, given) {
  const code = String(given);
  const read = reader('names', state.data);
  const short = state.style !== 'long';
  switch (state.type) {
    case 'language': return [languageName(state, code), code];
    case 'region': {
      if (!/^([a-z]{2}|\d{3})$/i.test(code)) throw invalid();
      const key = code.toUpperCase();
      return [(short && read(`territories/${key}-alt-short`)) || read(`territories/${key}`), key];
    }
    case 'script': {
      if (!/^[a-z]{4}$/i.test(code)) throw invalid();
      const key = code[0].toUpperCase() + code.slice(1).toLowerCase();
      return [(short && read(`scripts/${key}-alt-short`)) || read(`scripts/${key}`), key];
    }
    case 'currency': {
      if (!/^[a-z]{3}$/i.test(code)) throw invalid();
      const key = code.toUpperCase();
      const money = reader('currencies', state.data);
      // As V8: the name, however short it is asked for.
      const found = money(`${key}/displayName`);
      return [found === key ? undefined : found, key];
    }
    case 'calendar': {
      if (!/^[a-z0-9]{3,8}(-[a-z0-9]{3,8})*$/i.test(code)) throw invalid();
      const key = code.toLowerCase();
      return [read(`calendar/${{ gregory: 'gregorian', ethioaa: 'ethiopic-amete-alem', islamicc: 'islamic-civil' }[key] ?? key}`), key];
    }
    default: {
      if (!Object.hasOwn(FIELDS, code)) throw invalid();
      const fields = reader('fields', state.data);
      const suffix = { long: '', short: '-short', narrow: '-narrow' }[state.style];
      return [fields(`${FIELDS[code]}${suffix}/displayName`) ?? fields(`${FIELDS[code]}/displayName`), code];
    }
  }
}

const states = new WeakMap();
class DisplayNames {
  constructor(locales, options) {
    const requested = locale.canonicalList(locales);
    if (!locale.isObject(options)) throw new TypeError('Incorrect DisplayNames information provided');
    locale.matcher(options);
    const found = locale.resolve(requested);
    const style = locale.option(options, 'style', ['narrow', 'short', 'long'], 'long');
    const type = locale.option(options, 'type', ['language', 'region', 'script', 'currency', 'calendar', 'dateTimeField']);
    if (type === undefined) throw new TypeError('Required option "type" must not be undefined');
    const fallback = locale.option(options, 'fallback', ['code', 'none'], 'code');
    const languageDisplay = locale.option(options, 'languageDisplay', ['dialect', 'standard'], 'dialect');
    states.set(this, { ...found, style, type, fallback, languageDisplay });
  }
  of(code) {
    const state = locale.held(states, this, 'Intl.DisplayNames.prototype.of');
    const [name, shown] = nameOf(state, code);
    return name ?? (state.fallback === 'none' ? undefined : shown);
  }
  resolvedOptions() {
    const { locale: name, style, type, fallback, languageDisplay } = locale.held(states, this, 'Intl.DisplayNames.prototype.resolvedOptions');
    return { locale: name, style, type, fallback, ...(type === 'language' ? { languageDisplay } : {}) };
  }
}

module.exports = { DisplayNames: locale.define('DisplayNames', DisplayNames, { length: 2 }) };
