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
const MAX_LENGTH = Number.MAX_SAFE_INTEGER;

// Old code calls Buffer without `new`, and `new Buffer(text)`.
function Buffer(value, encodingOrOffset, length) {
  if (typeof value === 'number') {
    if (typeof encodingOrOffset === 'string') throw invalidArgType('string', 'string', value);
    return sized(value);
  }
  return Buffer.from(value, encodingOrOffset, length);
}

const statics = {
  from: function from(value, encodingOrOffset, length) {
    if (typeof value === 'string') return wrap(toBytes(value, encodingOf(typeof encodingOrOffset === 'string' ? encodingOrOffset || 'utf8' : 'utf8')));
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
  alloc: function alloc(size, fill, encoding) {
    const buffer = sized(size);
    return fill === undefined || fill === 0 || buffer.length === 0 ? buffer : buffer.fill(fill, 0, buffer.length, encoding);
  },
  allocUnsafe: function allocUnsafe(size) { return sized(size); },
  allocUnsafeSlow: function allocUnsafeSlow(size) { return sized(size); },
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
    if (list.length === 0) return new FastBuffer(0);
    if (total !== undefined) integer(total, 'length', 0);
    list.forEach((part, at) => {
      if (!(part instanceof Uint8Array)) throw invalidArgType(`list[${at}]`, ['Buffer', 'Uint8Array'], part);
    });
    total ??= list.reduce((sum, part) => sum + part.length, 0);
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
    if (typeof text !== 'string') throw invalidArgType('argument', 'string', text);
    let at = 0;
    let room = this.length;
    if (offset === undefined) {
      encoding = undefined;
    } else if (length === undefined && typeof offset === 'string') {
      encoding = offset;
    } else {
      integer(offset, 'offset', 0, this.length);
      at = offset;
      room = this.length - at;
      if (typeof length === 'string') {
        encoding = length;
      } else if (length !== undefined) {
        integer(length, 'length', 0, this.length);
        room = Math.min(length, room);
      }
    }
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
    if (typeof value === 'string') {
      if (start === undefined || typeof start === 'string') [encoding, start, end] = [start, undefined, undefined];
      else if (typeof end === 'string') [encoding, end] = [end, undefined];
      if (encoding != null && typeof encoding !== 'string') throw invalidArgType('encoding', 'string', encoding);
      encoding = encodingOf(encoding || 'utf8');
    }
    if (start === undefined) {
      [start, end] = [0, this.length];
    } else {
      integer(start, 'offset', 0);
      if (end === undefined) end = this.length;
      else integer(end, 'end', 0, this.length);
      if (start >= end) return this;
    }
    if (value === '') value = 0;
    const bytes = typeof value === 'string' ? toBytes(value, encoding) : value;
    if (!ArrayBuffer.isView(bytes)) return super.fill(Number(bytes) & 255, start, end);
    if (bytes.length === 0) throw invalidArgValue('value', value);
    if (bytes.length === 1) return super.fill(bytes[0], start, end);
    // Doubles what is there.
    this.set(bytes.subarray(0, Math.min(bytes.length, end - start)), start);
    for (let done = bytes.length; start + done < end; done *= 2) this.copyWithin(start + done, start, Math.min(start + done, end - done));
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
  const before = at < 0;
  if (before) at = 0;
  let needle = value;
  if (typeof value === 'number') needle = Uint8Array.of(value & 255);
  else if (typeof value === 'string') needle = toBytes(value, encodingOf(encoding || 'utf8'));
  else if (!(value instanceof Uint8Array)) throw invalidArgType('value', ['number', 'string', 'Buffer', 'Uint8Array'], value);
  if (needle.length === 0) return Math.min(at, buffer.length);
  return (before && backwards) || (at > buffer.length && !backwards) ? -1 : native.indexOf(buffer, needle, at, backwards);
}

// Numbers of fixed width, through DataView.
const outside = (value, most, name = 'offset') => {
  if (typeof value !== 'number') throw invalidArgType(name, 'number', value);
  if (Math.floor(value) !== value) throw outOfRange(name, 'an integer', value);
  if (most < 0) throw coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', 'Attempt to access memory outside buffer bounds');
  throw outOfRange(name, `>= ${name === 'offset' ? 0 : 1} and <= ${most}`, value);
};
const place = (buffer, at, width) => {
  if (!Number.isInteger(at) || at < 0 || at + width > buffer.length) outside(at, buffer.length - width);
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
};
// What is no number passes, as in Node: it is written as 0.
const fits = (value, min, max, width) => {
  if (!(value > max || value < min)) return;
  const big = typeof min === 'bigint' ? 'n' : '';
  const range = width > 4 ? (min === 0 || min === 0n ? `>= 0${big} and < 2${big} ** ${width * 8}${big}` : `>= -(2${big} ** ${width * 8 - 1}${big}) and < 2${big} ** ${width * 8 - 1}${big}`) : `>= ${min} and <= ${max}`;
  throw outOfRange('value', range, value);
};
const widthOf = (width) => {
  if (!Number.isInteger(width) || width < 1 || width > 6) outside(width, 6, 'byteLength');
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
      if (typeof min !== 'bigint') value = +value;
      if (width === 1 && typeof at !== 'number') throw invalidArgType('offset', 'number', at);
      if (min !== undefined) fits(value, min, max, width);
      const view = place(this, at, width);
      if (typeof min === 'bigint' && typeof value !== 'bigint') throw new TypeError('Cannot mix BigInt and other types, use explicit conversions');
      view[`set${kind}`](at, value, little);
      return at + width;
    });
  }
}
for (const [suffix, little] of [['LE', true], ['BE', false]]) {
  for (const signed of [false, true]) {
    define(`read${signed ? '' : 'U'}Int${suffix}`, function (at, width) {
      if (at === undefined) throw invalidArgType('offset', 'number', at);
      widthOf(width);
      place(this, at, width);
      let value = 0;
      for (let n = 0; n < width; n++) value = value * 256 + this[little ? at + width - 1 - n : at + n];
      return signed && value >= 2 ** (width * 8 - 1) ? value - 2 ** (width * 8) : value;
    });
    define(`write${signed ? '' : 'U'}Int${suffix}`, function (value, at, width) {
      widthOf(width);
      value = +value;
      if (width === 1 && typeof at !== 'number') throw invalidArgType('offset', 'number', at);
      const half = 2 ** (width * 8 - 1);
      fits(value, signed ? -half : 0, signed ? half - 1 : half * 2 - 1, width);
      place(this, at, width);
      let rest = Math.trunc(value) || 0;
      if (rest < 0) rest += half * 2;
      for (let n = 0; n < width; n++) {
        this[little ? at + n : at + width - 1 - n] = rest % 256;
        rest = Math.floor(rest / 256);
      }
      return at + width;
    });
  }
}

// Node's are assigned, and so seen by those who list them.
for (const name of Object.getOwnPropertyNames(Buffer.prototype)) if (name !== 'constructor') Object.defineProperty(Buffer.prototype, name, { enumerable: true });

function define(name, value) {
  for (const alias of new Set([name, name.replace('UInt', 'Uint')])) {
    Object.defineProperty(Buffer.prototype, alias, { value, writable: true, configurable: true });
  }
}

const TRANSCODED = new Set(['utf8', 'utf16le', 'latin1', 'ascii']);
function transcode(source, from, to) {
  if (!(source instanceof Uint8Array)) throw invalidArgType('source', ['Buffer', 'Uint8Array'], source);
  if (source.length === 0) return new FastBuffer(0);
  const [before, after] = [from, to].map((name) => ENCODINGS[String(name).toLowerCase()]);
  if (!TRANSCODED.has(before) || !TRANSCODED.has(after)) throw Object.assign(coded(Error, 'U_ILLEGAL_ARGUMENT_ERROR', 'Unable to transcode Buffer [U_ILLEGAL_ARGUMENT_ERROR]'), { errno: 1 });
  let text = toText(source, before === 'ascii' ? 'latin1' : before);
  if (before === 'ascii' && after !== 'utf16le') text = text.replace(/[\x80-\xff]/g, '\ufffd');
  if (before === 'utf8' && after === 'utf16le' && !native.isUtf8(source)) throw Object.assign(coded(Error, 'U_INVALID_CHAR_FOUND', 'Unable to transcode Buffer [U_INVALID_CHAR_FOUND]'), { errno: 10 });
  if (after === 'utf8' || after === 'utf16le') return Buffer.from(text, after);
  const most = after === 'ascii' ? 0x7f : 0xff;
  return Buffer.from(Array.from(text, (char) => (char.codePointAt(0) > most ? 0x3f : char.charCodeAt(0))));
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
  transcode,
  atob: globalThis.atob,
  btoa: globalThis.btoa,
  resolveObjectURL: () => undefined,
});
Object.defineProperties(exports, { Blob: lazily('Blob'), File: lazily('File') });
