// Which locale is meant: lists, negotiation and the keywords of `-u-`, as ECMA-402 has them. Tags are
// made canonical by the native half. "best fit" is "lookup".
const { supplemental, parentOf } = require('internal/intl/data');

const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
const known = new Map();

function canonical(tag) {
  if (!known.has(tag)) {
    const found = native.canonical(tag);
    if (typeof found !== 'string') throw new RangeError(`Incorrect locale information provided`);
    if (known.size > 1000) known.clear();
    known.set(tag, found);
  }
  return known.get(tag);
}

function canonicalList(locales) {
  if (locales === undefined) return [];
  if (locales === null) throw new TypeError('Cannot convert undefined or null to object');
  const { isLocale } = require('internal/intl/locale_class');
  if (typeof locales === 'string' || isLocale(locales)) return [canonical(String(locales))];
  const list = Object(locales);
  const seen = [];
  for (let n = 0, { length } = list; n < length; n++) {
    if (!(n in list)) continue;
    const value = list[n];
    if (typeof value !== 'string' && !isObject(value)) throw new TypeError('Incorrect locale information provided');
    const tag = canonical(String(value));
    if (!seen.includes(tag)) seen.push(tag);
  }
  return seen;
}

/** `[tag without its -u-, {keyword: value}, attributes]`. */
function split(tag) {
  const cut = tag.search(/-x-/);
  const head = cut < 0 ? tag : tag.slice(0, cut);
  const found = /-u((?:-[a-z0-9]{2,8})+)/i.exec(head);
  if (!found) return [tag, {}, []];
  const keywords = {};
  const attributes = [];
  let key;
  for (const part of found[1].slice(1).split('-')) {
    if (part.length === 2) {
      key = part;
      if (!(key in keywords)) keywords[key] = '';
    } else if (key === undefined) attributes.push(part);
    else keywords[key] += keywords[key] ? `-${part}` : part;
  }
  return [head.slice(0, found.index) + head.slice(found.index + found[0].length) + (cut < 0 ? '' : tag.slice(cut)), keywords, attributes];
}

/** The tag with a `-u-` of these keywords. */
function join(tag, keywords, attributes = []) {
  const names = Object.keys(keywords).sort();
  if (names.length === 0 && attributes.length === 0) return tag;
  const extension = ['u', ...attributes, ...names.map((name) => (keywords[name] && keywords[name] !== 'true' ? `${name}-${keywords[name]}` : name))].join('-');
  const cut = /-(?:[v-z]|x)-/.exec(tag)?.index ?? tag.length;
  return `${tag.slice(0, cut)}-${extension}${tag.slice(cut)}`;
}

let available;
function isAvailable(tag) {
  available ??= new Set(supplemental('locales').available);
  return available.has(tag);
}

function bestAvailable(tag) {
  for (let at = tag; ;) {
    if (isAvailable(at)) return at;
    let cut = at.lastIndexOf('-');
    if (cut < 0) return undefined;
    if (at[cut - 2] === '-') cut -= 2;
    at = at.slice(0, cut);
  }
}

const dataLocales = new Map();
/** The locale whose data serves an available one: zh for zh-CN, zh-Hant for zh-TW. */
function dataLocale(tag) {
  if (!dataLocales.has(tag)) {
    const has = new Set(supplemental('locales').locales);
    const find = () => {
      if (has.has(tag)) return tag;
      const [language, ...rest] = native.maximized(tag).split('-');
      const [script, region] = rest;
      const simple = native.maximized(language).split('-')[1] === script;
      for (const name of simple ? [`${language}-${script}-${region}`, `${language}-${region}`, `${language}-${script}`] : [`${language}-${script}-${region}`, `${language}-${script}`]) {
        if (has.has(name)) return name;
      }
      return has.has(language) ? language : 'und';
    };
    dataLocales.set(tag, find());
  }
  return dataLocales.get(tag);
}

let standard;
/** What the environment says, or English. */
function defaultLocale() {
  if (standard === undefined) {
    standard = 'en-US';
    const named = native.language.split(/[.@]/)[0].replaceAll('_', '-');
    if (named && named !== 'C' && named !== 'POSIX') {
      const tag = native.canonical(named);
      standard = (typeof tag === 'string' && bestAvailable(tag)) || 'en-US';
    }
  }
  return standard;
}

/** `keys` is `{nu: {option, values: (data) => [the usual one, …], accepts}}`; the result has each key's value. */
function resolve(requested, keys = {}) {
  let found;
  let keywords = {};
  for (const tag of requested) {
    const [bare, own] = split(tag);
    found = bestAvailable(bare);
    if (found) {
      keywords = own;
      break;
    }
  }
  found ??= defaultLocale();
  const data = dataLocale(found);
  const result = { data, keywords };
  const kept = {};
  for (const [key, { option, usual, accepts }] of Object.entries(keys)) {
    let value = usual(data, found);
    const asked = keywords[key];
    if (asked !== undefined) {
      const wanted = asked === '' ? 'true' : asked;
      if (accepts(wanted, data)) {
        value = wanted;
        kept[key] = asked;
      }
    }
    if (option !== undefined && accepts(option, data) && option !== value) {
      value = option;
      delete kept[key];
    }
    result[key] = value;
  }
  result.locale = join(found, kept);
  return result;
}

function supportedLocalesOf(locales, options) {
  const list = canonicalList(locales);
  if (options !== undefined) option(coerced(options), 'localeMatcher', ['lookup', 'best fit'], 'best fit');
  return list.filter((tag) => bestAvailable(split(tag)[0]) !== undefined);
}

/** GetOptionsObject. */
function objectOf(options) {
  if (options === undefined) return Object.create(null);
  if (!isObject(options)) throw new TypeError('Incorrect options information provided');
  return options;
}
/** CoerceOptionsToObject. */
function coerced(options) {
  if (options === undefined) return Object.create(null);
  if (options === null) throw new TypeError('Cannot convert undefined or null to object');
  return Object(options);
}
/** GetOption for text. */
function option(options, name, values, usual) {
  let value = options[name];
  if (value === undefined) return usual;
  value = String(value);
  if (values && !values.includes(value)) throw new RangeError(`Value ${value} out of range for Intl options property ${name}`);
  return value;
}
function truth(options, name, usual) {
  const value = options[name];
  return value === undefined ? usual : Boolean(value);
}
function number(value, name, least, most, usual) {
  if (value === undefined) return usual;
  const given = Number(value);
  if (!(given >= least && given <= most)) throw new RangeError(`${name} value is out of range.`);
  return Math.floor(given);
}
/** A keyword's value given as an option. */
function keyword(options, name) {
  const value = option(options, name);
  if (value !== undefined && !/^[a-z0-9]{3,8}(-[a-z0-9]{3,8})*$/i.test(value)) throw new RangeError(`Invalid ${name} : ${value}`);
  return value?.toLowerCase();
}
const matcher = (options) => option(options, 'localeMatcher', ['lookup', 'best fit'], 'best fit');

const numbering = {
  usual: (data) => {
    const name = require('internal/intl/data').reader('numbers', data)('defaultNumberingSystem') ?? 'latn';
    return name in supplemental('systems') ? name : 'latn';
  },
  accepts: (name) => name in supplemental('systems'),
};

/** A class of Intl: hidden state by `WeakMap`, and the members that every one has. */
function define(name, type, { length = 0, callable = false, statics = true } = {}) {
  Object.defineProperty(type, 'length', { value: length, configurable: true });
  let made = type;
  if (callable) {
    made = function (locales, options) {
      return Reflect.construct(type, [locales, options], new.target ?? made);
    };
    Object.defineProperty(made, 'length', { value: 0, configurable: true });
    Object.defineProperty(made, 'prototype', { value: type.prototype, writable: false });
    Object.defineProperty(type.prototype, 'constructor', { value: made, writable: true, configurable: true });
    Object.setPrototypeOf(made, Function.prototype);
  }
  Object.defineProperty(made, 'name', { value: name, configurable: true });
  Object.defineProperty(made.prototype, Symbol.toStringTag, { value: `Intl.${name}`, configurable: true });
  if (statics) {
    const own = { supportedLocalesOf: (locales, options) => supportedLocalesOf(locales, options) };
    Object.defineProperty(own.supportedLocalesOf, 'length', { value: 1, configurable: true });
    Object.defineProperty(made, 'supportedLocalesOf', { value: own.supportedLocalesOf, writable: true, configurable: true });
  }
  return made;
}
/** The state behind an object of a class. */
function held(states, object, method) {
  const state = states.get(object);
  if (state === undefined) throw new TypeError(`Method ${method} called on incompatible receiver ${typeof object === 'symbol' ? 'Symbol()' : String(object)}`);
  return state;
}

module.exports = {
  bestAvailable, canonical, canonicalList, coerced, dataLocale, define, defaultLocale, held, isObject, join, keyword, matcher, number, numbering, objectOf, option, parentOf,
  resolve, split, supportedLocalesOf, truth, maximized: (tag) => (tag === 'und' ? 'en-Latn-US' : native.maximized(tag)), minimized: (tag) => (tag === 'und' ? 'en' : native.minimized(tag)),
};
