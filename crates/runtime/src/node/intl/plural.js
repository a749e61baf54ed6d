// PluralRules: CLDR's rules, read once for a language.
const { supplemental } = require('internal/intl/data');
const locale = require('internal/intl/locale');
const decimal = require('internal/intl/decimal');

const rules = new Map();
const ALL = ['few', 'many', 'one', 'two', 'zero', 'other'];

function condition(text) {
  const [, operand, modulus, not, values] = /^([nivwftce])(?:\s*%\s*(\d+))?\s*(!?=)\s*(.+)$/.exec(text.trim());
  const ranges = values.split(',').map((part) => part.trim().split('..').map(Number));
  return (operands) => {
    const value = modulus ? operands[operand] % Number(modulus) : operands[operand];
    const within = ranges.some(([from, to = from]) => value >= from && value <= to && Number.isInteger(value));
    return within === (not === '=');
  };
}
const rule = (text) => {
  const either = text.split(' or ').map((part) => part.split(' and ').map(condition));
  return (operands) => either.some((all) => all.every((one) => one(operands)));
};

function rulesOf(kind, data) {
  const name = `${kind} ${data}`;
  if (!rules.has(name)) {
    const all = supplemental('plurals')[kind];
    const found = all[data] ?? all[data.split('-')[0]] ?? {};
    rules.set(name, Object.entries(found).map(([category, text]) => [category, rule(text)]));
  }
  return rules.get(name);
}

/** The category of a number as its digits are written; `exponent` is what its notation takes off. */
function category(kind, data, [integer, f], exponent = 0) {
  const t = f.replace(/0+$/, '');
  // As ICU: an integer is no longer than its last eighteen digits, and a fraction than its first.
  const operands = { n: Number(`${integer}.${f || 0}`), i: Number(integer.slice(-18)), v: f.length, w: t.length, f: Number(f.slice(0, 18)), t: Number(t.slice(0, 18)), c: exponent, e: exponent };
  for (const [name, test] of rulesOf(kind, data)) if (test(operands)) return name;
  return 'other';
}

function rangeCategory(data, start, end) {
  const found = supplemental('plurals').ranges[data.split('-')[0]];
  return found?.[`pluralRange-start-${start}-end-${end}`] ?? 'other';
}

const states = new WeakMap();
class PluralRules {
  constructor(locales, options) {
    const { digitOptions } = require('internal/intl/number');
    const requested = locale.canonicalList(locales);
    const given = locale.coerced(options);
    locale.matcher(given);
    const type = locale.option(given, 'type', ['cardinal', 'ordinal'], 'cardinal');
    const notation = 'standard';
    const digits = digitOptions(given, 0, 3, notation);
    const found = ruled(locale.resolve(requested));
    states.set(this, { ...found, type, digits });
  }
  select(value) {
    const state = locale.held(states, this, 'Intl.PluralRules.prototype.select');
    return selected(state, decimal.from(Number(value)));
  }
  selectRange(start, end) {
    const state = locale.held(states, this, 'Intl.PluralRules.prototype.selectRange');
    if (start === undefined || end === undefined) throw new TypeError(`Invalid start or end`);
    const [from, to] = [decimal.from(Number(start)), decimal.from(Number(end))];
    if (from.special === 'nan' || to.special === 'nan') throw new RangeError('Invalid number value');
    return rangeCategory(state.data, selected(state, from), selected(state, to));
  }
  resolvedOptions() {
    const { resolvedDigits } = require('internal/intl/number');
    const state = locale.held(states, this, 'Intl.PluralRules.prototype.resolvedOptions');
    const own = rulesOf(state.type === 'ordinal' ? 'ordinal' : 'cardinal', state.data).map(([name]) => name);
    const { roundingIncrement, roundingMode, roundingPriority, trailingZeroDisplay, ...digits } = resolvedDigits(state.digits);
    return { locale: state.locale, type: state.type, ...digits, pluralCategories: ALL.filter((name) => name === 'other' || own.includes(name)), roundingIncrement, roundingMode, roundingPriority, trailingZeroDisplay };
  }
}
/** The locales of this class are those that have rules of their own. */
function ruled({ data, locale: full }) {
  const { cardinal } = supplemental('plurals');
  const name = data in cardinal ? data : full.split('-')[0];
  return { data, locale: name };
}
function selected({ type, data, digits }, number) {
  if (number.special) return 'other';
  const [rounded, least] = decimal.round(number, digits);
  return category(type, data, decimal.shown(rounded, digits.minInteger, least));
}

module.exports = { PluralRules: locale.define('PluralRules', PluralRules), category, rangeCategory };
