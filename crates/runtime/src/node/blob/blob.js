// Blob and File: bytes with a type.
const { Buffer } = require('buffer');
const { invalidArgType } = require('internal/errors');

const bytesOf = (part) => {
  if (part instanceof Blob) return Blob.bytes(part);
  if (part instanceof ArrayBuffer || part instanceof SharedArrayBuffer) return Buffer.from(part.slice(0));
  if (ArrayBuffer.isView(part)) return Buffer.from(Buffer.from(part.buffer, part.byteOffset, part.byteLength));
  return Buffer.from(String(part));
};

class Blob {
  #bytes;
  #type;
  constructor(parts = [], options = {}) {
    if (typeof parts !== 'object' || parts === null || typeof parts[Symbol.iterator] !== 'function') throw invalidArgType('sources', 'a sequence', parts);
    const type = String(options?.type ?? '');
    this.#bytes = Buffer.concat([...parts].map(bytesOf));
    this.#type = /[^\x20-\x7e]/.test(type) ? '' : type.toLowerCase();
  }
  static bytes(blob) { return blob.#bytes; }
  get size() { return this.#bytes.length; }
  get type() { return this.#type; }
  slice(start = 0, end = this.size, type = '') {
    return new Blob([this.#bytes.subarray(start, end)], { type });
  }
  async arrayBuffer() { return Uint8Array.from(this.#bytes).buffer; }
  async bytes() { return Uint8Array.from(this.#bytes); }
  async text() { return new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.#bytes); }
  stream() { return new Response(this).body; }
}
class File extends Blob {
  #name;
  #modified;
  constructor(parts, name, options = {}) {
    super(parts, options);
    this.#name = String(name);
    this.#modified = Number(options?.lastModified ?? Date.now());
  }
  get name() { return this.#name; }
  get lastModified() { return this.#modified; }
}
for (const kind of [Blob, File]) Object.defineProperty(kind.prototype, Symbol.toStringTag, { value: kind.name, configurable: true });
Object.assign(exports, { Blob, File });
