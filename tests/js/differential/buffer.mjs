// buffer.
import buffer from 'node:buffer';
import { args, check, random } from './cases.mjs';

const rng = random(9);
const ENCODINGS = ['utf8', 'utf-8', 'hex', 'base64', 'base64url', 'latin1', 'binary', 'ascii', 'ucs2', 'utf16le', 'UTF-8', 'HEX'];
const TEXTS = ['', 'abc', 'é€中🦀', '\ud800x', '68656c6c6f', '6865zz', 'aGVsbG8=', 'aGVs bG8', '_-_-', 'a', 'ab=c', 'äöü', '\0\x7f\xff', 'AAAA====', '=', '+/+/', '0x12'];
const text = () => (rng.chance(0.6) ? rng.pick(TEXTS) : rng.text(12));
const odd = () => rng.pick([undefined, null, -1, 1.5, NaN, Infinity, '1', 'x', {}, [], true, 1n, 2 ** 31, Symbol('s'), () => 1]);
const bytes = (most = 12) => Buffer.from(rng.bytes(rng.int(0, most)));

for (let n = 0; n < 250; n++) {
  const [from, encoding, to] = [text(), rng.pick(ENCODINGS), rng.pick(ENCODINGS)];
  check(`from(${args(from, encoding)}).toString(${args(to)})`, () => { const one = Buffer.from(from, encoding); return [one, one.toString(to), one.toString(to, 1, 4), Buffer.byteLength(from, encoding)]; });
  const raw = bytes(20);
  check(`toString ${args(raw, to)}`, () => [raw.toString(to), raw.toString(to, rng.int(-2, 5), rng.int(-2, 25)), raw[`${to.toLowerCase().replace('-', '').replace('binary', 'latin1').replace('utf16le', 'ucs2')}Slice`](0, raw.length)]);
}
for (let n = 0; n < 120; n++) {
  const given = rng.pick([() => rng.times(rng.int(0, 5), () => rng.pick([1, 256, -1, 1.9, '3', 'x', null, undefined])), () => ({ length: rng.int(0, 3), 0: 5, 1: 300 }), () => new Uint16Array([1, 0x1234]), () => new ArrayBuffer(rng.int(0, 6)), () => Object('str'), () => ({ type: 'Buffer', data: [1, 2] }), () => ({ valueOf: () => 'v' }), () => ({ [Symbol.toPrimitive]: () => 'p' }), () => new DataView(new ArrayBuffer(3)), odd, () => new String('x'), () => Object(1), () => bytes(5)])();
  const more = rng.pick([[], [rng.int(-1, 5)], [rng.int(0, 3), rng.int(-1, 5)], ['hex'], [odd()]]);
  check(`from(${args(given, ...more)})`, () => Buffer.from(given, ...more));
  check(`isBuffer ${args(given)}`, () => [Buffer.isBuffer(given), Buffer.isEncoding(given)]);
  check(`byteLength(${args(given)})`, () => Buffer.byteLength(given));
}
for (let n = 0; n < 100; n++) {
  const [size, fill, encoding] = [rng.chance(0.8) ? rng.int(0, 12) : odd(), rng.pick([undefined, 0, 1, 300, -1, 'a', 'ab', '', 'é', Buffer.from([1, 2]), new Uint8Array([9]), true, '6162', null]), rng.pick([undefined, 'hex', 'utf8', 'latin1', 'bad', 'ucs2'])];
  check(`alloc(${args(size, fill, encoding)})`, () => Buffer.alloc(size, fill, encoding));
  const [start, end] = [rng.pick([undefined, 0, 1, 3, -1, 9, odd()]), rng.pick([undefined, 2, 5, 8, 20, odd()])];
  check(`fill(${args(fill, start, end, encoding)})`, () => Buffer.from('01234567').fill(fill, start, end, encoding));
}
for (let n = 0; n < 220; n++) {
  const one = Buffer.from(rng.pick(['abcabcabc', 'aaaa', 'é€é€', 'a\0b\0a\0b\0', '']));
  const [what, at, encoding] = [rng.pick(['a', 'bc', 'abc', '', 'é', 'b\0', 97, 353, -159, Buffer.from('ca'), new Uint8Array([97]), 'YQ==', odd()]), rng.pick([undefined, 0, 1, 5, -1, -5, 100, -100, '2', null, NaN, {}, 2.7]), rng.pick([undefined, undefined, 'utf8', 'base64', 'ucs2', 'latin1', 'bad'])];
  for (const name of ['indexOf', 'lastIndexOf', 'includes']) check(`${args(one)}.${name}(${args(what, at, encoding)})`, () => one[name](what, at, encoding));
}
for (let n = 0; n < 150; n++) {
  const [start, end] = [rng.pick([undefined, 0, 2, -3, 50, '1', NaN, 1.7, null]), rng.pick([undefined, 5, -1, 100, 0, '4', null])];
  check(`slices ${args(start, end)}`, () => { const one = Buffer.from('0123456789'); const part = one.subarray(start, end); return [part, one.slice(start, end), part.buffer === one.buffer, one.toString('latin1', start, end)]; });
  const [string, offset, length, encoding] = [text(), rng.pick([undefined, 0, 2, 7, 8, 9, -1, 'hex', 1.5]), rng.pick([undefined, 0, 3, 20, 'utf8', -1]), rng.pick([undefined, 'hex', 'ucs2', 'base64', 'bad'])];
  check(`write(${args(string, offset, length, encoding)})`, () => { const one = Buffer.alloc(8, 1); return [one.write(string, offset, length, encoding), one]; });
  const [left, right] = [bytes(6), bytes(6)];
  check(`compare ${args(left, right)}`, () => [left.compare(right), Buffer.compare(left, right), left.equals(right), left.compare(right, rng.int(0, 3), rng.int(0, 6), rng.int(0, 3), rng.int(0, 6))]);
  const target = Buffer.alloc(6, 7);
  const where = [rng.pick([undefined, 0, 2, 9, -1, 1.5, NaN, '1']), rng.pick([undefined, 0, 1, 20, -1]), rng.pick([undefined, 3, 0, 20, -2])];
  check(`copy ${args(left, ...where)}`, () => [left.copy(target, ...where), target]);
}
const NUMBERS = ['UInt8', 'Int8', 'UInt16LE', 'UInt16BE', 'Int16LE', 'Int16BE', 'UInt32LE', 'UInt32BE', 'Int32LE', 'Int32BE', 'FloatLE', 'FloatBE', 'DoubleLE', 'DoubleBE', 'BigInt64LE', 'BigInt64BE', 'BigUInt64LE', 'BigUInt64BE'];
const values = () => rng.pick([0, 1, -1, 127, 128, 255, 256, -128, -129, 65535, 65536, 2 ** 31, -(2 ** 31), 2 ** 32, 1.5, NaN, Infinity, 1e300, 0n, 1n, -1n, 2n ** 63n, -(2n ** 63n) - 1n, 2n ** 64n, '5', undefined, rng.next() * 1e6]);
for (const name of NUMBERS) {
  for (let n = 0; n < 9; n++) {
    const at = rng.pick([undefined, 0, 1, 3, 8, 9, -1, 1.5, '1', null, NaN, Infinity, {}]);
    const source = Buffer.from(rng.bytes(10));
    check(`${args(source)}.read${name}(${args(at)})`, () => source[`read${name}`](at));
    const value = values();
    check(`write${name}(${args(value, at)})`, () => { const one = Buffer.alloc(10); return [one[`write${name}`](value, at), one]; });
  }
}
for (const name of ['UIntLE', 'UIntBE', 'IntLE', 'IntBE']) {
  for (let n = 0; n < 25; n++) {
    const [at, width] = [rng.pick([0, 1, 4, 9, -1, undefined, 1.5]), rng.pick([1, 2, 3, 4, 5, 6, 0, 7, undefined, '2'])];
    const source = Buffer.from(rng.bytes(9));
    check(`${args(source)}.read${name}(${args(at, width)})`, () => source[`read${name}`](at, width));
    const value = rng.pick([values(), 2 ** 40, 2 ** 47, -(2 ** 47), 2 ** 48]);
    check(`write${name}(${args(value, at, width)})`, () => { const one = Buffer.alloc(9); return [one[`write${name}`](value, at, width), one]; });
  }
}
for (let n = 0; n < 60; n++) {
  const list = rng.chance(0.8) ? rng.times(rng.int(0, 4), () => (rng.chance(0.07) ? odd() : bytes(4))) : odd();
  const total = rng.pick([undefined, undefined, 0, 3, 20, -1, 'x', 1.5]);
  check(`concat(${args(list, total)})`, () => Buffer.concat(list, total));
  const one = bytes(8);
  for (const name of ['swap16', 'swap32', 'swap64']) check(`${args(one)}.${name}`, () => Buffer.from(one)[name]());
  check(`JSON ${args(one)}`, () => [JSON.stringify(one), one.toJSON(), [...one.entries()], one.reverse()]);
}
for (let n = 0; n < 60; n++) {
  const given = rng.pick([rng.bytes(rng.int(0, 8)), Buffer.from(text())]);
  check(`isUtf8 isAscii ${args(given)}`, () => [buffer.isUtf8(given), buffer.isAscii(given)]);
  const [from, to] = [rng.pick(['utf8', 'latin1', 'ucs2', 'ascii', 'binary', 'hex']), rng.pick(['utf8', 'latin1', 'ucs2', 'ascii', 'bad'])];
  check(`transcode ${args(given, from, to)}`, () => buffer.transcode(given, from, to));
  const letters = rng.pick([text(), 'YWJj', 'YW Jj', 'YQ', 'YQ=', '=', 'é']);
  check(`atob(${args(letters)})`, () => buffer.atob(letters));
  check(`btoa(${args(letters)})`, () => buffer.btoa(letters));
  check(`copyBytesFrom ${n}`, () => Buffer.copyBytesFrom(new Uint16Array([1, 2, 3]), rng.pick([undefined, 0, 1, 5]), rng.pick([undefined, 1, 9])));
}
for (const given of [undefined, null, 1, 'x', {}, -1, 1.5, 2 ** 40, NaN]) {
  for (const name of ['alloc', 'allocUnsafe', 'allocUnsafeSlow', 'concat', 'compare', 'isEncoding', 'byteLength']) check(`${name}(${args(given)})`, () => { const came = Buffer[name](given); return came instanceof Uint8Array ? came.length : came; });
  check(`new Buffer(${args(given)})`, () => { const came = new Buffer(given); return came.length; });
  check(`Buffer(${args(given)})`, () => Buffer(given, 'hex').length);
}
check('class', () => { class Mine extends Buffer {} return [Buffer.from('a').constructor === Buffer, Buffer.prototype.constructor.name, Object.prototype.toString.call(Buffer.alloc(1)), Buffer.alloc(2) instanceof Uint8Array, Buffer.from([1, 2]).map((x) => x * 2), Buffer.from([1, 2, 3]).filter((x) => x > 1).constructor.name, typeof Mine]; });
check('members', () => Object.keys(buffer).sort());
check('statics', () => Object.keys(Buffer).sort());
check('prototype', () => Object.keys(Buffer.prototype).sort());
check('constants', () => [buffer.constants, buffer.kMaxLength, buffer.INSPECT_MAX_BYTES, buffer.kStringMaxLength, Buffer.poolSize]);
