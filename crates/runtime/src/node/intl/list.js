// ListFormat.
const { reader } = require('internal/intl/data');
const locale = require('internal/intl/locale');

const KINDS = { conjunction: 'standard', disjunction: 'or', unit: 'unit' };

/** Before these words Spanish says e for y and u for o, and Hebrew joins with a hyphen. */
function exception(data, pattern, next) {
  const language = data.split('-')[0];
  if (language === 'es' && pattern === '{0} y {1}' && /^(?:hi(?!a|e)|i)/i.test(next)) return '{0} e {1}';
  if (language === 'es' && pattern === '{0} o {1}' && /^(?:o|ho|8|11(?!\d)|11(?=\d{3}(?:\d{3})*(?!\d)))/i.test(next)) return '{0} u {1}';
  if (language === 'he' && pattern === '{0} ו{1}' && !/^\p{Script=Hebrew}/u.test(next)) return '{0} ו-{1}';
  return pattern;
}

/** Parts `[type, text]`; an element may itself be a list of parts. */
function joined(data, type, style, elements) {
  const read = reader('lists', data);
  const kind = `listPattern-type-${KINDS[type]}${style === 'long' ? '' : `-${style}`}`;
  const at = (name) => read(`${kind}/${name}`);
  const element = (value) => [['element', value]];
  if (elements.length === 0) return [];
  const fill = (pattern, left, right) => {
    const cut = pattern.split(/(\{[01]\})/);
    return cut.flatMap((part) => (part === '{0}' ? left : part === '{1}' ? right : part ? [['literal', part]] : []));
  };
  if (elements.length === 1) return element(elements[0]);
  const last = elements.at(-1);
  const spoken = (value) => (typeof value === 'string' ? value : value.map(([, text]) => text).join(''));
  if (elements.length === 2) return fill(exception(data, at('2'), spoken(last)), element(elements[0]), element(last));
  let parts = fill(at('start'), element(elements[0]), element(elements[1]));
  for (let n = 2; n < elements.length - 1; n++) parts = fill(at('middle'), parts, element(elements[n]));
  return fill(exception(data, at('end'), spoken(last)), parts, element(last));
}

function strings(iterable) {
  if (iterable === undefined) return [];
  const list = [];
  for (const value of iterable) {
    if (typeof value !== 'string') throw new TypeError('Iterable yielded a non-String value');
    list.push(value);
  }
  return list;
}

const states = new WeakMap();
class ListFormat {
  constructor(locales, options) {
    const requested = locale.canonicalList(locales);
    const given = locale.objectOf(options);
    locale.matcher(given);
    const found = locale.resolve(requested);
    const type = locale.option(given, 'type', ['conjunction', 'disjunction', 'unit'], 'conjunction');
    const style = locale.option(given, 'style', ['long', 'short', 'narrow'], 'long');
    states.set(this, { ...found, type, style });
  }
  format(list) {
    const { data, type, style } = locale.held(states, this, 'Intl.ListFormat.prototype.format');
    return joined(data, type, style, strings(list)).map(([, text]) => text).join('');
  }
  formatToParts(list) {
    const { data, type, style } = locale.held(states, this, 'Intl.ListFormat.prototype.formatToParts');
    return joined(data, type, style, strings(list)).map(([kind, value]) => ({ type: kind, value }));
  }
  resolvedOptions() {
    const { locale: name, type, style } = locale.held(states, this, 'Intl.ListFormat.prototype.resolvedOptions');
    return { locale: name, type, style };
  }
}

module.exports = { ListFormat: locale.define('ListFormat', ListFormat), joined };
