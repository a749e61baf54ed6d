// assert.partialDeepStrictEqual: what is expected is there; what is there besides does not matter.
const { types } = require('util');
const { isDeepStrictEqual } = require('internal/equal');
const isObject = (value) => typeof value === 'object' && value !== null;

/** Each of `wanted` in `there`, each used once. */
function among(there, wanted, same) {
  const rest = [...there];
  return wanted.every((one) => {
    const at = rest.findIndex((other) => same(other, one));
    return at >= 0 && rest.splice(at, 1).length === 1;
  });
}
function covers(actual, expected, seen) {
  if (Object.is(actual, expected)) return true;
  if (!isObject(actual) || !isObject(expected)) return false;
  if (Object.getPrototypeOf(actual) !== Object.getPrototypeOf(expected)) return false;
  if (seen.get(expected)?.has(actual)) return true;
  seen.set(expected, (seen.get(expected) ?? new Set()).add(actual));
  const inner = (one, other) => covers(one, other, seen);
  if (types.isMap(expected)) {
    if (!types.isMap(actual)) return false;
    return among([...actual], [...expected], ([key, value], [name, wanted]) => inner(key, name) && inner(value, wanted));
  }
  if (types.isSet(expected)) return types.isSet(actual) && among([...actual], [...expected], inner);
  if (types.isDate(expected) || types.isRegExp(expected) || types.isAnyArrayBuffer(expected) || types.isBoxedPrimitive(expected)) return isDeepStrictEqual(actual, expected);
  if (ArrayBuffer.isView(expected)) return among([...new Uint8Array(actual.buffer, actual.byteOffset, actual.byteLength)], [...new Uint8Array(expected.buffer, expected.byteOffset, expected.byteLength)], Object.is);
  if (types.isNativeError(expected)) {
    if (actual.name !== expected.name || actual.message !== expected.message) return false;
  }
  if (Array.isArray(expected)) {
    if (expected.length > actual.length) return false;
    // In their order, with others between.
    let at = 0;
    return expected.every((wanted) => {
      while (at < actual.length && !inner(actual[at], wanted)) at++;
      return at++ < actual.length;
    });
  }
  return Reflect.ownKeys(expected).filter((key) => Object.prototype.propertyIsEnumerable.call(expected, key)).every((key) => key in actual && inner(actual[key], expected[key]));
}
exports.covers = (actual, expected) => covers(actual, expected, new Map());
