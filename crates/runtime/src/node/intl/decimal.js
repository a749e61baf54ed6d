// Decimal numbers of any length, and their rounding. A number is `{negative, digits, exponent}`:
// 0.DIGITS times ten to the exponent, digits without zeros at either end and empty for zero; or
// `{negative, special: 'nan' | 'infinity'}`.
const make = (negative, digits, exponent) => {
  const start = digits.search(/[1-9]/);
  if (start < 0) return { negative, digits: '', exponent: 0 };
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return { negative, digits: digits.slice(start, end), exponent: exponent - start };
};

function parse(text) {
  const found = /^([+-]?)(?:(Infinity)|(\d+)\.?(\d*)(?:e([+-]?\d+))?|\.(\d+)(?:e([+-]?\d+))?)$/i.exec(text);
  if (!found) return undefined;
  const [, sign, infinite, whole = '', part = '', exponent = '0', only, onlyExponent = '0'] = found;
  const negative = sign === '-';
  if (infinite) return { negative, special: 'infinity' };
  return only === undefined ? make(negative, whole + part, whole.length + Number(exponent)) : make(negative, only, Number(onlyExponent));
}

/** ToIntlMathematicalValue. */
function from(value) {
  let primitive = value;
  if (typeof primitive === 'object' && primitive !== null || typeof primitive === 'function') {
    const method = primitive[Symbol.toPrimitive];
    primitive = method === undefined || method === null ? ordinary(primitive) : method.call(primitive, 'number');
  }
  if (typeof primitive === 'bigint') return parse(String(primitive));
  if (typeof primitive === 'string') {
    const trimmed = primitive.trim();
    const exact = trimmed !== '' && parse(trimmed);
    if (exact) return exact;
  }
  const number = Number(primitive);
  if (Number.isNaN(number)) return { negative: false, special: 'nan' };
  const result = parse(String(number));
  result.negative = number < 0 || Object.is(number, -0);
  return result;
}
function ordinary(object) {
  for (const name of ['valueOf', 'toString']) {
    if (typeof object[name] !== 'function') continue;
    const value = object[name]();
    if (typeof value !== 'object' || value === null) return value;
  }
  throw new TypeError('Cannot convert object to primitive value');
}

const UP = { ceil: (negative) => !negative, floor: (negative) => negative, expand: () => true, trunc: () => false };
function away(mode, negative, half, odd) {
  if (mode in UP) return UP[mode](negative);
  if (half !== 0) return half > 0;
  switch (mode) {
    case 'halfExpand': return true;
    case 'halfTrunc': return false;
    case 'halfCeil': return !negative;
    case 'halfFloor': return negative;
    default: return odd;
  }
}

/** Rounded to a multiple of `increment` times ten to `place`. */
function roundAt(number, place, mode, increment = 1) {
  const { negative, digits, exponent } = number;
  const keep = exponent - place;
  if (digits === '' || (keep >= digits.length && increment === 1)) return number;
  if (increment === 1) return roundedAt(number, keep, place, mode);
  const padded = keep >= digits.length ? digits.padEnd(keep, '0') : digits;
  const kept = keep > 0 ? BigInt(padded.slice(0, keep)) : 0n;
  const rest = keep < 0 ? '0' : padded.slice(keep);
  const step = BigInt(increment);
  const over = kept % step;
  const more = /[1-9]/.test(rest) || keep < 0;
  if (over === 0n && !more) return number;
  // Where the part that goes stands against half a step.
  const twice = 2n * over;
  const half = twice > step ? 1 : twice === step ? (more ? 1 : 0) : twice + 1n === step && more ? compareHalf(rest) : -1;
  const quotient = kept / step;
  const result = (quotient + (away(mode, negative, half, quotient % 2n === 1n) ? 1n : 0n)) * step;
  const text = String(result);
  return make(negative, text, text.length + place);
}
/** The same without steps, as most numbers are rounded: digits are text, and need no arithmetic. */
function roundedAt({ negative, digits, exponent }, keep, place, mode) {
  const kept = keep > 0 ? digits.slice(0, keep) : '';
  const half = keep < 0 ? -1 : compareHalf(digits.slice(keep));
  if (!away(mode, negative, half, kept !== '' && Number(kept.at(-1)) % 2 === 1)) return make(negative, kept, exponent);
  let at = kept.length - 1;
  while (at >= 0 && kept[at] === '9') at--;
  if (at < 0) return make(negative, '1', Math.max(exponent, place) + 1);
  return make(negative, kept.slice(0, at) + String(Number(kept[at]) + 1), exponent);
}
const compareHalf = (rest) => {
  const first = Number(rest[0] ?? 0);
  return first !== 5 ? Math.sign(first - 5) : /[1-9]/.test(rest.slice(1)) ? 1 : 0;
};

/** Rounded as the digit options say: `[number, least count of fraction digits to show]`. */
function round(number, digits) {
  const { mode, increment, type, minFraction, maxFraction, minSignificant, maxSignificant } = digits;
  const fraction = () => [roundAt(number, -maxFraction, mode, increment), minFraction, -maxFraction];
  const significant = () => {
    const place = number.digits === '' ? 1 - maxSignificant : number.exponent - maxSignificant;
    const rounded = roundAt(number, place, mode);
    const magnitude = rounded.digits === '' ? 1 : rounded.exponent;
    return [rounded, Math.max(0, minSignificant - magnitude), place];
  };
  let chosen;
  if (type === 'fractionDigits') chosen = fraction();
  else if (type === 'significantDigits') chosen = significant();
  else {
    const [bySignificant, byFraction] = [significant(), fraction()];
    const finer = bySignificant[2] <= byFraction[2];
    chosen = finer === (type === 'morePrecision') ? bySignificant : byFraction;
  }
  return [chosen[0], chosen[1]];
}

/** `[integer digits, fraction digits]`. */
function shown({ digits, exponent }, minInteger, minFraction) {
  const whole = exponent > 0 ? digits.slice(0, exponent).padEnd(exponent, '0') : '';
  const fraction = exponent >= 0 ? digits.slice(exponent) : digits === '' ? '' : '0'.repeat(-exponent) + digits;
  return [whole.padStart(minInteger, '0'), fraction.padEnd(minFraction, '0')];
}

const scaled = (number, by) => (number.special || number.digits === '' ? number : { ...number, exponent: number.exponent + by });

module.exports = { from, parse, round, roundAt, scaled, shown };
