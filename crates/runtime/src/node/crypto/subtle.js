// Web Crypto: crypto.subtle over the same natives, with its own keys and errors.
const { Buffer } = require('buffer');
const { asBuffer, bytesOf } = require('internal/crypto_bytes');
const keys = require('internal/crypto_keys');
const der = require('internal/crypto_der');

const wrong = (name, text) => new DOMException(text, name);
const notSupported = () => wrong('NotSupportedError', 'Unrecognized algorithm name');
const HASHES = { 'SHA-1': 'sha1', 'SHA-256': 'sha256', 'SHA-384': 'sha384', 'SHA-512': 'sha512' };
const ALGORITHMS = ['AES-CBC', 'AES-CTR', 'AES-GCM', 'HMAC', 'PBKDF2', 'HKDF', 'ECDSA', 'ECDH', 'Ed25519', 'X25519', 'RSASSA-PKCS1-v1_5', 'RSA-PSS', 'RSA-OAEP', ...Object.keys(HASHES)];
function normal(given) {
  const all = typeof given === 'string' ? { name: given } : { ...given };
  all.name = ALGORITHMS.find((name) => name.toLowerCase() === String(all.name).toLowerCase());
  if (!all.name) throw notSupported();
  if (all.hash !== undefined) all.hash = normal(all.hash);
  return all;
}
const hashOf = ({ hash }) => {
  const name = HASHES[hash?.name];
  if (!name) throw notSupported();
  return name;
};
const bufferOf = (bytes) => Uint8Array.from(bytes).buffer;
const isRsa = (name) => name.startsWith('RSA');

const inner = new WeakMap();
class CryptoKey {
  constructor(key, algorithm, extractable, usages) {
    if (!(key instanceof keys.KeyObject)) throw new TypeError('Illegal constructor');
    inner.set(this, { key, algorithm, extractable, usages });
  }
  get type() { return inner.get(this).key.type; }
  get algorithm() { return inner.get(this).algorithm; }
  get extractable() { return inner.get(this).extractable; }
  get usages() { return inner.get(this).usages; }
  get [Symbol.toStringTag]() { return 'CryptoKey'; }
}
const keyObjectOf = (value) => (typeof value === 'object' && value !== null ? inner.get(value)?.key : undefined);
function use(key, usage, name) {
  const held = inner.get(key);
  if (!held) throw new TypeError('not a CryptoKey');
  if (name !== undefined && held.algorithm.name !== name) throw wrong('InvalidAccessError', 'Key algorithm mismatch');
  if (!held.usages.includes(usage)) throw wrong('InvalidAccessError', `Unable to use this key to ${usage}`);
  return held.key;
}

const ORDER = ['encrypt', 'decrypt', 'sign', 'verify', 'deriveKey', 'deriveBits', 'wrapKey', 'unwrapKey'];
const sorted = (usages) => ORDER.filter((usage) => usages.includes(usage));
function described(algorithm, key) {
  const { name } = algorithm;
  if (name.startsWith('AES')) return { name, length: key.symmetricKeySize * 8 };
  if (name === 'HMAC') return { name, hash: { name: algorithm.hash.name }, length: algorithm.length ?? key.symmetricKeySize * 8 };
  if (name === 'ECDSA' || name === 'ECDH') return { name, namedCurve: keys.materialOf(key).curve };
  if (!isRsa(name)) return { name };
  const { modulusLength } = key.asymmetricKeyDetails;
  return { name, modulusLength, publicExponent: Uint8Array.from(keys.materialOf(key).e), hash: { name: algorithm.hash.name } };
}
const made = (key, algorithm, extractable, usages) => new CryptoKey(key, described(algorithm, key), extractable, sorted(usages));

const CIPHERS = { 'AES-CBC': 'cbc', 'AES-CTR': 'ctr', 'AES-GCM': 'gcm' };
function aes(encrypt, algorithm, key, data) {
  const { createCipheriv, createDecipheriv } = require('internal/crypto_cipher');
  const secret = keys.secretOf(key, 'key');
  const cipher = `aes-${secret.length * 8}-${CIPHERS[algorithm.name]}`;
  const run = (encrypt ? createCipheriv : createDecipheriv)(cipher, secret, bytesOf(algorithm.name === 'AES-CTR' ? algorithm.counter : algorithm.iv));
  let bytes = bytesOf(data);
  const length = (algorithm.tagLength ?? 128) / 8;
  try {
    if (algorithm.name === 'AES-GCM') {
      if (algorithm.additionalData) run.setAAD(bytesOf(algorithm.additionalData));
      if (!encrypt) {
        run.setAuthTag(bytes.subarray(bytes.length - length));
        bytes = bytes.subarray(0, bytes.length - length);
      }
    }
    const parts = [run.update(bytes), run.final()];
    if (encrypt && algorithm.name === 'AES-GCM') parts.push(run.getAuthTag().subarray(0, length));
    return bufferOf(Buffer.concat(parts));
  } catch {
    throw wrong('OperationError', 'The operation failed for an operation-specific reason');
  }
}
function oaep(what, algorithm, key, data) {
  const done = keys.rsa(keys.materialOf(key), what, { scheme: 'oaep', digest: hashOf(inner.get(algorithm.key).algorithm), data: bytesOf(data), other: algorithm.label ? bytesOf(algorithm.label) : der.NONE });
  if (!done) throw wrong('OperationError', 'The operation failed for an operation-specific reason');
  return bufferOf(done);
}
function hmac(key, held, data) {
  const run = native.hash(hashOf(held.algorithm), Uint8Array.from(keys.secretOf(key, 'key')));
  run(bytesOf(data));
  return run();
}
const signer = (algorithm, held) => {
  if (algorithm.name === 'ECDSA') return { digest: hashOf(algorithm), options: { dsaEncoding: 'ieee-p1363' } };
  if (algorithm.name === 'Ed25519') return { digest: null, options: {} };
  const pss = algorithm.name === 'RSA-PSS';
  return { digest: hashOf(held.algorithm), options: pss ? { padding: keys.constants.RSA_PKCS1_PSS_PADDING, saltLength: algorithm.saltLength } : {} };
};
function bitsOf(algorithm, key, length) {
  const crypto = require('crypto');
  if (algorithm.name === 'PBKDF2') return crypto.pbkdf2Sync(keys.secretOf(key, 'key'), bytesOf(algorithm.salt), algorithm.iterations, length / 8, hashOf(algorithm));
  if (algorithm.name === 'HKDF') return Buffer.from(crypto.hkdfSync(hashOf(algorithm), keys.secretOf(key, 'key'), bytesOf(algorithm.salt), bytesOf(algorithm.info), length / 8));
  const shared = keys.agree(keys.materialOf(key), keys.materialOf(keyObjectOf(algorithm.public)));
  return length == null ? shared : shared.subarray(0, length / 8);
}
const derivedLength = (algorithm) => {
  if (algorithm.name !== 'HMAC') return algorithm.length;
  return algorithm.length ?? { sha1: 512, sha256: 512, sha384: 1024, sha512: 1024 }[hashOf(algorithm)];
};

const subtle = {
  async digest(algorithm, data) {
    const run = native.hash(hashOf({ hash: normal(algorithm) }));
    run(bytesOf(data));
    return bufferOf(run());
  },
  async importKey(format, data, given, extractable, usages) {
    const algorithm = normal(given);
    if (format === 'raw' || (format === 'jwk' && data.kty === 'oct')) {
      const bytes = format === 'raw' ? Buffer.from(bytesOf(data)) : Buffer.from(data.k, 'base64url');
      const { name } = algorithm;
      if (name.startsWith('AES') && ![16, 24, 32].includes(bytes.length)) throw wrong('DataError', 'Invalid key length');
      if (name === 'ECDSA' || name === 'ECDH') {
        const point = native.curve(algorithm.namedCurve, 'point', bytes, der.NONE, der.NONE);
        if (!point) throw wrong('DataError', 'Invalid keyData');
        return made(new keys.PublicKeyObject({ kind: 'ec', curve: algorithm.namedCurve, point: asBuffer(point) }), algorithm, extractable, usages);
      }
      if (name === 'Ed25519' || name === 'X25519') return made(new keys.PublicKeyObject({ kind: name.toLowerCase(), x: bytes }), algorithm, extractable, usages);
      return made(keys.createSecretKey(bytes), algorithm, extractable, usages);
    }
    const { key, isPrivate } = format === 'jwk' ? der.fromJwk(data) : format === 'pkcs8' ? { key: der.pkcs8(bytesOf(data)), isPrivate: true } : { key: der.spki(bytesOf(data)), isPrivate: false };
    return made(isPrivate ? new keys.PrivateKeyObject(key) : new keys.PublicKeyObject(key), algorithm, extractable, usages);
  },
  async exportKey(format, key) {
    const held = inner.get(key);
    if (!held.extractable) throw wrong('InvalidAccessError', 'key is not extractable');
    const { name } = held.algorithm;
    if (format === 'jwk') {
      const jwk = held.key.export({ format: 'jwk' });
      if (name.startsWith('AES')) jwk.alg = `A${held.algorithm.length}${name.slice(4)}`;
      if (name === 'HMAC') jwk.alg = `HS${held.algorithm.hash.name.slice(4)}`;
      if (isRsa(name)) jwk.alg = { 'RSASSA-PKCS1-v1_5': 'RS', 'RSA-PSS': 'PS' }[name] ? { 'RSASSA-PKCS1-v1_5': 'RS', 'RSA-PSS': 'PS' }[name] + held.algorithm.hash.name.slice(4) : `RSA-OAEP${held.algorithm.hash.name === 'SHA-1' ? '' : `-${held.algorithm.hash.name.slice(4)}`}`;
      const { kty, alg, ...rest } = jwk;
      return { key_ops: [...held.usages], ext: true, ...(alg ? { alg } : {}), kty, ...rest };
    }
    if (format === 'raw') return bufferOf(held.key.type === 'secret' ? held.key.export() : keys.materialOf(held.key).point ?? keys.materialOf(held.key).x);
    return bufferOf(held.key.export({ format: 'der', type: format }));
  },
  async generateKey(given, extractable, usages) {
    const algorithm = normal(given);
    const { name } = algorithm;
    if (name.startsWith('AES') || name === 'HMAC') return made(keys.generateKeySync(name === 'HMAC' ? 'hmac' : 'aes', { length: derivedLength(algorithm) }), algorithm, extractable, usages);
    const type = isRsa(name) ? 'rsa' : name.startsWith('EC') ? 'ec' : name.toLowerCase();
    const pair = keys.pairOf(type, { ...algorithm, publicExponent: algorithm.publicExponent ? BigInt(`0x${Buffer.from(algorithm.publicExponent).toString('hex')}`) : undefined });
    const of = (...names) => usages.filter((usage) => names.includes(usage));
    return {
      publicKey: made(new keys.PublicKeyObject(keys.open(pair)), algorithm, true, of('verify', 'encrypt', 'wrapKey')),
      privateKey: made(new keys.PrivateKeyObject(pair), algorithm, extractable, of('sign', 'decrypt', 'unwrapKey', 'deriveKey', 'deriveBits')),
    };
  },
  async encrypt(given, key, data) {
    const algorithm = normal(given);
    const held = use(key, 'encrypt', algorithm.name);
    return algorithm.name === 'RSA-OAEP' ? oaep('encrypt', { ...algorithm, key }, held, data) : aes(true, algorithm, held, data);
  },
  async decrypt(given, key, data) {
    const algorithm = normal(given);
    const held = use(key, 'decrypt', algorithm.name);
    return algorithm.name === 'RSA-OAEP' ? oaep('decrypt', { ...algorithm, key }, held, data) : aes(false, algorithm, held, data);
  },
  async sign(given, key, data) {
    const algorithm = normal(given);
    const held = use(key, 'sign', algorithm.name);
    if (algorithm.name === 'HMAC') return bufferOf(hmac(held, inner.get(key), data));
    const { digest, options } = signer(algorithm, inner.get(key));
    return bufferOf(keys.signWith(digest, bytesOf(data), { key: held, ...options }));
  },
  async verify(given, key, signature, data) {
    const algorithm = normal(given);
    const held = use(key, 'verify', algorithm.name);
    if (algorithm.name === 'HMAC') return native.equal(hmac(held, inner.get(key), data), bytesOf(signature));
    const { digest, options } = signer(algorithm, inner.get(key));
    return keys.verifyWith(digest, bytesOf(data), { key: held, ...options }, bytesOf(signature));
  },
  async deriveBits(given, key, length) {
    const algorithm = normal(given);
    return bufferOf(bitsOf(algorithm, use(key, 'deriveBits', algorithm.name), length));
  },
  async deriveKey(given, key, wanted, extractable, usages) {
    const algorithm = normal(given);
    const target = normal(wanted);
    const bytes = bitsOf(algorithm, use(key, 'deriveKey', algorithm.name), derivedLength(target));
    return made(keys.createSecretKey(bytes), target, extractable, usages);
  },
  async wrapKey(format, key, wrapping, algorithm) {
    const data = await subtle.exportKey(format, key);
    const bytes = format === 'jwk' ? Buffer.from(JSON.stringify(data)) : data;
    const held = normal(algorithm);
    const by = use(wrapping, 'wrapKey', held.name);
    return held.name === 'RSA-OAEP' ? oaep('encrypt', { ...held, key: wrapping }, by, bytes) : aes(true, held, by, bytes);
  },
  async unwrapKey(format, data, wrapping, algorithm, wanted, extractable, usages) {
    const held = normal(algorithm);
    const by = use(wrapping, 'unwrapKey', held.name);
    const bytes = held.name === 'RSA-OAEP' ? oaep('decrypt', { ...held, key: wrapping }, by, data) : aes(false, held, by, data);
    return subtle.importKey(format, format === 'jwk' ? JSON.parse(Buffer.from(bytes).toString()) : bytes, wanted, extractable, usages);
  },
};
// Called as methods of their class, which is all that there is of it.
class SubtleCrypto {
  constructor() { throw Object.assign(new TypeError('Illegal constructor'), { code: 'ERR_ILLEGAL_CONSTRUCTOR' }); }
}
for (const [name, value] of Object.entries(subtle)) {
  Object.defineProperty(SubtleCrypto.prototype, name, { value, writable: true, configurable: true, enumerable: true });
  delete subtle[name];
}
Object.defineProperty(SubtleCrypto.prototype, Symbol.toStringTag, { value: 'SubtleCrypto', configurable: true });
Object.setPrototypeOf(subtle, SubtleCrypto.prototype);
Object.assign(exports, { subtle, SubtleCrypto, CryptoKey, keyObjectOf, isCryptoKey: (value) => keyObjectOf(value) !== undefined, keyOf: (value) => keyObjectOf(value) });
