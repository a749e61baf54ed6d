// zlib: deflate, gzip and their reverse; sync, with callbacks, and as streams that give everything at their end.
const { Buffer } = require('buffer');
const { callback, coded, invalidArgType } = require('internal/errors');
const LIMIT = 256 * 1024 * 1024;

const constants = {
  Z_NO_FLUSH: 0, Z_PARTIAL_FLUSH: 1, Z_SYNC_FLUSH: 2, Z_FULL_FLUSH: 3, Z_FINISH: 4, Z_BLOCK: 5, Z_OK: 0, Z_STREAM_END: 1, Z_NEED_DICT: 2,
  Z_ERRNO: -1, Z_STREAM_ERROR: -2, Z_DATA_ERROR: -3, Z_MEM_ERROR: -4, Z_BUF_ERROR: -5, Z_VERSION_ERROR: -6, Z_NO_COMPRESSION: 0,
  Z_BEST_SPEED: 1, Z_BEST_COMPRESSION: 9, Z_DEFAULT_COMPRESSION: -1, Z_FILTERED: 1, Z_HUFFMAN_ONLY: 2, Z_RLE: 3, Z_FIXED: 4,
  Z_DEFAULT_STRATEGY: 0, DEFLATE: 1, INFLATE: 2, GZIP: 3, GUNZIP: 4, DEFLATERAW: 5, INFLATERAW: 6, UNZIP: 7, Z_MIN_WINDOWBITS: 8,
  Z_MAX_WINDOWBITS: 15, Z_DEFAULT_WINDOWBITS: 15, Z_MIN_CHUNK: 64, Z_MAX_CHUNK: Infinity, Z_DEFAULT_CHUNK: 16384, Z_MIN_MEMLEVEL: 1,
  Z_MAX_MEMLEVEL: 9, Z_DEFAULT_MEMLEVEL: 8, Z_MIN_LEVEL: -1, Z_MAX_LEVEL: 9, Z_DEFAULT_LEVEL: -1,
};

function run(kind, input, options) {
  let bytes = input;
  if (typeof input === 'string') bytes = Buffer.from(input);
  else if (input instanceof ArrayBuffer) bytes = new Uint8Array(input);
  else if (ArrayBuffer.isView(input)) bytes = new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  else throw invalidArgType('buffer', ['string', 'Buffer', 'TypedArray', 'DataView', 'ArrayBuffer'], input);
  const level = options?.level ?? -1;
  const actual = kind === 'unzip' ? (bytes[0] === 0x1f && bytes[1] === 0x8b ? 'gunzip' : 'inflate') : kind;
  const out = native.run(actual, bytes, level < 0 ? 6 : level, Math.min(options?.maxOutputLength ?? LIMIT, LIMIT));
  return Buffer.from(out.buffer, out.byteOffset, out.byteLength);
}

const KINDS = { deflate: 'Deflate', inflate: 'Inflate', gzip: 'Gzip', gunzip: 'Gunzip', deflateRaw: 'DeflateRaw', inflateRaw: 'InflateRaw', unzip: 'Unzip' };
for (const [kind, name] of Object.entries(KINDS)) {
  exports[`${kind}Sync`] = (input, options) => run(kind, input, options);
  exports[kind] = (input, options, done) => {
    if (typeof options === 'function') [options, done] = [undefined, options];
    callback(done, 'callback');
    let result;
    try {
      result = run(kind, input, options);
    } catch (error) {
      return void setImmediate(done, error);
    }
    setImmediate(done, null, result);
  };
  // Made when asked for: streams are not, for those who only want the functions.
  let Stream;
  const make = () => {
    if (Stream) return Stream;
    const { Transform } = require('stream');
    Stream = class extends Transform {
      #parts = [];
      #options;
      #held = 0;
      bytesWritten = 0;
      constructor(options) {
        super(options);
        this.#options = options;
      }
      _transform(chunk, encoding, done) {
        this.bytesWritten += chunk.length;
        this.#held += chunk.length;
        if (this.#held > LIMIT) return done(coded(RangeError, 'ERR_BUFFER_TOO_LARGE', `Cannot create a Buffer larger than ${LIMIT} bytes`));
        this.#parts.push(chunk);
        done();
      }
      _flush(done) {
        let out;
        try {
          const whole = Buffer.concat(this.#parts);
          out = whole.length === 0 && /^(in|gun|un)/.test(kind) ? whole : run(kind, whole, this.#options);
        } catch (error) {
          return done(error);
        }
        for (let at = 0; at < out.length; at += 16384) this.push(out.subarray(at, at + 16384));
        done();
      }
      flush(mode, done) {
        const then = typeof mode === 'function' ? mode : done;
        if (then) setImmediate(then);
      }
      close(done) {
        if (done) setImmediate(done);
        this.destroy();
      }
    };
    Object.defineProperty(Stream, 'name', { value: name });
    return Stream;
  };
  Object.defineProperty(exports, name, { enumerable: true, configurable: true, get: make });
  exports[`create${name}`] = (options) => new (make())(options);
}
for (const name of ['brotliCompress', 'brotliDecompress']) {
  exports[name] = exports[`${name}Sync`] = () => {
    throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `zlib.${name} is not available here`);
  };
}
Object.assign(exports, constants, { constants, codes: {}, crc32: (data, value = 0) => native.crc32(typeof data === 'string' ? Buffer.from(data) : data, value) });
