// crypto: random values.
const { Buffer } = require('buffer');
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

Object.assign(exports, {
  randomBytes,
  randomInt,
  randomUUID: () => native.randomUUID(),
  getRandomValues,
  webcrypto: { getRandomValues, randomUUID: () => native.randomUUID() },
});
