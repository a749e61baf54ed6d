// The object `Intl`, and the methods of other objects that speak a language. Each class is read when
// it is first touched.
const locale = () => require('internal/intl/locale');

const CLASSES = {
  Collator: 'collator', DateTimeFormat: 'date', DisplayNames: 'display_names', ListFormat: 'list', Locale: 'locale_class', NumberFormat: 'number', PluralRules: 'plural',
  RelativeTimeFormat: 'relative', Segmenter: 'segmenter',
};
const Intl = {};
Object.defineProperty(Intl, Symbol.toStringTag, { value: 'Intl', configurable: true });
for (const [name, module_] of Object.entries(CLASSES)) {
  const put = (value) => Object.defineProperty(Intl, name, { value, writable: true, configurable: true, enumerable: false });
  Object.defineProperty(Intl, name, {
    configurable: true,
    get() {
      const value = require(`internal/intl/${module_}`)[name];
      put(value);
      return value;
    },
    set: put,
  });
}
const methods = {
  getCanonicalLocales(locales) {
    return locale().canonicalList(locales);
  },
  supportedValuesOf(key) {
    return require('internal/intl/supported').valuesOf(String(key));
  },
};
for (const [name, value] of Object.entries(methods)) Object.defineProperty(Intl, name, { value, writable: true, configurable: true });
Object.defineProperty(methods.getCanonicalLocales, 'length', { value: 1 });

// Formatters without options of their own are asked for again and again.
const kept = new Map();
function cached(kind, locales, options, make) {
  if (options !== undefined || (locales !== undefined && typeof locales !== 'string')) return make();
  const key = `${kind} ${locales}`;
  if (!kept.has(key)) {
    if (kept.size > 100) kept.clear();
    kept.set(key, make());
  }
  return kept.get(key);
}

function numberText(value, locales, options) {
  const numbers = require('internal/intl/number');
  return numbers.format(cached('number', locales, options, () => numbers.create(locales, options)), value);
}
function dateText(date, required, defaults, locales, options) {
  const dates = require('internal/intl/date');
  const time = Date.prototype.getTime.call(date);
  const state = cached(required, locales, options, () => dates.create(locales, options, required, defaults));
  return Number.isNaN(time) ? 'Invalid Date' : dates.format(state, time);
}
function comparison(left, right, locales, options) {
  const { create } = require('internal/intl/collator');
  return cached('collator', locales, options, () => create(locales, options)).compare(left, right);
}
function cased(method, text, locales) {
  const [tag] = locale().canonicalList(locales);
  const language = (tag ?? locale().defaultLocale()).split('-')[0];
  return method(text, language);
}
const upper = (text, language) => {
  if (language === 'tr' || language === 'az') return text.replaceAll('i', 'İ').toUpperCase();
  if (language === 'lt') return text.replace(/([ij\u012f])\u0307/gi, '$1').toUpperCase();
  if (language === 'el') return text.normalize('NFD').replace(/(?<=\p{Script=Greek}\p{M}*)[\u0300\u0301\u0304\u0306\u0313\u0314\u0342\u0343]/gu, '').normalize('NFC').toUpperCase();
  return text.toUpperCase();
};
const lower = (text, language) => (language === 'tr' || language === 'az' ? text.replaceAll('I\u0307', 'i').replaceAll('İ', 'i').replaceAll('I', 'ı').toLowerCase() : text.toLowerCase());

module.exports = { Intl, numberText, dateText, comparison, upper: (text, locales) => cased(upper, text, locales), lower: (text, locales) => cased(lower, text, locales) };
