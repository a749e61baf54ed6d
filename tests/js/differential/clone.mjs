// structuredClone: what it takes, what it keeps, what it refuses.
import util from 'node:util';
import { check, random } from './cases.mjs';

const rng = random(8);
class Own { a = 1; get b() { return 2; } }
const shared = new ArrayBuffer(8);
const ring = { name: 'ring' };
ring.self = ring;
const SAMPLES = {
  undefined, null: null, true: true, number: -0, nan: NaN, big: 10n, text: 'é\ud800', date: new Date(5), invalid: new Date(NaN), regexp: Object.assign(/a\/b/giu, { lastIndex: 3 }), map: new Map([[{ k: 1 }, [new Map()]]]), set: new Set([1, new Set(['x'])]),
  buffer: new ArrayBuffer(3), view: new Uint8Array(shared, 2, 3), views: [new Uint8Array(shared, 0, 2), new Int16Array(shared, 2, 2)], data: new DataView(shared, 1, 4), float: new Float64Array([1.5, NaN]), bigs: new BigUint64Array([1n]), clamped: new Uint8ClampedArray([1, 2]), node: Buffer.from('abc'), resizable: new ArrayBuffer(2, { maxByteLength: 8 }),
  boxed: [Object(1), Object('s'), Object(false), Object(5n)], holes: [1, , 3], extra: Object.assign([1], { more: 2 }), ring, own: new Own(), nothing: Object.create(null), proto: JSON.parse('{"__proto__": 1, "a": 2}'), getter: { get a() { return 5; } }, hidden: Object.defineProperty({ a: 1 }, 'b', { value: 2 }), symbols: { [Symbol('s')]: 1, a: 2 },
  error: new Error('m', { cause: { a: 1 } }), typed: new TypeError('t'), named: Object.assign(new Error('n'), { name: 'RangeError' }), odd: Object.assign(new Error('n'), { name: 'Odd', extra: 1 }), aggregate: new AggregateError([1], 'm'), dom: new DOMException('d', 'AbortError'),
  function: () => 1, symbol: Symbol('x'), inner: { deep: [() => 1] }, weak: new WeakMap(), weakset: new WeakSet(), ref: new WeakRef({}), promise: Promise.resolve(), proxy: new Proxy({ a: 1 }, {}), arguments: (function () { return arguments; })(1, 2), iterator: [][Symbol.iterator](), generator: (function* () {})(), url: new URL('http://a'), blob: new Blob(['x']), event: new Event('x'), thrower: { get a() { throw new RangeError('mine'); } },
};
for (const [name, value] of Object.entries(SAMPLES)) {
  check(`clone ${name}`, () => {
    const copy = structuredClone(value);
    if (copy instanceof Error) return [copy.constructor.name, copy.name, copy.message, copy.cause, Object.keys(copy)];
    return [util.types.isProxy(copy), Object.prototype.toString.call(copy), copy !== null && typeof copy === 'object' ? Object.getPrototypeOf(copy)?.constructor?.name : typeof copy, copy];
  });
}
check('views of one buffer share their copy', () => { const [a, b] = structuredClone(SAMPLES.views); return a.buffer === b.buffer && a.buffer.byteLength === 8; });
check('the same object twice', () => { const one = {}; const [a, b] = structuredClone([one, one]); return a === b; });
check('a ring stays one', () => { const copy = structuredClone(ring); return copy.self === copy; });
check('lastIndex', () => structuredClone(SAMPLES.regexp).lastIndex);
check('resizable', () => structuredClone(SAMPLES.resizable).maxByteLength);
check('transfer', () => { const buffer = new ArrayBuffer(4); const copy = structuredClone({ buffer, view: new Uint8Array(buffer) }, { transfer: [buffer] }); return [buffer.byteLength, copy.buffer.byteLength, copy.view.buffer === copy.buffer]; });
for (const bad of [[1], [{}], ['x'], 5, [new ArrayBuffer(1), null]]) check(`transfer ${JSON.stringify(bad)}`, () => structuredClone(1, { transfer: bad }));
check('transfer twice', () => { const buffer = new ArrayBuffer(4); return structuredClone(1, { transfer: [buffer, buffer] }); });
check('without arguments', () => structuredClone());
check('its name and length', () => [structuredClone.name, structuredClone.length]);
const any = (depth) => (depth === 0 || rng.chance(0.2) ? rng.pick([1, 'x', null, undefined, true, 2n, new Date(3), new Uint8Array([1, 2]), NaN, -0]) : rng.pick([() => rng.times(rng.int(0, 4), () => any(depth - 1)), () => ({ a: any(depth - 1), [rng.text(3)]: any(depth - 1) }), () => new Map([[any(depth - 1), any(depth - 1)]]), () => new Set([any(depth - 1), any(depth - 1)])])());
for (let n = 0; n < 120; n++) {
  const value = any(4);
  check(`random ${n}`, () => structuredClone(value));
}
