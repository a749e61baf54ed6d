// buffer: Buffer on Uint8Array; text and searching are native.
const { coded, integer, invalidArgType, invalidArgValue, outOfRange, received } = require('internal/errors');
const ENCODINGS = {
  utf8: 'utf8', 'utf-8': 'utf8', hex: 'hex', base64: 'base64', base64url: 'base64url', latin1: 'latin1', binary: 'latin1',
  ascii: 'ascii', ucs2: 'utf16le', 'ucs-2': 'utf16le', utf16le: 'utf16le', 'utf-16le': 'utf16le',
};

function encodingOf(name = 'utf8') {
  const known = ENCODINGS[String(name).toLowerCase()];
  if (!known) throw Object.assign(new TypeError(`Unknown encoding: ${name}`), { code: 'ERR_UNKNOWN_ENCODING' });
  return known;
}

const toBytes = (text, encoding) => native.encode(text, encoding === 'ascii' ? 'latin1' : encoding);
// Native text is Unicode and has no lone halves; JavaScript's has.
function toText(bytes, encoding) {
  const text = native.decode(bytes, encoding);
  if (encoding !== 'utf16le' || !text.includes('\ufffd')) return text;
  let units = '';
  for (let at = 0; at + 1 < bytes.length; at += 2) units += String.fromCharCode(bytes[at] | (bytes[at + 1] << 8));
  return units;
}
const wrap = (bytes) => Object.setPrototypeOf(bytes, Buffer.prototype);
const sized = (size) => {
  if (typeof size !== 'number') throw invalidArgType('size', 'number', size);
  if (!(size >= 0 && size <= MAX_LENGTH)) throw outOfRange('size', `>= 0 && <= ${MAX_LENGTH}`, size);
  return new FastBuffer(size);
};
const MAX_LENGTH = 2 ** 31 - 1;

// Old code calls Buffer without `new`, and `new Buffer(text)`.
function Buffer(value, encodingOrOffset, length) {
  if (typeof value === 'number') {
    if (typeof encodingOrOffset === 'string') throw invalidArgType('string', 'string', value);
    return sized(value);
  }
  return Buffer.from(value, encodingOrOffset, length);
}

const statics = {
  from(value, encodingOrOffset, length) {
    if (typeof value === 'string') return wrap(toBytes(value, encodingOf(encodingOrOffset || 'utf8')));
    if (typeof value === 'object' && value !== null) {
      if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) {
        const offset = Number(encodingOrOffset) || 0;
        if (offset > value.byteLength) throw coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', '"offset" is outside of buffer bounds');
        if (length !== undefined && offset + Number(length) > value.byteLength) throw coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', '"length" is outside of buffer bounds');
        return new FastBuffer(value, offset, length === undefined ? undefined : Math.max(0, Number(length) || 0));
      }
      if (ArrayBuffer.isView(value) || Array.isArray(value)) {
        if (value instanceof DataView) return new FastBuffer(0);
        return filled(value);
      }
      const primitive = value.valueOf?.();
      if (primitive != null && primitive !== value && (typeof primitive === 'string' || typeof primitive === 'object')) return Buffer.from(primitive, encodingOrOffset, length);
      if (typeof value.length === 'number' || value.length !== undefined) return typeof value.length === 'number' && value.length > 0 ? filled(Array.from(value)) : new FastBuffer(0);
      if (value.type === 'Buffer' && Array.isArray(value.data)) return filled(value.data);
      if (typeof value[Symbol.toPrimitive] === 'function') {
        const text = value[Symbol.toPrimitive]('string');
        if (typeof text === 'string') return Buffer.from(text, encodingOrOffset);
      }
    }
    throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', `The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object. ${received(value)}`);
  },
  of: (...bytes) => filled(bytes),
  copyBytesFrom(view, offset = 0, length = undefined) {
    const part = view.subarray(offset, length === undefined ? undefined : offset + length);
    return Buffer.from(new Uint8Array(part.buffer.slice(part.byteOffset, part.byteOffset + part.byteLength)));
  },
  alloc(size, fill, encoding) {
    const buffer = sized(size);
    return fill === undefined || fill === 0 || size === 0 ? buffer : buffer.fill(fill, encoding);
  },
  allocUnsafe: (size) => sized(size),
  allocUnsafeSlow: (size) => sized(size),
  isBuffer: (value) => value instanceof Buffer,
  isEncoding: (name) => typeof name === 'string' && name.length > 0 && ENCODINGS[name.toLowerCase()] !== undefined,
  byteLength(value, encoding) {
    if (typeof value !== 'string') {
      if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return value.byteLength;
      throw invalidArgType('string', ['string', 'Buffer', 'ArrayBuffer'], value);
    }
    switch (ENCODINGS[String(encoding ?? 'utf8').toLowerCase()] ?? 'utf8') {
      case 'utf8': return native.utf8Length(value);
      case 'utf16le': return value.length * 2;
      case 'hex': return value.length >>> 1;
      case 'base64': case 'base64url': return Math.floor((value.replace(/={1,2}$/, '').length * 3) / 4);
      default: return value.length;
    }
  },
  concat(list, total = undefined) {
    if (!Array.isArray(list)) throw invalidArgType('list', 'Array', list);
    list.forEach((part, at) => {
      if (!(part instanceof Uint8Array)) throw invalidArgType(`list[${at}]`, ['Buffer', 'Uint8Array'], part);
    });
    if (total === undefined) total = list.reduce((sum, part) => sum + part.length, 0);
    else integer(total, 'length', 0);
    const whole = Buffer.alloc(total);
    let at = 0;
    for (const part of list) {
      if (at >= total) break;
      whole.set(at + part.length > total ? part.subarray(0, total - at) : part, at);
      at += part.length;
    }
    return whole;
  },
  compare(a, b) {
    if (!(a instanceof Uint8Array)) throw invalidArgType('buf1', ['Buffer', 'Uint8Array'], a);
    if (!(b instanceof Uint8Array)) throw invalidArgType('buf2', ['Buffer', 'Uint8Array'], b);
    return native.compare(a, b);
  },
};

const filled = (values) => {
  const buffer = new FastBuffer(values.length);
  buffer.set(values);
  return buffer;
};
const clamp = (value, fallback, most) => {
  const number = value === undefined ? fallback : Math.trunc(Number(value)) || 0;
  return Math.min(Math.max(number, 0), most);
};

class FastBuffer extends Uint8Array {
  toString(encoding, start = 0, end = this.length) {
    const from = clamp(start, 0, this.length);
    const to = clamp(end, this.length, this.length);
    if (to <= from) return '';
    return toText(from === 0 && to === this.length ? this : this.subarray(from, to), encodingOf(encoding || 'utf8'));
  }
  toLocaleString(encoding, start, end) {
    return this.toString(encoding, start, end);
  }
  toJSON() {
    return { type: 'Buffer', data: Array.from(this) };
  }
  equals(other) {
    if (!(other instanceof Uint8Array)) throw invalidArgType('otherBuffer', ['Buffer', 'Uint8Array'], other);
    return this === other || (this.length === other.length && native.compare(this, other) === 0);
  }
  compare(other, targetStart = 0, targetEnd = other?.length, start = 0, end = this.length) {
    if (!(other instanceof Uint8Array)) throw invalidArgType('target', ['Buffer', 'Uint8Array'], other);
    integer(targetStart, 'targetStart', 0);
    integer(targetEnd, 'targetEnd', 0, other.length);
    integer(start, 'sourceStart', 0);
    integer(end, 'sourceEnd', 0, this.length);
    return native.compare(this.subarray(start, Math.max(start, end)), Uint8Array.prototype.subarray.call(other, targetStart, Math.max(targetStart, targetEnd)));
  }
  copy(target, targetStart = 0, start = 0, end = this.length) {
    if (!(target instanceof Uint8Array)) throw invalidArgType('target', ['Buffer', 'Uint8Array'], target);
    targetStart = Math.trunc(targetStart) || 0;
    start = Math.trunc(start) || 0;
    end = Math.trunc(end) || 0;
    if (targetStart < 0) throw outOfRange('targetStart', '>= 0', targetStart);
    if (start < 0 || start > this.length) throw outOfRange('sourceStart', `>= 0 && <= ${this.length}`, start);
    if (end < 0) throw outOfRange('sourceEnd', '>= 0', end);
    if (targetStart >= target.length || start >= end) return 0;
    const part = this.subarray(start, Math.min(end, this.length, start + target.length - targetStart));
    target.set(part, targetStart);
    return part.length;
  }
  // Unlike Uint8Array's, a view.
  slice(start, end) {
    return this.subarray(start, end);
  }
  subarray(start, end) {
    return wrap(Uint8Array.prototype.subarray.call(this, start, end));
  }
  write(text, offset, length, encoding) {
    if (typeof offset === 'string') [encoding, offset, length] = [offset, 0, undefined];
    else if (typeof length === 'string') [encoding, length] = [length, undefined];
    if (typeof text !== 'string') throw invalidArgType('argument', 'string', text);
    const at = offset ?? 0;
    integer(at, 'offset', 0, this.length);
    if (length !== undefined) integer(length, 'length', 0, this.length);
    const room = Math.min(length ?? Infinity, this.length - at);
    const known = encodingOf(encoding || 'utf8');
    const bytes = toBytes(text, known);
    let count = Math.min(bytes.length, room);
    // No half characters.
    if (count < bytes.length && known === 'utf8') while (count > 0 && (bytes[count] & 0xc0) === 0x80) count--;
    if (count < bytes.length && known === 'utf16le') count &= ~1;
    this.set(count < bytes.length ? bytes.subarray(0, count) : bytes, at);
    return count;
  }
  fill(value, start, end, encoding) {
    if (typeof start === 'string') [encoding, start, end] = [start, 0, this.length];
    else if (typeof end === 'string') [encoding, end] = [end, this.length];
    const from = start ?? 0;
    const to = end ?? this.length;
    integer(from, 'offset', 0, this.length);
    integer(to, 'end', 0, this.length);
    if (from >= to) return this;
    if (typeof value === 'number' || typeof value === 'boolean') return super.fill(Number(value) & 255, from, to);
    const bytes = typeof value === 'string' ? toBytes(value, encodingOf(encoding || 'utf8')) : value;
    if (value === '') return super.fill(0, from, to);
    if (!(bytes instanceof Uint8Array)) return super.fill(Number(value) & 255, from, to);
    if (bytes.length === 0) throw invalidArgValue('value', value);
    if (bytes.length === 1) return super.fill(bytes[0], from, to);
    // Doubles what is there.
    this.set(bytes.subarray(0, Math.min(bytes.length, to - from)), from);
    for (let done = bytes.length; from + done < to; done *= 2) this.copyWithin(from + done, from, Math.min(from + done, to - done));
    return this;
  }
  indexOf(value, offset = undefined, encoding = undefined) {
    return search(this, value, offset, encoding, false);
  }
  lastIndexOf(value, offset = undefined, encoding = undefined) {
    return search(this, value, offset, encoding, true);
  }
  includes(value, offset, encoding) {
    return this.indexOf(value, offset, encoding) !== -1;
  }
  [Symbol.for('nodejs.util.inspect.custom')](depth, options) {
    const most = exports.INSPECT_MAX_BYTES;
    let shown = Array.from(this.subarray(0, most), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
    if (this.length > most) shown += ` ... ${this.length - most} more byte${this.length - most > 1 ? 's' : ''}`;
    const extra = Object.keys(this).filter((key) => !/^\d+$/.test(key));
    if (extra.length > 0 && options) {
      const inner = require('util').inspect(Object.fromEntries(extra.map((key) => [key, this[key]])), { ...options, breakLength: Infinity, compact: true });
      shown += `${shown ? ', ' : ''}${inner.slice(2, -2)}`;
    }
    return `<${this.constructor.name} ${shown}>`;
  }
  get parent() {
    return this instanceof Buffer ? this.buffer : undefined;
  }
  get offset() {
    return this instanceof Buffer ? this.byteOffset : undefined;
  }
}
// One class under the name that everybody knows.
Buffer.prototype = FastBuffer.prototype;
Object.defineProperty(FastBuffer.prototype, 'constructor', { value: Buffer, writable: true, configurable: true });
Object.setPrototypeOf(Buffer, Uint8Array);
for (const [name, value] of Object.entries(statics)) Object.defineProperty(Buffer, name, { value, writable: true, configurable: true, enumerable: true });
Buffer.poolSize = 8192;
Object.defineProperty(Buffer, Symbol.species, { configurable: true, get: () => FastBuffer });
FastBuffer.prototype.subarray = function subarray(start, end) {
  return wrap(Uint8Array.prototype.subarray.call(this, start, end));
};

for (const width of [2, 4, 8]) {
  define(`swap${width * 8}`, function () {
    if (this.length % width !== 0) throw coded(RangeError, 'ERR_INVALID_BUFFER_SIZE', `Buffer size must be a multiple of ${width * 8}-bits`);
    for (let at = 0; at < this.length; at += width) Uint8Array.prototype.subarray.call(this, at, at + width).reverse();
    return this;
  });
}
for (const name of ['utf8', 'latin1', 'ascii', 'hex', 'base64', 'base64url', 'ucs2']) {
  define(`${name}Slice`, function (start, end) { return this.toString(name, start, end); });
  define(`${name}Write`, function (text, offset = 0, length = undefined) { return this.write(text, offset, length, name); });
}

function search(buffer, value, offset, encoding, backwards) {
  if (typeof offset === 'string') [encoding, offset] = [offset, undefined];
  let at = Number(offset === undefined ? NaN : offset);
  at = Number.isNaN(at) ? (backwards ? buffer.length : 0) : Math.trunc(Math.min(Math.max(at, -0x7fffffff), 0x7fffffff));
  if (at < 0) at += buffer.length;
  if (at < 0) {
    if (backwards) return -1;
    at = 0;
  }
  if (typeof value === 'number') return native.indexOf(buffer, Uint8Array.of(value & 255), at, backwards);
  if (typeof value === 'string') value = toBytes(value, encodingOf(encoding || 'utf8'));
  else if (!(value instanceof Uint8Array)) throw invalidArgType('value', ['number', 'string', 'Buffer', 'Uint8Array'], value);
  if (value.length === 0) return Math.min(at, buffer.length);
  return at > buffer.length && !backwards ? -1 : native.indexOf(buffer, value, at, backwards);
}

// Numbers of fixed width, through DataView.
const place = (buffer, at, width) => {
  if (typeof at !== 'number') throw invalidArgType('offset', 'number', at);
  if (!Number.isInteger(at)) throw outOfRange('offset', 'an integer', at);
  if (at < 0 || at + width > buffer.length) {
    if (buffer.length < width) throw coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', 'Attempt to access memory outside buffer bounds');
    throw outOfRange('offset', `>= 0 and <= ${buffer.length - width}`, at);
  }
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
};
const fits = (value, min, max, width) => {
  if (value >= min && value <= max) return;
  const big = typeof min === 'bigint' ? 'n' : '';
  const range = width > 3 || big ? (min === 0 || min === 0n ? `>= 0${big} and < 2${big} ** ${width * 8}${big}` : `>= -(2${big} ** ${width * 8 - 1}${big}) and < 2${big} ** ${width * 8 - 1}${big}`) : `>= ${min} and <= ${max}`;
  throw outOfRange('value', range, value);
};
const FIXED = [
  ['UInt8', 'Uint8', 1, 0, 0xff], ['Int8', 'Int8', 1, -0x80, 0x7f], ['UInt16', 'Uint16', 2, 0, 0xffff], ['Int16', 'Int16', 2, -0x8000, 0x7fff],
  ['UInt32', 'Uint32', 4, 0, 0xffffffff], ['Int32', 'Int32', 4, -0x80000000, 0x7fffffff], ['Float', 'Float32', 4], ['Double', 'Float64', 8],
  ['BigUInt64', 'BigUint64', 8, 0n, 2n ** 64n - 1n], ['BigInt64', 'BigInt64', 8, -(2n ** 63n), 2n ** 63n - 1n],
];
for (const [name, kind, width, min, max] of FIXED) {
  for (const [suffix, little] of width === 1 ? [['', true]] : [['LE', true], ['BE', false]]) {
    define(`read${name}${suffix}`, function (at = 0) {
      return place(this, at, width)[`get${kind}`](at, little);
    });
    define(`write${name}${suffix}`, function (value, at = 0) {
      if (min !== undefined) {
        if (typeof min === 'bigint' && typeof value !== 'bigint') throw new TypeError(`Cannot mix BigInt and other types, use explicit conversions`);
        value = typeof min === 'bigint' ? value : +value;
        fits(value, min, max, width);
      }
      place(this, at, width)[`set${kind}`](at, value, little);
      return at + width;
    });
  }
}
for (const [suffix, little] of [['LE', true], ['BE', false]]) {
  for (const signed of [false, true]) {
    define(`read${signed ? '' : 'U'}Int${suffix}`, function (at, width) {
      integer(width, 'byteLength', 1, 6);
      place(this, at, width);
      let value = 0;
      for (let n = 0; n < width; n++) value = value * 256 + this[little ? at + width - 1 - n : at + n];
      return signed && value >= 2 ** (width * 8 - 1) ? value - 2 ** (width * 8) : value;
    });
    define(`write${signed ? '' : 'U'}Int${suffix}`, function (value, at, width) {
      integer(width, 'byteLength', 1, 6);
      value = +value;
      const half = 2 ** (width * 8 - 1);
      fits(value, signed ? -half : 0, signed ? half - 1 : half * 2 - 1, width);
      place(this, at, width);
      let rest = value < 0 ? value + half * 2 : value;
      for (let n = 0; n < width; n++) {
        this[little ? at + n : at + width - 1 - n] = rest % 256;
        rest = Math.floor(rest / 256);
      }
      return at + width;
    });
  }
}

function define(name, value) {
  for (const alias of new Set([name, name.replace('UInt', 'Uint')])) {
    Object.defineProperty(Buffer.prototype, alias, { value, writable: true, configurable: true });
  }
}

const lazily = (name) => ({ enumerable: true, configurable: true, get: () => require('internal/blob')[name] });
Object.assign(exports, {
  Buffer,
  SlowBuffer: (size) => Buffer.alloc(Number(size)),
  INSPECT_MAX_BYTES: 50,
  kMaxLength: MAX_LENGTH,
  kStringMaxLength: 2 ** 29 - 24,
  constants: { MAX_LENGTH, MAX_STRING_LENGTH: 2 ** 29 - 24 },
  isUtf8: (bytes) => native.isUtf8(ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : new Uint8Array(bytes)),
  isAscii: (bytes) => (ArrayBuffer.isView(bytes) ? bytes : new Uint8Array(bytes)).every((byte) => byte < 128),
  transcode: (source, from, to) => Buffer.from(Buffer.from(source).toString(from), to),
  atob: globalThis.atob,
  btoa: globalThis.btoa,
  resolveObjectURL: () => undefined,
});
Object.defineProperties(exports, { Blob: lazily('Blob'), File: lazily('File') });
