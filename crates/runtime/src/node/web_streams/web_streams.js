// stream/web: the package web-streams-polyfill, and the transforms of text and compression on it.
const streams = require('internal/vendor_web_streams');
const { TransformStream } = streams;

class TextEncoderStream {
  #transform;
  #high = '';
  constructor() {
    const encoder = new TextEncoder();
    this.#transform = new TransformStream({
      transform: (chunk, controller) => {
        let text = this.#high + String(chunk);
        // Half of a character waits for its other half.
        this.#high = /[\ud800-\udbff]$/.test(text) ? text.at(-1) : '';
        if (this.#high) text = text.slice(0, -1);
        if (text) controller.enqueue(encoder.encode(text.toWellFormed()));
      },
      flush: (controller) => {
        if (this.#high) controller.enqueue(encoder.encode('\ufffd'));
      },
    });
  }
  get encoding() { return 'utf-8'; }
  get readable() { return this.#transform.readable; }
  get writable() { return this.#transform.writable; }
}

class TextDecoderStream {
  #transform;
  #decoder;
  constructor(label = 'utf-8', options = {}) {
    const decoder = (this.#decoder = new TextDecoder(label, options));
    this.#transform = new TransformStream({
      transform(chunk, controller) {
        const text = decoder.decode(chunk, { stream: true });
        if (text) controller.enqueue(text);
      },
      flush(controller) {
        const text = decoder.decode();
        if (text) controller.enqueue(text);
      },
    });
  }
  get encoding() { return this.#decoder.encoding; }
  get fatal() { return this.#decoder.fatal; }
  get ignoreBOM() { return this.#decoder.ignoreBOM; }
  get readable() { return this.#transform.readable; }
  get writable() { return this.#transform.writable; }
}

/** A stream of zlib's as a transform. */
function zipped(stream) {
  let failed;
  const parts = [];
  let wake = () => {};
  stream.on('data', (part) => (parts.push(part), wake())).on('error', (error) => ((failed = error), wake())).on('end', () => wake());
  const hand = (controller) => {
    for (const part of parts.splice(0)) controller.enqueue(new Uint8Array(part));
    if (failed) throw new TypeError(failed.message, { cause: failed });
  };
  return new TransformStream({
    transform: (chunk, controller) =>
      new Promise((resolve, reject) => {
        if (!(chunk instanceof ArrayBuffer) && !ArrayBuffer.isView(chunk)) return reject(new TypeError('chunk is no buffer source'));
        const bytes = chunk instanceof ArrayBuffer ? new Uint8Array(chunk) : new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
        stream.write(bytes, (error) => (error ? reject(new TypeError(error.message, { cause: error })) : resolve(hand(controller))));
      }),
    flush: (controller) =>
      new Promise((resolve, reject) => {
        wake = () => {
          try {
            hand(controller);
          } catch (error) {
            return reject(error);
          }
          if (stream.readableEnded) resolve();
        };
        stream.end();
      }),
  });
}
const KINDS = { gzip: ['createGzip', 'createGunzip'], deflate: ['createDeflate', 'createInflate'], 'deflate-raw': ['createDeflateRaw', 'createInflateRaw'], brotli: ['createBrotliCompress', 'createBrotliDecompress'] };
const compression = (which) =>
  class {
    #transform;
    constructor(format) {
      const name = Object.hasOwn(KINDS, format) ? KINDS[format][which] : undefined;
      if (!name) throw new TypeError(`Unsupported compression format: '${format}'`);
      this.#transform = zipped(require('zlib')[name]());
    }
    get readable() { return this.#transform.readable; }
    get writable() { return this.#transform.writable; }
  };
const CompressionStream = compression(0);
const DecompressionStream = compression(1);
for (const [name, kind] of Object.entries({ TextEncoderStream, TextDecoderStream, CompressionStream, DecompressionStream })) {
  Object.defineProperty(kind, 'name', { value: name, configurable: true });
  Object.defineProperty(kind.prototype, Symbol.toStringTag, { value: name, configurable: true });
}

const { ReadableStream, WritableStream } = streams;

// What Node's own streams ask of these: `stream.finished` waits for it, whoever holds the lock. The package
// keeps its state in a property, which is watched from the first question on.
const CLOSED = Symbol.for('nodejs.webstream.isClosedPromise');
function watched() {
  let state = this._state;
  let resolve, reject;
  const promise = new Promise((...both) => ([resolve, reject] = both));
  promise.catch(() => {});
  // The error is put beside its state afterwards.
  const settle = () => queueMicrotask(() => {
    if (state === 'closed') resolve();
    else if (state === 'errored') reject(this._storedError);
  });
  Object.defineProperty(this, '_state', { get: () => state, set: (next) => ((state = next), settle()), configurable: true, enumerable: true });
  const closed = { promise, resolve, reject };
  Object.defineProperty(this, CLOSED, { value: closed });
  settle();
  return closed;
}
for (const { prototype } of [ReadableStream, WritableStream]) Object.defineProperty(prototype, CLOSED, { get: watched, configurable: true });

if (!ReadableStream.from) {
  ReadableStream.from = (source) => {
    const parts = source[Symbol.asyncIterator]?.() ?? source[Symbol.iterator]();
    return new ReadableStream({
      async pull(controller) {
        const { done, value } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel(reason) {
        await parts.return?.(reason);
      },
    }, { highWaterMark: 0 });
  };
}
Object.assign(exports, streams, { TextEncoderStream, TextDecoderStream, CompressionStream, DecompressionStream });
