// Containers of keys: DER of PKCS 1, PKCS 8, SEC 1, SPKI and certificates, PEM around it, and JWK.
// A key is `{kind, …numbers as bytes}`; nothing here knows what keys are good for.
const { Buffer } = require('buffer');
const { coded } = require('internal/errors');

const OID = { rsa: '2a864886f70d010101', ec: '2a8648ce3d0201', ed25519: '2b6570', x25519: '2b656e' };
const CURVES = {
  'P-256': { oid: '2a8648ce3d030107', name: 'prime256v1', size: 32 },
  'P-384': { oid: '2b81040022', name: 'secp384r1', size: 48 },
  'P-521': { oid: '2b81040023', name: 'secp521r1', size: 66 },
  secp256k1: { oid: '2b8104000a', name: 'secp256k1', size: 32 },
};
const NONE = new Uint8Array(0);
const unsupported = (what) => coded(Error, 'ERR_OSSL_UNSUPPORTED', `error:1E08010C:DECODER routines::unsupported${what ? ` (${what})` : ''}`);

function read(bytes, at = 0) {
  const tag = bytes[at];
  let length = bytes[at + 1];
  let start = at + 2;
  if (length > 0x80) {
    const count = length & 0x7f;
    length = 0;
    for (let n = 0; n < count; n++) length = length * 256 + bytes[start + n];
    start += count;
  }
  const end = start + length;
  if (!(end <= bytes.length)) throw unsupported();
  return { tag, value: bytes.subarray(start, end), whole: bytes.subarray(at, end), end };
}
function inside(bytes, tag = 0x30) {
  const outer = read(bytes);
  if (outer.tag !== tag) throw unsupported();
  const parts = [];
  for (let at = 0; at < outer.value.length; ) {
    const part = read(outer.value, at);
    parts.push(part);
    at = part.end;
  }
  return parts;
}
function wrap(tag, ...parts) {
  const body = Buffer.concat(parts);
  const length = body.length < 0x80 ? [body.length] : body.length < 0x100 ? [0x81, body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}
const trimmed = (bytes) => {
  let at = 0;
  while (at < bytes.length - 1 && bytes[at] === 0) at++;
  return bytes.subarray(at);
};
const widened = (bytes, size) => {
  const short = trimmed(bytes);
  return Buffer.concat([Buffer.alloc(Math.max(0, size - short.length)), short]);
};
const integer = (bytes) => {
  const short = trimmed(bytes);
  return wrap(2, short[0] & 0x80 ? Buffer.concat([Buffer.of(0), short]) : Buffer.from(short));
};
const oid = (hex) => wrap(6, Buffer.from(hex, 'hex'));
const sequence = (...parts) => wrap(0x30, ...parts);
const bits = (bytes) => wrap(3, Buffer.of(0), Buffer.from(bytes));
const octets = (bytes) => wrap(4, Buffer.from(bytes));
const hexOf = (part) => Buffer.from(part.value).toString('hex');
const curveOf = (hex) => {
  const found = Object.entries(CURVES).find(([, curve]) => curve.oid === hex);
  if (!found) throw unsupported('curve');
  return found[0];
};

const RSA = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'];
function pkcs1Private(bytes) {
  const [, ...numbers] = inside(bytes);
  if (numbers.length < RSA.length) throw unsupported();
  return Object.fromEntries([['kind', 'rsa'], ...RSA.map((name, at) => [name, trimmed(numbers[at].value)])]);
}
function pkcs1Public(bytes) {
  const [n, e] = inside(bytes).map((part) => trimmed(part.value));
  if (!e) throw unsupported();
  return { kind: 'rsa', n, e };
}
function sec1(bytes, curve) {
  const [, secret, ...rest] = inside(bytes);
  const named = rest.find(({ tag }) => tag === 0xa0);
  const known = named ? curveOf(hexOf(read(named.value))) : curve;
  const point = rest.find(({ tag }) => tag === 0xa1);
  const d = widened(secret.value, CURVES[known].size);
  return { kind: 'ec', curve: known, d, point: point ? Buffer.from(read(point.value).value.subarray(1)) : Buffer.from(native.curve(known, 'public', d, NONE, NONE) ?? NONE) };
}
function algorithm(part) {
  const [name, parameter] = inside(part.whole);
  const kind = Object.entries(OID).find(([, hex]) => hex === hexOf(name))?.[0];
  if (!kind) throw unsupported('algorithm');
  return { kind, curve: kind === 'ec' ? curveOf(hexOf(parameter)) : undefined };
}
function pkcs8(bytes) {
  const [, about, key] = inside(bytes);
  const { kind, curve } = algorithm(about);
  if (kind === 'rsa') return pkcs1Private(key.value);
  if (kind === 'ec') return sec1(key.value, curve);
  const d = read(key.value).value;
  return { kind, d, x: native.edwards(kind === 'ed25519' ? 'public' : 'x-public', d, NONE, NONE) };
}
function spki(bytes) {
  const [about, key] = inside(bytes);
  const { kind, curve } = algorithm(about);
  const value = key.value.subarray(1);
  if (kind === 'rsa') return pkcs1Public(value);
  if (kind !== 'ec') return { kind, x: value };
  const point = native.curve(curve, 'point', value, NONE, NONE);
  if (!point) throw unsupported();
  return { kind, curve, point: Buffer.from(point) };
}
function certificate(bytes) {
  const fields = inside(inside(bytes)[0].whole);
  return spki(fields[fields[0].tag === 0xa0 ? 6 : 5].whole);
}

const about = (key) => {
  if (key.kind === 'rsa') return sequence(oid(OID.rsa), Buffer.of(5, 0));
  return key.kind === 'ec' ? sequence(oid(OID.ec), oid(CURVES[key.curve].oid)) : sequence(oid(OID[key.kind]));
};
const ZERO = Uint8Array.of(0);
const ONE = Uint8Array.of(1);
const writers = {
  pkcs1: (key, secret) => (secret ? sequence(integer(ZERO), ...RSA.map((name) => integer(key[name]))) : sequence(integer(key.n), integer(key.e))),
  sec1: (key, bare) => sequence(integer(ONE), octets(key.d), ...(bare ? [] : [wrap(0xa0, oid(CURVES[key.curve].oid))]), wrap(0xa1, bits(key.point))),
  pkcs8: (key) => sequence(integer(ZERO), about(key), octets(key.kind === 'rsa' ? writers.pkcs1(key, true) : key.kind === 'ec' ? writers.sec1(key, true) : octets(key.d))),
  spki: (key) => sequence(about(key), bits(key.kind === 'rsa' ? writers.pkcs1(key, false) : key.kind === 'ec' ? key.point : key.x)),
};

const READERS = { 'PRIVATE KEY': pkcs8, 'RSA PRIVATE KEY': pkcs1Private, 'EC PRIVATE KEY': sec1, 'PUBLIC KEY': spki, 'RSA PUBLIC KEY': pkcs1Public, CERTIFICATE: certificate };
function fromPem(text) {
  for (const [, label, body] of text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \1-----/g)) {
    if (label.startsWith('ENCRYPTED') || body.includes('Proc-Type')) throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'private keys with a passphrase cannot be read here');
    if (READERS[label]) return { key: READERS[label](Buffer.from(body, 'base64')), isPrivate: label.endsWith('PRIVATE KEY') };
  }
  throw unsupported();
}
const toPem = (der, label) => `-----BEGIN ${label}-----\n${der.toString('base64').replace(/.{1,64}/g, '$&\n')}-----END ${label}-----\n`;

const url = (bytes) => Buffer.from(bytes).toString('base64url');
function toJwk(key, secret) {
  if (key.kind === 'rsa') {
    const jwk = { kty: 'RSA', n: url(key.n), e: url(key.e) };
    return secret ? { ...jwk, d: url(key.d), p: url(key.p), q: url(key.q), dp: url(key.dp), dq: url(key.dq), qi: url(key.qi) } : jwk;
  }
  if (key.kind === 'ec') {
    const { size } = CURVES[key.curve];
    return { kty: 'EC', x: url(key.point.subarray(1, 1 + size)), y: url(key.point.subarray(1 + size)), crv: key.curve, ...(secret ? { d: url(key.d) } : {}) };
  }
  return { crv: key.kind === 'ed25519' ? 'Ed25519' : 'X25519', ...(secret ? { d: url(key.d) } : {}), x: url(key.x), kty: 'OKP' };
}
function fromJwk(jwk) {
  const bad = () => coded(TypeError, 'ERR_CRYPTO_INVALID_JWK', 'Invalid JWK data');
  const part = (name) => {
    if (typeof jwk[name] !== 'string') throw bad();
    return Buffer.from(jwk[name], 'base64url');
  };
  const isPrivate = jwk.d !== undefined;
  if (jwk.kty === 'RSA') return { key: Object.fromEntries([['kind', 'rsa'], ...(isPrivate ? RSA : RSA.slice(0, 2)).map((name) => [name, trimmed(part(name))])]), isPrivate };
  if (jwk.kty === 'EC' && CURVES[jwk.crv]) {
    const { size } = CURVES[jwk.crv];
    const point = native.curve(jwk.crv, 'point', Buffer.concat([Buffer.of(4), widened(part('x'), size), widened(part('y'), size)]), NONE, NONE);
    if (!point) throw bad();
    return { key: { kind: 'ec', curve: jwk.crv, point: Buffer.from(point), ...(isPrivate ? { d: widened(part('d'), size) } : {}) }, isPrivate };
  }
  const kind = { Ed25519: 'ed25519', X25519: 'x25519' }[jwk.crv];
  if (jwk.kty !== 'OKP' || !kind) throw bad();
  return { key: { kind, x: part('x'), ...(isPrivate ? { d: part('d') } : {}) }, isPrivate };
}
// Signatures of curves: two numbers, side by side or in DER.
const toPair = (der, size) => {
  const [r, s] = inside(der).map(({ value }) => trimmed(value));
  if (!s || r.length > size || s.length > size) throw unsupported();
  return Buffer.concat([widened(r, size), widened(s, size)]);
};
const fromPair = (pair) => sequence(integer(pair.subarray(0, pair.length / 2)), integer(pair.subarray(pair.length / 2)));

Object.assign(exports, { CURVES, NONE, writers, fromPem, toPem, toJwk, fromJwk, toPair, fromPair, trimmed, pkcs8, spki, pkcs1Private, pkcs1Public, sec1, certificate, unsupported });
