// Intl and the methods that speak a language, over languages and options. Of formatRangeToParts dates are
// compared with the source of each part, numbers not at all: V8 says of some parts that they belong to both.
import { args, check, random } from './cases.mjs';

const rng = random(16);
const LOCALES = ['en', 'en-GB', 'en-IN', 'zh-CN', 'zh-TW', 'de', 'de-AT', 'de-CH', 'fr', 'ja', 'ko', 'es', 'es-MX', 'pt-BR', 'pt-PT', 'it', 'ru', 'uk', 'pl', 'cs', 'sv', 'da', 'fi', 'nl', 'tr', 'el', 'hu', 'he', 'ar', 'hi', 'bn', 'vi', 'id'];
const ZONES = ['UTC', 'America/New_York', 'Asia/Shanghai', 'Europe/London', 'Asia/Kolkata', 'Europe/Berlin', 'Asia/Tokyo', '+05:30', 'America/Sao_Paulo', 'Australia/Sydney', 'America/Los_Angeles'];
const locale = () => rng.pick(LOCALES);
/** Both ways of asking, and what was resolved. */
function both(name, Type, given, value) {
  const formatter = new Type(...given);
  check(`${name}(${args(...given)}).format(${args(value)})`, () => formatter.format(value));
  if (rng.chance(0.3)) check(`${name}(${args(...given)}).formatToParts(${args(value)})`, () => formatter.formatToParts(value));
  if (rng.chance(0.1)) check(`${name}(${args(...given)}).resolvedOptions()`, () => formatter.resolvedOptions());
}

const STYLES = [
  {}, {}, { style: 'percent' }, { style: 'currency', currency: 'USD' }, { style: 'currency', currency: 'EUR', currencyDisplay: 'code' }, { style: 'currency', currency: 'JPY', currencyDisplay: 'name' },
  { style: 'currency', currency: 'CNY', currencySign: 'accounting' }, { style: 'currency', currency: 'GBP', currencyDisplay: 'narrowSymbol' }, { style: 'currency', currency: 'CHF' },
  { style: 'currency', currency: 'INR', currencyDisplay: 'name' }, { style: 'unit', unit: 'kilometer' }, { style: 'unit', unit: 'liter', unitDisplay: 'narrow' },
  { style: 'unit', unit: 'megabyte-per-second' }, { style: 'unit', unit: 'celsius' }, { style: 'unit', unit: 'percent' }, { style: 'unit', unit: 'day', unitDisplay: 'long' },
];
const WAYS = [
  {}, {}, {}, { signDisplay: 'always' }, { signDisplay: 'exceptZero' }, { signDisplay: 'negative' }, { signDisplay: 'never' }, { notation: 'compact' }, { notation: 'compact', compactDisplay: 'long' },
  { notation: 'scientific' }, { notation: 'engineering' }, { maximumFractionDigits: 1 }, { minimumFractionDigits: 4 }, { maximumSignificantDigits: 3 }, { minimumSignificantDigits: 5 },
  { useGrouping: false }, { useGrouping: 'min2' }, { useGrouping: 'always' }, { minimumIntegerDigits: 5 }, { roundingIncrement: 5, maximumFractionDigits: 2, minimumFractionDigits: 2 },
  { roundingMode: 'floor', maximumFractionDigits: 0 }, { roundingMode: 'halfEven', maximumFractionDigits: 0 }, { roundingPriority: 'morePrecision', maximumFractionDigits: 1, maximumSignificantDigits: 3 },
  { roundingPriority: 'lessPrecision', maximumFractionDigits: 1, maximumSignificantDigits: 3 }, { trailingZeroDisplay: 'stripIfInteger' }, { numberingSystem: 'hanidec' }, { numberingSystem: 'deva' },
];
const number = () => rng.pick([0, -0, 1, -1, 2, 5, 10, 1.5, 0.5, 2.5, -2.5, 1234, -1234.567, 12345.678, 123456, 999999, 1e6, 1.5e6, 1e9, 1234567890123, 1e15, 1e21, 0.00001234, NaN, Infinity, -Infinity, 0.999, 999.95, 123456789012345678901234567890n, '1e-7', '12345678901234567890.123', rng.next() * 1e6, -rng.next() * 100, rng.next(), rng.int(0, 20000)]);
for (let n = 0; n < 2400; n++) {
  const [style, way] = [rng.pick(STYLES), rng.pick(WAYS)];
  const given = [locale(), { ...style, ...way }];
  both('NumberFormat', Intl.NumberFormat, given, number());
  if (n % 6 === 0 && style.currencyDisplay !== 'name' && !style.unit && way.notation === undefined) {
    const [from, to] = [number(), number()];
    check(`NumberFormat(${args(...given)}).formatRange(${args(from, to)})`, () => new Intl.NumberFormat(...given).formatRange(from, to));
  }
}

const DATES = [[], ['year', 'month', 'day'], ['weekday', 'year', 'month', 'day'], ['month', 'day'], ['year', 'month'], ['weekday'], ['year'], ['month'], ['day'], ['weekday', 'month', 'day'], ['era', 'year', 'month', 'day']];
const TIMES = [[], [], ['hour'], ['hour', 'minute'], ['hour', 'minute', 'second'], ['hour', 'minute', 'timeZoneName'], ['hour', 'minute', 'second', 'timeZoneName'], ['hour', 'minute', 'second', 'fractionalSecondDigits'], ['hour', 'minute', 'dayPeriod']];
const NAMES = ['long', 'short', 'narrow'];
const DIGITS = ['numeric', '2-digit'];
const VALUES = {
  weekday: NAMES, era: NAMES, year: DIGITS, month: [...DIGITS, ...NAMES], day: DIGITS, hour: DIGITS, minute: DIGITS, second: DIGITS, fractionalSecondDigits: [1, 2, 3], dayPeriod: NAMES,
  timeZoneName: ['short', 'long', 'shortOffset', 'longOffset', 'shortGeneric', 'longGeneric'],
};
const LENGTHS = ['full', 'long', 'medium', 'short'];
const time = () => rng.pick([0, 1e12, 1704067200000, 1719835199999, 1234567890123, -1e12, rng.int(0, 2e12), rng.int(0, 2e12)]);
function dateOptions() {
  const options = { timeZone: rng.pick(ZONES) };
  if (rng.chance(0.3)) {
    if (rng.chance(0.7)) options.dateStyle = rng.pick(LENGTHS);
    if (rng.chance(0.6) || !options.dateStyle) options.timeStyle = rng.pick(LENGTHS);
  } else for (const name of [...rng.pick(DATES), ...rng.pick(TIMES)]) options[name] = rng.pick(VALUES[name]);
  if (rng.chance(0.15)) options.hour12 = rng.chance(0.5);
  else if (rng.chance(0.15)) options.hourCycle = rng.pick(['h11', 'h12', 'h23', 'h24']);
  return options;
}
for (let n = 0; n < 2400; n++) {
  const given = [locale(), dateOptions()];
  const formatter = new Intl.DateTimeFormat(...given);
  const value = time();
  check(`DateTimeFormat(${args(...given)}).format(${value})`, () => formatter.format(value));
  if (rng.chance(0.3)) check(`DateTimeFormat(${args(...given)}).formatToParts(${value})`, () => formatter.formatToParts(value));
  if (rng.chance(0.5) && !given[1].dayPeriod) {
    const later = value + rng.pick([0, 1000, 6e4, 36e5, 18e6, 864e5, 1036800e3, 3888e6, 3456e7]);
    check(`DateTimeFormat(${args(...given)}).formatRange(${value}, ${later})`, () => formatter.formatRange(value, later));
    if (rng.chance(0.2)) check(`DateTimeFormat(${args(...given)}).formatRangeToParts(${value}, ${later})`, () => formatter.formatRangeToParts(value, later));
  }
  // What is resolved of fields that were repaired is read from the pattern in V8, and not from its fields.
  if (rng.chance(0.3) && (given[1].dateStyle || given[1].timeStyle)) check(`DateTimeFormat(${args(...given)}).resolvedOptions()`, () => formatter.resolvedOptions());
}

for (const at of LOCALES) {
  for (const type of ['cardinal', 'ordinal']) {
    for (const value of [0, 1, 2, 3, 4, 5, 11, 21, 101, 1.5, 1000000]) check(`PluralRules(${args(at, type)}).select(${value})`, () => new Intl.PluralRules(at, { type }).select(value));
  }
  for (const style of NAMES) {
    for (const type of ['conjunction', 'disjunction', 'unit']) {
      for (const list of [[], ['a'], ['a', 'b'], ['a', 'b', 'c'], ['a', 'b', 'c', 'd'], ['Juan', 'Inés'], ['siete', 'ocho']]) check(`ListFormat(${args(at, type, style)}).format(${args(list)})`, () => new Intl.ListFormat(at, { type, style }).format(list));
      check(`ListFormat(${args(at, type, style)}).formatToParts`, () => new Intl.ListFormat(at, { type, style }).formatToParts(['x', 'y', 'z']));
    }
    for (const unit of ['second', 'minutes', 'hour', 'day', 'week', 'month', 'quarters', 'year']) {
      const given = [at, { style, numeric: rng.pick(['auto', 'always']) }];
      const value = rng.pick([0, -0, 1, -1, 2, -2, 3, 5.5, -1234, 21]);
      check(`RelativeTimeFormat(${args(...given)}).format(${args(value, unit)})`, () => new Intl.RelativeTimeFormat(...given).format(value, unit));
      check(`RelativeTimeFormat(${args(...given)}).formatToParts(${args(value, unit)})`, () => new Intl.RelativeTimeFormat(...given).formatToParts(value, unit));
    }
  }
  for (const [type, codes] of Object.entries({
    language: ['en', 'zh-Hans', 'zh-Hant-TW', 'fr-CA', 'sr-Latn-RS', 'xx', 'pt-BR', 'nl-BE'], region: ['US', 'CN', 'DE', '419', 'XX', 'TW'], script: ['Latn', 'Hans', 'Cyrl', 'Xxxx'],
    currency: ['USD', 'EUR', 'CNY', 'XYZ', 'JPY'], calendar: ['gregory', 'iso8601', 'chinese'], dateTimeField: ['era', 'year', 'quarter', 'month', 'weekOfYear', 'weekday', 'day', 'dayPeriod', 'hour', 'minute', 'second', 'timeZoneName'],
  })) for (const code of codes) check(`DisplayNames(${args(at, type)}).of(${code})`, () => new Intl.DisplayNames(at, { type }).of(code));
  check(`Locale(${at}), what is usual there`, () => {
    const found = new Intl.Locale(at);
    return ['weekInfo', 'textInfo', 'hourCycles', 'numberingSystems', 'calendars'].map((name) => JSON.stringify(found[name]));
  });
  const words = ['z', 'a', 'ä', 'Ä', 'A', 'ö', 'o', 'å', 'ñ', 'n', 'ch', 'cz', 'd', 'Z', '10', '9', '中', '文', '国', 'あ', 'ア', 'é', 'e', 'E', ' ', '-', 'ß', 'ss', 'α', 'я', 'א', 'ب'];
  for (const options of [{}, { numeric: true }, { sensitivity: 'base' }, { caseFirst: 'upper' }, { ignorePunctuation: true }]) {
    check(`Collator(${args(at, options)})`, () => [...words].sort(new Intl.Collator(at, options).compare));
    check(`Collator(${args(at, options)}).resolvedOptions()`, () => new Intl.Collator(at, options).resolvedOptions());
  }
  check(`toLocaleString(${at})`, () => [(1234.5).toLocaleString(at), 12345678901234567890n.toLocaleString(at), [1.5, 2000].toLocaleString(at), new Float64Array([1.5, 2000]).toLocaleString(at)]);
  check(`Date(${at})`, () => ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'].map((name) => new Date(1e12)[name](at, { timeZone: 'Asia/Shanghai' })));
  check(`localeCompare(${at})`, () => words.map((word) => Math.sign(word.localeCompare('m', at))));
}
for (const granularity of ['grapheme', 'word', 'sentence']) {
  for (const text of ['Hello, world. How are you? 3.14!', '我们去北京大学。今天天气好！', 'こんにちは世界。', '👩‍🔬🇩🇪é', 'สวัสดีชาวโลก', '', 'a\r\nb']) {
    check(`Segmenter(${args(granularity, text)})`, () => [...new Intl.Segmenter('en', { granularity }).segment(text)]);
    check(`Segmenter(${args(granularity, text)}).containing`, () => new Intl.Segmenter('en', { granularity }).segment(text).containing(3));
  }
}
for (const tag of ['EN-us', 'iw', 'zh-hans-cn', 'cmn', 'en-u-ca-gregory-nu-latn', 'x', 'en--us', '', 'de-1996', 'sl-rozaj-biske', 'ru-u-nu-arab-ca-buddhist', 'no', 'sr-Latn', 'en-a-bbb-x-a', 'und']) {
  check(`getCanonicalLocales(${args(tag)})`, () => Intl.getCanonicalLocales(tag));
  check(`Locale(${args(tag)})`, () => {
    const { language, script, region, baseName, calendar, numberingSystem, numeric } = new Intl.Locale(tag);
    return [language, script, region, baseName, calendar, numberingSystem, numeric, new Intl.Locale(tag).maximize().toString(), new Intl.Locale(tag).minimize().toString()];
  });
  check(`supportedLocalesOf(${args(tag)})`, () => Intl.NumberFormat.supportedLocalesOf(tag));
}
for (const key of ['collation', 'numberingSystem', 'timeZone', 'unit', 'none']) check(`supportedValuesOf(${key})`, () => Intl.supportedValuesOf(key));
for (const work of [
  () => new Intl.NumberFormat('en', { style: 'currency' }), () => new Intl.NumberFormat('en', { currency: 'x' }), () => new Intl.NumberFormat('en', { maximumFractionDigits: 101 }),
  () => new Intl.DateTimeFormat('en', { timeZone: 'Mars/Base' }), () => new Intl.DateTimeFormat('en', { dateStyle: 'long', day: 'numeric' }), () => new Intl.DateTimeFormat('en').format(NaN),
  () => Intl.Collator.call(null, 'en').compare('a', 'b'), () => Intl.PluralRules(), () => new Intl.ListFormat('en').format([1]), () => new Intl.RelativeTimeFormat('en').format(1, 'eon'),
  () => Object.prototype.toString.call(Intl), () => Object.prototype.toString.call(new Intl.NumberFormat()), () => Intl.NumberFormat.length, () => Intl.NumberFormat.name, () => Intl.NumberFormat() instanceof Intl.NumberFormat,
  () => Object.getOwnPropertyNames(Intl.NumberFormat.prototype).sort(), () => Number.prototype.toLocaleString.length, () => String.prototype.localeCompare.length, () => new Date(NaN).toLocaleString(), () => 'İI'.toLocaleLowerCase('tr'), () => 'iı'.toLocaleUpperCase('tr'),
]) check(String(work), work);
