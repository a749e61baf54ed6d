// Keys: KeyObject, making them, and what needs a pair: signing, sealing, agreeing on a secret.
const { Buffer } = require('buffer');
const { callback, coded, invalidArgType, invalidArgValue, string } = require('internal/errors');
const { asBuffer, bytesOf, encoded, keepSecret, secretOf } = require('internal/crypto_bytes');
const der = require('internal/crypto_der');
const { CURVES, NONE } = der;

const constants = {
  RSA_PKCS1_PADDING: 1, RSA_NO_PADDING: 3, RSA_PKCS1_OAEP_PADDING: 4, RSA_PKCS1_PSS_PADDING: 6,
  RSA_PSS_SALTLEN_DIGEST: -1, RSA_PSS_SALTLEN_MAX_SIGN: -2, RSA_PSS_SALTLEN_AUTO: -2,
  POINT_CONVERSION_COMPRESSED: 2, POINT_CONVERSION_UNCOMPRESSED: 4, POINT_CONVERSION_HYBRID: 6,
};
const materials = new WeakMap();
const NAMES = Object.fromEntries(Object.entries(CURVES).map(([curve, { name }]) => [name, curve]));
Object.assign(NAMES, { 'P-256': 'P-256', 'P-384': 'P-384', 'P-521': 'P-521', secp256r1: 'P-256' });

class KeyObject {
  constructor(type, material) {
    if (!materials.has(material)) materials.set(this, { type, material });
    Object.defineProperty(this, 'type', { value: type, enumerable: false });
  }
  static from(key) { return require('internal/crypto_subtle').keyOf(key); }
  get [Symbol.toStringTag]() { return 'KeyObject'; }
  equals(other) {
    if (!isKeyObject(other)) throw invalidArgType('otherKeyObject', 'KeyObject', other);
    return this.type === other.type && bare(this).equals(bare(other));
  }
}
const isKeyObject = (value) => typeof value === 'object' && value !== null && materials.has(value);
const materialOf = (key) => materials.get(key).material;
const bare = (key) => (key.type === 'secret' ? Buffer.from(materialOf(key)) : der.writers[key.type === 'private' ? 'pkcs8' : 'spki'](materialOf(key)));

class SecretKeyObject extends KeyObject {
  constructor(bytes) {
    super('secret', bytes);
    keepSecret(this, bytes);
  }
  get symmetricKeySize() { return materialOf(this).length; }
  export(options) {
    const bytes = Buffer.from(materialOf(this));
    return options?.format === 'jwk' ? { kty: 'oct', k: bytes.toString('base64url') } : bytes;
  }
}
class AsymmetricKeyObject extends KeyObject {
  get asymmetricKeyType() { return materialOf(this).kind; }
  get asymmetricKeyDetails() {
    const key = materialOf(this);
    if (key.kind === 'ec') return { namedCurve: CURVES[key.curve].name };
    if (key.kind !== 'rsa') return {};
    return { modulusLength: bitLength(key.n), publicExponent: BigInt(`0x${Buffer.from(key.e).toString('hex')}`) };
  }
  export(options) {
    if (typeof options !== 'object' || options === null) throw invalidArgType('options', 'Object', options);
    return written(materialOf(this), options, this.type === 'private');
  }
}
class PublicKeyObject extends AsymmetricKeyObject {
  constructor(material) { super('public', material); }
}
class PrivateKeyObject extends AsymmetricKeyObject {
  constructor(material) { super('private', material); }
}
const bitLength = (bytes) => bytes.length * 8 - Math.clz32(bytes[0]) + 24;

const LABELS = { pkcs1: ['RSA PUBLIC KEY', 'RSA PRIVATE KEY'], pkcs8: [undefined, 'PRIVATE KEY'], sec1: [undefined, 'EC PRIVATE KEY'], spki: ['PUBLIC KEY', undefined] };
function written(key, { format, type, passphrase, cipher }, secret) {
  if (format === 'jwk') return der.toJwk(key, secret);
  if (format !== 'pem' && format !== 'der') throw invalidArgValue('options.format', format);
  const chosen = type ?? (secret ? undefined : 'spki');
  const label = LABELS[chosen]?.[secret ? 1 : 0];
  if (!label || (chosen === 'pkcs1' && key.kind !== 'rsa') || (chosen === 'sec1' && key.kind !== 'ec')) {
    if (label) throw coded(Error, 'ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS', `The selected key encoding ${chosen} ${chosen === 'pkcs1' ? 'can only be used for RSA keys' : 'can only be used for EC keys'}.`);
    throw invalidArgValue('options.type', type);
  }
  if (passphrase !== undefined || cipher !== undefined) throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'private keys cannot be written with a passphrase here');
  const bytes = chosen === 'pkcs1' ? der.writers.pkcs1(key, secret) : der.writers[chosen](key);
  return format === 'der' ? bytes : der.toPem(bytes, label);
}

// `{key, isPrivate}` of whatever is given as a key.
function material(given, wanted, name = 'key') {
  if (isKeyObject(given)) {
    if (given.type === 'secret') throw coded(TypeError, 'ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE', `Invalid key object type secret, expected ${wanted}.`);
    return { key: materialOf(given), isPrivate: given.type === 'private' };
  }
  const held = require('internal/crypto_subtle').keyObjectOf(given);
  if (held) return material(held, wanted, name);
  if (typeof given === 'string' || ArrayBuffer.isView(given) || given instanceof ArrayBuffer) {
    return der.fromPem(typeof given === 'string' ? given : Buffer.from(bytesOf(given)).toString('latin1'));
  }
  if (typeof given !== 'object' || given === null) throw invalidArgType(name, ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView', 'string', ...(wanted === 'private' ? [] : ['KeyObject', 'CryptoKey'])], given);
  const { key, format = 'pem', type, encoding } = given;
  if (isKeyObject(key) || require('internal/crypto_subtle').keyObjectOf(key)) return material(key, wanted);
  if (format === 'jwk') {
    if (typeof key !== 'object' || key === null) throw invalidArgType('key.key', 'object', key);
    return der.fromJwk(key);
  }
  if (typeof key !== 'string' && !ArrayBuffer.isView(key) && !(key instanceof ArrayBuffer)) throw invalidArgType('key.key', ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView', 'string', ...(wanted === 'private' ? [] : ['KeyObject', 'CryptoKey'])], key);
  if (format === 'pem') return material(typeof key === 'string' ? key : bytesOf(key), wanted);
  if (format !== 'der') throw invalidArgValue('options.format', format);
  const bytes = bytesOf(key, encoding);
  if (type === 'pkcs8') return { key: der.pkcs8(bytes), isPrivate: true };
  if (type === 'sec1') return { key: der.sec1(bytes), isPrivate: true };
  if (type === 'spki') return { key: der.spki(bytes), isPrivate: false };
  if (type !== 'pkcs1') throw invalidArgValue('options.type', type);
  return wanted === 'private' ? { key: der.pkcs1Private(bytes), isPrivate: true } : { key: der.pkcs1Public(bytes), isPrivate: false };
}
function privateOf(given) {
  const { key, isPrivate } = material(given, 'private');
  if (!isPrivate) throw isKeyObject(given) ? coded(TypeError, 'ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE', 'Invalid key object type public, expected private.') : der.unsupported();
  return key;
}
const publicOf = (given) => material(given, 'any').key;
const open = ({ d, p, q, dp, dq, qi, ...rest }) => rest;

// Digests by the names that the natives know.
const digestName = (name) => String(name).toLowerCase().replace(/^rsa-/, '').replace(/^sha-/, 'sha');
function digested(algorithm, data) {
  const name = digestName(algorithm ?? 'sha256');
  const run = native.hash(name);
  if (!run) throw coded(Error, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${algorithm}`);
  run(data);
  return { name, digest: run() };
}
const rsaParts = (key) => ['n', 'e', ...(key.d ? ['d', 'p', 'q'] : [])].map((name) => Uint8Array.from(key[name]));
const rsa = (key, what, options) => native.rsa(rsaParts(key), { what, scheme: 'pkcs1', digest: 'sha1', salt: 0, other: NONE, ...options });
const failed = (what) => coded(Error, 'ERR_CRYPTO_OPERATION_FAILED', what);
const size = (key) => CURVES[key.curve].size;

function signWith(algorithm, data, given) {
  const key = privateOf(given);
  if (key.kind === 'ed25519') return asBuffer(native.edwards('sign', key.d, data, NONE));
  const { name, digest } = digested(algorithm, data);
  if (key.kind === 'ec') {
    const pair = native.curve(key.curve, 'sign', key.d, digest, NONE);
    if (!pair) throw failed('Signing failed');
    return given?.dsaEncoding === 'ieee-p1363' ? asBuffer(pair) : der.fromPair(asBuffer(pair));
  }
  if (key.kind !== 'rsa') throw coded(Error, 'ERR_OSSL_EVP_OPERATION_NOT_SUPPORTED_FOR_THIS_KEYTYPE', 'error:03000096:digital envelope routines::operation not supported for this keytype');
  const pss = given?.padding === constants.RSA_PKCS1_PSS_PADDING;
  const most = Math.ceil((bitLength(key.n) - 1) / 8) - digest.length - 2;
  const asked = given?.saltLength ?? constants.RSA_PSS_SALTLEN_MAX_SIGN;
  const made = rsa(key, 'sign', { scheme: pss ? 'pss' : 'pkcs1', digest: name, salt: asked === -1 ? digest.length : asked === -2 ? most : asked, data: digest });
  if (!made) throw failed('Signing failed');
  return asBuffer(made);
}
function verifyWith(algorithm, data, given, signature) {
  const key = publicOf(given);
  if (key.kind === 'ed25519') return native.edwards('verify', key.x, data, signature) !== undefined;
  const { name, digest } = digested(algorithm, data);
  if (key.kind === 'ec') {
    try {
      const pair = given?.dsaEncoding === 'ieee-p1363' ? signature : der.toPair(signature, size(key));
      return native.curve(key.curve, 'verify', key.point, digest, pair) !== undefined;
    } catch {
      return false;
    }
  }
  if (given?.padding !== constants.RSA_PKCS1_PSS_PADDING) return rsa(key, 'verify', { digest: name, data: digest, other: signature }) !== undefined;
  const most = Math.ceil((bitLength(key.n) - 1) / 8) - digest.length - 2;
  const asked = given.saltLength ?? -2;
  // A length that nobody tells is found by trying the usual ones.
  const lengths = asked === -1 ? [digest.length] : asked === -2 ? [digest.length, most, 0, 20, 32, 48, 64] : [asked];
  return lengths.some((salt) => rsa(key, 'verify', { scheme: 'pss', digest: name, salt, data: digest, other: signature }) !== undefined);
}
const maybeLater = (done, work) => {
  if (done === undefined) return work();
  callback(done, 'callback');
  let result;
  try {
    result = work();
  } catch (error) {
    return void setImmediate(done, error);
  }
  setImmediate(done, null, result);
};
function sign(algorithm, data, key, done) {
  if (algorithm != null) string(algorithm, 'algorithm');
  const bytes = bytesOf(data);
  return maybeLater(done, () => signWith(algorithm, bytes, key));
}
function verify(algorithm, data, key, signature, done) {
  if (algorithm != null) string(algorithm, 'algorithm');
  const bytes = bytesOf(data);
  const given = bytesOf(signature, undefined, 'signature');
  return maybeLater(done, () => verifyWith(algorithm, bytes, key, given));
}

let streams;
function signing() {
  if (streams) return streams;
  const { Writable } = require('stream');
  class Collecting extends Writable {
    #algorithm;
    #parts = [];
    constructor(algorithm, options) {
      string(algorithm, 'algorithm');
      if (!native.hash(digestName(algorithm))) throw coded(Error, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${algorithm}`);
      super(options);
      this.#algorithm = algorithm;
    }
    update(data, encoding) {
      this.#parts.push(Buffer.from(bytesOf(data, encoding)));
      return this;
    }
    _write(chunk, encoding, done) {
      this.update(chunk, encoding);
      done();
    }
    finished(work) { return work(this.#algorithm, Buffer.concat(this.#parts)); }
  }
  class Sign extends Collecting {
    sign(key, encoding) { return encoded(this.finished((algorithm, data) => signWith(algorithm, data, key)), encoding); }
  }
  class Verify extends Collecting {
    verify(key, signature, encoding) { return this.finished((algorithm, data) => verifyWith(algorithm, data, key, bytesOf(signature, encoding))); }
  }
  return (streams = { Sign, Verify });
}

function sealing(what, given, data) {
  const key = what === 'encrypt' ? publicOf(given) : privateOf(given);
  if (key.kind !== 'rsa') throw failed('only RSA keys encrypt');
  const padding = given?.padding ?? constants.RSA_PKCS1_OAEP_PADDING;
  const other = given?.oaepLabel === undefined ? NONE : bytesOf(given.oaepLabel, undefined, 'key.oaepLabel');
  const made = rsa(key, what, { scheme: padding === constants.RSA_PKCS1_OAEP_PADDING ? 'oaep' : 'pkcs1', digest: digestName(given?.oaepHash ?? 'sha1'), data: bytesOf(data, given?.encoding, 'buffer'), other });
  if (!made) throw coded(Error, 'ERR_OSSL_RSA_OAEP_DECODING_ERROR', 'error:02000079:rsa routines::oaep decoding error');
  return asBuffer(made);
}

const big = (bytes) => BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`);
const small = (value) => { const hex = value.toString(16); return Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex'); };
function inverse(value, modulus) {
  let [a, b, x, y] = [value % modulus, modulus, 1n, 0n];
  while (a > 1n) [a, b, x, y] = [b % a, a, y - (b / a) * x, x];
  return ((x % modulus) + modulus) % modulus;
}
function rsaPair({ modulusLength, publicExponent = 0x10001 }) {
  if (typeof modulusLength !== 'number') throw invalidArgType('options.modulusLength', 'number', modulusLength);
  const made = native.rsaGenerate(modulusLength, small(BigInt(publicExponent)));
  if (!made) throw failed('Key generation job failed');
  const [n, e, d, p, q] = made;
  const [secret, one, two] = [big(d), big(p), big(q)];
  return { kind: 'rsa', n, e, d, p, q, dp: small(secret % (one - 1n)), dq: small(secret % (two - 1n)), qi: small(inverse(two, one)) };
}
function pairOf(type, options = {}) {
  string(type, 'type');
  if (type === 'rsa' || type === 'rsa-pss') return rsaPair(options);
  if (type === 'ec') {
    string(options.namedCurve, 'options.namedCurve');
    const curve = NAMES[options.namedCurve];
    if (!curve) throw coded(TypeError, 'ERR_CRYPTO_INVALID_CURVE', 'Invalid EC curve name');
    const d = asBuffer(native.curve(curve, 'generate', NONE, NONE, NONE));
    return { kind: 'ec', curve, d, point: asBuffer(native.curve(curve, 'public', d, NONE, NONE)) };
  }
  if (type !== 'ed25519' && type !== 'x25519') throw invalidArgValue('type', type, 'must be a supported key type');
  const d = asBuffer(native.randomBytes(32));
  return { kind: type, d, x: native.edwards(type === 'ed25519' ? 'public' : 'x-public', d, NONE, NONE) };
}
function generateKeyPairSync(type, options = {}) {
  const key = pairOf(type, options);
  const { publicKeyEncoding, privateKeyEncoding } = options;
  return {
    publicKey: publicKeyEncoding ? written(open(key), publicKeyEncoding, false) : new PublicKeyObject(open(key)),
    privateKey: privateKeyEncoding ? written(key, privateKeyEncoding, true) : new PrivateKeyObject(key),
  };
}
function generateKeyPair(type, options, done) {
  if (typeof options === 'function') [options, done] = [undefined, options];
  callback(done, 'callback');
  const { publicKey, privateKey } = generateKeyPairSync(type, options);
  setImmediate(done, null, publicKey, privateKey);
}
Object.defineProperty(generateKeyPair, Symbol.for('nodejs.util.promisify.custom'), { value: async (type, options) => generateKeyPairSync(type, options) });
function generateKeySync(type, { length } = {}) {
  if (type !== 'aes' && type !== 'hmac') throw invalidArgValue('type', type, 'must be a supported key type');
  return new SecretKeyObject(asBuffer(native.randomBytes(Math.floor(length / 8))));
}

function agree(secret, open) {
  const made = secret.kind === 'ec' && secret.curve === open.curve ? native.curve(secret.curve, 'agree', secret.d, open.point, NONE) : secret.kind === 'x25519' && open.kind === 'x25519' ? native.edwards('agree', secret.d, open.x, NONE) : undefined;
  if (!made) throw coded(Error, 'ERR_CRYPTO_INCOMPATIBLE_KEY', 'Incompatible key types for Diffie-Hellman');
  return asBuffer(made);
}
class ECDH {
  #curve;
  #d;
  #point;
  constructor(name) {
    string(name, 'curve');
    this.#curve = NAMES[name];
    if (!this.#curve) throw coded(TypeError, 'ERR_CRYPTO_INVALID_CURVE', 'Invalid EC curve name');
  }
  generateKeys(encoding, format) {
    this.#d = asBuffer(native.curve(this.#curve, 'generate', NONE, NONE, NONE));
    this.#point = asBuffer(native.curve(this.#curve, 'public', this.#d, NONE, NONE));
    return this.getPublicKey(encoding, format);
  }
  computeSecret(other, inputEncoding, outputEncoding) {
    const made = native.curve(this.#curve, 'agree', this.#d ?? NONE, bytesOf(other, inputEncoding, 'otherPublicKey'), NONE);
    if (!made) throw coded(Error, 'ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY', 'Public key is not valid for specified curve');
    return encoded(made, outputEncoding);
  }
  getPublicKey(encoding, format = 'uncompressed') {
    if (!this.#point) throw coded(Error, 'ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY', 'Failed to get ECDH public key');
    return encoded(format === 'compressed' ? native.curve(this.#curve, 'compressed', this.#point, NONE, NONE) : this.#point, encoding);
  }
  getPrivateKey(encoding) {
    if (!this.#d) throw coded(Error, 'ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY', 'Failed to get ECDH private key');
    return encoded(this.#d, encoding);
  }
  setPrivateKey(key, encoding) {
    const d = bytesOf(key, encoding, 'privateKey');
    const point = native.curve(this.#curve, 'public', d, NONE, NONE);
    if (!point) throw coded(Error, 'ERR_CRYPTO_INVALID_KEYTYPE', 'Private key is not valid for specified curve.');
    [this.#d, this.#point] = [asBuffer(d), asBuffer(point)];
  }
}

Object.assign(exports, {
  constants, KeyObject, PublicKeyObject, PrivateKeyObject, SecretKeyObject, isKeyObject, materialOf, pairOf, open, agree, rsa, signWith, verifyWith, secretOf,
  createSecretKey(key, encoding) {
    if (typeof key !== 'string' && !ArrayBuffer.isView(key) && !(key instanceof ArrayBuffer)) throw invalidArgType('key', ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], key);
    return new SecretKeyObject(Buffer.from(bytesOf(key, encoding)));
  },
  createPrivateKey: (given) => new PrivateKeyObject(privateOf(given)),
  createPublicKey: (given) => new PublicKeyObject(open(publicOf(given))),
  sign, verify,
  createSign: (algorithm, options) => new (signing().Sign)(algorithm, options),
  createVerify: (algorithm, options) => new (signing().Verify)(algorithm, options),
  publicEncrypt: (key, data) => sealing('encrypt', key, data),
  privateDecrypt: (key, data) => sealing('decrypt', key, data),
  generateKeyPairSync, generateKeyPair, generateKeySync,
  generateKey(type, options, done) { setImmediate(done, null, generateKeySync(type, options)); },
  diffieHellman: ({ privateKey, publicKey }) => agree(materialOf(privateKey), materialOf(publicKey)),
  createECDH: (name) => new ECDH(name),
  ECDH,
  getCurves: () => Object.values(CURVES).map(({ name }) => name).sort(),
});
Object.defineProperties(exports, { Sign: { enumerable: true, get: () => signing().Sign }, Verify: { enumerable: true, get: () => signing().Verify } });
