// structuredClone: what the algorithm of the web copies, cycles included.
const { coded } = require('internal/errors');
const { is, proxy } = require('internal/values');

const CLASSES = new Map();
for (const name of ['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array', 'Float16Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array']) CLASSES.set(name, globalThis[name]);
const ERRORS = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
const tagOf = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get;
const BOXES = { number: Number, string: String, boolean: Boolean, bigint: BigInt };
// What has a state that no copy could have.
const REFUSED = ['promise', 'weakMap', 'weakSet', 'weakRef', 'symbol', 'arguments', 'looseArguments', 'mapIterator', 'setIterator', 'arrayIterator', 'generator', 'asyncGenerator'];

// What `markAsUncloneable` and `markAsUntransferable` were told of.
const [kept, unmoved] = [new WeakSet(), new WeakSet()];
const refuse = (value) => {
  const shown = typeof value === 'symbol' ? String(value) : typeof value === 'function' ? value.toString() : `#<${value.constructor?.name || 'Object'}>`;
  throw new DOMException(`${shown} could not be cloned.`, 'DataCloneError');
};
const has = (kind, name) => {
  const { get } = Object.getOwnPropertyDescriptor(kind.prototype, name);
  return (value) => {
    try {
      get.call(value);
      return true;
    } catch {
      return false;
    }
  };
};
const isMap = has(Map, 'size');
const isSet = has(Set, 'size');
const isBuffer = has(ArrayBuffer, 'byteLength');

function copyError(value, keep, inner) {
  const copy = keep(new (ERRORS[value.name] ?? Error)());
  const put = (name, part) => Object.defineProperty(copy, name, { value: part, writable: true, configurable: true });
  if (Object.hasOwn(value, 'message')) put('message', String(value.message));
  if (typeof value.stack === 'string') put('stack', value.stack);
  if (Object.hasOwn(value, 'cause')) put('cause', inner(value.cause));
  return copy;
}

function copyOf(value, seen) {
  if (typeof value === 'function' || typeof value === 'symbol') refuse(value);
  if (typeof value !== 'object' || value === null) return value;
  if (seen.has(value)) return seen.get(value);
  const keep = (copy) => (seen.set(value, copy), copy);
  const inner = (part) => copyOf(part, seen);
  if (proxy(value) || kept.has(value) || is(value, ...REFUSED)) refuse(value);
  if (is(value, 'date')) return keep(new Date(Date.prototype.getTime.call(value)));
  if (is(value, 'regexp')) return keep(new RegExp(value.source, value.flags));
  if (isBuffer(value)) {
    const copy = keep(value.resizable ? new ArrayBuffer(value.byteLength, { maxByteLength: value.maxByteLength }) : new ArrayBuffer(value.byteLength));
    new Uint8Array(copy).set(new Uint8Array(value));
    return copy;
  }
  if (ArrayBuffer.isView(value)) {
    const kind = tagOf.call(value);
    return keep(kind === undefined ? new DataView(inner(value.buffer), value.byteOffset, value.byteLength) : new (CLASSES.get(kind))(inner(value.buffer), value.byteOffset, value.length));
  }
  if (isMap(value)) {
    const copy = keep(new Map());
    for (const [key, part] of [...Map.prototype.entries.call(value)]) copy.set(inner(key), inner(part));
    return copy;
  }
  if (isSet(value)) {
    const copy = keep(new Set());
    for (const part of [...Set.prototype.values.call(value)]) copy.add(inner(part));
    return copy;
  }
  if (is(value, 'dom')) return keep(new DOMException(value.message, value.name));
  if (is(value, 'error')) return copyError(value, keep, inner);
  for (const [name, Box] of Object.entries(BOXES)) if (is(value, name)) return keep(Object(Box.prototype.valueOf.call(value)));
  // Classes of the web that are made in JavaScript here: values that do not change are given as they are.
  if (value instanceof Blob) return keep(value);
  if (value instanceof URL || value instanceof URLSearchParams || value instanceof EventTarget) refuse(value);
  const copy = keep(Array.isArray(value) ? new Array(value.length) : {});
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(value, key)) continue;
    Object.defineProperty(copy, key, { value: inner(value[key]), writable: true, enumerable: true, configurable: true });
  }
  return copy;
}

function transferred(list) {
  if (list === undefined) return [];
  if (typeof list !== 'object' || list === null || typeof list[Symbol.iterator] !== 'function') throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', "Failed to execute 'structuredClone': transfer in Options can not be converted to sequence.");
  const all = [...list];
  for (const one of all) {
    if (typeof one !== 'object' || one === null) throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'Value is not an object');
  }
  if (all.some((one) => unmoved.has(one))) throw new DOMException('Cannot transfer object of unsupported type.', 'DataCloneError');
  if (!all.every(isBuffer)) throw new DOMException('Found invalid value in transferList', 'DataCloneError');
  if (new Set(all).size !== all.length) throw new DOMException('Transfer list contains duplicate ArrayBuffer', 'DataCloneError');
  return all;
}

Object.assign(exports, { kept, unmoved });
exports.structuredClone = function structuredClone(value, options) {
  if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "value" argument must be specified');
  const moved = transferred(options?.transfer);
  const copy = copyOf(value, new Map());
  for (const buffer of moved) buffer.transfer();
  return copy;
};
