// WebAssembly: generated modules, and the interface around them.
import { check, random, show } from './cases.mjs';
import { I32, I64, F32, F64, moduleOf, name, section } from './wasm-modules.mjs';

const rng = random(17);
const said = (work) => {
  try {
    return work();
  } catch (error) {
    // Traps are worded alike, but that here a remainder is a division, and too much is too much.
    const worded = ({ message }) => message.replace('remainder', 'divide').replace('divide result unrepresentable', 'float unrepresentable in integer range');
    return ['threw', error?.name, error instanceof WebAssembly.RuntimeError ? worded(error) : error instanceof Error];
  }
};
const say = (title, work) => check(title, () => show(said(work)));
const sayLater = async (title, work) => {
  let came;
  try {
    came = await work();
  } catch (error) {
    came = ['rejected', error?.name];
  }
  check(title, () => show(came));
};
const sum = (buffer) => {
  let hash = 0;
  const bytes = new Uint8Array(buffer);
  for (let at = 0; at < bytes.length; at++) if (bytes[at] !== 0) hash = (Math.imul(hash, 31) + bytes[at] + at) | 0;
  return [bytes.length, hash];
};
const VALUES = {
  [I32]: [0, 1, -1, 2147483647, -2147483648, 4294967295, 1.9, '12', null, undefined, NaN, {}, [7]],
  [I64]: [0n, 1n, -1n, 9223372036854775807n, -9223372036854775808n, 18446744073709551617n, '12', true],
  [F32]: [0, -0, 1.1, Infinity, NaN, 3.4e39, '1e3', undefined],
  [F64]: [0, -0, 0.1, -Infinity, NaN, 5e-324, 1e308, '0x10', null],
};

// Modules of one seed each; calls of all their functions; what is left in memory, globals and table.
for (let seed = 1; seed <= 220; seed++) {
  const { bytes, functions } = moduleOf(random(seed));
  say(`module ${seed} is valid`, () => WebAssembly.validate(bytes));
  const heard = [];
  const env = {
    f: (value) => { heard.push(value); return value * 3; },
    g: (value) => { heard.push(value); return value + 1n; },
    pair: (value) => [value, value + 0.5],
    base: 41,
    cell: new WebAssembly.Global({ value: 'i64', mutable: true }, 5n),
  };
  let instance;
  say(`module ${seed} is made`, () => {
    instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env });
    return Object.keys(instance.exports);
  });
  if (instance === undefined) continue;
  const { memory, table, count, ratio } = instance.exports;
  functions.forEach(({ params }, at) => {
    for (let call = 0; call < 3; call++) {
      const given = params.map((type) => rng.pick(VALUES[type]));
      say(`module ${seed} f${at}(${given.map((value) => show(value)).join(', ')})`, () => {
        const before = memory.buffer;
        const came = said(() => instance.exports[`f${at}`](...given));
        return [came, heard.splice(0).slice(0, 20), count.value, ratio.value, env.cell.value, sum(memory.buffer), before === memory.buffer, before.byteLength];
      });
    }
  });
  say(`module ${seed} table`, () => Array.from({ length: table.length }, (_, at) => {
    const found = table.get(at);
    return found === null ? null : [found.name, found.length, Object.keys(instance.exports).filter((key) => instance.exports[key] === found)];
  }));
}

// The interface.
const { bytes: any } = moduleOf(random(3));
const empty = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0);
const custom = Uint8Array.from([...empty, ...section(0, [...name('one'), 1, 2, 3]), ...section(0, [...name('two')]), ...section(0, [...name('one'), 9])]);
const ODD = [undefined, null, 5, 'text', {}, [], () => 1, Symbol('s'), true, new Uint8Array(0), empty.slice(0, 4), Uint8Array.of(...empty.slice(0, 4), 2, 0, 0, 0), any.slice(0, 40), empty, empty.buffer, new DataView(empty.buffer)];
for (const odd of ODD) {
  say(`validate(${show(odd)})`, () => WebAssembly.validate(odd));
  say(`new Module(${show(odd)})`, () => Object.prototype.toString.call(new WebAssembly.Module(odd)));
  say(`new Instance(${show(odd)})`, () => new WebAssembly.Instance(odd));
  say(`imports object ${show(odd)}`, () => new WebAssembly.Instance(new WebAssembly.Module(any), odd));
  say(`empty module, imports object ${show(odd)}`, () => new WebAssembly.Instance(new WebAssembly.Module(empty), odd).exports);
  say(`imports env ${show(odd)}`, () => new WebAssembly.Instance(new WebAssembly.Module(any), { env: odd }));
  say(`Module.imports(${show(odd)})`, () => WebAssembly.Module.imports(odd));
  say(`new Memory(${show(odd)})`, () => new WebAssembly.Memory(odd));
  say(`new Table(${show(odd)})`, () => new WebAssembly.Table(odd));
  say(`new Global(${show(odd)})`, () => new WebAssembly.Global(odd));
  await sayLater(`compile(${show(odd)})`, async () => Object.prototype.toString.call(await WebAssembly.compile(odd)));
  await sayLater(`instantiate(${show(odd)})`, async () => Object.keys(await WebAssembly.instantiate(odd)));
}
for (const part of ['f', 'g', 'pair', 'base', 'cell']) {
  for (const odd of [undefined, null, 5, 5n, 'text', {}, () => 1, new WebAssembly.Global({ value: 'i32' }, 3), new WebAssembly.Global({ value: 'i64', mutable: true }, 3n)]) {
    say(`import ${part} ${show(odd)}`, () => {
      const env = { f: () => 1, g: () => 1n, pair: () => [1, 2], base: 1, cell: new WebAssembly.Global({ value: 'i64', mutable: true }, 5n), [part]: odd };
      return Object.keys(new WebAssembly.Instance(new WebAssembly.Module(any), { env }).exports).length;
    });
  }
}
say('what a module says', () => [WebAssembly.Module.imports(new WebAssembly.Module(any)), WebAssembly.Module.exports(new WebAssembly.Module(any))]);
for (const asked of ['one', 'two', 'three', '', undefined, null, 5]) {
  say(`customSections ${show(asked)}`, () => WebAssembly.Module.customSections(new WebAssembly.Module(custom), asked));
}
for (const part of ['Module', 'Instance', 'Memory', 'Table', 'Global', 'CompileError', 'LinkError', 'RuntimeError']) {
  const constructor = WebAssembly[part];
  say(`${part} as it looks`, () => [typeof constructor, constructor.name, constructor.length, Object.getOwnPropertyNames(constructor.prototype).sort(), Object.prototype.toString.call(constructor.prototype), Object.keys(constructor).sort(), Object.keys(constructor.prototype).sort()]);
  say(`${part} without new`, () => constructor(empty));
}
say('an error', () => { const error = new WebAssembly.LinkError('words', { cause: 5 }); return [error.name, error.message, error.cause, String(error), error instanceof Error]; });
say('the namespace', () => [String(WebAssembly), ['compile', 'validate', 'instantiate'].map((key) => [typeof WebAssembly[key], WebAssembly[key].name, WebAssembly[key].length]), Object.keys(WebAssembly).sort().filter((key) => !key.includes('treaming'))]);

for (const [initial, maximum] of [[0], [1], [1, 2], [2, 1], [0, 0], [65536.5, 70000], [70000], [-1], ['1', '3'], [NaN], [1.7, 2.2], [1, 65537]]) {
  if (initial === 65536.5) continue;
  say(`memory ${show([initial, maximum])}`, () => {
    const memory = new WebAssembly.Memory({ initial, maximum });
    const first = memory.buffer;
    return [first.byteLength, memory.buffer === first, said(() => memory.grow(1)), first.byteLength, memory.buffer.byteLength, said(() => memory.grow(0)), said(() => memory.grow(-1)), said(() => memory.grow(70000)), said(() => memory.grow('x'))];
  });
}
say('a buffer is not to be taken', () => {
  const { buffer } = new WebAssembly.Memory({ initial: 1 });
  return [said(() => buffer.transfer()), said(() => buffer.transferToFixedLength()), said(() => structuredClone(buffer, { transfer: [buffer] }) && 1) instanceof Object, buffer.byteLength, new ArrayBuffer(4).transfer().byteLength];
});
for (const element of ['anyfunc', 'externref', 'other', undefined]) {
  for (const [initial, maximum, value] of [[2], [2, 3], [3, 2], [2, 2, 'x'], [10_000_001], [0, 10]]) {
    say(`table ${show([element, initial, maximum, value])}`, () => {
      const table = value === undefined ? new WebAssembly.Table({ element, initial, maximum }) : new WebAssembly.Table({ element, initial, maximum }, value);
      return [table.length, said(() => table.get(0)), said(() => table.get(9)), said(() => table.set(0, null)), said(() => table.set(1, 5)), said(() => table.set(9, null)), said(() => table.get(1)), said(() => table.grow(1)), said(() => table.grow(1, null)), table.length, said(() => table.get('x')), said(() => table.get(-1)), said(() => table.set(0)), said(() => table.get(0))];
    });
  }
}
for (const value of ['i32', 'i64', 'f32', 'f64', 'externref', 'anyfunc', 'v256', undefined]) {
  for (const first of [undefined, null, 0, 1.5, 5n, 'x', {}]) {
    for (const mutable of [true, false]) {
      say(`global ${show([value, first, mutable])}`, () => {
        const global = new WebAssembly.Global({ value, mutable }, first);
        return [global.value, global.valueOf(), said(() => { global.value = 7; return global.value; }), said(() => { global.value = 7n; return global.value; }), said(() => { global.value = null; return global.value; })];
      });
    }
  }
}
say('members of others', () => Object.entries({ buffer: WebAssembly.Memory, value: WebAssembly.Global, length: WebAssembly.Table }).map(([key, { prototype }]) => said(() => Reflect.get(prototype, key, {}))));

// Objects are the same wherever they come from; functions go between instances.
{
  const source = moduleOf(random(5)).bytes;
  const env = () => ({ f: (value) => value, g: (value) => value, pair: (value) => [value, value], base: 1, cell: new WebAssembly.Global({ value: 'i64', mutable: true }, 5n) });
  const one = new WebAssembly.Instance(new WebAssembly.Module(source), { env: env() });
  const shared = env();
  const two = new WebAssembly.Instance(new WebAssembly.Module(source), { env: shared });
  say('exports', () => [Object.isFrozen(one.exports), Object.isExtensible(one.exports), Object.getPrototypeOf(one.exports), one.exports === one.exports, one.exports.memory === two.exports.memory, one.exports.f0 === one.exports.f0, one.exports.f0 === two.exports.f0]);
  say('exports are not written', () => { 'use strict'; one.exports.more = 1; });
  say('an exported function', () => [typeof one.exports.f0, 'prototype' in one.exports.f0, said(() => new one.exports.f0()), said(() => one.exports.f0.call(null))]);
  say('an export as an import', () => new WebAssembly.Instance(new WebAssembly.Module(source), { env: { ...env(), f: one.exports.f0 } }) instanceof WebAssembly.Instance);
  say('a mutable global is shared', () => { shared.cell.value = 77n; return two.exports.cell === shared.cell || two.exports.cell === undefined; });
}
// Functions of one instance in a table of another, and as its imports.
{
  const source = moduleOf(random(5)).bytes;
  const env = () => ({ f: (value) => value + 1, g: (value) => value, pair: (value) => [value, value], base: 1, cell: new WebAssembly.Global({ value: 'i64', mutable: true }, 5n) });
  const made = Array.from({ length: 6 }, (_, seed) => new WebAssembly.Instance(new WebAssembly.Module(moduleOf(random(seed + 40)).bytes), { env: env() }).exports);
  const all = made.flatMap((exports) => Object.values(exports).filter((value) => typeof value === 'function'));
  const table = new WebAssembly.Table({ element: 'anyfunc', initial: 0 });
  all.forEach((value, at) => say(`function ${at} of another store`, () => {
    const { table: own } = made[at % made.length];
    table.grow(1, value);
    own.set(0, value);
    const global = new WebAssembly.Global({ value: 'anyfunc' }, value);
    return [table.get(at) === value, own.get(0) === value, global.value === value, said(() => own.get(0)(1, 2, 3)), said(() => value(1, 2, 3))];
  }));
  all.forEach((value, at) => {
    for (const part of ['f', 'g', 'pair']) say(`function ${at} as ${part}`, () => Object.keys(new WebAssembly.Instance(new WebAssembly.Module(source), { env: { ...env(), [part]: value } }).exports).length);
  });
  say('the table itself', () => new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, ...section(2, [1, ...name('e'), ...name('t'), 1, 0x70, 0, 1]), ...section(7, [1, ...name('u'), 1, 0])])), { e: { t: table } }).exports.u === table);
}
// What an import does on its way: throws, grows, calls back.
for (let seed = 1; seed <= 60; seed++) {
  const { bytes, functions } = moduleOf(random(seed * 1000));
  const thrown = { the: 'same' };
  let depth = 0;
  let exports;
  const env = {
    f(value) {
      if (value % 3 === 0) throw thrown;
      if (value % 3 === 1 && exports.memory.buffer.byteLength < 300000) exports.memory.grow(1);
      if (depth < 3) {
        depth++;
        try {
          return said(() => exports.f0(1, 2, 3)) === undefined ? 1 : 2;
        } finally {
          depth--;
        }
      }
      return 'nothing';
    },
    g: () => 3,
    pair: (value) => (value > 0 ? [value] : 5),
    base: 2,
    cell: new WebAssembly.Global({ value: 'i64', mutable: true }, 5n),
  };
  say(`odd imports ${seed}`, () => {
    ({ exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env }));
    return functions.map(({ params }, at) => {
      try {
        return exports[`f${at}`](...params.map((type) => VALUES[type][1]));
      } catch (error) {
        return error === thrown ? 'just that' : [error.name, error.message.length > 0];
      }
    }).concat(sum(exports.memory.buffer));
  });
}
const streamed = (bytes, type, status) => Promise.resolve(new Response(bytes, { status, headers: { 'content-type': type } }));
await sayLater('compileStreaming', async () => WebAssembly.Module.imports(await WebAssembly.compileStreaming(streamed(any, 'application/wasm', 200))).length);
await sayLater('instantiateStreaming', async () => Object.keys(await WebAssembly.instantiateStreaming(streamed(empty, 'application/wasm', 200))));
await sayLater('streaming another type', async () => WebAssembly.compileStreaming(streamed(any, 'text/plain', 200)));
await sayLater('streaming a failure', async () => WebAssembly.compileStreaming(streamed(any, 'application/wasm', 404)));
await sayLater('streaming no response', async () => WebAssembly.compileStreaming(any));
await sayLater('a module twice', async () => { const module = await WebAssembly.compile(empty); return [(await WebAssembly.instantiate(module)) instanceof WebAssembly.Instance, Object.keys(await WebAssembly.instantiate(empty)).sort()]; });
await sayLater('bytes that change', async () => { const bytes = empty.slice(); const later = WebAssembly.compile(bytes); bytes.fill(0); return (await later) instanceof WebAssembly.Module; });
