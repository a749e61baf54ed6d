// TextEncoder and TextDecoder.
const { coded, invalidArgType } = require('internal/errors');

class TextEncoder {
  get encoding() {
    return 'utf-8';
  }
  encode(text = '') {
    return native.encode(String(text));
  }
  encodeInto(text, target) {
    let [read, written] = [0, 0];
    const bytes = native.encode(text);
    if (bytes.length <= target.length) {
      target.set(bytes);
      return { read: text.length, written: bytes.length };
    }
    for (const char of text) {
      const width = native.encode(char).length;
      if (written + width > target.length) break;
      written += width;
      read += char.length;
    }
    target.set(bytes.subarray(0, written));
    return { read, written };
  }
}

class TextDecoder {
  #decode;
  constructor(label = 'utf-8', options = {}) {
    const encoding = native.encodingOf(String(label));
    if (encoding === undefined) throw coded(RangeError, 'ERR_ENCODING_NOT_SUPPORTED', `The "${label}" encoding is not supported`);
    const fatal = Boolean(options?.fatal);
    const ignoreBOM = Boolean(options?.ignoreBOM);
    for (const [name, value] of Object.entries({ encoding, fatal, ignoreBOM })) {
      Object.defineProperty(this, name, { value, enumerable: true });
    }
  }
  decode(input = new Uint8Array(0), options = undefined) {
    const whole = input instanceof ArrayBuffer || input instanceof SharedArrayBuffer;
    if (!whole && !ArrayBuffer.isView(input)) throw invalidArgType('list', ['ArrayBuffer', 'ArrayBufferView'], input);
    const bytes = whole ? new Uint8Array(input) : new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
    this.#decode ??= native.decoder(this.encoding, this.ignoreBOM);
    const stream = Boolean(options?.stream);
    const text = this.#decode(bytes, !stream, this.fatal);
    if (!stream) this.#decode = undefined;
    if (text === undefined) {
      throw coded(TypeError, 'ERR_ENCODING_INVALID_ENCODED_DATA', `The encoded data was not valid for encoding ${this.encoding}`);
    }
    return text;
  }
}

for (const name of ['encoding']) Object.defineProperty(TextEncoder.prototype, name, { enumerable: true });
Object.assign(exports, { TextEncoder, TextDecoder });
