// crypto: random values, digests, HMAC, and keys from passwords. Ciphers are in cipher.js, pairs of
// keys in keys.js, the form of the web in subtle.js; they are read when something asks for them.
const { Buffer } = require('buffer');
const { callback, coded, integer, invalidArgType, outOfRange, string } = require('internal/errors');
const { asBuffer, bytesOf, encoded, secretOf } = require('internal/crypto_bytes');
const CHUNK = 65536;

function randomBytes(size, done) {
  integerBytes(size);
  if (done !== undefined) callback(done, 'callback');
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at += CHUNK) bytes.set(native.randomBytes(Math.min(CHUNK, size - at)), at);
  if (done) return void queueMicrotask(() => done(null, bytes));
  return bytes;
}
function integerBytes(size) {
  if (typeof size !== 'number') throw invalidArgType('size', 'number', size);
  if (!(size >= 0 && size <= 2 ** 31 - 1)) throw outOfRange('size', '>= 0 && <= 2147483647', size);
}

function randomInt(min, max) {
  if (max === undefined) [min, max] = [0, min];
  for (const [value, name] of [[min, 'min'], [max, 'max']]) if (!Number.isSafeInteger(value)) throw invalidArgType(name, 'a safe integer', value);
  const range = max - min;
  if (range <= 0 || range > 2 ** 48 - 1) {
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

// Old streams come with the classes; made when first used, for they need the stream module.
let [Digest, Hash, Hmac] = [];
function digestClasses() {
  if (Digest) return;
  const { Transform } = require('stream');
  Digest = class extends Transform {
    #run;
    #done = false;
    #again;
    constructor(run, options, again) {
      super(options);
      this.#run = run;
      this.#again = again;
    }
    _copy(options) {
      if (this.#done) throw coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
      return new Hash(this.#again(this.#run), options, this.#again);
    }
    update(data, encoding) {
      if (this.#done) throw coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
      if (typeof data !== 'string' && !ArrayBuffer.isView(data)) throw invalidArgType('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
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
  const taken = new Set(['update', 'digest', '_transform', '_flush']);
  // As in Node a class of its own each, which older packages call without `new`.
  const kind = (name, make) => {
    const called = { [name]: function (given, ...rest) { return typeof given === 'function' && rest.length > 0 ? Reflect.construct(Digest, [given, ...rest], called) : make(given, ...rest); } }[name];
    called.prototype = Object.create(Digest.prototype, { constructor: { value: called, writable: true, configurable: true } });
    for (const method of taken) Object.defineProperty(called.prototype, method, Object.getOwnPropertyDescriptor(Digest.prototype, method));
    return Object.setPrototypeOf(called, Transform);
  };
  Hash = kind('Hash', createHash);
  Hmac = kind('Hmac', createHmac);
  Object.defineProperty(Hash.prototype, 'copy', { value(options) { return this._copy(options); }, writable: true, configurable: true });
}

function createHash(algorithm, options) {
  if (typeof algorithm !== 'string') throw invalidArgType('algorithm', 'string', algorithm);
  const run = native.hash(algorithm);
  if (!run) throw new Error('Digest method not supported');
  digestClasses();
  return new Hash(run, options, (before) => before(true));
}
function createHmac(algorithm, key, options) {
  if (typeof algorithm !== 'string') throw invalidArgType('hmac', 'string', algorithm);
  const run = native.hash(algorithm, secretOf(key, 'key'));
  if (!run) throw coded(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${algorithm}`);
  digestClasses();
  return new Hmac(run, options, null);
}
function hash(algorithm, data, encoding = 'hex') {
  const run = native.hash(String(algorithm));
  if (!run) throw new Error('Digest method not supported');
  run(bytesOf(data));
  return encoded(run(), encoding);
}

function pbkdf2Sync(password, salt, iterations, length, digest) {
  string(digest, 'digest');
  integer(iterations, 'iterations', 1, 2 ** 31 - 1);
  integer(length, 'keylen', 0, 2 ** 31 - 1);
  if (length === 0) throw new Error('Deriving bits failed');
  const key = native.pbkdf2(String(digest), bytesOf(password, undefined, 'password'), bytesOf(salt, undefined, 'salt'), iterations, length);
  if (!key) throw coded(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${digest}`);
  return asBuffer(key);
}
function hkdfSync(digest, key, salt, info, length) {
  string(digest, 'digest');
  integer(length, 'length', 0, 2 ** 31 - 1);
  if (length === 0) throw new Error('Deriving bits failed');
  key = secretOf(key, 'ikm');
  salt = bytesOf(salt, undefined, 'salt');
  info = bytesOf(info, undefined, 'info');
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
function scryptSync(password, salt, length, options = {}) {
  const secret = bytesOf(password, undefined, 'password');
  const bytes = bytesOf(salt, undefined, 'salt');
  integer(length, 'keylen', 0, 2 ** 31 - 1);
  const { N = options.cost ?? 16384, r = options.blockSize ?? 8, p = options.parallelization ?? 1, maxmem = 32 * 1024 * 1024 } = options;
  const log = Math.log2(N);
  const wrong = (why) => coded(RangeError, 'ERR_CRYPTO_INVALID_SCRYPT_PARAMS', `Invalid scrypt params: ${why}`);
  if (!Number.isInteger(log) || log < 1) throw wrong('invalid N');
  if (128 * N * r > maxmem) throw wrong('memory limit exceeded');
  if (length === 0) return Buffer.alloc(0);
  const key = native.scrypt(secret, bytes, log, r, p, length);
  if (!key) throw wrong('invalid parameters');
  return asBuffer(key);
}
const later = (work) => (...args) => {
  const done = args.pop();
  callback(done, 'callback');
  const result = work(...args);
  setImmediate(done, null, result);
};

function timingSafeEqual(a, b) {
  const [left, right] = [[a, 'buf1'], [b, 'buf2']].map(([one, name]) => {
    if (ArrayBuffer.isView(one) || one instanceof ArrayBuffer) return bytesOf(one);
    throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', `The "${name}" argument must be an instance of ArrayBuffer, Buffer, TypedArray, or DataView.`);
  });
  if (left.length !== right.length) throw coded(RangeError, 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH', 'Input buffers must have the same byte length');
  return native.equal(left, right);
}

function randomFillSync(target, offset = 0, size = target.byteLength - offset) {
  const bytes = new Uint8Array(target.buffer ?? target, (target.byteOffset ?? 0) + offset, size);
  bytes.set(randomBytes(size));
  return target;
}

const key = Symbol('Crypto');
class Crypto {
  constructor(secret) {
    if (secret !== key) throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
  }
  get subtle() { return require('internal/crypto_subtle').subtle; }
  get CryptoKey() { return require('internal/crypto_subtle').CryptoKey; }
  getRandomValues(array) { return getRandomValues(array); }
  randomUUID() { return native.randomUUID(); }
}
Object.defineProperty(Crypto.prototype, Symbol.toStringTag, { value: 'Crypto', configurable: true });
Object.defineProperty(Crypto.prototype, 'CryptoKey', { enumerable: false });
const webcrypto = new Crypto(key);
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
  getRandomValues, webcrypto, createHash, createHmac, hash, pbkdf2Sync, hkdfSync, scryptSync, timingSafeEqual,
  pbkdf2: later(pbkdf2Sync),
  hkdf: later(hkdfSync),
  scrypt: later(scryptSync),
  getHashes: () => ['RSA-MD5', 'RSA-RIPEMD160', 'RSA-SHA1', 'RSA-SHA224', 'RSA-SHA256', 'RSA-SHA384', 'RSA-SHA512', 'blake2b512', 'blake2s256', 'md5', 'ripemd160', 'rmd160', 'sha1', 'sha224', 'sha256', 'sha3-224', 'sha3-256', 'sha3-384', 'sha3-512', 'sha384', 'sha512', 'sha512-224', 'sha512-256'],
  getFips: () => 0,
});
for (const [name, kind] of Object.entries({ Hash: () => Hash, Hmac: () => Hmac })) {
  Object.defineProperty(exports, name, { enumerable: true, configurable: true, get: () => (digestClasses(), kind()) });
}
// What is in files of its own, read when it is first asked for.
const lazily = (module, names) => {
  for (const name of names) Object.defineProperty(exports, name, { enumerable: true, configurable: true, get: () => require(module)[name] });
};
lazily('internal/crypto_cipher', ['createCipheriv', 'createDecipheriv', 'Cipheriv', 'Decipheriv', 'getCipherInfo', 'getCiphers']);
lazily('internal/crypto_keys', ['KeyObject', 'Sign', 'Verify', 'ECDH', 'constants', 'createSecretKey', 'createPrivateKey', 'createPublicKey', 'sign', 'verify', 'createSign', 'createVerify', 'publicEncrypt', 'privateDecrypt', 'generateKeyPair', 'generateKeyPairSync', 'generateKey', 'generateKeySync', 'diffieHellman', 'createECDH', 'getCurves', 'isKeyObject']);
lazily('internal/crypto_subtle', ['subtle', 'isCryptoKey']);
for (const name of ['isKeyObject', 'isCryptoKey']) Object.defineProperty(exports, name, { enumerable: false });
