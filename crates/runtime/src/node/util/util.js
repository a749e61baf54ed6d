// util. inspect and format are a package's (vendor/inspect.js); the rest is here.
const { aborted, callback, coded, invalidArgType, invalidArgValue } = require('internal/errors');
const { is, proxy } = require('internal/values');
const { inspect, format, formatWithOptions, stripVTControlCharacters } = require('internal/inspect');
const custom = Symbol.for('nodejs.util.promisify.custom');

function promisify(original) {
  callback(original, 'original');
  if (original[custom]) {
    callback(original[custom], 'util.promisify.custom');
    return Object.defineProperty(original[custom], custom, { value: original[custom], configurable: true });
  }
  const promised = function (...args) {
    return new Promise((resolve, reject) => {
      Reflect.apply(original, this, [...args, (error, ...values) => {
        if (error) return reject(error);
        const names = original[promisify.names];
        if (names && values.length > 1) resolve(Object.fromEntries(names.map((name, at) => [name, values[at]])));
        else resolve(values[0]);
      }]);
    });
  };
  Object.setPrototypeOf(promised, Object.getPrototypeOf(original));
  Object.defineProperty(promised, custom, { value: promised, configurable: true });
  const properties = Object.getOwnPropertyDescriptors(original);
  delete properties[promisify.names];
  return Object.defineProperties(promised, properties);
}
promisify.custom = custom;
promisify.names = Symbol('names of the values');

function callbackify(original) {
  callback(original, 'original');
  function callbackified(...args) {
    const done = args.pop();
    callback(done, 'last argument');
    const { nextTick } = require('process');
    Reflect.apply(original, this, args).then(
      (value) => nextTick(done, null, value),
      (error) => nextTick(done, error || Object.assign(coded(Error, 'ERR_FALSY_VALUE_REJECTION', 'Promise was rejected with falsy value'), { reason: error })),
    );
  }
  return Object.defineProperties(callbackified, {
    length: { value: original.length + 1, configurable: true },
    name: { value: `${original.name}Callbackified`, configurable: true },
  });
}

function inherits(constructor, parent) {
  if (constructor == null) throw invalidArgType('ctor', 'Function', constructor);
  if (parent == null) throw invalidArgType('superCtor', 'Function', parent);
  if (parent.prototype === undefined) throw invalidArgType('superCtor.prototype', 'Object', parent.prototype);
  Object.defineProperty(constructor, 'super_', { value: parent, writable: true, configurable: true });
  Object.setPrototypeOf(constructor.prototype, parent.prototype);
}

const told = new Set();
function deprecate(original, message, code) {
  if (require('process').noDeprecation) return original;
  let warned = false;
  function deprecated(...args) {
    if (!warned && !(code && told.has(code))) {
      warned = true;
      told.add(code);
      require('process').emitWarning(message, 'DeprecationWarning', code);
    }
    return new.target ? Reflect.construct(original, args, new.target) : Reflect.apply(original, this, args);
  }
  Object.setPrototypeOf(deprecated, original);
  if (original.prototype) deprecated.prototype = original.prototype;
  return deprecated;
}

function debuglog(set) {
  let enabled;
  const test = () => (enabled ??= new RegExp(`(^|,)${set}(,|$)`, 'i').test(require('process').env.NODE_DEBUG ?? ''));
  const write = (...args) => {
    if (test()) internal.log('ERROR', `${set.toUpperCase()} ${require('process').pid}: ${format(...args)}`);
  };
  return Object.defineProperty(write, 'enabled', { get: test });
}

// The package is of a later Node, which colours what is in a pattern.
inspect.styles.regexp = 'red';
const COLORS = inspect.colors;
function styleText(style, text) {
  if (typeof text !== 'string') throw invalidArgType('text', 'string', text);
  const styles = [style].flat();
  let [open, close] = ['', ''];
  for (const name of styles) {
    if (name === 'none') continue;
    const pair = COLORS[name];
    if (!pair) throw invalidArgValue('format', name, `must be one of: ${Object.keys(COLORS).map((known) => `'${known}'`).join(', ')}`);
    open += `\u001b[${pair[0]}m`;
    close = `\u001b[${pair[1]}m${close}`;
  }
  return open + text + close;
}

const tag = (value) => Object.prototype.toString.call(value).slice(8, -1);
const typedTag = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get;
const typed = (name) => (value) => ArrayBuffer.isView(value) && typedTag.call(value) === name;
// Whether a method that checks its `this` takes the value.
const branded = (check) => (value) => {
  if (typeof value !== 'object' || value === null) return false;
  try {
    check(value);
    return true;
  } catch {
    return false;
  }
};
const getter = (kind, name) => {
  const { get } = Object.getOwnPropertyDescriptor(kind.prototype, name);
  return branded((value) => get.call(value));
};
const by = (...names) => (value) => is(value, ...names);
const boxes = { isNumberObject: by('number'), isStringObject: by('string'), isBooleanObject: by('boolean'), isBigIntObject: by('bigint'), isSymbolObject: by('symbol') };
const types = {
  ...boxes,
  isBoxedPrimitive: by('number', 'string', 'boolean', 'bigint', 'symbol'),
  isDate: by('date'),
  isRegExp: by('regexp'),
  isMap: getter(Map, 'size'),
  isSet: getter(Set, 'size'),
  isWeakMap: by('weakMap'),
  isWeakSet: by('weakSet'),
  isMapIterator: by('mapIterator'),
  isSetIterator: by('setIterator'),
  isPromise: by('promise'),
  isNativeError: by('error', 'dom'),
  isArrayBuffer: getter(ArrayBuffer, 'byteLength'),
  isSharedArrayBuffer: getter(SharedArrayBuffer, 'byteLength'),
  isAnyArrayBuffer: (value) => types.isArrayBuffer(value) || types.isSharedArrayBuffer(value),
  isArrayBufferView: ArrayBuffer.isView,
  isDataView: (value) => ArrayBuffer.isView(value) && typedTag.call(value) === undefined,
  isTypedArray: (value) => ArrayBuffer.isView(value) && typedTag.call(value) !== undefined,
  isAsyncFunction: by('asyncFunction', 'asyncGeneratorFunction'),
  isGeneratorFunction: by('generatorFunction', 'asyncGeneratorFunction'),
  isGeneratorObject: by('generator', 'asyncGenerator'),
  isArgumentsObject: by('arguments', 'looseArguments'),
  isModuleNamespaceObject: (value) => typeof value === 'object' && value !== null && tag(value) === 'Module' && Object.getPrototypeOf(value) === null,
  isProxy: (value) => proxy(value) !== undefined,
  isExternal: () => false,
  isCryptoKey: (value) => require('crypto').isCryptoKey(value),
  isKeyObject: (value) => require('crypto').isKeyObject(value),
};
for (const name of ['Uint8Array', 'Uint8ClampedArray', 'Uint16Array', 'Uint32Array', 'Int8Array', 'Int16Array', 'Int32Array', 'Float16Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array']) {
  types[`is${name}`] = typed(name);
}

// What the system says of its errors, as Node words it.
const MESSAGES = {
  E2BIG: 'argument list too long', EACCES: 'permission denied', EADDRINUSE: 'address already in use', EADDRNOTAVAIL: 'address not available', EAFNOSUPPORT: 'address family not supported',
  EAGAIN: 'resource temporarily unavailable', EALREADY: 'connection already in progress', EBADF: 'bad file descriptor', EBUSY: 'resource busy or locked', ECANCELED: 'operation canceled',
  ECONNABORTED: 'software caused connection abort', ECONNREFUSED: 'connection refused', ECONNRESET: 'connection reset by peer', EDESTADDRREQ: 'destination address required',
  EEXIST: 'file already exists', EFAULT: 'bad address in system call argument', EFBIG: 'file too large', EHOSTUNREACH: 'host is unreachable', EILSEQ: 'illegal byte sequence',
  EINTR: 'interrupted system call', EINVAL: 'invalid argument', EIO: 'i/o error', EISCONN: 'socket is already connected', EISDIR: 'illegal operation on a directory',
  ELOOP: 'too many symbolic links encountered', EMFILE: 'too many open files', EMLINK: 'too many links', EMSGSIZE: 'message too long', ENAMETOOLONG: 'name too long', ENETDOWN: 'network is down',
  ENETUNREACH: 'network is unreachable', ENFILE: 'file table overflow', ENOBUFS: 'no buffer space available', ENODEV: 'no such device', ENOENT: 'no such file or directory',
  ENOMEM: 'not enough memory', ENOPROTOOPT: 'protocol not available', ENOSPC: 'no space left on device', ENOSYS: 'function not implemented', ENOTCONN: 'socket is not connected',
  ENOTDIR: 'not a directory', ENOTEMPTY: 'directory not empty', ENOTSOCK: 'socket operation on non-socket', ENOTSUP: 'operation not supported on socket', ENOTTY: 'inappropriate ioctl for device',
  ENXIO: 'no such device or address', EOVERFLOW: 'value too large for defined data type', EPERM: 'operation not permitted', EPIPE: 'broken pipe', EPROTO: 'protocol error',
  EPROTONOSUPPORT: 'protocol not supported', EPROTOTYPE: 'protocol wrong type for socket', ERANGE: 'result too large', EROFS: 'read-only file system', ESPIPE: 'invalid seek',
  ESRCH: 'no such process', ETIMEDOUT: 'connection timed out', ETXTBSY: 'text file is busy', EXDEV: 'cross-device link not permitted', ENODATA: 'no data available',
};
const systemErrors = () => {
  const { errno } = require('os').constants;
  return new Map(Object.entries(MESSAGES).map(([name, message]) => [-errno[name], [name, message]]));
};
const numbered = (number) => {
  if (typeof number !== 'number') throw invalidArgType('err', 'number', number);
  if (number >= 0 || !Number.isSafeInteger(number)) throw coded(RangeError, 'ERR_OUT_OF_RANGE', `The value of "err" is out of range. It must be a negative integer. Received ${number}`);
  return systemErrors().get(number);
};

/** Lines of a file of settings: NAME=value, in quotes or not, over several lines in quotes. */
function parseEnv(content) {
  if (typeof content !== 'string') throw invalidArgType('content', 'string', content);
  const found = {};
  const text = content.replace(/\r\n?/g, '\n');
  const line = /^[ \t]*(?:export[ \t]+)?([^\s=#][^=\n]*?)[ \t]*=[ \t]*(?:"([^"]*)"|'([^']*)'|`([^`]*)`|([^\n#]*))[^\n]*$/gm;
  for (const [, name, double, single, back, bare] of text.matchAll(line)) found[name] = double?.replace(/\\n/g, '\n') ?? single ?? back ?? bare.trim();
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Where code is, frame by frame, without changing what others make of stacks. */
function getCallSites(count = 8) {
  const frames = typeof count === 'number' ? count : 8;
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = frames + 1;
  Error.prepareStackTrace = (_, sites) => sites;
  try {
    const sites = new Error().stack;
    return sites.slice(1, frames + 1).map((site) => ({
      functionName: site.getFunctionName() ?? '', scriptId: '0', scriptName: site.getFileName() ?? '', lineNumber: site.getLineNumber() ?? 0, columnNumber: site.getColumnNumber() ?? 0, column: site.getColumnNumber() ?? 0,
    }));
  } finally {
    Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  }
}

const lazily = (module, name) => ({ enumerable: true, configurable: true, get: () => require(module)[name] });
Object.assign(exports, {
  inspect, format, formatWithOptions, stripVTControlCharacters, promisify, callbackify, inherits, deprecate, debuglog, styleText, types,
  debug: debuglog,
  aborted: (signal) => new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }))),
  isArray: Array.isArray,
  isBoolean: (value) => typeof value === 'boolean',
  isNull: (value) => value === null,
  isNullOrUndefined: (value) => value == null,
  isNumber: (value) => typeof value === 'number',
  isString: (value) => typeof value === 'string',
  isSymbol: (value) => typeof value === 'symbol',
  isUndefined: (value) => value === undefined,
  isRegExp: types.isRegExp,
  isObject: (value) => typeof value === 'object' && value !== null,
  isDate: types.isDate,
  isError: (value) => value instanceof Error,
  isFunction: (value) => typeof value === 'function',
  isPrimitive: (value) => value === null || (typeof value !== 'object' && typeof value !== 'function'),
  log: (...args) => internal.log('INFO', format(...args)),
  toUSVString: (text) => String(text).toWellFormed(),
  getSystemErrorName: (number) => numbered(number)?.[0],
  getSystemErrorMessage: (number) => numbered(number)?.[1],
  getSystemErrorMap: systemErrors,
  parseEnv, getCallSites,
  getCallSite: getCallSites,
  isBuffer: (value) => require('buffer').Buffer.isBuffer(value),
  setTraceSigInt() {},
  transferableAbortController: () => new AbortController(),
  transferableAbortSignal: (signal) => signal,
  _extend: (target, source) => (source && typeof source === 'object' ? Object.assign(target, source) : target),
  _errnoException: (number, syscall) => Object.assign(new Error(`${syscall} ${number}`), { errno: number, syscall }),
});
Object.defineProperties(exports, {
  TextEncoder: lazily('internal/text', 'TextEncoder'),
  TextDecoder: lazily('internal/text', 'TextDecoder'),
  isDeepStrictEqual: lazily('internal/equal', 'isDeepStrictEqual'),
  parseArgs: lazily('internal/parse_args', 'parseArgs'),
  MIMEType: lazily('internal/mime', 'MIMEType'),
  MIMEParams: lazily('internal/mime', 'MIMEParams'),
  diff: { enumerable: true, configurable: true, get: () => require('internal/diff') },
});
exports.aborted.error = aborted;
