// string_decoder: text from pieces of bytes, characters never cut.
const { Buffer } = require('buffer');
const { coded, invalidArgType } = require('internal/errors');

function normal(encoding) {
  const name = encoding ? String(encoding).toLowerCase() : 'utf8';
  if (!Buffer.isEncoding(name)) throw coded(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${encoding}`);
  return { 'utf-8': 'utf8', ucs2: 'utf16le', 'ucs-2': 'utf16le', 'utf-16le': 'utf16le', binary: 'latin1' }[name] ?? name;
}

// How many bytes at the end begin a character that is not complete.
function unfinished(bytes, encoding) {
  const { length } = bytes;
  if (encoding === 'utf16le') {
    if (length % 2 === 1) return 1;
    return highBefore(bytes, length) ? 2 : 0;
  }
  if (encoding === 'base64' || encoding === 'base64url') return length % 3;
  if (encoding !== 'utf8') return 0;
  for (let back = 1; back <= Math.min(3, length); back++) {
    const byte = bytes[length - back];
    if ((byte & 0xc0) === 0x80) continue;
    const width = byte >= 0xf0 && byte <= 0xf4 ? 4 : byte >= 0xe0 && byte < 0xf0 ? 3 : byte >= 0xc2 && byte < 0xe0 ? 2 : 1;
    if (width <= back) return 0;
    const second = bytes[length - back + 1];
    // Bytes that can never become a character are not waited for.
    if (back > 1 && ((byte === 0xe0 && second < 0xa0) || (byte === 0xed && second > 0x9f) || (byte === 0xf0 && second < 0x90) || (byte === 0xf4 && second > 0x8f))) return 0;
    return back;
  }
  return 0;
}
const highBefore = (bytes, end) => end >= 2 && (bytes[end - 1] & 0xfc) === 0xd8;

class StringDecoder {
  #rest = Buffer.alloc(0);
  constructor(encoding) {
    this.encoding = normal(encoding);
  }
  get lastNeed() {
    if (this.#rest.length === 0) return 0;
    const width = this.encoding === 'utf8' ? (this.#rest[0] >= 0xf0 ? 4 : this.#rest[0] >= 0xe0 ? 3 : 2) : this.encoding === 'utf16le' ? (this.#rest.length >= 2 ? 4 : 2) : 3;
    return width - this.#rest.length;
  }
  get lastTotal() {
    return this.#rest.length === 0 ? 0 : this.#rest.length + this.lastNeed;
  }
  get lastChar() {
    return Buffer.concat([this.#rest], this.encoding === 'base64' ? 3 : 4);
  }
  write(chunk) {
    if (typeof chunk === 'string') return chunk;
    if (!ArrayBuffer.isView(chunk)) throw invalidArgType('buf', ['Buffer', 'TypedArray', 'DataView'], chunk);
    let piece = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let before = '';
    // In Node a pair that was waited for is given as it is: only what ends a piece is held back.
    if (this.encoding === 'utf16le' && this.#rest.length > 0) {
      const need = this.lastNeed;
      this.#rest = Buffer.concat([this.#rest, piece.subarray(0, need)]);
      if (piece.length < need) return '';
      before = this.#rest.toString('utf16le');
      piece = piece.subarray(need);
      this.#rest = Buffer.alloc(0);
    }
    const bytes = Buffer.concat([this.#rest, piece]);
    const whole = bytes.length - unfinished(bytes, this.encoding);
    this.#rest = Buffer.from(bytes.subarray(whole));
    return before + bytes.toString(this.encoding, 0, whole);
  }
  end(chunk) {
    const text = chunk === undefined ? '' : this.write(chunk);
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    if (rest.length === 0) return text;
    if (this.encoding === 'utf8') return `${text}\ufffd`;
    return text + rest.toString(this.encoding, 0, this.encoding === 'utf16le' ? rest.length & ~1 : rest.length);
  }
  text(bytes, offset) {
    this.#rest = Buffer.alloc(0);
    return this.write(bytes.slice(offset));
  }
}

// Callable without `new`, as old packages do.
function Decoder(encoding) {
  return Reflect.construct(StringDecoder, [encoding], new.target ?? Decoder);
}
Decoder.prototype = StringDecoder.prototype;
Object.defineProperty(Decoder, 'name', { value: 'StringDecoder' });
StringDecoder.prototype.constructor = Decoder;
exports.StringDecoder = Decoder;
