// Deep equality, strict and loose, as assert and util.isDeepStrictEqual have it.
const { types } = require('util');

const enumerable = (object) =>
  Reflect.ownKeys(object).filter((key) => Object.prototype.propertyIsEnumerable.call(object, key));

function equal(a, b, strict, pairs) {
  if (a === b) return a !== 0 || !strict || Object.is(a, b);
  const objects = typeof a === 'object' && a !== null && typeof b === 'object' && b !== null;
  if (!objects) {
    if (strict) return Object.is(a, b);
    if (typeof a === 'function' || typeof b === 'function') return false;
    if ((a === null || typeof a !== 'object') && (b === null || typeof b !== 'object')) return a == b || (a !== a && b !== b);
    return false;
  }
  if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  const tag = Object.prototype.toString.call(a);
  if (tag !== Object.prototype.toString.call(b)) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a) && a.length !== b.length) return false;
  if (types.isDate(a)) {
    if (!types.isDate(b) || !Object.is(a.getTime(), b.getTime())) return false;
  } else if (types.isRegExp(a)) {
    if (!types.isRegExp(b) || String(a) !== String(b) || a.lastIndex !== b.lastIndex) return false;
  } else if (types.isNativeError(a) || a instanceof Error) {
    if (a.message !== b.message || a.name !== b.name || !equal(a.cause, b.cause, strict, pairs) || !equal(a.errors, b.errors, strict, pairs)) return false;
  } else if (types.isAnyArrayBuffer(a)) {
    if (!sameBytes(new Uint8Array(a), new Uint8Array(b))) return false;
  } else if (ArrayBuffer.isView(a)) {
    if (!strict && (types.isFloat32Array(a) || types.isFloat64Array(a))) {
      if (a.length !== b.length || a.some((value, at) => value !== b[at])) return false;
    } else if (!sameBytes(bytes(a), bytes(b))) {
      return false;
    }
    return sameKeys(a, b, strict, pairs, enumerable(a).filter((key) => typeof key !== 'string' || !/^\d+$/.test(key)), enumerable(b).filter((key) => typeof key !== 'string' || !/^\d+$/.test(key)));
  } else if (types.isBoxedPrimitive(a)) {
    if (!types.isBoxedPrimitive(b) || !Object.is(a.valueOf(), b.valueOf())) return false;
  }
  const known = pairs.get(a);
  if (known?.has(b)) return true;
  pairs.set(a, (known ?? new Set()).add(b));
  const same = inside(a, b, strict, pairs) && sameKeys(a, b, strict, pairs, keysOf(a, strict), keysOf(b, strict));
  pairs.get(a).delete(b);
  return same;
}

const keysOf = (object, strict) => (strict ? enumerable(object) : Object.keys(object));
const bytes = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
const sameBytes = (a, b) => a.length === b.length && a.every((byte, at) => byte === b[at]);
const sameKeys = (a, b, strict, pairs, left, right) =>
  left.length === right.length && left.every((key) => Object.prototype.propertyIsEnumerable.call(b, key) && equal(a[key], b[key], strict, pairs));

function inside(a, b, strict, pairs) {
  if (types.isSet(a)) {
    if (!types.isSet(b) || a.size !== b.size) return false;
    const rest = [...b].filter((value) => !a.has(value));
    return [...a].filter((value) => !b.has(value)).every((value) => {
      const at = rest.findIndex((other) => equal(value, other, strict, pairs));
      return at >= 0 && rest.splice(at, 1).length === 1;
    });
  }
  if (types.isMap(a)) {
    if (!types.isMap(b) || a.size !== b.size) return false;
    const rest = [...b].filter(([key]) => !a.has(key));
    return [...a].every(([key, value]) => {
      if (b.has(key)) return equal(value, b.get(key), strict, pairs);
      const at = rest.findIndex(([other, item]) => equal(key, other, strict, pairs) && equal(value, item, strict, pairs));
      return at >= 0 && rest.splice(at, 1).length === 1;
    });
  }
  return true;
}

exports.isDeepStrictEqual = (a, b) => equal(a, b, true, new Map());
exports.isDeepEqual = (a, b) => equal(a, b, false, new Map());
