// Collator: the order is the native half's.
const locale = require('internal/intl/locale');

const COLLATIONS = new Set(['compat', 'dict', 'emoji', 'eor', 'phonebk', 'phonetic', 'pinyin', 'searchjl', 'stroke', 'trad', 'unihan', 'zhuyin']);
const KINDS = { compat: ['ar'], phonebk: ['de'], trad: ['es', 'fi', 'sv', 'kn', 'vi', 'bn', 'si'], pinyin: ['zh'], stroke: ['zh'], unihan: ['ja', 'ko', 'zh'], zhuyin: ['zh'], searchjl: ['ko'], dict: ['si'], phonetic: ['ln'] };
const accepts = (name, data) => COLLATIONS.has(name) && (!(name in KINDS) || KINDS[name].includes(data.split('-')[0]));
// The countries and scripts that ICU has an order of their own for; all others have their language's.
const OWN = new Set(`ar-SA bs-Cyrl de-AT fa-AF ff-Adlm fr-CA kk-Arab pa-Guru sr-Cyrl sr-Cyrl-BA sr-Cyrl-ME sr-Latn sr-Latn-BA zh-Hans zh-Hans-SG zh-Hant zh-Hant-HK zh-Hant-MO en-US
he-IL id-ID nb-NO pa-Guru-IN sr-Cyrl-RS sr-Latn-RS zh-Hans-CN zh-Hant-TW sr-BA sr-ME zh-SG zh-HK zh-MO pa-IN sr-RS zh-CN zh-TW`.split(/\s+/));
const FIRST = ['upper', 'lower', 'false'];

function create(locales, options) {
  const requested = locale.canonicalList(locales);
  const given = locale.coerced(options);
  const usage = locale.option(given, 'usage', ['sort', 'search'], 'sort');
  locale.matcher(given);
  const collation = locale.keyword(given, 'collation');
  const numeric = given.numeric === undefined ? undefined : String(Boolean(given.numeric));
  const caseFirst = locale.option(given, 'caseFirst', FIRST);
  const found = locale.resolve(requested, {
    co: { option: collation, usual: () => 'default', accepts },
    kn: { option: numeric, usual: () => 'false', accepts: (value) => value === 'true' || value === 'false' },
    kf: { option: caseFirst, usual: (data) => (['da', 'mt'].includes(data) ? 'upper' : 'false'), accepts: (value) => FIRST.includes(value) },
  });
  const [bare] = locale.split(found.locale);
  if (!OWN.has(bare)) found.locale = found.locale.replace(bare, bare.split('-')[0]);
  const sensitivity = locale.option(given, 'sensitivity', ['base', 'accent', 'case', 'variant'], 'variant');
  const ignorePunctuation = locale.truth(given, 'ignorePunctuation', found.data.split('-')[0] === 'th');
  const state = { ...found, usage, sensitivity, ignorePunctuation };
  const keywords = { kn: found.kn, ...(found.kf === 'false' ? {} : { kf: found.kf }), ...(found.co === 'default' ? {} : { co: found.co }) };
  const compare = native.collator(locale.join(bare, { ...keywords, kn: found.kn === 'true' ? 'true' : 'false' }), sensitivity, ignorePunctuation);
  state.compare = (left, right) => compare(String(left).toWellFormed(), String(right).toWellFormed());
  return state;
}

const states = new WeakMap();
const bound = new WeakMap();
class Collator {
  constructor(locales, options) {
    states.set(this, create(locales, options));
  }
  get compare() {
    const state = locale.held(states, this, 'get Intl.Collator.prototype.compare');
    if (!bound.has(this)) bound.set(this, Object.defineProperty((x, y) => state.compare(x, y), 'name', { value: '' }));
    return bound.get(this);
  }
  resolvedOptions() {
    const { locale: name, usage, sensitivity, ignorePunctuation, co, kn, kf } = locale.held(states, this, 'Intl.Collator.prototype.resolvedOptions');
    return { locale: name, usage, sensitivity, ignorePunctuation, collation: co, numeric: kn === 'true', caseFirst: kf };
  }
}

module.exports = { KINDS, Collator: locale.define('Collator', Collator, { callable: true }), COLLATIONS, create };
