// What the parts of crypto share: bytes from whatever is given as bytes.
const { Buffer } = require('buffer');
const { invalidArgType, invalidArgValue } = require('internal/errors');

exports.bytesOf = (data, encoding, name = 'data') => {
  if (typeof data === 'string') {
    if (encoding === 'hex' && data.length % 2 === 1) throw invalidArgValue('encoding', encoding, `is invalid for data of length ${data.length}`);
    return Buffer.from(data, encoding === 'buffer' ? undefined : encoding);
  }
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  throw invalidArgType(name, ['string', 'Buffer', 'TypedArray', 'DataView'], data);
};
exports.asBuffer = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
exports.encoded = (bytes, encoding) => (encoding && encoding !== 'buffer' ? exports.asBuffer(bytes).toString(encoding) : exports.asBuffer(bytes));
// Secrets of KeyObjects, which nothing else can see.
const secrets = new WeakMap();
exports.keepSecret = (key, bytes) => secrets.set(key, bytes);
exports.secretOf = (key, name) => {
  if (typeof key === 'object' && key !== null && secrets.has(key)) return secrets.get(key);
  if (typeof key === 'string' || ArrayBuffer.isView(key) || key instanceof ArrayBuffer) return exports.bytesOf(key);
  throw invalidArgType(name, ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView', 'string', 'KeyObject', 'CryptoKey'], key);
};
