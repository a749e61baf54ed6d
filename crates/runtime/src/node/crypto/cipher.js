// Ciphers with a start value: names, sizes and errors as Node has them; the work is native (cipher.rs).
const { Buffer } = require('buffer');
const { Transform } = require('stream');
const { coded, invalidArgType, string } = require('internal/errors');
const { bytesOf, secretOf } = require('internal/crypto_bytes');

const INFO = new Map();
for (const [mode, nids] of Object.entries({ ecb: [418, 422, 426], cbc: [419, 423, 427], ctr: [904, 905, 906], gcm: [895, 898, 901] })) {
  [128, 192, 256].forEach((bits, at) => {
    const name = mode === 'gcm' ? `id-aes${bits}-gcm` : `aes-${bits}-${mode}`;
    const info = { mode, name, nid: nids[at], blockSize: mode === 'cbc' || mode === 'ecb' ? 16 : 1, ...(mode === 'ecb' ? {} : { ivLength: mode === 'gcm' ? 12 : 16 }), keyLength: bits / 8 };
    INFO.set(`aes-${bits}-${mode}`, info);
    if (mode === 'cbc') INFO.set(`aes${bits}`, info);
    if (mode === 'gcm') INFO.set(name, info);
  });
}
INFO.set('chacha20-poly1305', { mode: 'stream', name: 'chacha20-poly1305', nid: 1018, ivLength: 12, keyLength: 32 });
const isAead = (info) => info.mode === 'gcm' || info.mode === 'stream';
const finalized = () => coded(Error, 'ERR_CRYPTO_INVALID_STATE', 'Unsupported state');
const OPENSSL = {
  length: ['ERR_OSSL_WRONG_FINAL_BLOCK_LENGTH', '1C80006B', 'wrong final block length'],
  decrypt: ['ERR_OSSL_BAD_DECRYPT', '1C800064', 'bad decrypt'],
};

class Ciphering extends Transform {
  #run;
  #info;
  #encrypt;
  #padded = true;
  #done = false;
  #tag;
  #tagLength;
  constructor(encrypt, algorithm, key, iv, options) {
    string(algorithm, 'cipher');
    super(options);
    const info = INFO.get(algorithm.toLowerCase());
    if (!info) throw coded(Error, 'ERR_CRYPTO_UNKNOWN_CIPHER', 'Unknown cipher');
    const secret = secretOf(key, 'key');
    const start = iv === null ? new Uint8Array(0) : bytesOf(iv, undefined, 'iv');
    if (secret.length !== info.keyLength) throw coded(RangeError, 'ERR_CRYPTO_INVALID_KEYLEN', 'Invalid key length');
    const fits = info.mode === 'gcm' ? start.length > 0 : start.length === (info.ivLength ?? 0);
    if (!fits) throw coded(TypeError, 'ERR_CRYPTO_INVALID_IV', 'Invalid initialization vector');
    this.#run = native.cipher(info.mode === 'stream' ? info.name : info.mode, secret, start, encrypt);
    this.#info = info;
    this.#encrypt = encrypt;
    this.#tagLength = options?.authTagLength ?? 16;
  }
  #out(bytes, encoding) {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return encoding && encoding !== 'buffer' ? buffer.toString(encoding) : buffer;
  }
  update(data, inputEncoding, outputEncoding) {
    if (typeof data !== 'string' && !ArrayBuffer.isView(data)) throw invalidArgType('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
    if (this.#done) throw coded(Error, 'ERR_CRYPTO_INVALID_STATE', 'Trying to add data in unsupported state');
    return this.#out(this.#run('update', bytesOf(data, inputEncoding), this.#padded), outputEncoding);
  }
  final(outputEncoding) {
    if (this.#done) throw coded(Error, 'ERR_CRYPTO_INVALID_STATE', 'Invalid state');
    this.#done = true;
    let last;
    try {
      last = this.#run('final', undefined, this.#padded);
    } catch (error) {
      const [code, number, reason] = OPENSSL[error.message] ?? OPENSSL.decrypt;
      throw Object.assign(coded(Error, code, `error:${number}:Provider routines::${reason}`), { library: 'Provider routines', reason });
    }
    if (isAead(this.#info)) {
      if (this.#encrypt) this.#tag = Buffer.from(this.#run('tag', undefined)).subarray(0, this.#tagLength);
      else if (!this.#tag || this.#run('verify', this.#tag)[0] !== 1) throw new Error('Unsupported state or unable to authenticate data');
    }
    return this.#out(last, outputEncoding);
  }
  setAutoPadding(padded = true) {
    if (this.#done) throw finalized();
    this.#padded = Boolean(padded);
    return this;
  }
  setAAD(data, options) {
    if (this.#done || !isAead(this.#info)) throw finalized();
    this.#run('aad', bytesOf(data, options?.encoding, 'buffer'));
    return this;
  }
  getAuthTag() {
    if (!this.#encrypt || !this.#tag) throw finalized();
    return this.#tag;
  }
  setAuthTag(tag, encoding) {
    if (this.#encrypt || this.#done || this.#tag || !isAead(this.#info)) throw finalized();
    const bytes = bytesOf(tag, encoding, 'buffer');
    const fits = this.#info.mode === 'gcm' ? [4, 8, 12, 13, 14, 15, 16].includes(bytes.length) : bytes.length > 0 && bytes.length <= 16;
    if (!fits) throw coded(TypeError, 'ERR_CRYPTO_INVALID_AUTH_TAG', `Invalid authentication tag length: ${bytes.length}`);
    this.#tag = Buffer.from(bytes);
    return this;
  }
  _transform(chunk, encoding, done) {
    this.push(this.update(chunk, encoding));
    done();
  }
  _flush(done) {
    try {
      this.push(this.final());
    } catch (error) {
      return done(error);
    }
    done();
  }
}
class Cipheriv extends Ciphering {
  constructor(...given) { super(true, ...given); }
}
class Decipheriv extends Ciphering {
  constructor(...given) { super(false, ...given); }
}
for (const name of ['getAuthTag']) Object.defineProperty(Decipheriv.prototype, name, { value: undefined });
for (const name of ['setAuthTag']) Object.defineProperty(Cipheriv.prototype, name, { value: undefined });

function getCipherInfo(wanted, options) {
  if (typeof wanted !== 'string' && typeof wanted !== 'number') throw invalidArgType('nameOrNid', ['string', 'number'], wanted);
  const info = typeof wanted === 'number' ? [...INFO.values()].find(({ nid }) => nid === wanted) : INFO.get(wanted.toLowerCase());
  if (!info || (options?.keyLength !== undefined && options.keyLength !== info.keyLength)) return undefined;
  if (options?.ivLength !== undefined && options.ivLength !== info.ivLength && info.mode !== 'gcm') return undefined;
  return { ...info };
}

Object.assign(exports, {
  Cipheriv, Decipheriv, getCipherInfo,
  createCipheriv: (...given) => new Cipheriv(...given),
  createDecipheriv: (...given) => new Decipheriv(...given),
  getCiphers: () => [...INFO.keys()].sort(),
});
