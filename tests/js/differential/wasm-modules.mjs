// Modules of WebAssembly from random numbers: valid ones, whose functions end. What no two engines need do
// alike (the bits of a NaN) is not looked at.
export const I32 = 0x7f;
export const I64 = 0x7e;
export const F32 = 0x7d;
export const F64 = 0x7c;
const TYPES = [I32, I64, F32, F64];

export const u32 = (value) => {
  const bytes = [];
  do {
    bytes.push((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
    value >>>= 7;
  } while (value > 0);
  return bytes;
};
const signed = (value) => {
  const bytes = [];
  for (let rest = BigInt(value); ; ) {
    const byte = Number(rest & 0x7fn);
    rest >>= 7n;
    if ((rest === 0n && (byte & 0x40) === 0) || (rest === -1n && (byte & 0x40) !== 0)) return [...bytes, byte];
    bytes.push(byte | 0x80);
  }
};
export const vector = (items) => [...u32(items.length), ...items.flat()];
export const name = (text) => vector([...new TextEncoder().encode(text)]);
export const section = (id, body) => [id, ...u32(body.length), ...body];
const floating = (type, value) => [...new Uint8Array((type === F32 ? Float32Array : Float64Array).of(value).buffer)];

const INTS = [0, 1, -1, 2, 7, 255, 65535, 65536, 2147483647, -2147483648, 123456789];
const LONGS = [0n, 1n, -1n, 4294967296n, 9223372036854775807n, -9223372036854775808n, 987654321987n];
const FLOATS = [0, -0, 1, -1, 0.5, 1e10, -3.7, 1e-30, Infinity, -Infinity, NaN, 2147483648, -9.3e18];
const range = (from, to) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
// Operations by what they give: [code, what they take].
const OPERATIONS = {
  [I32]: [
    [[0x45], I32], [[0x50], I64], ...range(0x46, 0x4f).map((code) => [[code], I32, I32]), ...range(0x51, 0x5a).map((code) => [[code], I64, I64]),
    ...range(0x5b, 0x60).map((code) => [[code], F32, F32]), ...range(0x61, 0x66).map((code) => [[code], F64, F64]),
    ...range(0x67, 0x69).map((code) => [[code], I32]), ...range(0x6a, 0x78).map((code) => [[code], I32, I32]),
    [[0xa7], I64], [[0xa8], F32], [[0xa9], F32], [[0xaa], F64], [[0xab], F64], [[0xc0], I32], [[0xc1], I32],
    ...range(0, 1).map((code) => [[0xfc, code], F32]), ...range(2, 3).map((code) => [[0xfc, code], F64]),
  ],
  [I64]: [
    ...range(0x79, 0x7b).map((code) => [[code], I64]), ...range(0x7c, 0x8a).map((code) => [[code], I64, I64]),
    [[0xac], I32], [[0xad], I32], [[0xae], F32], [[0xaf], F32], [[0xb0], F64], [[0xb1], F64], [[0xc2], I64], [[0xc3], I64], [[0xc4], I64],
    ...range(4, 5).map((code) => [[0xfc, code], F32]), ...range(6, 7).map((code) => [[0xfc, code], F64]),
  ],
  [F32]: [
    ...range(0x8b, 0x91).map((code) => [[code], F32]), ...range(0x92, 0x97).map((code) => [[code], F32, F32]),
    [[0xb2], I32], [[0xb3], I32], [[0xb4], I64], [[0xb5], I64], [[0xb6], F64], [[0xbe], I32],
  ],
  [F64]: [
    ...range(0x99, 0x9f).map((code) => [[code], F64]), ...range(0xa0, 0xa5).map((code) => [[code], F64, F64]),
    [[0xb7], I32], [[0xb8], I32], [[0xb9], I64], [[0xba], I64], [[0xbb], F32], [[0xbf], I64],
  ],
};
// [code, natural alignment].
const LOADS = { [I32]: [[0x28, 2], [0x2c, 0], [0x2d, 0], [0x2e, 1], [0x2f, 1]], [I64]: [[0x29, 3], [0x30, 0], [0x33, 1], [0x34, 2], [0x35, 2]] };
const STORES = { [I32]: [[0x36, 2], [0x3a, 0], [0x3b, 1]], [I64]: [[0x37, 3], [0x3c, 0], [0x3e, 2]] };
const COUNT = 1;
const RATIO = 2;
const CELL = 3;
// Imported: f (i32 -> i32), g (i64 -> i64), pair (f64 -> f64 f64); then our own.
const IMPORTED = 3;

/** `{ bytes, functions: [{ params, results }] }`. */
export function moduleOf(rng) {
  const functions = rng.times(rng.int(2, 5), () => ({ params: rng.times(rng.int(0, 3), () => rng.pick(TYPES)), results: rng.times(rng.pick([0, 1, 1, 1, 1, 2]), () => rng.pick(TYPES)) }));
  const types = [[[I32], [I32]], [[I64], [I64]], [[F64], [F64, F64]], ...functions.map(({ params, results }) => [params, results])];
  const bodies = functions.map((own, at) => bodyOf(rng, functions, own, at));
  const most = rng.pick([2, 3, 5]);
  const data = rng.bytes(rng.int(0, 40));
  const exported = (title, kind, at) => [...name(title), kind, ...u32(at)];
  const bytes = Uint8Array.from([
    0, 97, 115, 109, 1, 0, 0, 0,
    ...section(1, vector(types.map(([params, results]) => [0x60, ...vector(params.map((type) => [type])), ...vector(results.map((type) => [type]))]))),
    ...section(2, vector([
      [...name('env'), ...name('f'), 0, 0], [...name('env'), ...name('g'), 0, 1], [...name('env'), ...name('pair'), 0, 2],
      [...name('env'), ...name('base'), 3, I32, 0], [...name('env'), ...name('cell'), 3, I64, 1],
    ])),
    ...section(3, vector(functions.map((_, at) => u32(at + 3)))),
    ...section(4, vector([[0x70, 1, ...u32(functions.length + 2), ...u32(20)]])),
    ...section(5, vector([[1, ...u32(1), ...u32(most)]])),
    // The two imported are 0 and 1.
    ...section(6, vector([[I32, 1, 0x23, 0, 0x0b], [F64, 1, 0x44, ...floating(F64, 0.5), 0x0b]])),
    ...section(7, vector([
      exported('memory', 2, 0), exported('table', 1, 0), exported('count', 3, 2), exported('ratio', 3, 3),
      ...functions.map((_, at) => exported(`f${at}`, 0, at + IMPORTED)),
    ])),
    ...section(9, vector([[0, 0x41, 0, 0x0b, ...vector(functions.map((_, at) => u32(at + IMPORTED)))]])),
    ...section(10, vector(bodies)),
    ...section(11, vector([[0, 0x41, ...signed(rng.int(0, 65000)), 0x0b, ...vector([...data])]])),
  ]);
  return { bytes, functions };
}

function bodyOf(rng, functions, own, at) {
  // Two of each type besides the parameters, and a counter for loops.
  const locals = [...own.params, ...TYPES.flatMap((type) => [type, type])];
  const counter = locals.length;
  let fuel = 60;
  const ofType = (type) => locals.flatMap((found, place) => (found === type ? [place] : []));
  const address = (depth) => [...value(I32, depth + 1), ...(rng.chance(0.9) ? [0x41, ...signed(0xffff), 0x71] : [])];
  function value(type, depth) {
    fuel--;
    if (depth > 4 || fuel < 0 || rng.chance(0.2)) return leaf(type);
    switch (rng.int(0, 11)) {
      case 0: {
        const [code, align] = rng.pick(LOADS[type] ?? [[0, 0]]);
        return code === 0 ? leaf(type) : [...address(depth), code, ...u32(align), ...u32(rng.pick([0, 1, 8, 100]))];
      }
      case 1: return [...value(I32, depth + 1), 0x04, type, ...value(type, depth + 1), 0x05, ...value(type, depth + 1), 0x0b];
      case 2: return [...value(type, depth + 1), ...value(type, depth + 1), ...value(I32, depth + 1), 0x1b];
      case 3: return [0x02, type, ...value(type, depth + 1), ...value(I32, depth + 1), 0x0d, 0, 0x1a, ...value(type, depth + 1), 0x0b];
      case 4: return called(type, depth);
      case 5: return [...value(type, depth + 1), 0x22, rng.pick(ofType(type))];
      case 6: return type === I32 ? (rng.chance(0.5) ? [0x3f, 0] : [0x41, 1, 0x40, 0]) : leaf(type);
      default: {
        const [code, ...takes] = rng.pick(OPERATIONS[type]);
        return [...takes.flatMap((taken) => value(taken, depth + 1)), ...code];
      }
    }
  }
  function called(type, depth) {
    if (type === I32 && rng.chance(0.5)) return [...value(I32, depth + 1), 0x10, 0];
    if (type === I64 && rng.chance(0.5)) return [...value(I64, depth + 1), 0x10, 1];
    if (type === F64 && rng.chance(0.5)) return [...value(F64, depth + 1), 0x10, 2, 0xa0];
    // Those after us alone, directly or by the table: all ends.
    const next = functions.flatMap(({ results }, place) => (place > at && results.length === 1 && results[0] === type ? [place] : []));
    if (next.length === 0) return leaf(type);
    const target = rng.pick(next);
    const given = functions[target].params.flatMap((taken) => value(taken, depth + 1));
    if (rng.chance(0.6)) return [...given, 0x10, ...u32(target + IMPORTED)];
    // Another place in the table is null, out of it, or of another type: traps.
    const place = rng.chance(0.8) ? target : rng.pick([functions.length, functions.length + 1, functions.length + 9]);
    return [...given, 0x41, ...signed(place), 0x11, ...u32(target + 3), 0];
  }
  function leaf(type) {
    if (rng.chance(0.5)) return [0x20, rng.pick(ofType(type))];
    if (type === I32) return rng.chance(0.2) ? [0x23, COUNT + 1] : [0x41, ...signed(rng.pick(INTS))];
    if (type === I64) return rng.chance(0.2) ? [0x23, 1] : [0x42, ...signed(rng.pick(LONGS))];
    if (type === F32) return [0x43, ...floating(F32, rng.pick(FLOATS))];
    return rng.chance(0.2) ? [0x23, CELL] : [0x44, ...floating(F64, rng.pick(FLOATS))];
  }
  function statement() {
    switch (rng.int(0, 8)) {
      case 0: {
        const type = rng.pick([I32, I64]);
        const [code, align] = rng.pick(STORES[type]);
        return [...address(1), ...value(type, 1), code, ...u32(align), ...u32(rng.pick([0, 3, 64]))];
      }
      case 1: return [...value(I32, 1), 0x24, COUNT + 1];
      case 2: return [...value(F64, 1), 0x24, RATIO + 1];
      case 3: return [...value(I64, 1), 0x24, 1];
      // Up to some turns.
      case 4: return [0x41, ...signed(rng.int(1, 20)), 0x21, counter, 0x03, 0x40, ...assignment(), 0x20, counter, 0x41, 1, 0x6b, 0x22, counter, 0x0d, 0, 0x0b];
      case 5: return [...address(1), ...value(I32, 2), 0x41, ...signed(rng.int(0, 300)), 0xfc, 0x0b, 0];
      case 6: return [...address(1), ...address(1), 0x41, ...signed(rng.int(0, 300)), 0xfc, 0x0a, 0, 0];
      case 7: return rng.chance(0.05) ? [...value(I32, 1), 0x04, 0x40, 0x00, 0x0b] : assignment();
      default: return assignment();
    }
  }
  function assignment() {
    const type = rng.pick(TYPES);
    return [...value(type, 1), 0x21, rng.pick(ofType(type))];
  }
  const code = [
    ...rng.times(rng.int(1, 5), statement).flat(),
    ...own.results.flatMap((type) => value(type, 0)),
  ];
  const declared = vector([...TYPES.map((type) => [2, type]), [1, I32]]);
  const body = [...declared, ...code, 0x0b];
  return [...u32(body.length), ...body];
}
