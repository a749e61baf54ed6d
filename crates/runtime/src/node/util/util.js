// util: format, inspect, promisify and friends.
const custom = Symbol.for('nodejs.util.promisify.custom');
const inspectCustom = Symbol.for('nodejs.util.inspect.custom');

const quote = (text) => (text.includes("'") && !text.includes('"') ? JSON.stringify(text) : `'${JSON.stringify(text).slice(1, -1).replace(/\\"/g, '"').replace(/'/g, "\\'")}'`);
const isIdentifier = (key) => /^[A-Za-z_$][\w$]*$/.test(key);

function inspect(value, options) {
  const { depth = 2, breakLength = 80, maxArrayLength = 100, maxStringLength = 10000 } = options ?? {};
  return show(value, { depth: depth === null ? Infinity : depth, breakLength, maxArrayLength: maxArrayLength ?? Infinity, maxStringLength: maxStringLength ?? Infinity, seen: [] }, 0);
}
inspect.custom = inspectCustom;

function show(value, ctx, level) {
  switch (typeof value) {
    case 'string':
      return quote(value.length > ctx.maxStringLength ? `${value.slice(0, ctx.maxStringLength)}…` : value);
    case 'bigint':
      return `${value}n`;
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'function':
      return `[${value.toString().startsWith('class') ? 'class' : 'Function'}${value.name ? (value.toString().startsWith('class') ? ' ' : ': ') + value.name : ' (anonymous)'}]`;
    case 'object':
      return value === null ? 'null' : showObject(value, ctx, level);
    default:
      return String(value);
  }
}

function showObject(value, ctx, level) {
  if (ctx.seen.includes(value)) return '[Circular *1]';
  if (typeof value[inspectCustom] === 'function') {
    const shown = value[inspectCustom](ctx.depth - level, ctx, inspect);
    return typeof shown === 'string' ? shown : show(shown, ctx, level);
  }
  if (value instanceof Error) return showError(value, ctx, level);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (value instanceof Promise) return 'Promise {}';
  const name = value.constructor?.name;
  const prefix = name && name !== 'Object' && name !== 'Array' ? `${name} ` : value.constructor ? '' : '[Object: null prototype] ';
  if (level > ctx.depth) return Array.isArray(value) ? '[Array]' : `[${name ?? 'Object'}]`;
  ctx.seen.push(value);
  try {
    return layout(value, prefix, ctx, level);
  } finally {
    ctx.seen.pop();
  }
}

function layout(value, prefix, ctx, level) {
  const next = (inner) => show(inner, ctx, level + 1);
  if (Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView))) {
    const items = Array.from(value.slice(0, ctx.maxArrayLength), next);
    if (value.length > ctx.maxArrayLength) items.push(`... ${value.length - ctx.maxArrayLength} more items`);
    return wrapped(items, `${prefix ? `${prefix.trim()}(${value.length}) ` : ''}[`, ']', ctx, level);
  }
  if (value instanceof Map) {
    const items = Array.from(value, ([key, inner]) => `${next(key)} => ${next(inner)}`);
    return wrapped(items, `Map(${value.size}) {`, '}', ctx, level);
  }
  if (value instanceof Set) return wrapped(Array.from(value, next), `Set(${value.size}) {`, '}', ctx, level);
  const items = Reflect.ownKeys(value)
    .filter((key) => Object.getOwnPropertyDescriptor(value, key)?.enumerable)
    .map((key) => {
      const property = Object.getOwnPropertyDescriptor(value, key);
      const label = typeof key === 'symbol' ? `[${String(key)}]` : isIdentifier(key) ? key : quote(key);
      return `${label}: ${property.get ? (property.set ? '[Getter/Setter]' : '[Getter]') : next(property.value)}`;
    });
  return wrapped(items, `${prefix}{`, '}', ctx, level);
}

function wrapped(items, open, close, ctx, level) {
  if (items.length === 0) return open + close;
  const line = `${open} ${items.join(', ')} ${close}`;
  if (line.length + level * 2 <= Math.min(ctx.breakLength, 76) && !line.includes('\n')) return line;
  const pad = '  '.repeat(level + 1);
  return `${open}\n${items.map((item) => pad + item).join(',\n')}\n${'  '.repeat(level)}${close}`;
}

function showError(error, ctx, level) {
  const head = `${error.name}: ${error.message}`;
  const text = error.stack ? `${head}\n${error.stack.replace(/\n$/, '')}` : `[${head}]`;
  const own = Object.keys(error).filter((key) => !['stack', 'message', 'name'].includes(key));
  if (own.length === 0) return text;
  return `${text} ${layout(Object.fromEntries(own.map((key) => [key, error[key]])), '', ctx, level)}`;
}

function format(first, ...rest) {
  if (typeof first !== 'string') return [first, ...rest].map(plain).join(' ');
  let at = 0;
  const text = first.replace(/%[sdifjoOc%]/g, (mark) => {
    if (mark === '%%') return rest.length > 0 ? '%' : '%%';
    if (at >= rest.length) return mark;
    const value = rest[at++];
    switch (mark) {
      case '%s':
        return typeof value === 'string' ? value : typeof value === 'object' && value !== null ? inspect(value, { depth: 0 }) : plain(value);
      case '%d':
        return typeof value === 'bigint' ? `${value}n` : String(typeof value === 'object' ? NaN : Number(value));
      case '%i':
        return typeof value === 'bigint' ? `${value}n` : String(parseInt(value, 10));
      case '%f':
        return String(parseFloat(value));
      case '%j':
        return JSON.stringify(value);
      case '%c':
        return '';
      default:
        return inspect(value, { depth: 4 });
    }
  });
  return [text, ...rest.slice(at).map(plain)].join(' ');
}

const plain = (value) => (typeof value === 'string' ? value : inspect(value));

function promisify(original) {
  if (typeof original !== 'function') throw Object.assign(new TypeError('The "original" argument must be of type function'), { code: 'ERR_INVALID_ARG_TYPE' });
  if (original[custom]) return original[custom];
  const promised = function (...args) {
    return new Promise((resolve, reject) => original.call(this, ...args, (error, value) => (error ? reject(error) : resolve(value))));
  };
  return Object.defineProperties(promised, Object.getOwnPropertyDescriptors(original));
}
promisify.custom = custom;

const callbackify = (original) =>
  function (...args) {
    const callback = args.pop();
    original.apply(this, args).then(
      (value) => queueMicrotask(() => callback(null, value)),
      (error) => queueMicrotask(() => callback(error ?? new Error('rejected'))),
    );
  };

function inherits(constructor, parent) {
  constructor.super_ = parent;
  Object.setPrototypeOf(constructor.prototype, parent.prototype);
}

function isDeepStrictEqual(a, b, pairs = []) {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (pairs.some(([x, y]) => x === a && y === b)) return true;
  const inner = [...pairs, [a, b]];
  if (a instanceof Date) return a.getTime() === b.getTime();
  if (a instanceof RegExp) return String(a) === String(b);
  if (a instanceof Map || a instanceof Set) {
    return a.size === b.size && isDeepStrictEqual([...a], [...b], inner);
  }
  const keys = Reflect.ownKeys(a);
  return keys.length === Reflect.ownKeys(b).length && keys.every((key) => Object.hasOwn(b, key) && isDeepStrictEqual(a[key], b[key], inner));
}

// Values that JSON does not lose; cycles, maps, sets, dates, buffers, errors included.
function structuredClone(value, seen = new Map()) {
  if (typeof value === 'function' || typeof value === 'symbol') {
    throw new DOMException(`${String(value)} could not be cloned.`, 'DataCloneError');
  }
  if (typeof value !== 'object' || value === null) return value;
  if (seen.has(value)) return seen.get(value);
  const keep = (copy) => (seen.set(value, copy), copy);
  const inner = (part) => structuredClone(part, seen);
  if (value instanceof Date) return keep(new Date(value.getTime()));
  if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
  if (value instanceof ArrayBuffer) return keep(value.slice(0));
  if (ArrayBuffer.isView(value)) return keep(new value.constructor(inner(value.buffer), value.byteOffset, value.length));
  if (value instanceof Map) {
    const copy = keep(new Map());
    for (const [key, part] of value) copy.set(inner(key), inner(part));
    return copy;
  }
  if (value instanceof Set) {
    const copy = keep(new Set());
    for (const part of value) copy.add(inner(part));
    return copy;
  }
  if (value instanceof Error) {
    const copy = keep(new (globalThis[value.name] ?? Error)(value.message));
    copy.stack = value.stack;
    return copy;
  }
  const copy = keep(Array.isArray(value) ? new Array(value.length) : {});
  for (const key of Object.keys(value)) copy[key] = inner(value[key]);
  return copy;
}

Object.assign(exports, {
  inspect,
  format,
  promisify,
  callbackify,
  inherits,
  isDeepStrictEqual,
  deprecate: (original) => original,
  debuglog: () => () => {},
  stripVTControlCharacters: (text) => text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, ''),
  structuredClone: (value) => structuredClone(value),
  types: {
    isPromise: (value) => value instanceof Promise,
    isDate: (value) => value instanceof Date,
    isRegExp: (value) => value instanceof RegExp,
    isMap: (value) => value instanceof Map,
    isSet: (value) => value instanceof Set,
    isNativeError: (value) => value instanceof Error,
    isTypedArray: (value) => ArrayBuffer.isView(value) && !(value instanceof DataView),
    isUint8Array: (value) => value instanceof Uint8Array,
    isArrayBuffer: (value) => value instanceof ArrayBuffer,
    isAsyncFunction: (value) => typeof value === 'function' && value.constructor?.name === 'AsyncFunction',
  },
});
for (const name of ['TextEncoder', 'TextDecoder']) {
  Object.defineProperty(exports, name, { enumerable: true, get: () => require('buffer')[name] });
}
