// RelativeTimeFormat.
const { reader } = require('internal/intl/data');
const locale = require('internal/intl/locale');
const decimal = require('internal/intl/decimal');
const numbers = require('internal/intl/number');
const { pieces, tidy } = require('internal/intl/number_patterns');

const UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'];

function partsOf(state, value, unitGiven) {
  const number = Number(value);
  const unit = String(unitGiven).replace(/s$/, '');
  if (!UNITS.includes(unit)) throw new RangeError(`Invalid unit argument for Intl.RelativeTimeFormat.prototype.format() '${String(unitGiven)}'`);
  if (!Number.isFinite(number)) throw new RangeError('Invalid number value');
  const read = reader('fields', state.data);
  const field = state.style === 'long' ? unit : `${unit}-${state.style}`;
  if (state.numeric === 'auto') {
    // The last day but one has a name in some languages; nothing has one beyond.
    const own = Math.abs(number) <= 2 && Number.isInteger(number) && read(`${field}/relative-type-${Object.is(number, -0) ? 0 : number}`);
    if (own) return [{ type: 'literal', value: own }];
  }
  const past = number < 0 || Object.is(number, -0);
  const { plural, before, digits, after } = pieces(state.numbers, decimal.from(Math.abs(number)));
  const kind = `${field}/relativeTime-type-${past ? 'past' : 'future'}/relativeTimePattern-count-`;
  const pattern = read(kind + plural()) ?? read(`${kind}other`);
  const [left, right] = pattern.split('{0}');
  const parts = [];
  if (left) parts.push({ type: 'literal', value: left });
  if (right !== undefined) for (const [type, text] of tidy([...before, ...digits, ...after])) parts.push({ type, value: text, unit });
  if (right) parts.push({ type: 'literal', value: right });
  return parts;
}

const states = new WeakMap();
class RelativeTimeFormat {
  constructor(locales, options) {
    const requested = locale.canonicalList(locales);
    const given = locale.coerced(options);
    locale.matcher(given);
    const found = locale.resolve(requested, { nu: { option: locale.keyword(given, 'numberingSystem'), ...locale.numbering } });
    const style = locale.option(given, 'style', ['long', 'short', 'narrow'], 'long');
    const numeric = locale.option(given, 'numeric', ['always', 'auto'], 'always');
    states.set(this, { ...found, style, numeric, numbers: numbers.create(found.locale, { numberingSystem: found.nu }) });
  }
  format(value, unit) {
    return partsOf(locale.held(states, this, 'Intl.RelativeTimeFormat.prototype.format'), value, unit).map((part) => part.value).join('');
  }
  formatToParts(value, unit) {
    return partsOf(locale.held(states, this, 'Intl.RelativeTimeFormat.prototype.formatToParts'), value, unit);
  }
  resolvedOptions() {
    const { locale: name, style, numeric, nu } = locale.held(states, this, 'Intl.RelativeTimeFormat.prototype.resolvedOptions');
    return { locale: name, style, numeric, numberingSystem: nu };
  }
}

module.exports = { RelativeTimeFormat: locale.define('RelativeTimeFormat', RelativeTimeFormat) };
