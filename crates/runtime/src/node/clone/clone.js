// structuredClone: what the algorithm of the web copies, cycles included.
const refuse = (value) => {
  throw new DOMException(`${typeof value === 'symbol' ? String(value) : typeof value === 'function' ? value.toString() : '#<Object>'} could not be cloned.`, 'DataCloneError');
};

function copyOf(value, seen) {
  if (typeof value === 'function' || typeof value === 'symbol') refuse(value);
  if (typeof value !== 'object' || value === null) return value;
  if (seen.has(value)) return seen.get(value);
  const keep = (copy) => (seen.set(value, copy), copy);
  const inner = (part) => copyOf(part, seen);
  if (value instanceof Date) return keep(new Date(value.getTime()));
  if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
  if (value instanceof ArrayBuffer) return keep(value.slice(0));
  if (value instanceof DataView) return keep(new DataView(inner(value.buffer), value.byteOffset, value.byteLength));
  if (ArrayBuffer.isView(value)) {
    const kind = globalThis[Object.getPrototypeOf(Uint8Array.prototype)[Symbol.toStringTag] ?? value[Symbol.toStringTag]] ?? Uint8Array;
    return keep(new kind(inner(value.buffer), value.byteOffset, value.length));
  }
  if (value instanceof Map) {
    const copy = keep(new Map());
    for (const [key, part] of [...value]) copy.set(inner(key), inner(part));
    return copy;
  }
  if (value instanceof Set) {
    const copy = keep(new Set());
    for (const part of [...value]) copy.add(inner(part));
    return copy;
  }
  if (value instanceof Error) {
    const known = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
    const copy = keep(new (known[value.name] ?? Error)(value.message));
    copy.stack = value.stack;
    if (Object.hasOwn(value, 'cause')) Object.defineProperty(copy, 'cause', { value: inner(value.cause), writable: true, configurable: true });
    return copy;
  }
  for (const Box of [Boolean, Number, String, BigInt]) if (value instanceof Box) return keep(Object(value.valueOf()));
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef) refuse(value);
  const copy = keep(Array.isArray(value) ? new Array(value.length) : {});
  for (const key of Object.keys(value)) copy[key] = inner(value[key]);
  return copy;
}

exports.structuredClone = function structuredClone(value, options = undefined) {
  if (arguments.length === 0) throw new TypeError("The \"value\" argument must be specified");
  const copy = copyOf(value, new Map());
  for (const buffer of options?.transfer ?? []) buffer.transfer?.();
  return copy;
};
