// crypto: random values, digests, HMAC, PBKDF2, HKDF. Ciphers and keys are not here yet.
const { Buffer } = require('buffer');
const { callback, coded, integer, invalidArgType } = require('internal/errors');
const CHUNK = 65536;

function randomBytes(size, callback) {
  if (!Number.isInteger(size) || size < 0 || size > 0x7fffffff) {
    throw Object.assign(new RangeError(`The value of "size" is out of range. Received ${size}`), { code: 'ERR_OUT_OF_RANGE' });
  }
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at += CHUNK) bytes.set(native.randomBytes(Math.min(CHUNK, size - at)), at);
  if (callback) return void queueMicrotask(() => callback(null, bytes));
  return bytes;
}

function randomInt(min, max) {
  if (max === undefined) [min, max] = [0, min];
  const range = max - min;
  if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max) || range <= 0 || range > 2 ** 48 - 1) {
    throw Object.assign(new RangeError('randomInt: max must be greater than min, by at most 2^48 - 1'), { code: 'ERR_OUT_OF_RANGE' });
  }
  // Values over the last whole multiple of the range would favour small results.
  const limit = 2 ** 48 - (2 ** 48 % range);
  for (;;) {
    const value = randomBytes(6).readUIntBE(0, 6);
    if (value < limit) return min + (value % range);
  }
}

function getRandomValues(array) {
  if (!ArrayBuffer.isView(array) || array instanceof DataView) throw new TypeError('expected an integer typed array');
  if (array.byteLength > CHUNK) throw new DOMException(`at most ${CHUNK} bytes`, 'QuotaExceededError');
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(native.randomBytes(array.byteLength));
  return array;
}

const bytesOf = (data, encoding, name = 'data') => {
  if (typeof data === 'string') return Buffer.from(data, encoding === 'buffer' ? undefined : encoding);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  throw invalidArgType(name, ['string', 'Buffer', 'TypedArray', 'DataView'], data);
};
const asBuffer = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const encoded = (bytes, encoding) => (encoding && encoding !== 'buffer' ? asBuffer(bytes).toString(encoding) : asBuffer(bytes));

// Old streams come with the class; made when first used, for they need the stream module.
let Digest;
function digestClass() {
  if (Digest) return Digest;
  const { Transform } = require('stream');
  Digest = class extends Transform {
    #run;
    #done = false;
    constructor(run, options) {
      super(options);
      this.#run = run;
    }
    update(data, encoding) {
      if (this.#done) throw coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
      this.#run(bytesOf(data, encoding));
      return this;
    }
    digest(encoding) {
      if (this.#done) throw coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
      this.#done = true;
      return encoded(this.#run(), encoding);
    }
    _transform(chunk, encoding, done) {
      this.update(chunk, encoding);
      done();
    }
    _flush(done) {
      this.push(this.digest());
      done();
    }
  };
  return Digest;
}

function createHash(algorithm, options) {
  if (typeof algorithm !== 'string') throw invalidArgType('algorithm', 'string', algorithm);
  const run = native.hash(algorithm);
  if (!run) throw coded(Error, 'ERR_OSSL_EVP_UNSUPPORTED', 'Digest method not supported');
  return new (digestClass())(run, options);
}
function createHmac(algorithm, key, options) {
  if (typeof algorithm !== 'string') throw invalidArgType('hmac', 'string', algorithm);
  const run = native.hash(algorithm, bytesOf(key, undefined, 'key'));
  if (!run) throw coded(Error, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${algorithm}`);
  return new (digestClass())(run, options);
}
function hash(algorithm, data, encoding = 'hex') {
  const run = native.hash(String(algorithm));
  if (!run) throw coded(Error, 'ERR_OSSL_EVP_UNSUPPORTED', 'Digest method not supported');
  run(bytesOf(data));
  return encoded(run(), encoding);
}

function pbkdf2Sync(password, salt, iterations, length, digest) {
  integer(iterations, 'iterations', 1, 2 ** 31 - 1);
  integer(length, 'keylen', 0, 2 ** 31 - 1);
  const key = native.pbkdf2(String(digest), bytesOf(password, undefined, 'password'), bytesOf(salt, undefined, 'salt'), iterations, length);
  if (!key) throw coded(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${digest}`);
  return asBuffer(key);
}
function hkdfSync(digest, key, salt, info, length) {
  const mac = (secret, ...parts) => parts.reduce((made, part) => made.update(part), createHmac(digest, secret)).digest();
  const size = mac('', '').length;
  const secret = mac(salt.length === 0 ? Buffer.alloc(size) : salt, key);
  let [out, last] = [Buffer.alloc(0), Buffer.alloc(0)];
  for (let n = 1; out.length < length; n++) {
    last = mac(secret, last, info, Buffer.of(n));
    out = Buffer.concat([out, last]);
  }
  return Uint8Array.from(out.subarray(0, length)).buffer;
}
const later = (work) => (...args) => {
  const done = args.pop();
  callback(done, 'callback');
  const result = work(...args);
  setImmediate(done, null, result);
};

function timingSafeEqual(a, b) {
  const [left, right] = [bytesOf(a, undefined, 'buf1'), bytesOf(b, undefined, 'buf2')];
  if (left.length !== right.length) throw coded(RangeError, 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH', 'Input buffers must have the same byte length');
  return native.equal(left, right);
}

function randomFillSync(target, offset = 0, size = target.byteLength - offset) {
  const bytes = new Uint8Array(target.buffer ?? target, (target.byteOffset ?? 0) + offset, size);
  bytes.set(randomBytes(size));
  return target;
}

const subtle = {
  async digest(algorithm, data) {
    const run = native.hash(typeof algorithm === 'string' ? algorithm : algorithm.name);
    if (!run) throw new DOMException('Unrecognized algorithm name', 'NotSupportedError');
    run(bytesOf(data));
    return Uint8Array.from(run()).buffer;
  },
};
const webcrypto = { getRandomValues, randomUUID: () => native.randomUUID(), subtle };
Object.assign(exports, {
  randomBytes, pseudoRandomBytes: randomBytes, randomFillSync,
  randomFill(target, ...rest) {
    const done = rest.pop();
    randomFillSync(target, ...rest);
    setImmediate(done, null, target);
  },
  randomInt(min, max, done) {
    if (typeof max === 'function') [max, done] = [undefined, max];
    const value = randomInt(min, max);
    if (!done) return value;
    setImmediate(done, null, value);
  },
  randomUUID: () => native.randomUUID(),
  getRandomValues, webcrypto, subtle, createHash, createHmac, hash, pbkdf2Sync, hkdfSync, timingSafeEqual,
  pbkdf2: later(pbkdf2Sync),
  hkdf: later(hkdfSync),
  getHashes: () => ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'sha512-256'],
  getCiphers: () => [],
  getCurves: () => [],
  constants: {},
});
exports.isCryptoKey = () => false;
exports.isKeyObject = () => false;
