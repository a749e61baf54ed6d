// zlib: what is done at once, with callbacks, and as streams; the work is native.
const { Buffer } = require('buffer');
const { callback, coded, invalidArgType, outOfRange } = require('internal/errors');
const { constants, codes } = require('internal/zlib_constants');
const LIMIT = 256 * 1024 * 1024;
const EMPTY = new Uint8Array(0);

const KINDS = {
  deflate: 'Deflate', inflate: 'Inflate', gzip: 'Gzip', gunzip: 'Gunzip', deflateRaw: 'DeflateRaw', inflateRaw: 'InflateRaw', unzip: 'Unzip',
  brotliCompress: 'BrotliCompress', brotliDecompress: 'BrotliDecompress', zstdCompress: 'ZstdCompress', zstdDecompress: 'ZstdDecompress',
};
const isWeb = (kind) => /^(brotli|zstd)/.test(kind);

function ranged(options, name, least, most, fallback) {
  const value = options?.[name];
  if (value === undefined || Number.isNaN(value)) return fallback;
  if (typeof value !== 'number') throw invalidArgType(`options.${name}`, 'number', value);
  if (!Number.isFinite(value)) throw outOfRange(`options.${name}`, 'a finite number', value);
  if (value < least || value > most) throw outOfRange(`options.${name}`, most === Infinity ? `>= ${least}` : `>= ${least} and <= ${most}`, value);
  return value;
}
function settings(kind, options) {
  const flushes = kind.startsWith('zstd') ? 2 : isWeb(kind) ? 3 : 5;
  const all = {
    chunkSize: ranged(options, 'chunkSize', constants.Z_MIN_CHUNK, Infinity, constants.Z_DEFAULT_CHUNK),
    flush: ranged(options, 'flush', 0, flushes, 0),
    finishFlush: ranged(options, 'finishFlush', 0, flushes, undefined),
    limit: Math.min(ranged(options, 'maxOutputLength', 1, Number.MAX_SAFE_INTEGER, LIMIT), LIMIT),
    level: -1,
    windowBits: 15,
    dictionary: undefined,
  };
  if (isWeb(kind)) {
    const { params = {} } = options ?? {};
    const number = (name, fallback) => (typeof params[name] === 'number' ? params[name] : fallback);
    all.level = kind.startsWith('brotli') ? number(constants.BROTLI_PARAM_QUALITY, 11) : number(constants.ZSTD_c_compressionLevel, 3);
    all.windowBits = Math.min(number(constants.BROTLI_PARAM_LGWIN, 22), 24);
    return all;
  }
  const least = /^(in|gun|un)/.test(kind) && options?.windowBits === 0 ? 0 : kind === 'gzip' || kind === 'gunzip' ? 9 : 8;
  all.windowBits = ranged(options, 'windowBits', least, 15, 15);
  all.level = Math.trunc(ranged(options, 'level', -1, 9, -1));
  ranged(options, 'memLevel', 1, 9, 8);
  ranged(options, 'strategy', 0, 4, 0);
  const { dictionary } = options ?? {};
  if (dictionary !== undefined) all.dictionary = new Uint8Array(bytesOf(dictionary, 'options.dictionary', ['Buffer', 'TypedArray', 'DataView', 'ArrayBuffer']));
  return all;
}
function bytesOf(input, name = 'buffer', expected = ['string', 'Buffer', 'TypedArray', 'DataView', 'ArrayBuffer']) {
  if (typeof input === 'string' && expected[0] === 'string') return Buffer.from(input);
  if (input instanceof ArrayBuffer) return new Uint8Array(input);
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  throw invalidArgType(name, expected, input);
}
const tooLarge = (limit) => coded(RangeError, 'ERR_BUFFER_TOO_LARGE', `Cannot create a Buffer larger than ${limit} bytes`);

// One conversion: takes pieces, gives pieces. What gzip and what deflate is, the first bytes say.
function converter(kind, chosen) {
  let run;
  return (bytes, flush) => {
    if (kind === 'unzip' && !run && bytes.length === 0 && flush !== constants.Z_FINISH) return [EMPTY, false, 0];
    run ??= native.open(kind === 'unzip' ? (bytes[0] === 0x1f ? 'gunzip' : 'inflate') : kind, chosen);
    try {
      return run(bytes, flush);
    } catch (error) {
      throw error.code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(chosen.limit) : error;
    }
  };
}
function whole(kind, input, options) {
  const bytes = bytesOf(input);
  const chosen = settings(kind, options);
  const [out] = converter(kind, chosen)(bytes, chosen.finishFlush ?? constants.Z_FINISH);
  return Buffer.from(out.buffer, out.byteOffset, out.byteLength);
}

for (const [kind, name] of Object.entries(KINDS)) {
  exports[`${kind}Sync`] = (input, options) => whole(kind, input, options);
  exports[kind] = (input, options, done) => {
    if (typeof options === 'function') [options, done] = [undefined, options];
    callback(done, 'callback');
    const bytes = bytesOf(input);
    let result;
    try {
      result = whole(kind, bytes, options);
    } catch (error) {
      return void setImmediate(done, error);
    }
    setImmediate(done, null, result);
  };
  // Made when asked for: streams are not, for those who only want the functions. A function of the
  // old kind, for packages call it on objects of their own.
  let Stream;
  const make = () => (Stream ??= stream(kind, name));
  Object.defineProperty(exports, name, { enumerable: true, configurable: true, get: make });
  exports[`create${name}`] = (options) => new (make())(options);
}

function stream(kind, name) {
  const { Transform } = require('stream');
  function Zlib(options) {
    if (!(this instanceof Zlib)) return new Zlib(options);
    const chosen = settings(kind, options);
    Transform.call(this, { autoDestroy: true, ...options });
    this.bytesWritten = 0;
    this._chunkSize = chosen.chunkSize;
    this._defaultFlushFlag = chosen.flush;
    this._finishFlushFlag = chosen.finishFlush ?? constants.Z_FINISH;
    this._info = options?.info;
    this._limit = chosen.limit;
    this._level = chosen.level;
    this._convert = converter(kind, chosen);
    this._ended = false;
    // What packages that work without turning the loop reach into.
    this._offset = 0;
    this._outOffset = 0;
    this._writeState = new Uint32Array(2);
    this._handle = handleOf(this);
    this._hadError = false;
  }
  Object.setPrototypeOf(Zlib.prototype, Transform.prototype);
  Object.setPrototypeOf(Zlib, Transform);
  Object.defineProperty(Zlib, 'name', { value: name });
  Object.assign(Zlib.prototype, {
    _give(bytes, flush) {
      if (this._ended) return;
      const [out, ended, left] = this._convert(bytes, flush);
      this._ended = ended;
      this.bytesWritten += bytes.length - left;
      for (let at = 0; at < out.length; at += this._chunkSize) this.push(Buffer.from(out.buffer, out.byteOffset + at, Math.min(this._chunkSize, out.length - at)));
    },
    // Later, as in Node: who writes must not be called back before the write returns.
    _later(done, work) {
      process.nextTick(() => {
        if (this.destroyed) return done();
        try {
          work();
        } catch (error) {
          return done(error);
        }
        done();
      });
    },
    _transform(chunk, encoding, done) {
      this._later(done, () => this._give(chunk, this._defaultFlushFlag));
    },
    _flush(done) {
      this._later(done, () => {
        // Nothing was written to what unpacks: that is no error.
        if (this.bytesWritten > 0 || !/^(in|gun|un)|Decompress$/.test(kind)) this._give(EMPTY, this._finishFlushFlag);
      });
    },
    flush(mode, done) {
      if (typeof mode === 'function' || mode === undefined) [mode, done] = [kind.startsWith('brotli') ? 1 : constants.Z_FULL_FLUSH, mode];
      if (this.writableFinished || this.destroyed) return void (done && process.nextTick(done));
      this.write(EMPTY, undefined, (error) => {
        if (!error && !this.destroyed) this._give(EMPTY, mode);
        done?.();
      });
    },
    _processChunk(chunk, flush, done) {
      if (done) return void this.write(chunk, undefined, done);
      const [out, ended, left] = this._ended ? [EMPTY, true, chunk.length] : this._convert(chunk, flush);
      this._ended = ended;
      this.bytesWritten += chunk.length - left;
      return Buffer.from(out.buffer, out.byteOffset, out.byteLength);
    },
    params(level, strategy, done) {
      // Another level would be a matter of size alone.
      this.flush(constants.Z_SYNC_FLUSH, done);
    },
    reset() {
      this._ended = false;
      this._convert = converter(kind, settings(kind, { level: this._level }));
    },
    close(done) {
      if (done) this.once('close', done);
      this._handle = null;
      this.destroy();
    },
  });
  Object.defineProperty(Zlib.prototype, '_outBuffer', {
    configurable: true,
    get() {
      const value = Buffer.allocUnsafe(this._chunkSize);
      Object.defineProperty(this, '_outBuffer', { value, writable: true, configurable: true });
      return value;
    },
    set(value) { Object.defineProperty(this, '_outBuffer', { value, writable: true, configurable: true }); },
  });
  Object.defineProperty(Zlib.prototype, '_closed', { configurable: true, get() { return this._handle === null; } });
  return Zlib;
}
// As Node's binding: into a buffer that is given, with what is left in `_writeState`.
function handleOf(stream) {
  let pending = [];
  return {
    writeSync(flush, input, at, length, output, offset, room) {
      if (length > 0 || flush === constants.Z_FINISH) {
        const bytes = length > 0 ? input.subarray(at, at + length) : EMPTY;
        const [out] = stream._ended ? [EMPTY] : stream._convert(bytes, flush === constants.Z_FINISH ? constants.Z_SYNC_FLUSH : flush);
        if (out.length > 0) pending.push(out);
      }
      while (room > 0 && pending.length > 0) {
        const [first] = pending;
        const part = first.subarray(0, room);
        output.set(part, offset);
        offset += part.length;
        room -= part.length;
        if (part.length === first.length) pending.shift();
        else pending[0] = first.subarray(part.length);
      }
      stream._writeState[0] = room;
      stream._writeState[1] = 0;
    },
    close() { pending = []; },
    reset() { stream.reset(); },
  };
}
for (const name of Object.keys(constants)) Object.defineProperty(exports, name, { value: constants[name], configurable: true });
Object.assign(exports, {
  constants, codes,
  crc32(data, value = 0) {
    if (typeof data !== 'string' && !ArrayBuffer.isView(data)) throw invalidArgType('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
    return native.crc32(typeof data === 'string' ? Buffer.from(data) : new Uint8Array(data.buffer, data.byteOffset, data.byteLength), value);
  },
});
