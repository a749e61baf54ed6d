// crypto: whatever gives the same for the same input. What is random is checked by its reverse.
import crypto from 'node:crypto';
import { args, check, checkLater, random } from './cases.mjs';

const rng = random(10);
const HASHES = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'sha512-256', 'sha512-224', 'sha3-256', 'sha3-512', 'ripemd160', 'blake2b512', 'blake2s256', 'SHA256', 'RSA-SHA256', 'rmd160'];
const DIGESTS = [undefined, 'hex', 'base64', 'base64url', 'latin1', 'buffer'];
const bytes = (most) => Buffer.from(rng.bytes(rng.int(0, most)));
for (const name of HASHES) {
  for (let n = 0; n < 14; n++) {
    const [parts, how] = [rng.times(rng.int(0, 3), () => bytes(90)), rng.pick(DIGESTS)];
    check(`${name} of ${args(...parts)} as ${how}`, () => { const hash = crypto.createHash(name); for (const part of parts) hash.update(part); return hash.digest(how); });
    const key = bytes(200);
    check(`hmac ${name} ${args(key, ...parts)}`, () => { const hmac = crypto.createHmac(name, key); for (const part of parts) hmac.update(part); return hmac.digest(how); });
  }
}
for (let n = 0; n < 60; n++) {
  const [text, encoding] = [rng.text(12), rng.pick(['utf8', 'hex', 'base64', 'latin1', 'ucs2', undefined])];
  check(`sha256 of ${args(text, encoding)}`, () => crypto.createHash('sha256').update(text, encoding).digest('hex'));
  const [secret, salt, rounds, length, digest] = [bytes(40), bytes(20), rng.int(1, 30), rng.int(0, 80), rng.pick(['sha1', 'sha256', 'sha512', 'md5'])];
  check(`pbkdf2 ${args(secret, salt, rounds, length, digest)}`, () => crypto.pbkdf2Sync(secret, salt, rounds, length, digest));
  check(`hkdf ${args(digest, secret, salt, length)}`, () => crypto.hkdfSync(digest, secret, salt, 'info', length));
  const cost = { N: 2 ** rng.int(1, 5), r: rng.int(1, 4), p: rng.int(1, 3) };
  check(`scrypt ${args(secret, salt, length, cost)}`, () => crypto.scryptSync(secret, salt, length, cost));
}
for (const cipher of ['aes-128-cbc', 'aes-192-cbc', 'aes-256-cbc', 'aes-128-ctr', 'aes-192-ctr', 'aes-256-ctr', 'aes-128-ecb', 'aes-256-ecb', 'aes-128-gcm', 'aes-192-gcm', 'aes-256-gcm', 'chacha20-poly1305', 'AES-256-CBC']) {
  const width = cipher.startsWith('chacha') ? 32 : Number(/\d+/.exec(cipher)[0]) / 8;
  const aead = /gcm|chacha/.test(cipher);
  const iv = () => (cipher.includes('ecb') ? null : Buffer.from(rng.bytes(aead ? 12 : 16)));
  const options = cipher.startsWith('chacha') ? { authTagLength: 16 } : undefined;
  for (let n = 0; n < 14; n++) {
    const [key, start, parts, aad] = [Buffer.from(rng.bytes(width)), iv(), rng.times(rng.int(0, 3), () => bytes(40)), bytes(10)];
    check(`${cipher} ${args(key, start, ...parts)}`, () => {
      const one = crypto.createCipheriv(cipher, key, start, options);
      if (aead) one.setAAD(aad);
      const sealed = [...parts.map((part) => one.update(part)), one.final()];
      const tag = aead ? one.getAuthTag() : null;
      const other = crypto.createDecipheriv(cipher, key, start, options);
      if (aead) { other.setAAD(aad); other.setAuthTag(tag); }
      const opened = Buffer.concat([other.update(Buffer.concat(sealed)), other.final()]);
      return [sealed, tag, opened.equals(Buffer.concat(parts))];
    });
    check(`${cipher} wrong ${n}`, () => {
      const other = crypto.createDecipheriv(cipher, key, start, options);
      if (aead) other.setAuthTag(Buffer.alloc(16));
      return [other.update(Buffer.from(rng.bytes(23))), other.final()];
    });
  }
  check(`${cipher} wrong key`, () => crypto.createCipheriv(cipher, Buffer.alloc(5), iv(), options));
  check(`${cipher} wrong start`, () => crypto.createCipheriv(cipher, Buffer.alloc(width), Buffer.alloc(3), options).update('x'));
  check(`${cipher} as text`, () => { const one = crypto.createCipheriv(cipher, Buffer.alloc(width, 1), cipher.includes('ecb') ? null : Buffer.alloc(aead ? 12 : 16, 2), options); return one.update('héllo wörld', 'utf8', 'hex') + one.final('hex'); });
  check(`${cipher} without padding`, () => { const one = crypto.createCipheriv(cipher, Buffer.alloc(width, 1), cipher.includes('ecb') ? null : Buffer.alloc(aead ? 12 : 16, 2), options); one.setAutoPadding(false); return [one.update(Buffer.alloc(32)), one.final()]; });
  check(`${cipher} info`, () => crypto.getCipherInfo(cipher));
}
check('unknown cipher', () => crypto.createCipheriv('none', '', ''));
check('unknown hash', () => crypto.createHash('none'));
check('unknown hmac', () => crypto.createHmac('none', 'k'));
check('final twice', () => { const one = crypto.createCipheriv('aes-128-cbc', Buffer.alloc(16), Buffer.alloc(16)); one.final(); return one.final(); });
check('digest twice', () => { const one = crypto.createHash('md5'); one.digest(); return one.digest(); });
check('update after digest', () => { const one = crypto.createHash('md5'); one.digest(); return one.update('x'); });
check('copy', () => { const one = crypto.createHash('md5').update('a'); const two = one.copy(); return [one.update('b').digest('hex'), two.digest('hex')]; });
check('hash()', () => [crypto.hash('sha1', 'x'), crypto.hash('md5', Buffer.from('x'), 'base64')]);
for (const odd of [undefined, null, 1, {}, [], true]) {
  for (const name of ['createHash', 'createHmac', 'randomBytes', 'randomInt', 'createSecretKey', 'createPublicKey', 'createPrivateKey', 'getCipherInfo']) check(`${name}(${args(odd)})`, () => { const came = crypto[name](odd); return Buffer.isBuffer(came) ? came.length : typeof came; });
  check(`update(${args(odd)})`, () => crypto.createHash('md5').update(odd).digest('hex'));
  check(`timingSafeEqual(${args(odd)})`, () => crypto.timingSafeEqual(odd, Buffer.alloc(1)));
  check(`pbkdf2Sync(${args(odd)})`, () => crypto.pbkdf2Sync('a', 'b', odd, 5, 'md5'));
  check(`pbkdf2Sync digest ${args(odd)}`, () => crypto.pbkdf2Sync('a', 'b', 1, 5, odd));
}
check('timingSafeEqual', () => [crypto.timingSafeEqual(Buffer.from('ab'), Buffer.from('ab')), crypto.timingSafeEqual(Buffer.from('ab'), Buffer.from('ac'))]);
check('timingSafeEqual of other lengths', () => crypto.timingSafeEqual(Buffer.from('a'), Buffer.from('ab')));

// Keys that were made with OpenSSL for this test and protect nothing.
import { KEYS } from './keys.mjs';
for (const [name, { pub, priv }] of Object.entries(KEYS)) {
  const [secret, open] = [() => crypto.createPrivateKey(priv), () => crypto.createPublicKey(pub)];
  const digest = name.startsWith('ed') ? null : 'sha256';
  check(`${name} is`, () => [secret().type, secret().asymmetricKeyType, secret().asymmetricKeyDetails, open().type, crypto.createPublicKey(priv).export({ type: 'spki', format: 'pem' })]);
  check(`${name} as PEM`, () => [secret().export({ type: 'pkcs8', format: 'pem' }), open().export({ type: 'spki', format: 'pem' })]);
  check(`${name} as DER`, () => [secret().export({ type: 'pkcs8', format: 'der' }), open().export({ type: 'spki', format: 'der' })]);
  check(`${name} as JWK`, () => [secret().export({ format: 'jwk' }), open().export({ format: 'jwk' })]);
  check(`${name} from JWK`, () => [crypto.createPrivateKey({ key: secret().export({ format: 'jwk' }), format: 'jwk' }).equals(secret()), crypto.createPublicKey({ key: open().export({ format: 'jwk' }), format: 'jwk' }).equals(open())]);
  check(`${name} from DER`, () => crypto.createPrivateKey({ key: secret().export({ type: 'pkcs8', format: 'der' }), format: 'der', type: 'pkcs8' }).equals(secret()));
  if (name.startsWith('rsa')) check(`${name} as PKCS 1`, () => [secret().export({ type: 'pkcs1', format: 'pem' }), open().export({ type: 'pkcs1', format: 'pem' })]);
  if (name.startsWith('p')) check(`${name} as SEC 1`, () => secret().export({ type: 'sec1', format: 'pem' }));
  if (name.startsWith('x')) {
    check(`${name} agree`, () => crypto.diffieHellman({ privateKey: secret(), publicKey: open() }));
    continue;
  }
  for (let n = 0; n < 10; n++) {
    const data = bytes(100);
    // What is random in a signature is not compared: it is verified.
    if (name.startsWith('rsa') || name.startsWith('ed')) check(`${name} sign ${args(data)}`, () => crypto.sign(digest, data, priv));
    check(`${name} verify ${args(data)}`, () => { const made = crypto.sign(digest, data, priv); return [crypto.verify(digest, data, pub, made), crypto.verify(digest, Buffer.concat([data, Buffer.from('x')]), pub, made), crypto.verify(digest, data, pub, Buffer.alloc(made.length))]; });
  }
  if (!name.startsWith('ed')) {
    check(`${name} createSign`, () => { const made = crypto.createSign('SHA512').update('a').update('b').sign(priv); return crypto.createVerify('RSA-SHA512').update('ab').verify(pub, made); });
  }
  if (name.startsWith('rsa')) {
    check(`${name} PSS`, () => { const padding = crypto.constants.RSA_PKCS1_PSS_PADDING; const made = crypto.sign('sha256', Buffer.from('x'), { key: priv, padding, saltLength: 32 }); return [made.length, crypto.verify('sha256', Buffer.from('x'), { key: pub, padding, saltLength: 32 }, made)]; });
    for (const padding of ['RSA_PKCS1_PADDING', 'RSA_PKCS1_OAEP_PADDING']) check(`${name} encrypts ${padding}`, () => crypto.privateDecrypt({ key: priv, padding: crypto.constants[padding] }, crypto.publicEncrypt({ key: pub, padding: crypto.constants[padding] }, Buffer.from('secret'))).toString());
    check(`${name} OAEP with SHA-256`, () => crypto.privateDecrypt({ key: priv, oaepHash: 'sha256' }, crypto.publicEncrypt({ key: pub, oaepHash: 'sha256' }, Buffer.from('secret'))).toString());
  }
  if (name.startsWith('p')) check(`${name} in the form of IEEE P1363`, () => { const made = crypto.sign('sha256', Buffer.from('x'), { key: priv, dsaEncoding: 'ieee-p1363' }); return [made.length, crypto.verify('sha256', Buffer.from('x'), { key: pub, dsaEncoding: 'ieee-p1363' }, made)]; });
}
for (const [type, options] of [['rsa', { modulusLength: 1024 }], ['ec', { namedCurve: 'prime256v1' }], ['ec', { namedCurve: 'secp384r1' }], ['ed25519', {}], ['x25519', {}]]) {
  check(`generateKeyPairSync ${args(type, options)}`, () => { const { publicKey, privateKey } = crypto.generateKeyPairSync(type, options); return [publicKey.type, privateKey.type, privateKey.asymmetricKeyType, publicKey.asymmetricKeyDetails, crypto.createPublicKey(privateKey).equals(publicKey)]; });
  check(`generateKeyPairSync ${args(type, options)} as PEM`, () => { const { publicKey, privateKey } = crypto.generateKeyPairSync(type, { ...options, publicKeyEncoding: { type: 'spki', format: 'pem' }, privateKeyEncoding: { type: 'pkcs8', format: 'pem' } }); return [publicKey.split('\n')[0], privateKey.split('\n')[0]]; });
}
check('createSecretKey', () => { const key = crypto.createSecretKey(Buffer.from('abc')); return [key.type, key.symmetricKeySize, key.export(), key.export({ format: 'jwk' }), crypto.createHmac('md5', key).update('x').digest('hex')]; });
check('ECDH', () => { const [a, b] = [crypto.createECDH('prime256v1'), crypto.createECDH('prime256v1')]; a.generateKeys(); b.generateKeys(); return [a.computeSecret(b.getPublicKey()).equals(b.computeSecret(a.getPublicKey())), a.getPublicKey('hex').length, a.getPublicKey('hex', 'compressed').length]; });
const { subtle } = crypto.webcrypto;
await checkLater('subtle digest', async () => Promise.all(['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'].map((name) => subtle.digest(name, Buffer.from('x')))));
await checkLater('subtle digest of an unknown', () => subtle.digest('MD5', Buffer.from('x')));
for (const name of ['AES-CBC', 'AES-CTR', 'AES-GCM']) {
  await checkLater(`subtle ${name}`, async () => {
    const key = await subtle.importKey('raw', Buffer.alloc(32, 3), name, true, ['encrypt', 'decrypt']);
    const how = name === 'AES-CTR' ? { name, counter: Buffer.alloc(16, 1), length: 64 } : { name, iv: Buffer.alloc(name === 'AES-GCM' ? 12 : 16, 1) };
    const sealed = await subtle.encrypt(how, key, Buffer.from('hello'));
    return [sealed, Buffer.from(await subtle.decrypt(how, key, sealed)).toString(), await subtle.exportKey('jwk', key), key.algorithm, key.usages, key.extractable, key.type];
  });
}
await checkLater('subtle HMAC', async () => { const key = await subtle.importKey('raw', Buffer.from('k'), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']); const made = await subtle.sign('HMAC', key, Buffer.from('x')); return [made, await subtle.verify('HMAC', key, made, Buffer.from('x')), key.algorithm]; });
await checkLater('subtle PBKDF2', async () => { const key = await subtle.importKey('raw', Buffer.from('pw'), 'PBKDF2', false, ['deriveBits', 'deriveKey']); return [await subtle.deriveBits({ name: 'PBKDF2', salt: Buffer.from('s'), iterations: 5, hash: 'SHA-256' }, key, 256), await subtle.exportKey('raw', await subtle.deriveKey({ name: 'PBKDF2', salt: Buffer.from('s'), iterations: 5, hash: 'SHA-256' }, key, { name: 'AES-GCM', length: 128 }, true, ['encrypt']))]; });
await checkLater('subtle HKDF', async () => { const key = await subtle.importKey('raw', Buffer.from('pw'), 'HKDF', false, ['deriveBits']); return subtle.deriveBits({ name: 'HKDF', salt: Buffer.from('s'), info: Buffer.from('i'), hash: 'SHA-512' }, key, 128); });
for (const how of [{ name: 'ECDSA', namedCurve: 'P-256' }, { name: 'Ed25519' }, { name: 'RSASSA-PKCS1-v1_5', modulusLength: 1024, publicExponent: Uint8Array.of(1, 0, 1), hash: 'SHA-256' }, { name: 'RSA-PSS', modulusLength: 1024, publicExponent: Uint8Array.of(1, 0, 1), hash: 'SHA-256' }]) {
  await checkLater(`subtle ${how.name}`, async () => { const { publicKey, privateKey } = await subtle.generateKey(how, true, ['sign', 'verify']); const sign = { name: how.name, hash: 'SHA-256', saltLength: 32 }; const made = await subtle.sign(sign, privateKey, Buffer.from('x')); return [await subtle.verify(sign, publicKey, made, Buffer.from('x')), await subtle.verify(sign, publicKey, made, Buffer.from('y')), publicKey.type, privateKey.usages, (await subtle.exportKey('jwk', publicKey)).kty]; });
}
await checkLater('scrypt with a callback', () => new Promise((resolve, reject) => crypto.scrypt('a', 'b', 8, (error, key) => (error ? reject(error) : resolve(key)))));
await checkLater('pbkdf2 with a callback', () => new Promise((resolve, reject) => crypto.pbkdf2('a', 'b', 1, 8, 'sha1', (error, key) => (error ? reject(error) : resolve(key)))));
await checkLater('generateKeyPair with a callback', () => new Promise((resolve, reject) => crypto.generateKeyPair('ed25519', {}, (error, one, other) => (error ? reject(error) : resolve([one.type, other.type])))));
