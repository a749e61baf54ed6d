// buffer: Buffer on Uint8Array, TextEncoder, TextDecoder.
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
const wrap = (bytes) => Object.setPrototypeOf(bytes, Buffer.prototype);
const outOfRange = (message) => Object.assign(new RangeError(message), { code: 'ERR_OUT_OF_RANGE' });

class Buffer extends Uint8Array {
  static poolSize = 8192;

  static from(value, encodingOrOffset, length) {
    if (typeof value === 'string') return wrap(toBytes(value, encodingOf(encodingOrOffset)));
    if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return new Buffer(value, encodingOrOffset, length);
    if (ArrayBuffer.isView(value) || Array.isArray(value)) {
      const buffer = new Buffer(value.length);
      for (let at = 0; at < value.length; at++) buffer[at] = value[at];
      return buffer;
    }
    if (value?.type === 'Buffer' && Array.isArray(value.data)) return Buffer.from(value.data);
    const primitive = value?.valueOf?.();
    if (primitive !== undefined && primitive !== null && primitive !== value) return Buffer.from(primitive, encodingOrOffset, length);
    if (typeof value?.length === 'number') return Buffer.from(Array.from(value));
    throw Object.assign(
      new TypeError('The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object.'),
      { code: 'ERR_INVALID_ARG_TYPE' },
    );
  }

  static alloc(size, fill, encoding) {
    if (typeof size !== 'number' || !(size >= 0)) throw outOfRange(`The value of "size" is out of range. Received ${size}`);
    const buffer = new Buffer(size);
    return fill === undefined ? buffer : buffer.fill(fill, encoding);
  }
  static allocUnsafe(size) {
    return Buffer.alloc(size);
  }
  static allocUnsafeSlow(size) {
    return Buffer.alloc(size);
  }
  static isBuffer(value) {
    return value instanceof Buffer;
  }
  static isEncoding(name) {
    return typeof name === 'string' && ENCODINGS[name.toLowerCase()] !== undefined;
  }
  static byteLength(value, encoding) {
    if (typeof value !== 'string') return value.byteLength;
    const known = encodingOf(encoding);
    return known === 'utf8' ? native.utf8Length(value) : toBytes(value, known).length;
  }
  static concat(list, total = list.reduce((sum, part) => sum + part.length, 0)) {
    const whole = Buffer.alloc(total);
    let at = 0;
    for (const part of list) {
      if (at >= total) break;
      whole.set(at + part.length > total ? part.subarray(0, total - at) : part, at);
      at += part.length;
    }
    return whole;
  }
  static compare(a, b) {
    const length = Math.min(a.length, b.length);
    for (let at = 0; at < length; at++) if (a[at] !== b[at]) return a[at] < b[at] ? -1 : 1;
    return Math.sign(a.length - b.length);
  }

  toString(encoding, start = 0, end = this.length) {
    const from = Math.max(0, start | 0);
    const to = Math.min(this.length, end);
    if (to <= from) return '';
    return native.decode(from === 0 && to === this.length ? this : this.subarray(from, to), encodingOf(encoding));
  }
  toLocaleString(encoding, start, end) {
    return this.toString(encoding, start, end);
  }
  toJSON() {
    return { type: 'Buffer', data: Array.from(this) };
  }
  equals(other) {
    return Buffer.compare(this, other) === 0;
  }
  compare(other, targetStart = 0, targetEnd = other.length, start = 0, end = this.length) {
    return Buffer.compare(this.subarray(start, end), other.subarray(targetStart, targetEnd));
  }
  copy(target, targetStart = 0, start = 0, end = this.length) {
    const part = this.subarray(start, Math.min(end, start + Math.max(0, target.length - targetStart)));
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
    const at = offset ?? 0;
    const room = Math.min(length ?? Infinity, this.length - at);
    const bytes = toBytes(text, encodingOf(encoding));
    this.set(bytes.length > room ? bytes.subarray(0, room) : bytes, at);
    return Math.min(bytes.length, room);
  }
  fill(value, start, end, encoding) {
    if (typeof start === 'string') [encoding, start, end] = [start, 0, this.length];
    const from = start ?? 0;
    const to = end ?? this.length;
    if (typeof value === 'number' || typeof value === 'boolean') return super.fill(Number(value) & 255, from, to);
    const bytes = typeof value === 'string' ? toBytes(value, encodingOf(encoding)) : value;
    if (bytes.length === 0) return super.fill(0, from, to);
    for (let at = from; at < to; at++) this[at] = bytes[(at - from) % bytes.length];
    return this;
  }
  indexOf(value, offset = 0, encoding) {
    return search(this, value, offset, encoding, 1);
  }
  lastIndexOf(value, offset = this.length, encoding) {
    return search(this, value, offset, encoding, -1);
  }
  includes(value, offset, encoding) {
    return this.indexOf(value, offset, encoding) !== -1;
  }
  swap16() {
    for (let at = 0; at + 1 < this.length; at += 2) [this[at], this[at + 1]] = [this[at + 1], this[at]];
    return this;
  }
  get parent() {
    return this.buffer;
  }
}

function search(buffer, value, offset, encoding, step) {
  if (typeof offset === 'string') [encoding, offset] = [offset, step > 0 ? 0 : buffer.length];
  const bytes = typeof value === 'number' ? [value & 255] : typeof value === 'string' ? toBytes(value, encodingOf(encoding)) : value;
  const last = buffer.length - bytes.length;
  let at = offset < 0 ? Math.max(0, buffer.length + offset) : offset;
  if (step < 0) at = Math.min(at, last);
  for (; at >= 0 && at <= last; at += step) {
    let same = 0;
    while (same < bytes.length && buffer[at + same] === bytes[same]) same++;
    if (same === bytes.length) return at;
  }
  return -1;
}

// Numbers of fixed width, through DataView.
const view = (buffer, at, width) => {
  if (!Number.isInteger(at) || at < 0 || at + width > buffer.length) {
    throw outOfRange(`The value of "offset" is out of range. It must be >= 0 and <= ${buffer.length - width}. Received ${at}`);
  }
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
};
const FIXED = [
  ['UInt8', 'Uint8', 1], ['Int8', 'Int8', 1], ['UInt16', 'Uint16', 2], ['Int16', 'Int16', 2], ['UInt32', 'Uint32', 4],
  ['Int32', 'Int32', 4], ['Float', 'Float32', 4], ['Double', 'Float64', 8], ['BigUInt64', 'BigUint64', 8], ['BigInt64', 'BigInt64', 8],
];
for (const [name, kind, width] of FIXED) {
  for (const [suffix, little] of width === 1 ? [['', true]] : [['LE', true], ['BE', false]]) {
    define(`read${name}${suffix}`, function (at = 0) {
      return view(this, at, width)[`get${kind}`](at, little);
    });
    define(`write${name}${suffix}`, function (value, at = 0) {
      view(this, at, width)[`set${kind}`](at, value, little);
      return at + width;
    });
  }
}
define('readUIntBE', function (at, width) {
  view(this, at, width);
  let value = 0;
  for (let n = 0; n < width; n++) value = value * 256 + this[at + n];
  return value;
});
define('readUIntLE', function (at, width) {
  view(this, at, width);
  let value = 0;
  for (let n = width - 1; n >= 0; n--) value = value * 256 + this[at + n];
  return value;
});

function define(name, value) {
  for (const alias of [name, name.replace('UInt', 'Uint')]) {
    Object.defineProperty(Buffer.prototype, alias, { value, writable: true, configurable: true });
  }
}

class TextEncoder {
  get encoding() {
    return 'utf-8';
  }
  encode(text = '') {
    return native.encode(String(text), 'utf8');
  }
  encodeInto(text, target) {
    let read = 0;
    let written = 0;
    for (const char of String(text)) {
      const bytes = native.encode(char, 'utf8');
      if (written + bytes.length > target.length) break;
      target.set(bytes, written);
      written += bytes.length;
      read += char.length;
    }
    return { read, written };
  }
}

class TextDecoder {
  #encoding;
  #fatal;
  #ignoreBom;
  #rest = new Uint8Array(0);
  constructor(label = 'utf-8', options = {}) {
    const known = { 'utf-8': 'utf8', utf8: 'utf8', 'utf-16le': 'utf16le', 'utf-16': 'utf16le', latin1: 'latin1', 'iso-8859-1': 'latin1', ascii: 'latin1' };
    this.#encoding = known[String(label).trim().toLowerCase()];
    if (!this.#encoding) throw new RangeError(`The "${label}" encoding is not supported`);
    this.#fatal = Boolean(options.fatal);
    this.#ignoreBom = Boolean(options.ignoreBOM);
  }
  get encoding() {
    return { utf8: 'utf-8', utf16le: 'utf-16le', latin1: 'windows-1252' }[this.#encoding];
  }
  get fatal() {
    return this.#fatal;
  }
  get ignoreBOM() {
    return this.#ignoreBom;
  }
  decode(input = new Uint8Array(0), options = {}) {
    const view = ArrayBuffer.isView(input) ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength) : new Uint8Array(input);
    let bytes = view;
    if (this.#rest.length > 0) {
      bytes = new Uint8Array(this.#rest.length + view.length);
      bytes.set(this.#rest);
      bytes.set(view, this.#rest.length);
    }
    const whole = options.stream ? complete(bytes, this.#encoding) : bytes.length;
    this.#rest = bytes.slice(whole);
    bytes = bytes.subarray(0, whole);
    if (this.#fatal && this.#encoding === 'utf8' && !native.isUtf8(bytes)) {
      throw Object.assign(new TypeError('The encoded data was not valid for encoding utf-8'), { code: 'ERR_ENCODING_INVALID_ENCODED_DATA' });
    }
    const text = native.decode(bytes, this.#encoding);
    return !this.#ignoreBom && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }
}

// How many bytes form whole characters.
function complete(bytes, encoding) {
  if (encoding === 'utf16le') return bytes.length & ~1;
  if (encoding !== 'utf8') return bytes.length;
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back];
    if ((byte & 0xc0) === 0x80) continue;
    const width = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return width > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

Object.assign(exports, {
  Buffer,
  TextEncoder,
  TextDecoder,
  SlowBuffer: Buffer,
  kMaxLength: 2 ** 31 - 1,
  constants: { MAX_LENGTH: 2 ** 31 - 1, MAX_STRING_LENGTH: 2 ** 30 - 25 },
  isUtf8: (bytes) => native.isUtf8(bytes),
  atob: globalThis.atob,
  btoa: globalThis.btoa,
});
