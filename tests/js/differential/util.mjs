// util: inspect, format, types, equality, and the small things beside them.
import util from 'node:util';
import { args, check, checkLater, random } from './cases.mjs';

const rng = random(7);
class Point { constructor(x, y) { this.x = x; this.y = y; } }
class Named extends Point { get [Symbol.toStringTag]() { return 'Tagged'; } static made = 1; }
const make = {
  text: () => rng.text(10).replace(/\ufeff/g, ''),
  long: () => `${rng.text(6)} `.repeat(rng.int(1, 20)),
  number: () => rng.pick([0, -0, 1, -1.5, 1e21, 0.000012, NaN, Infinity, rng.int(-1e6, 1e6), rng.next() * 1e5, 123456789.123, 0xffffffff]),
  bigint: () => BigInt(rng.int(-1e9, 1e9)),
  plain: () => rng.pick([true, false, null, undefined]),
  symbol: () => rng.pick([Symbol('a'), Symbol(), Symbol('with space'), Symbol.iterator, Symbol('')]),
  fn: () => rng.pick([() => 1, function named() {}, class A {}, class B extends Point {}, async () => 1, function* g() {}, async function* ag() {}, Object.assign(() => 1, { extra: 2 }), Math.max, Object.setPrototypeOf(() => 1, null)]),
  date: () => rng.pick([new Date(rng.int(0, 2e9) * 1000), new Date(NaN)]),
  regexp: () => rng.pick([/a/g, /[\]/]/u, Object.assign(/x/, { y: 1 })]),
  error: () => rng.pick([0, 1, 2]),
  bytes: () => rng.pick([Buffer.from(rng.bytes(rng.int(0, 60))), new Uint8Array(rng.bytes(rng.int(0, 8))), new Float64Array([1.5, -0]), new BigInt64Array([1n, -2n]), new ArrayBuffer(rng.int(0, 5)), new DataView(new ArrayBuffer(2)), new Uint16Array(120)]),
  boxed: () => rng.pick([Object(1), Object('str'), Object(true), Object(1n), Object(Symbol('s')), Object.assign(Object('abc'), { x: 1 })]),
  special: () => rng.pick([new Point(1, { a: [2] }), new Named(1, 2), { __proto__: null, a: 1 }, Object.create({ inherited: 1 }), Object.create(Point.prototype), new (class extends Map {})([[1, 2]]), new (class Foo extends Array {})(3), new WeakMap(), new WeakSet(), Promise.resolve(4), new Proxy({ a: 1 }, {}), new Proxy(() => 1, {}), (function () { return arguments; })(1, 2), (function* () {})(), Symbol, new Array(5), Object.freeze([1]), new URLSearchParams('a=1&b=2')]),
};
const leaf = () => make[rng.pick(['text', 'text', 'long', 'number', 'number', 'bigint', 'plain', 'symbol', 'fn', 'date', 'regexp', 'bytes', 'boxed', 'special'])]();
const key = () => rng.pick(['a', 'b', 'name', 'with space', 'ünï', '1', '0x1', "it's", 'a-b', '__proto__', 'constructor', Symbol('k'), 'x'.repeat(rng.int(1, 30))]);
function any(depth) {
  if (depth === 0 || rng.chance(0.3)) return leaf();
  const some = (most) => rng.times(rng.int(0, most), () => any(depth - 1));
  switch (rng.pick(['array', 'object', 'object', 'map', 'set', 'nested', 'holes', 'extra', 'getters', 'circular', 'numbers', 'point', 'symbols'])) {
    case 'array': return some(8);
    case 'numbers': return rng.times(rng.int(0, 130), () => rng.int(0, 10 ** rng.int(1, 6)));
    case 'holes': { const list = some(5); list[rng.int(0, 8)] = 1; list[rng.int(3, 12)] = 2; return list; }
    case 'extra': return Object.assign(some(3), { [key()]: leaf(), [-1]: 2 });
    case 'map': return new Map(some(4).map((value, at) => [rng.chance(0.5) ? at : value, any(depth - 1)]));
    case 'set': return new Set(some(5));
    case 'getters': return { get both() { return 1; }, set both(value) {}, get only() { return { a: 1 }; }, set into(value) {} };
    case 'circular': { const one = { name: 'ring', list: [] }; one.self = one; one.list.push(one, { up: one.list }); return one; }
    case 'point': return new Point(any(depth - 1), any(depth - 1));
    case 'symbols': return { [Symbol('s')]: any(depth - 1), [Symbol()]: 2, plain: 1 };
    case 'nested': return { a: { b: { c: { d: { e: any(0) } } } } };
    default: {
      const object = {};
      for (let n = rng.int(0, 6); n > 0; n--) Object.defineProperty(object, key(), { value: any(depth - 1), enumerable: rng.chance(0.93), writable: true, configurable: true });
      return object;
    }
  }
}
const options = () => Object.fromEntries(rng.some([['depth', 0], ['depth', 1], ['depth', null], ['depth', 5], ['showHidden', true], ['colors', true], ['compact', false], ['compact', 1], ['compact', true], ['compact', 5], ['breakLength', 40], ['breakLength', Infinity], ['breakLength', 120], ['sorted', true], ['getters', true], ['getters', 'get'], ['getters', 'set'], ['maxArrayLength', 2], ['maxArrayLength', null], ['maxArrayLength', 0], ['maxStringLength', 5], ['maxStringLength', null], ['numericSeparator', true], ['customInspect', false], ['showProxy', true]], 0, 4));
for (let n = 0; n < 900; n++) {
  const value = any(rng.int(0, 4));
  check(`inspect ${n}`, () => util.inspect(value));
  const how = options();
  check(`inspect ${n} ${args(how)}`, () => util.inspect(value, how));
}
for (let n = 0; n < 250; n++) {
  const pattern = rng.times(rng.int(0, 5), () => rng.pick(['%s', '%d', '%i', '%f', '%j', '%o', '%O', '%c', '%%', '%', '%x', 'text', ' ', ':'])).join('');
  const values = rng.times(rng.int(0, 5), () => any(2));
  check(`format ${n} ${args(pattern)}`, () => util.format(pattern, ...values));
  check(`format ${n} without a pattern`, () => util.format(...values));
}
const stackless = (error) => Object.defineProperty(error, 'stack', { value: undefined, writable: true, configurable: true });
const stacked = (error, stack) => Object.defineProperty(error, 'stack', { value: stack, writable: true, configurable: true });
for (const [name, value] of Object.entries({
  plain: stackless(new Error('m')), typed: stackless(new TypeError('m')), empty: stackless(new Error()), props: stackless(Object.assign(new Error('m'), { code: 'E', list: [1] })), caused: stackless(new Error('m', { cause: 'why' })),
  many: stackless(new AggregateError([1, 2], 'm')), own: stacked(new Error('m'), 'Error: m\n    at somewhere'), named: stacked(Object.assign(new Error('m'), { name: 'Own' }), 'Error: m\n    at x'), noMessage: stacked(new RangeError(), 'RangeError\n    at y'),
  derived: stacked(new (class Mine extends Error {})('m'), 'Error: m\n    at z'), nested: { error: stacked(new Error('in'), 'Error: in\n    at w') },
})) {
  check(`inspect an error ${name}`, () => util.inspect(value));
  check(`inspect an error ${name} compact`, () => util.inspect(value, { compact: false }));
}
const custom = util.inspect.custom;
for (const [name, value] of Object.entries({
  text: { [custom]: () => 'own words' }, object: { [custom]: () => ({ a: 1 }) }, lines: { inner: { [custom]: () => 'two\nlines' } },
  asked: { [custom](depth, options, inspect) { return `${depth} ${Object.keys(options).sort()} ${inspect === util.inspect}`; } }, self: { a: 1, [custom]() { return this; } }, thrower: { [custom]: 5 },
})) check(`custom ${name}`, () => util.inspect(value));
for (let n = 0; n < 250; n++) {
  const seed = rng.int(0, 1e9);
  const build = () => { const other = random(seed); return [other.int(0, 3), other.text(2), other.next() < 0.5 ? new Map([[1, { a: other.int(0, 2) }]]) : new Set([other.int(0, 2), [1]]), { x: [other.int(0, 1)], y: new Date(other.int(0, 2)) }]; };
  const [left, right] = [rng.chance(0.4) ? build() : any(2), rng.chance(0.6) ? build() : any(2)];
  check(`isDeepStrictEqual ${n}`, () => [util.isDeepStrictEqual(left, right), util.isDeepStrictEqual(build(), build()), util.isDeepStrictEqual([left], [left])]);
}
const SAMPLES = [1, 'x', null, undefined, {}, [], () => 1, async () => 1, function* () {}, async function* () {}, class A {}, new Date(), /x/, new Error(), new TypeError(), new Map(), new Set(), new WeakMap(), new WeakSet(), new WeakRef({}), Promise.resolve(), new ArrayBuffer(1), new SharedArrayBuffer(1), new DataView(new ArrayBuffer(1)), Buffer.alloc(1), new Uint8Array(1), new Int8Array(1), new Uint8ClampedArray(1), new Float32Array(1), new BigInt64Array(1), Object(1), Object('s'), Object(true), Object(1n), Object(Symbol()), new Map().entries(), new Set().values(), [][Symbol.iterator](), (function* () {})(), (function () { return arguments; })(), new Proxy({}, {}), new Proxy([], {}), Object.create(null), Object.create(Error.prototype), { [Symbol.toStringTag]: 'Map' }, { __proto__: Date.prototype }, Math, JSON, globalThis, Symbol(), 1n, new DOMException('x')];
for (const name of Object.keys(util.types).sort()) check(`types.${name}`, () => SAMPLES.map((one) => (util.types[name](one) ? 1 : 0)).join(''));
for (const name of ['isArray', 'isBoolean', 'isNull', 'isNullOrUndefined', 'isNumber', 'isString', 'isSymbol', 'isUndefined', 'isRegExp', 'isObject', 'isDate', 'isError', 'isFunction', 'isPrimitive']) check(name, () => SAMPLES.map((one) => (util[name](one) ? 1 : 0)).join(''));
for (let n = 0; n < 120; n++) {
  const given = rng.some(['-a', '--all', '--no-all', '--name', '--name=x', '-n', 'x', '-nx', '--', 'file', '-abc', '--unknown', '--list', '1', '-', '--name=', '-a=1'], 0, 6);
  const config = { args: given, strict: rng.chance(0.6), allowPositionals: rng.chance(0.6), allowNegative: rng.chance(0.3), tokens: rng.chance(0.3), options: { all: { type: 'boolean', short: 'a' }, name: { type: 'string', short: 'n', default: rng.pick([undefined, 'd']) }, list: { type: 'string', multiple: true }, b: { type: 'boolean', short: 'b', multiple: true } } };
  if (config.options.name.default === undefined) delete config.options.name.default;
  check(`parseArgs(${args(config)})`, () => util.parseArgs(config));
}
for (let n = 0; n < 60; n++) {
  const text = rng.some(['\u001b[31m', 'red', '\u001b[0m', '\u001b]8;;http://x\u0007', 'link', '\u001b[1;2H', '\u009b5m', 'x\n'], 0, 6).join('');
  check(`stripVTControlCharacters(${args(text)})`, () => util.stripVTControlCharacters(text));
  check(`toUSVString(${args(text)})`, () => util.toUSVString(rng.text(8)));
}
for (const style of ['red', 'bold', ['red', 'bold'], 'none', [], 'bgBlue']) check(`styleText(${args(style)})`, () => util.styleText(style, 'text', { validateStream: false }));
for (const odd of [undefined, null, 1, 'x', {}]) {
  for (const name of ['promisify', 'callbackify', 'inherits', 'deprecate', 'format', 'styleText', 'debuglog']) check(`${name}(${args(odd)})`, () => typeof util[name](odd));
}
for (const label of ['utf-8', 'UTF8', ' utf8 ', 'utf-16le', 'utf-16be', 'latin1', 'ascii', 'gb18030', 'gbk', 'big5', 'shift_jis', 'euc-jp', 'euc-kr', 'windows-1252', 'iso-8859-2', 'koi8-r', 'none', '']) {
  for (const fatal of [false, true]) {
    check(`TextDecoder ${args(label, fatal)}`, () => {
      const decoder = new TextDecoder(label, { fatal });
      return [decoder.encoding, decoder.decode(new Uint8Array([0x41, 0xc3, 0xa9, 0x20, 0xe4, 0xbd, 0xa0])), decoder.decode(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))];
    });
  }
}
for (let n = 0; n < 150; n++) {
  const bytes = rng.chance(0.5) ? rng.bytes(rng.int(0, 10)) : Buffer.from(rng.text(6));
  const fatal = rng.chance(0.3);
  const cut = rng.int(0, bytes.length);
  check(`decode ${args(bytes, cut, fatal)}`, () => {
    const decoder = new TextDecoder('utf-8', { fatal, ignoreBOM: rng.chance(0.5) });
    return [decoder.decode(bytes.subarray(0, cut), { stream: true }), decoder.decode(bytes.subarray(cut)), new TextEncoder().encode(Buffer.from(bytes).toString('latin1'))];
  });
  const text = rng.text(6);
  const into = new Uint8Array(rng.int(0, 8));
  check(`encodeInto(${args(text, into.length)})`, () => [new TextEncoder().encodeInto(text, into), into]);
}
await checkLater('promisify', () => util.promisify((value, done) => done(null, value, 2))(7));
await checkLater('promisify fails', () => util.promisify((done) => done(Object.assign(new Error('no'), { code: 'E' })))());
await checkLater('callbackify', () => new Promise((resolve) => util.callbackify(async (value) => value * 2)(4, (error, value) => resolve([error, value]))));
await checkLater('callbackify of a falsy rejection', () => new Promise((resolve) => util.callbackify(async () => Promise.reject(null))((error) => resolve(error))));
check('getSystemErrorName', () => [-2, -13, -17, -111, -110].map((number) => util.getSystemErrorName(number)));
check('iterators', () => [new Map([[1, 2]]).entries(), new Set([5]).values(), [1][Symbol.iterator]()].map((one) => util.inspect(one)));
check('numericSeparator', () => [-0, 1e-7].map((one) => util.inspect(one, { numericSeparator: true })));
check('inherits', () => {
  function A() {}
  function B() {}
  util.inherits(A, B);
  return [A.super_ === B, new A() instanceof B, Object.keys(A)];
});
check('members', () => Object.keys(util).sort());
check('members of types', () => Object.keys(util.types).sort());
