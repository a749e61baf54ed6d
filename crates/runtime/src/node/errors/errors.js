// Errors as Node words them: a class, a code, a message.
const inspect = (value) => require('util').inspect(value, { depth: -1 });

function received(value) {
  if (value == null) return `Received ${value}`;
  if (typeof value === 'function') return `Received function ${value.name}`;
  if (typeof value === 'object') {
    return value.constructor?.name ? `Received an instance of ${value.constructor.name}` : `Received ${inspect(value)}`;
  }
  let shown = inspect(value);
  if (shown.length > 28) shown = `${shown.slice(0, 25)}...`;
  return `Received type ${typeof value} (${shown})`;
}

function coded(Base, code, message) {
  const error = new Base(message);
  error.code = code;
  return error;
}

function list(words) {
  if (words.length < 3) return words.join(' or ');
  return `${words.slice(0, -1).join(', ')}, or ${words.at(-1)}`;
}

const KINDS = new Set(['string', 'function', 'number', 'object', 'Function', 'Object', 'boolean', 'bigint', 'symbol']);

function invalidArgType(name, expected, actual) {
  const wanted = [expected].flat();
  let kinds = wanted.filter((one) => KINDS.has(one)).map((one) => one.toLowerCase());
  const classes = wanted.filter((one) => !KINDS.has(one) && /^[A-Z]/.test(one));
  const others = wanted.filter((one) => !KINDS.has(one) && !/^[A-Z]/.test(one));
  if (classes.length > 0 && kinds.includes('object')) {
    kinds = kinds.filter((kind) => kind !== 'object');
    classes.push('Object');
  }
  const parts = [];
  if (kinds.length > 0) parts.push(`${kinds.length > 1 ? 'one of type' : 'of type'} ${list(kinds)}`);
  if (classes.length > 0) parts.push(`an instance of ${list(classes)}`);
  if (others.length > 0) parts.push(others.length > 1 ? `one of ${list(others)}` : others[0]);
  const place = name.endsWith(' argument') ? `The ${name}` : `The "${name}" ${name.includes('.') ? 'property' : 'argument'}`;
  return coded(TypeError, 'ERR_INVALID_ARG_TYPE', `${place} must be ${parts.join(' or ')}. ${received(actual)}`);
}

function invalidArgValue(name, value, reason = 'is invalid') {
  let shown = inspect(value);
  if (shown.length > 128) shown = `${shown.slice(0, 128)}...`;
  return coded(TypeError, 'ERR_INVALID_ARG_VALUE', `The ${name.includes('.') ? 'property' : 'argument'} '${name}' ${reason}. Received ${shown}`);
}

// By threes from the end, whatever stands there: as Node does it.
function grouped(value) {
  const text = String(value);
  const start = text.startsWith('-') ? 1 : 0;
  let end = text.length;
  let rest = '';
  for (; end >= start + 4; end -= 3) rest = `_${text.slice(end - 3, end)}${rest}`;
  return text.slice(0, end) + rest;
}

function outOfRange(name, range, value) {
  let shown;
  if (Number.isInteger(value) && Math.abs(value) > 2 ** 32) shown = grouped(value);
  else if (typeof value === 'bigint') shown = `${value > 2n ** 32n || value < -(2n ** 32n) ? grouped(value) : value}n`;
  else shown = inspect(value);
  return coded(RangeError, 'ERR_OUT_OF_RANGE', `The value of "${name}" is out of range. It must be ${range}. Received ${shown}`);
}

function integer(value, name, min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER) {
  if (typeof value !== 'number') throw invalidArgType(name, 'number', value);
  if (!Number.isInteger(value)) throw outOfRange(name, 'an integer', value);
  if (value < min || value > max) throw outOfRange(name, `>= ${min} && <= ${max}`, value);
}

const check = (kind) => (value, name) => {
  if (typeof value !== kind) throw invalidArgType(name, kind, value);
};

function aborted(reason) {
  const error = new Error('The operation was aborted', reason === undefined ? undefined : { cause: reason });
  error.name = 'AbortError';
  error.code = 'ABORT_ERR';
  return error;
}

Object.assign(exports, {
  aborted, coded, integer, invalidArgType, invalidArgValue, outOfRange, received,
  string: check('string'), callback: check('function'),
});
