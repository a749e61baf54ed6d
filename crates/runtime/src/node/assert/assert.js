// assert: claims that throw AssertionError.
const { invalidArgType, coded } = require('internal/errors');
const { inspect } = require('util');
const { isDeepEqual, isDeepStrictEqual } = require('internal/equal');

const SENTENCES = {
  deepStrictEqual: 'Expected values to be strictly deep-equal:', strictEqual: 'Expected values to be strictly equal:',
  deepEqual: 'Expected values to be loosely deep-equal:', notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
  notStrictEqual: 'Expected "actual" to be strictly unequal to:', notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
};

const shown = (value) => inspect(value, { compact: false, depth: 1000, maxArrayLength: Infinity, showHidden: false, sorted: true, getters: true, breakLength: Infinity });

function sentence(actual, expected, operator) {
  const head = SENTENCES[operator];
  const [left, right] = [shown(actual), shown(expected)];
  if (!head) return `${left} ${operator} ${right}`;
  if (operator.startsWith('not')) return right.includes('\n') ? `${head}\n\n${right}\n` : `${head} ${right}`;
  const single = !left.includes('\n') && !right.includes('\n');
  if (operator === 'strictEqual' && single && (typeof actual !== 'object' || actual === null) && (typeof expected !== 'object' || expected === null) && left.length + right.length <= 12 && (actual !== 0 || expected !== 0)) {
    return `${head}\n\n${left} !== ${right}\n`;
  }
  if (operator === 'deepEqual') return `${head}\n\n${left}\n\nshould loosely deep-equal\n\n${right}`;
  if (left === right && operator === 'strictEqual') return `Values have same structure but are not reference-equal:\n\n${left}\n`;
  const lines = [];
  const [a, b] = [left.split('\n'), right.split('\n')];
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    if (a[at] === b[at]) lines.push(`  ${a[at]}`);
    else {
      if (at < a.length) lines.push(`+ ${a[at]}`);
      if (at < b.length) lines.push(`- ${b[at]}`);
    }
  }
  return `${head}\n+ actual - expected\n\n${lines.join('\n')}`;
}

class AssertionError extends Error {
  constructor(options) {
    if (options === null || typeof options !== 'object') throw invalidArgType('options', 'Object', options);
    const { message, actual, expected, operator } = options;
    super(message != null ? String(message) : operator === 'fail' ? 'Failed' : sentence(actual, expected, operator));
    Object.defineProperty(this, 'name', { value: 'AssertionError', writable: true, configurable: true });
    this.generatedMessage = message == null;
    this.code = 'ERR_ASSERTION';
    this.actual = actual;
    this.expected = expected;
    this.operator = operator;
  }
  toString() {
    return `${this.name} [${this.code}]: ${this.message}`;
  }
}

function fail(message, actual, expected, operator, generated) {
  if (message instanceof Error) throw message;
  const error = new AssertionError({ message, actual, expected, operator });
  if (generated) error.generatedMessage = true;
  throw error;
}

function ok(value, message) {
  if (arguments.length === 0) fail('No value argument passed to `assert.ok()`', value, true, '==', true);
  if (!value) fail(message ?? 'The expression evaluated to a falsy value', value, true, '==', message == null);
}

const claim = (operator, test) =>
  function (actual, expected, message) {
    if (arguments.length < 2) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "actual" and "expected" arguments must be specified');
    if (!test(actual, expected)) fail(message, actual, expected, operator);
  };

function matches(error, expected, message, name) {
  if (expected === undefined) return;
  if (typeof expected === 'function') {
    if (expected.prototype !== undefined && error instanceof expected) return;
    if (Object.prototype.isPrototypeOf.call(Error, expected)) throw error;
    if (expected.call({}, error) === true) return;
    fail(message ?? `The ${expected.name ? `"${expected.name}"` : ''} validation function is expected to return "true". Received ${inspect(expected.call({}, error))}`, error, expected, name, message == null);
  }
  if (expected instanceof RegExp) {
    if (expected.test(String(error))) return;
    fail(message ?? `The input did not match the regular expression ${inspect(expected)}. Input:\n\n${inspect(String(error))}\n`, error, expected, name, message == null);
  }
  const keys = Object.keys(expected);
  if (expected instanceof Error) keys.push('name', 'message');
  for (const key of keys) {
    if (typeof error?.[key] === 'string' && expected[key] instanceof RegExp && expected[key].test(error[key])) continue;
    if (!error || !(key in Object(error)) || !isDeepStrictEqual(error[key], expected[key])) fail(message, error, expected, name);
  }
}

const NOTHING = Symbol('nothing');
const thrown = (run) => {
  if (typeof run !== 'function') throw invalidArgType('fn', 'function', run);
  try {
    run();
  } catch (error) {
    return error;
  }
  return NOTHING;
};
const rejection = async (given) => {
  const promise = typeof given === 'function' ? given() : given;
  if (typeof promise?.then !== 'function') throw invalidArgType('promiseFn', ['function', 'Promise'], given);
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return NOTHING;
};
function expects(name, error, expected, message) {
  if (typeof expected === 'string') [expected, message] = [undefined, expected];
  if (error === NOTHING) {
    const kind = expected?.name ? ` (${expected.name})` : '';
    fail(`Missing expected ${name === 'rejects' ? 'rejection' : 'exception'}${kind}${message ? `: ${message}` : '.'}`, undefined, expected, name);
  }
  matches(error, expected, message, name);
}
function refuses(name, error, expected, message) {
  if (error === NOTHING) return;
  if (typeof expected === 'string') [expected, message] = [undefined, expected];
  if (expected === undefined || (typeof expected === 'function' && error instanceof expected) || (expected instanceof RegExp && expected.test(String(error)))) {
    fail(`Got unwanted ${name === 'doesNotReject' ? 'rejection' : 'exception'}${message ? `: ${message}` : '.'}\nActual message: "${error?.message}"`, error, expected, name);
  }
  throw error;
}

const assert = Object.assign(function assert(...args) { return ok(...args); }, {
  AssertionError, ok,
  fail: (message) => fail(message, undefined, undefined, 'fail'),
  equal: claim('==', (a, b) => a == b || (a !== a && b !== b)),
  notEqual: claim('!=', (a, b) => a != b && !(a !== a && b !== b)),
  strictEqual: claim('strictEqual', Object.is),
  notStrictEqual: claim('notStrictEqual', (a, b) => !Object.is(a, b)),
  deepEqual: claim('deepEqual', isDeepEqual),
  notDeepEqual: claim('notDeepEqual', (a, b) => !isDeepEqual(a, b)),
  deepStrictEqual: claim('deepStrictEqual', isDeepStrictEqual),
  notDeepStrictEqual: claim('notDeepStrictEqual', (a, b) => !isDeepStrictEqual(a, b)),
  throws: (run, expected, message) => expects('throws', thrown(run), expected, message),
  doesNotThrow: (run, expected, message) => refuses('doesNotThrow', thrown(run), expected, message),
  rejects: async (run, expected, message) => expects('rejects', await rejection(run), expected, message),
  doesNotReject: async (run, expected, message) => refuses('doesNotReject', await rejection(run), expected, message),
  ifError(value) {
    if (value != null) fail(`ifError got unwanted exception: ${value.message ?? inspect(value)}`, value, null, 'ifError');
  },
  match(text, pattern, message) {
    if (!(pattern instanceof RegExp)) throw invalidArgType('regexp', 'RegExp', pattern);
    if (typeof text !== 'string' || !pattern.test(text)) fail(message ?? `The input did not match the regular expression ${inspect(pattern)}. Input:\n\n${inspect(text)}\n`, text, pattern, 'match', message == null);
  },
  doesNotMatch(text, pattern, message) {
    if (typeof text === 'string' && pattern.test(text)) fail(message ?? `The input was expected to not match the regular expression ${inspect(pattern)}. Input:\n\n${inspect(text)}\n`, text, pattern, 'doesNotMatch', message == null);
  },
});
assert.strict = Object.assign((...args) => ok(...args), assert, {
  equal: assert.strictEqual, notEqual: assert.notStrictEqual, deepEqual: assert.deepStrictEqual, notDeepEqual: assert.notDeepStrictEqual,
});
assert.strict.strict = assert.strict;
const partialDeepStrictEqual = claim('partialDeepStrictEqual', (actual, expected) => require('internal/partial').covers(actual, expected));
assert.partialDeepStrictEqual = assert.strict.partialDeepStrictEqual = partialDeepStrictEqual;
/** All of it as an object of one's own. */
class Assert {
  constructor({ strict = true } = {}) {
    for (const [name, method] of Object.entries(strict ? assert.strict : assert)) if (name !== 'strict' && name !== 'Assert') this[name] = method;
  }
}
for (const [name, method] of Object.entries(assert)) if (typeof method === 'function' && !['AssertionError', 'strict'].includes(name)) Object.defineProperty(Assert.prototype, name, { value: method, writable: true, configurable: true });
assert.Assert = assert.strict.Assert = Assert;
module.exports = assert;
