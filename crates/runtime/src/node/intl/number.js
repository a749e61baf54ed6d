// NumberFormat: options and their resolution. How numbers are written is in number_patterns.js.
const { supplemental } = require('internal/intl/data');
const locale = require('internal/intl/locale');
const decimal = require('internal/intl/decimal');
const { numeric, outer, parts, pieces, tidy } = require('internal/intl/number_patterns');
const { rangeCategory } = require('internal/intl/plural');

const UNITS = new Set(`acre bit byte celsius centimeter day degree fahrenheit fluid-ounce foot gallon gigabit gigabyte gram hectare hour inch kilobit kilobyte kilogram
kilometer liter megabit megabyte meter microsecond mile mile-scandinavian milliliter millimeter millisecond minute month nanosecond ounce percent petabyte pound second
stone terabit terabyte week yard year`.split(/\s+/));
const MODES = ['ceil', 'floor', 'expand', 'trunc', 'halfCeil', 'halfFloor', 'halfExpand', 'halfTrunc', 'halfEven'];
const INCREMENTS = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000];
const { option } = locale;

/** SetNumberFormatDigitOptions. */
function digitOptions(options, leastFraction, mostFraction, notation) {
  const minInteger = locale.number(options.minimumIntegerDigits, 'minimumIntegerDigits', 1, 21, 1);
  const [lowFraction, highFraction] = [options.minimumFractionDigits, options.maximumFractionDigits];
  const [lowSignificant, highSignificant] = [options.minimumSignificantDigits, options.maximumSignificantDigits];
  const increment = locale.number(options.roundingIncrement, 'roundingIncrement', 1, 5000, 1);
  if (!INCREMENTS.includes(increment)) throw new RangeError('roundingIncrement value is out of range.');
  const mode = option(options, 'roundingMode', MODES, 'halfExpand');
  const priority = option(options, 'roundingPriority', ['auto', 'morePrecision', 'lessPrecision'], 'auto');
  const trailingZeroDisplay = option(options, 'trailingZeroDisplay', ['auto', 'stripIfInteger'], 'auto');
  const most = increment === 1 ? mostFraction : leastFraction;
  const digits = { minInteger, increment, mode, priority, trailingZeroDisplay };
  const hasSignificant = lowSignificant !== undefined || highSignificant !== undefined;
  const hasFraction = lowFraction !== undefined || highFraction !== undefined;
  let [needSignificant, needFraction] = [true, true];
  if (priority === 'auto') {
    needSignificant = hasSignificant;
    if (needSignificant || (!hasFraction && notation === 'compact')) needFraction = false;
  }
  if (needSignificant) {
    digits.minSignificant = hasSignificant ? locale.number(lowSignificant, 'minimumSignificantDigits', 1, 21, 1) : 1;
    digits.maxSignificant = hasSignificant ? locale.number(highSignificant, 'maximumSignificantDigits', digits.minSignificant, 21, 21) : 21;
  }
  if (needFraction) {
    if (hasFraction) {
      let low = locale.number(lowFraction, 'minimumFractionDigits', 0, 100, undefined);
      let high = locale.number(highFraction, 'maximumFractionDigits', 0, 100, undefined);
      if (low === undefined) low = Math.min(leastFraction, high);
      else if (high === undefined) high = Math.max(most, low);
      else if (low > high) throw new RangeError('maximumFractionDigits value is out of range.');
      [digits.minFraction, digits.maxFraction] = [low, high];
    } else [digits.minFraction, digits.maxFraction] = [leastFraction, most];
  }
  if (!needSignificant && !needFraction) {
    Object.assign(digits, { minFraction: 0, maxFraction: 0, minSignificant: 1, maxSignificant: 2, type: 'morePrecision', priority: 'morePrecision' });
  } else if (priority !== 'auto') digits.type = priority;
  else digits.type = hasSignificant ? 'significantDigits' : 'fractionDigits';
  if (increment !== 1) {
    if (digits.type !== 'fractionDigits') throw new TypeError('roundingIncrement value is invalid.');
    if (digits.maxFraction !== digits.minFraction) throw new RangeError('roundingIncrement value is out of range.');
  }
  return digits;
}
function resolvedDigits(digits) {
  const { minInteger, minFraction, maxFraction, minSignificant, maxSignificant, increment, mode, priority, trailingZeroDisplay } = digits;
  return {
    minimumIntegerDigits: minInteger,
    ...(minFraction === undefined ? {} : { minimumFractionDigits: minFraction, maximumFractionDigits: maxFraction }),
    ...(minSignificant === undefined ? {} : { minimumSignificantDigits: minSignificant, maximumSignificantDigits: maxSignificant }),
    roundingIncrement: increment, roundingMode: mode, roundingPriority: priority, trailingZeroDisplay,
  };
}

const sanctioned = (unit) => UNITS.has(unit) || (unit.split('-per-').length === 2 && unit.split('-per-').every((part) => UNITS.has(part)));
const fractionOf = (currency) => (supplemental('currencies').fractions[currency] ?? supplemental('currencies').fractions.DEFAULT)[0];

/** What a formatter knows; other parts of Intl format numbers by it without an object. */
function create(locales, options) {
  const requested = locale.canonicalList(locales);
  const given = locale.coerced(options);
  locale.matcher(given);
  const found = locale.resolve(requested, { nu: { option: locale.keyword(given, 'numberingSystem'), ...locale.numbering } });
  const state = { ...found };
  state.style = option(given, 'style', ['decimal', 'percent', 'currency', 'unit'], 'decimal');
  const currency = option(given, 'currency');
  if (currency !== undefined && !/^[a-z]{3}$/i.test(currency)) throw new RangeError(`Invalid currency code : ${currency}`);
  if (state.style === 'currency' && currency === undefined) throw new TypeError('Currency code is required with currency style.');
  const currencyDisplay = option(given, 'currencyDisplay', ['code', 'symbol', 'narrowSymbol', 'name'], 'symbol');
  const currencySign = option(given, 'currencySign', ['standard', 'accounting'], 'standard');
  const unit = option(given, 'unit');
  if (unit !== undefined && !sanctioned(unit)) throw new RangeError(`Invalid unit argument for Intl.NumberFormat() '${unit}'`);
  if (state.style === 'unit' && unit === undefined) throw new TypeError(`Required unit is missing for style unit`);
  const unitDisplay = option(given, 'unitDisplay', ['short', 'narrow', 'long'], 'short');
  if (state.style === 'currency') Object.assign(state, { currency: currency.toUpperCase(), currencyDisplay, currencySign });
  if (state.style === 'unit') Object.assign(state, { unit, unitDisplay });
  state.notation = option(given, 'notation', ['standard', 'scientific', 'engineering', 'compact'], 'standard');
  // As ICU's: also where the standard has none, in the scientific notations.
  const fraction = state.style === 'currency' ? fractionOf(state.currency) : undefined;
  state.digits = digitOptions(given, fraction ?? 0, fraction ?? (state.style === 'percent' ? 0 : 3), state.notation);
  const compactDisplay = option(given, 'compactDisplay', ['short', 'long'], 'short');
  if (state.notation === 'compact') state.compactDisplay = compactDisplay;
  state.useGrouping = grouping(given, state.notation === 'compact' ? 'min2' : 'auto');
  state.signDisplay = option(given, 'signDisplay', ['auto', 'never', 'always', 'exceptZero', 'negative'], 'auto');
  return state;
}
function grouping(options, usual) {
  const value = options.useGrouping;
  if (value === undefined) return usual;
  if (value === true) return 'always';
  if (!value) return false;
  const text = String(value);
  if (text === 'true' || text === 'false') return usual;
  if (!['min2', 'auto', 'always'].includes(text)) throw new RangeError(`Value ${text} out of range for Intl.NumberFormat options property useGrouping`);
  return text;
}

const text = (list) => {
  let all = '';
  for (const [, part] of list) all += part;
  return all;
};
const asParts = (list, source) => list.map(([type, value, from]) => (source ? { type, value, source: from ?? 'shared' } : { type, value }));

/** Two numbers: what is the same at both ends is said once. */
function rangeParts(state, start, end) {
  if (start.special === 'nan' || end.special === 'nan') throw new RangeError('Invalid number value');
  const [left, right] = [pieces(state, start), pieces(state, end)];
  const whole = ({ before, spaces, digits, after, outer: [first, last] }) => [...first, ...before, ...spaces[0], ...digits, ...spaces[1], ...after, ...last];
  if (text(whole(left)) === text(whole(right))) return tidy(whole(pieces(state, start, true))).map(([type, value]) => [type, value, 'shared']);
  const of = (list, source) => list.map(([type, value]) => [type, value, source]);
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
  const pattern = numeric(state, 'miscPatterns', 'range') ?? '{0}–{1}';
  let separator = pattern.slice(pattern.indexOf('{0}') + 3, pattern.indexOf('{1}'));
  // As ICU: what is around everything is said once, what is next to the digits only if it is longer
  // than a sign, and what is said twice keeps the separator away.
  const sameMiddle = same([left.before, left.after], [right.before, right.after]);
  const middle = text([...left.before, ...left.after]);
  const collapsed = sameMiddle && [...middle].length > 1;
  if (((!collapsed && middle) || ((state.notation === 'scientific' || state.notation === 'engineering') && start.special === undefined)) && !/\s/.test(separator)) separator = ` ${separator} `;
  const inner = (side, source) => of(collapsed ? [...(side === left ? side.spaces[0] : []), ...side.digits, ...(side === right ? side.spaces[1] : [])] : [...side.before, ...side.spaces[0], ...side.digits, ...side.spaces[1], ...side.after], source);
  let list = [...inner(left, 'startRange'), ['literal', separator, 'shared'], ...inner(right, 'endRange')];
  if (collapsed) list = [...of(left.before, 'shared'), ...list, ...of(left.after, 'shared')];
  const around = outer(state, rangeCategory(state.data, left.plural(), right.plural()));
  list = [...of(around[0], 'shared'), ...list, ...of(around[1], 'shared')];
  return separate(list);
}
function separate(list) {
  const result = [];
  for (let n = 0; n < list.length;) {
    let end = n;
    while (end < list.length && list[end][2] === list[n][2]) end++;
    for (const [type, value] of tidy(list.slice(n, end))) result.push([type, value, list[n][2]]);
    n = end;
  }
  return result;
}

const states = new WeakMap();
const bound = new WeakMap();
class NumberFormat {
  constructor(locales, options) {
    states.set(this, create(locales, options));
  }
  get format() {
    const state = locale.held(states, this, 'get Intl.NumberFormat.prototype.format');
    if (!bound.has(this)) bound.set(this, Object.defineProperty((value) => text(parts(state, decimal.from(value))), 'name', { value: '' }));
    return bound.get(this);
  }
  formatToParts(value) {
    return asParts(parts(locale.held(states, this, 'Intl.NumberFormat.prototype.formatToParts'), decimal.from(value)));
  }
  formatRange(start, end) {
    return text(range(locale.held(states, this, 'Intl.NumberFormat.prototype.formatRange'), start, end));
  }
  formatRangeToParts(start, end) {
    return asParts(range(locale.held(states, this, 'Intl.NumberFormat.prototype.formatRangeToParts'), start, end), true);
  }
  resolvedOptions() {
    const state = locale.held(states, this, 'Intl.NumberFormat.prototype.resolvedOptions');
    const { roundingIncrement, roundingMode, roundingPriority, trailingZeroDisplay, ...digits } = resolvedDigits(state.digits);
    const result = { locale: state.locale, numberingSystem: state.nu, style: state.style };
    for (const key of ['currency', 'currencyDisplay', 'currencySign', 'unit', 'unitDisplay']) if (state[key] !== undefined) result[key] = state[key];
    // V8 has it from the way signs are shown, and that has room for one.
    if (state.signDisplay === 'never' && state.currencySign) result.currencySign = 'standard';
    Object.assign(result, digits, { useGrouping: state.useGrouping, notation: state.notation });
    if (state.compactDisplay) result.compactDisplay = state.compactDisplay;
    return Object.assign(result, { signDisplay: state.signDisplay, roundingIncrement, roundingMode, roundingPriority, trailingZeroDisplay });
  }
}
function range(state, start, end) {
  if (start === undefined || end === undefined) throw new TypeError('start or end is undefined');
  return rangeParts(state, decimal.from(start), decimal.from(end));
}

const format = (state, value) => text(parts(state, decimal.from(value)));
module.exports = { NumberFormat: locale.define('NumberFormat', NumberFormat, { callable: true }), create, digitOptions, format, parts, resolvedDigits, UNITS };
