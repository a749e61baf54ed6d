// How a number is written: CLDR's patterns, with the rules of ICU where CLDR leaves them open (signs,
// the space beside a currency, compact forms). What is written is a list of parts `[type, text]`.
const { keep, reader, supplemental } = require('internal/intl/data');
const decimal = require('internal/intl/decimal');
const { category } = require('internal/intl/plural');

/** Affixes of a pattern as parts with the symbols still to come: '-', '+', '%', '¤'. */
function affix(text) {
  const parts = [];
  let literal = '';
  const flush = () => {
    if (literal) parts.push(['literal', literal]);
    literal = '';
  };
  for (let n = 0; n < text.length; n++) {
    const letter = text[n];
    if (letter === "'") {
      const end = text.indexOf("'", n + 1);
      literal += end === n + 1 ? "'" : text.slice(n + 1, end < 0 ? undefined : end);
      n = end < 0 ? text.length : end;
    } else if (letter === '-' || letter === '+' || letter === '%' || letter === '¤') {
      flush();
      parts.push([letter]);
    } else literal += letter;
  }
  flush();
  return parts;
}

const patterns = new Map();
/** `{prefix, suffix, negative: {prefix, suffix} or nothing, groups: [first, others], zeros}`. */
function parsed(text) {
  if (!patterns.has(text)) {
    const half = (part) => {
      const [, prefix, body, suffix] = /^((?:'[^']*'|[^#0@'])*)([#0@,.E+]*)([^]*)$/.exec(part);
      return { prefix: affix(prefix), suffix: affix(suffix), body };
    };
    const cut = text.search(/;(?=(?:[^']*'[^']*')*[^']*$)/);
    const positive = half(cut < 0 ? text : text.slice(0, cut));
    const groups = positive.body.split('.')[0].split(',').slice(1).map((group) => group.length);
    return keep(patterns, text, {
      ...positive, negative: cut < 0 ? undefined : half(text.slice(cut + 1)),
      groups: groups.length === 0 ? undefined : [groups.at(-1), groups.length > 1 ? groups.at(-2) : groups.at(-1)],
      zeros: (positive.body.match(/0/g) ?? []).length,
    }, 2000);
  }
  return patterns.get(text);
}

// What a locale without Arabic digits of its own has for them.
const ROOTS = { arab: 'ar-EG', arabext: 'fa' };
const ROOT_PATTERNS = { 'percentFormats/standard': '#,##0%', 'currencyFormats/standard': '#,##0.00\u00a0¤', 'currencyFormats/accounting': '#,##0.00\u00a0¤' };
/** A symbol or pattern of the numbering system, else of the Latin digits. */
function numeric(state, kind, name) {
  // A formatter asks for the same few again and again.
  const known = (state.known ??= new Map());
  const key = `${kind}/${name}`;
  if (!known.has(key)) known.set(key, found(state, kind, name));
  return known.get(key);
}
function found({ data, nu }, kind, name) {
  const read = reader('numbers', data);
  const own = read(`${kind}/${nu}/${name}`);
  if (own !== undefined) return own;
  if (ROOTS[nu] && kind === 'symbols' && name !== 'nan') return reader('numbers', ROOTS[nu])(`${kind}/${nu}/${name}`) ?? read(`${kind}/latn/${name}`);
  return (ROOTS[nu] && ROOT_PATTERNS[`${kind}/${name}`]) || read(`${kind}/latn/${name}`);
}
const symbol = (state, name) => numeric(state, 'symbols', name);

const numerals = new Map();
function digitsOf(nu) {
  if (!numerals.has(nu)) numerals.set(nu, [...supplemental('systems')[nu]]);
  return numerals.get(nu);
}
function localDigits(nu, text) {
  if (nu === 'latn') return text;
  const digits = digitsOf(nu);
  return text.replace(/\d/g, (digit) => digits[digit]);
}

function currencySymbol(state) {
  const { currency, currencyDisplay, data } = state;
  const read = reader('currencies', data);
  if (currencyDisplay === 'code') return currency;
  if (currencyDisplay === 'narrowSymbol') return read(`${currency}/symbol-alt-narrow`) ?? read(`${currency}/symbol`) ?? currency;
  return read(`${currency}/symbol`) ?? currency;
}

/** The pattern without regard to compact forms. */
function basic(state) {
  const { style, currencySign, currencyDisplay } = state;
  if ((style === 'percent' || (style === 'unit' && state.unit === 'percent' && state.unitDisplay !== 'long')) && state.notation !== 'compact') return numeric(state, 'percentFormats', 'standard');
  if (style === 'currency' && currencyDisplay !== 'name') {
    return numeric(state, 'currencyFormats', currencySign === 'accounting' && state.signDisplay !== 'never' ? 'accounting' : 'standard');
  }
  return numeric(state, 'decimalFormats', 'standard');
}

/** The pattern of a compact form, or nothing. */
function compact(state, magnitude, plural) {
  const power = `1${'0'.repeat(magnitude)}`;
  const currency = state.style === 'currency' && state.currencyDisplay !== 'name';
  const at = (kind, base, count) => numeric(state, kind, `${base}/${power}-count-${count}`);
  const find = (kind, base) => at(kind, base, plural) ?? (plural === '1' ? undefined : at(kind, base, 'other'));
  const found = currency ? find('currencyFormats', 'short/standard') : find('decimalFormats', `${state.compactDisplay}/decimalFormat`);
  return found === '0' ? undefined : found;
}
/** CLDR's largest form serves what is larger. */
function greatest(state, magnitude) {
  let at = Math.min(magnitude, 20);
  while (at > 14 && compact(state, at, 'other') === undefined) at--;
  return at;
}
function multiplier(state, magnitude) {
  if (magnitude < 3) return 0;
  const at = greatest(state, magnitude);
  const found = compact(state, at, 'other');
  return found === undefined ? 0 : at + 1 - parsed(found).zeros;
}

const magnitudeOf = ({ digits, exponent }) => (digits === '' ? 0 : exponent - 1);

/** Rounded, after what the notation takes off: `{rounded, least, exponent}`. */
function scaledAndRounded(state, number) {
  const { notation, digits } = state;
  const of = notation === 'compact' ? (magnitude) => multiplier(state, magnitude)
    : notation === 'scientific' ? (magnitude) => magnitude
      : notation === 'engineering' ? (magnitude) => Math.floor(magnitude / 3) * 3 : () => 0;
  const start = magnitudeOf(number);
  let exponent = number.digits === '' ? 0 : of(start);
  let [rounded, least] = decimal.round(decimal.scaled(number, -exponent), digits);
  if (rounded.digits !== '' && magnitudeOf(rounded) + exponent > start) {
    const next = of(magnitudeOf(rounded) + exponent);
    if (next !== exponent) {
      exponent = next;
      [rounded, least] = decimal.round(decimal.scaled(number, -exponent), digits);
    }
  }
  return { rounded, least, exponent: rounded.digits === '' && notation !== 'compact' ? 0 : exponent };
}

function integerParts(state, whole, groups, separator) {
  const of = (piece) => ['integer', localDigits(state.nu, piece)];
  const usual = () => Number((state.least ??= reader('numbers', state.data)('minimumGroupingDigits') ?? '1'));
  const least = state.useGrouping === 'min2' ? Math.max(2, usual()) : state.useGrouping === 'always' ? 1 : usual();
  if (!state.useGrouping || !groups || groups[0] === 0 || whole.length < groups[0] + least) return [of(whole)];
  const pieces = [whole.slice(-groups[0])];
  for (let rest = whole.slice(0, -groups[0]); rest; rest = rest.slice(0, -groups[1])) pieces.unshift(rest.slice(-groups[1]));
  return pieces.flatMap((piece, n) => (n === 0 ? [of(piece)] : [['group', separator], of(piece)]));
}

/** The digits themselves, without signs and what stands around them. */
function body(state, { rounded, least, exponent, groups }) {
  if (rounded.special) return [[rounded.special, symbol(state, rounded.special)]];
  const { digits, notation, style, currency, data } = state;
  const [whole, fraction] = shown(digits, rounded, least);
  const money = style === 'currency' ? reader('currencies', data) : () => undefined;
  const separator = (name) => money(`${currency}/${name}`) ?? (style === 'currency' ? symbol(state, name === 'decimal' ? 'currencyDecimal' : 'currencyGroup') : undefined) ?? symbol(state, name);
  const parts = integerParts(state, whole, groups, separator('group'));
  if (fraction) parts.push(['decimal', separator('decimal')], ['fraction', localDigits(state.nu, fraction)]);
  if (notation === 'scientific' || notation === 'engineering') {
    parts.push(['exponentSeparator', symbol(state, 'exponential')]);
    if (exponent < 0) parts.push(['exponentMinusSign', symbol(state, 'minusSign')]);
    parts.push(['exponentInteger', localDigits(state.nu, String(Math.abs(exponent)))]);
  }
  return parts;
}

function shown(digits, rounded, least) {
  const [whole, fraction] = decimal.shown(rounded, digits.minInteger, least);
  return [whole, digits.trailingZeroDisplay === 'stripIfInteger' && /^0*$/.test(fraction) ? '' : fraction];
}

function signOf({ signDisplay }, number) {
  const zero = number.special === 'nan' || number.digits === '';
  const sign = number.negative ? '-' : '+';
  switch (signDisplay) {
    case 'never': return '';
    case 'always': return sign;
    case 'exceptZero': return zero ? '' : sign;
    case 'negative': return number.negative && !zero ? '-' : '';
    default: return number.negative ? '-' : '';
  }
}

const IGNORABLE = /[\p{Zs}\t\p{Bidi_Control}\p{Variation_Selector}]/u;

/** The affixes that a pattern gives: `[prefix parts, suffix parts]`. */
function affixes(state, pattern, sign, { kind = 'literal', approximately = false } = {}) {
  const { prefix, suffix, negative } = pattern;
  const signed = (parts) => parts.some(([type]) => type === '-');
  const plus = sign === '+' && !prefix.concat(suffix).some(([type]) => type === '+');
  const useNegative = negative && (sign === '-' || ((plus || approximately) && signed(negative.prefix.concat(negative.suffix))));
  const marks = [];
  if (approximately) marks.push(['approximatelySign', symbol(state, 'approximatelySign')]);
  if (sign === '+') marks.push(['plusSign', symbol(state, 'plusSign')]);
  if (sign === '-') marks.push(['minusSign', symbol(state, 'minusSign')]);
  const fill = (parts) => parts.flatMap(([type, text]) => {
    switch (type) {
      case '-': return marks;
      case '+': return [['plusSign', symbol(state, 'plusSign')]];
      case '%': return [[state.style === 'unit' ? 'unit' : 'percentSign', symbol(state, 'percentSign')]];
      case '¤': return [['currency', currencySymbol(state)]];
      default: return [[kind, text]];
    }
  });
  const chosen = useNegative ? negative : pattern;
  const before = fill(chosen.prefix);
  return [!useNegative && (sign === '-' || plus || approximately) ? [...marks, ...before] : before, fill(chosen.suffix)];
}

/** Spaces between a currency made of letters and a digit, before and after. */
function spaces(state, before, digits, after) {
  const found = [[], []];
  if (state.style !== 'currency') return found;
  const insert = (side) => [['literal', numeric(state, 'currencyFormats', `currencySpacing/${side}/insertBetween`) ?? '\u00a0']];
  const letter = (text) => /[^\p{S}\p{Z}]/u.test(text);
  const last = before.at(-1);
  if (digits.length === 0) return found;
  if (last?.[0] === 'currency' && letter([...last[1]].at(-1)) && /^\p{Nd}/u.test(digits[0][1])) found[0] = insert('afterCurrency');
  if (after[0]?.[0] === 'currency' && letter([...after[0][1]][0]) && /\p{Nd}$/u.test(digits.at(-1)[1])) found[1] = insert('beforeCurrency');
  return found;
}

/** Around everything else: a unit or the name of a currency, as `[before, after]`. */
function outer(state, plural) {
  const { style, data, unit, unitDisplay, currency, currencyDisplay, notation } = state;
  if (style === 'currency' && currencyDisplay === 'name') {
    const read = reader('currencies', data);
    const latin = (name) => reader('numbers', data)(`currencyFormats/latn/${name}`);
    const name = read(`${currency}/displayName-count-${plural}`) ?? read(`${currency}/displayName-count-other`) ?? read(`${currency}/displayName`) ?? currency;
    const pattern = latin(`unitPattern-count-${plural}`) ?? latin('unitPattern-count-other') ?? '{0} {1}';
    return around(pattern.replace('{1}', name), 'currency');
  }
  // A percent sign beside a compact form is a unit.
  if (style === 'percent' && notation === 'compact') return around(unitPattern(data, 'percent', 'short', plural), 'unit');
  if (style === 'unit' && !(unit === 'percent' && unitDisplay !== 'long' && notation !== 'compact')) return around(unitPattern(data, unit, unitDisplay, plural), 'unit');
  return [[], []];
}
function around(pattern, kind) {
  const [before, after = ''] = pattern.split('{0}');
  // Arabic has words for one day and for two, with no number beside them.
  if (!pattern.includes('{0}')) return [[[kind, before]], [], 'alone'];
  return [before ? [[kind, before]] : [], after ? [[kind, after]] : []];
}
function unitPattern(data, unit, display, plural) {
  const read = reader('units', data);
  const of = (name, count) => read(`${display}/${name}/${count}`) ?? read(`${display}/${name}/other`) ?? read(`short/${name}/${count}`) ?? read(`short/${name}/other`) ?? `{0} ${name}`;
  const whole = read(`${display}/${unit}/${plural}`) ?? read(`${display}/${unit}/other`);
  if (whole !== undefined) return whole;
  const [left, right] = unit.split('-per-');
  if (right === undefined) return of(unit, plural);
  const per = read(`${display}/${right}/perUnitPattern`);
  const first = of(left, plural);
  if (per !== undefined) return per.replace('{0}', first);
  const compound = read(`${display}/per`) ?? '{0}/{1}';
  return compound.replace('{0}', first).replace('{1}', of(right, 'one').replace('{0}', '').replace(/^[\p{Z}\s]+|[\p{Z}\s]+$/gu, ''));
}

/** Spaces and marks at the ends of a part belong to no field. */
function tidy(parts) {
  const result = [];
  const push = (type, text) => {
    if (!text) return;
    if (type === 'literal' && result.at(-1)?.[0] === 'literal') result.at(-1)[1] += text;
    else result.push([type, text]);
  };
  for (const [type, text] of parts) {
    if (type === 'literal' || type === 'group') {
      push(type, text);
      continue;
    }
    let [from, to] = [0, text.length];
    while (from < to && IGNORABLE.test(text[from])) from++;
    while (to > from && IGNORABLE.test(text[to - 1])) to--;
    push('literal', text.slice(0, from));
    push(type, text.slice(from, to));
    push('literal', text.slice(to));
  }
  return result;
}

/** `{before, spaces: [before, after], digits, after, outer: [before, after], plural()}` of a number. */
function pieces(state, given, approximately = false) {
  const number = state.style === 'percent' ? decimal.scaled(given, 2) : given;
  const main = parsed(basic(state));
  const result = number.special ? { rounded: number, least: 0, exponent: 0 } : scaledAndRounded(state, number);
  const text = number.special ? ['0', ''] : shown(state.digits, result.rounded, result.least);
  const compacted = state.notation === 'compact' && !number.special;
  let pattern = main;
  let kind;
  if (compacted && result.exponent > 0) {
    const magnitude = magnitudeOf(result.rounded) + result.exponent;
    const at = greatest(state, magnitude);
    // French has a word for one thousand alone.
    const own = (text[0] === '1' && /^0*$/.test(text[1]) && compact(state, at, '1')) || compact(state, at, category('cardinal', state.data, text));
    if (own !== undefined) [pattern, kind] = [parsed(own), 'compact'];
  }
  const sign = signOf(state, result.rounded);
  // Italian has a word for a thousand, with no number beside it.
  const digits = kind === 'compact' && pattern.zeros === 0 ? [] : body(state, { ...result, groups: main.groups });
  const [before, after] = affixes(state, pattern, sign, { kind, approximately });
  const alone = state.style === 'decimal' || (state.style === 'currency' && state.currencyDisplay !== 'name') || (state.style === 'percent' && state.notation !== 'compact');
  // As ICU: a unit beside a number with an exponent goes with the number that was given, not with what is left of it.
  const plural = () => (number.special ? 'other' : category('cardinal', state.data, result.exponent === 0 ? text : decimal.shown(number, 1, 0), result.exponent));
  const wrapped = alone ? [[], []] : outer(state, plural());
  if (wrapped[2] === 'alone') return { before: [], spaces: [[], []], digits: [], after: [], outer: wrapped, plural };
  return { before, spaces: spaces(state, before, digits, after), digits, after, outer: wrapped, plural };
}
const parts = (state, number) => {
  const { before, spaces: [left, right], digits, after, outer: [first, last] } = pieces(state, number);
  return tidy([...first, ...before, ...left, ...digits, ...right, ...after, ...last]);
};

module.exports = { localDigits, numeric, outer, parts, pieces, symbol, tidy, unitPattern };
