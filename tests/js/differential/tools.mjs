// tools: what modules have besides their main work: console.table and Console, v8.serialize byte for byte,
// media types, settings, differences, marks and measures, consumers of streams; patterns of files, lists of
// addresses, equality in part, classes of http called as functions, and the last match of a pattern.
import assert from 'node:assert';
import { Console } from 'node:console';
import fs from 'node:fs';
import http from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import net from 'node:net';
import path from 'node:path';
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { Writable, duplexPair } from 'node:stream';
import consumers from 'node:stream/consumers';
import util from 'node:util';
import v8 from 'node:v8';
import { MessageChannel, getEnvironmentData, receiveMessageOnPort, setEnvironmentData } from 'node:worker_threads';
import { args, check, checkLater, random, show } from './cases.mjs';

const rng = random(29);
const later = () => new Promise((done) => setTimeout(done, 1));
const printed = (work, options) => {
  const lines = [];
  const sink = new Writable({ write: (part, _, done) => (lines.push(String(part)), done()) });
  work(new Console({ stdout: sink, stderr: sink, ...options }));
  return lines.join('');
};
const cell = () => rng.pick([1, -2.5, 'text', '中文', '', null, undefined, true, [1, 2, 3, 4, 5], { a: 1 }, { a: 1, b: 2, c: 3 }, 'é', 10n]);
const row = () => (rng.chance(0.15) ? cell() : Object.fromEntries(rng.times(rng.int(0, 3), (at) => [rng.pick(['a', 'b', 'name', '名']) + (at % 2), cell()])));
for (let at = 0; at < 150; at++) {
  const data = rng.pick([() => rng.times(rng.int(0, 4), row), () => Object.fromEntries(rng.times(rng.int(0, 4), (n) => [`r${n}`, row()])), () => new Map(rng.times(rng.int(0, 3), (n) => [n, cell()])), () => new Set(rng.times(rng.int(0, 3), cell)), () => rng.times(2, () => [cell(), cell()]), cell])();
  check(`table ${at}`, () => printed((one) => one.table(data)));
  check(`table ${at} chosen`, () => printed((one) => one.table(data, ['a0', 'b1'])));
}
for (let at = 0; at < 150; at++) {
  const steps = rng.some(['log', 'warn', 'error', 'info', 'debug', 'group', 'groupEnd', 'groupCollapsed', 'count', 'countReset', 'assert', 'dir', 'dirxml'], 1, 8);
  const given = steps.map(() => rng.some(['a %s', 'b', 'l\nm', 5, { a: { b: { c: {} } } }, '%d', false], 0, 2));
  check(`console ${steps}`, () => printed((one) => steps.forEach((step, n) => (/^count/.test(step) ? one[step](String(given[n][0] ?? 'x')) : one[step](...given[n]))), { groupIndentation: rng.pick([2, 4]) }));
}

const value = (depth) => {
  const leaf = [() => rng.int(-5, 5), () => rng.int(-(2 ** 31), 2 ** 31 - 1), () => rng.next() * 1e9, () => 2 ** 31, () => -0, () => NaN, () => rng.text(8), () => 'plain', () => BigInt(rng.int(-1000, 1000)) ** 9n, () => true, () => null, () => undefined, () => new Date(rng.int(0, 1e9)), () => /a+/giu, () => rng.bytes(rng.int(0, 9)), () => Buffer.from(rng.bytes(3)), () => new Float64Array([rng.next()]), () => rng.bytes(4).buffer, () => Object(rng.int(0, 9)), () => Object('s'), () => Object(5n), () => new Uint16Array(3)];
  if (depth === 0 || rng.chance(0.4)) return rng.pick(leaf)();
  const inner = () => value(depth - 1);
  return rng.pick([() => rng.times(rng.int(0, 4), inner), () => Object.fromEntries(rng.times(rng.int(0, 4), (at) => [rng.pick(['a', 'key', '1', '中']) + at, inner()])), () => new Map(rng.times(rng.int(0, 3), (at) => [at, inner()])), () => new Set(rng.times(rng.int(0, 3), inner)), () => Object.assign([1, , 'x'], { more: 1 })])();
};
for (let at = 0; at < 1200; at++) {
  const one = value(3);
  check(`serialize ${show(one)}`, () => v8.deserialize(v8.serialize(one)));
}
// Byte for byte only what is written here: whether V8 keeps a computed whole number as a double is its own affair.
const WRITTEN = [
  1, -1, 0, -0, 1.5, 2147483648, 2147483647, -2147483648, NaN, 'x', '中文ü', 'é', '', true, null, undefined, 10n, -(2n ** 70n), 0n, [1, 2, 3], [1, , 3], [1.5, 2], ['a', null], {}, [], { a: 1, b: { c: [{}] } },
  { 1: 2, x: 3 }, new Date(5), /a+/giu, new Map([[1, { a: 1 }], ['k', 'v']]), new Set([1, '2']), new Uint8Array([1, 2, 3]), Buffer.from('abc'), new Float64Array([1, 2]), new Uint8Array([1]).buffer, Object(1), Object('s'),
  Object(true), Object(5n), new DataView(new ArrayBuffer(4)), Object.assign([1, 2], { x: 1 }), 'x'.repeat(200), ['a', '中', 'bc', '文'],
];
for (const one of WRITTEN) check(`serialized ${show(one)}`, () => v8.serialize(one).toString('hex'));
check('serialize a ring', () => {
  const ring = { list: [] };
  ring.list.push(ring, ring.list);
  const again = v8.deserialize(v8.serialize(ring));
  return [v8.serialize(ring).toString('hex'), again.list[0] === again, again.list[1] === again.list];
});
for (const bad of [() => {}, Symbol('x'), new WeakMap(), Promise.resolve(), { inside: () => 1 }]) {
  check('serialize what cannot be', () => {
    try {
      return v8.serialize(bad);
    } catch (error) {
      return [error.name, error.message];
    }
  });
}
for (let at = 0; at < 300; at++) {
  const bytes = v8.serialize(value(2));
  const cut = Buffer.from(bytes.subarray(0, rng.int(0, bytes.length - 1)));
  check(`deserialize ${cut.toString('hex')}`, () => {
    try {
      v8.deserialize(cut);
      return 'whole';
    } catch (error) {
      return error.name;
    }
  });
}

const MEDIA = ['text/html', 'Text/HTML; charset="utf-8";q="a b"', 'x', 'a b/c', 'a/b;;x=1;x=2; y = 3', 'a/b;x="\\"z"', '/b', 'a/', 'text/plain;charset', ' a/b ', 'a/b; X=Y', 'a/b;c=""', 'a/b;=d', 'a/b;c="d', 'a/b;c=ü', 'a/b;c="é"', 'ä/b', 'a/ü;c=d', 'a/b c', 'abc/de f/g'];
for (const text of MEDIA) {
  check(`MIMEType ${text}`, () => {
    const type = new util.MIMEType(text);
    return [String(type), type.essence, [...type.params], JSON.stringify(type)];
  });
}
const LINES = ['A=1', '# note', 'B="x\\ny" # c', 'export C = d e ', 'D=`q`', 'E=', ' F: yes', 'G = "a\nb"', "H='x#y' ", 'I= a # b', '', 'J="a\\"', 'K', 'L=a=b', 'M.N=1', '  O  =  p  '];
for (let at = 0; at < 200; at++) {
  const text = rng.some(LINES, 1, 5).join(rng.pick(['\n', '\r\n']));
  check(`parseEnv ${args(text)}`, () => ({ ...util.parseEnv(text) }));
}
for (let at = 0; at < 200; at++) {
  const [left, right] = rng.times(2, () => rng.some(['a', 'b', 'c'], 1, 8));
  check(`diff ${left} ${right}`, () => util.diff(left, right));
  check(`diff ${left.join('')} ${right.join('')}`, () => util.diff(left.join(''), right.join('')));
}
for (const number of [-1, -2, -13, -98, -111, 1, 0, 1.5, '2']) {
  check(`getSystemErrorMessage ${number}`, () => util.getSystemErrorMessage(number));
  check(`getSystemErrorName ${number}`, () => util.getSystemErrorName(number));
  check(`getSystemErrorMap ${number}`, () => util.getSystemErrorMap().get(number));
}

const seen = [];
const observer = new PerformanceObserver((list, self) => {
  seen.push(...list.getEntries().map(({ name, entryType, detail }) => [name, entryType, detail]), self === observer);
  self.disconnect();
});
observer.observe({ entryTypes: ['mark', 'measure'] });
performance.mark('a', { detail: { x: [1] }, startTime: 5 });
performance.mark('b', { startTime: 9 });
check('measure', () => {
  const measure = performance.measure('m', 'a', 'b');
  return [measure.startTime, measure.duration, measure.constructor.name, JSON.stringify(measure), performance.getEntriesByType('mark').map(({ name }) => name), performance.getEntriesByName('m').length];
});
for (const given of [['z', 'nothing'], ['z', { start: 1, duration: 2 }], ['z', { end: 7, duration: 2 }], ['z', { start: -1 }], []]) {
  check(`measure ${args(...given)}`, () => {
    const { startTime, duration } = performance.measure(...given);
    return [startTime, typeof duration];
  });
}
check('mark before time', () => performance.mark('c', { startTime: -1 }));
check('entries are made by others', () => new PerformanceEntry());
check('timerify', () => {
  const timed = performance.timerify(function add(a, b) { return a + b; });
  return [timed(1, 2), timed.name, timed.length];
});
await checkLater('observed', async () => {
  await new Promise((done) => setTimeout(done, 20));
  return seen;
});
check('cleared', () => {
  performance.clearMarks('a');
  performance.clearMeasures();
  return performance.getEntries().filter(({ entryType }) => entryType !== 'node').map(({ name }) => name);
});

const pieces = async function* (...parts) { yield* parts; };
await checkLater('consumers.text', () => consumers.text(pieces('a', Buffer.from('中').subarray(0, 1), Buffer.from('中').subarray(1))));
await checkLater('consumers.json', () => consumers.json(pieces('{"a"', Buffer.from(':1}'))));
await checkLater('consumers.buffer', () => consumers.buffer(new Blob(['xy']).stream()));
await checkLater('consumers.arrayBuffer', () => consumers.arrayBuffer([new Uint8Array(3)]));
await checkLater('consumers.blob', async () => (await consumers.blob(pieces('abc'))).size);
await checkLater('duplexPair', async () => {
  const [one, other] = duplexPair();
  one.end('there');
  other.end('back');
  return [await consumers.text(other), await consumers.text(one)];
});
check('receiveMessageOnPort', () => {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage({ a: [1] });
  const came = [receiveMessageOnPort(port2), receiveMessageOnPort(port2)];
  port1.close();
  return came;
});
check('receiveMessageOnPort of no port', () => receiveMessageOnPort({}));
check('environment data', () => {
  setEnvironmentData('a', { b: 1 });
  return getEnvironmentData('a');
});

const root = path.join(import.meta.dirname, 'made-tree');
for (const file of ['a.js', 'b.ts', 'x/c.js', 'x/y/d.js', '.hidden/e.js', 'x/.f.js', 'z/g.txt']) {
  fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  fs.writeFileSync(path.join(root, file), file);
}
const PATTERNS = ['*.js', '**/*.js', '**', 'x/*', '*', 'x/**/d.js', '{a,b}.*', 'none/*', 'a.js', './*.js', '../made-tree/*.ts', 'x/', '**/y/*', '*/', '[ab].*', '.hidden/*', 'x/../*.js', '?.js', '!(a).js', '+(a|b).*', 'x/**'];
for (const pattern of PATTERNS) {
  check(`globSync ${pattern}`, () => fs.globSync(pattern, { cwd: root }).sort());
  await checkLater(`glob ${pattern}`, async () => (await Array.fromAsync(fs.promises.glob([pattern, 'a.js'], { cwd: root }))).sort());
  for (const name of ['a.js', 'x/c.js', 'x/y/d.js', '.hidden/e.js', 'b.ts', '']) check(`matchesGlob ${args(name, pattern)}`, () => [path.matchesGlob(name, pattern), path.win32.matchesGlob(name.replaceAll('/', '\\'), pattern)]);
}
check('globSync without', () => fs.globSync('**/*.js', { cwd: root, exclude: (name) => name === 'y' }).sort());
check('globSync with types', () => fs.globSync('*.js', { cwd: root, withFileTypes: true }).map((entry) => [entry.name, entry.isFile()]));
await checkLater('openAsBlob', async () => (await fs.openAsBlob(path.join(root, 'a.js'))).text());
await checkLater('readLines', async () => {
  const handle = await fs.promises.open(path.join(root, 'b.ts'), 'w+');
  await handle.writev([Buffer.from('one\ntw'), Buffer.from('o\n')]);
  const again = await fs.promises.open(path.join(root, 'b.ts'));
  const lines = await Array.fromAsync(again.readLines());
  await handle.close();
  return lines;
});
check('writeSync of text with an encoding', () => {
  const fd = fs.openSync(path.join(root, 'a.js'), 'w');
  const counts = [fs.writeSync(fd, 'ab', 'utf8'), fs.writeSync(fd, 'é', null, 'latin1'), fs.writeSync(fd, 'X', 0)];
  fs.closeSync(fd);
  return [counts, fs.readFileSync(path.join(root, 'a.js'))];
});
await checkLater('watchFile', async () => {
  const file = path.join(root, 'x/c.js');
  const changed = new Promise((done) => fs.watchFile(file, { interval: 20 }, (now, before) => done([now.size, before.size])));
  await new Promise((done) => setTimeout(done, 60));
  fs.writeFileSync(file, 'q');
  const came = await changed;
  fs.unwatchFile(file);
  return came;
});

const four = () => rng.times(4, () => rng.pick([0, 1, 10, 127, 192, 168, 255])).join('.');
const six = () => rng.pick(['::1', '::', 'fe80::1', '2001:db8::5', '::ffff:10.0.0.1', 'fe80:0:0:0:1:2:3:4', 'febf::', 'ff02::1']);
for (let at = 0; at < 150; at++) {
  const list = new net.BlockList();
  const rules = rng.times(rng.int(1, 4), () => rng.pick([
    () => ['addAddress', four()], () => ['addSubnet', four(), rng.int(0, 33)], () => ['addRange', four(), four()], () => ['addAddress', six(), 'ipv6'], () => ['addSubnet', six(), rng.int(0, 128), 'ipv6'], () => ['addAddress', 'x'],
  ])());
  for (const [method, ...given] of rules) check(`BlockList ${args(method, ...given)}`, () => list[method](...given));
  check('BlockList rules', () => list.rules);
  for (const address of rng.times(3, four)) check(`BlockList check ${rules} ${address}`, () => list.check(address));
  const last = six();
  check(`BlockList check ${rules} ${last}`, () => list.check(last, 'ipv6'));
}
const PARTS = [[{ a: 1, b: 2 }, { a: 1 }], [{ a: 1 }, { a: 2 }], [[1, 2, 3], [1, 3]], [[1], [1, 2]], [new Set([1, 2]), new Set([2])], [new Map([[1, { a: 1, b: 2 }]]), new Map([[1, { a: 1 }]])], [{ a: { b: [1, { c: 2, d: 3 }] } }, { a: { b: [{ c: 2 }] } }], [new Date(0), new Date(0)], [new Date(0), new Date(1)], [/a/, /a/], [/a/, /b/], ['x', 'x'], [{}, []], [new Error('a'), new Error('a')], [new Error('a'), new Error('b')], [null, {}], [{ a: undefined }, {}]];
for (const [actual, expected] of PARTS) {
  check(`partialDeepStrictEqual ${args(actual, expected)}`, () => {
    try {
      return assert.partialDeepStrictEqual(actual, expected);
    } catch (error) {
      return error.code;
    }
  });
}
check('ServerResponse called', () => {
  function Response(request) { http.ServerResponse.call(this, request); }
  util.inherits(Response, http.ServerResponse);
  const made = new Response({ method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1, headers: {} });
  made.setHeader('X-A', 1);
  return [made instanceof http.OutgoingMessage, made.statusCode, made.getHeaders()['x-a'], made.constructor.name];
});
check('ServerResponse extended', () => {
  class Response extends http.ServerResponse {}
  return [new Response({ method: 'HEAD' }).constructor.name, http.ServerResponse.name, new http.IncomingMessage() instanceof http.IncomingMessage];
});
for (const [text, pattern] of [['abc', /b(.)/], ['2020-01-02', /(\d+)-(\d+)-(\d+)/], ['none', /x/], ['aXbX', /X/g]]) {
  check(`last match ${args(text)} ${pattern}`, () => {
    text.replace(pattern, '');
    pattern.test(text);
    return [RegExp.$1, RegExp.$2, RegExp.$9, RegExp.lastMatch, RegExp['$`'], RegExp["$'"], RegExp.input];
  });
}

for (const code of ['const a: number = 1; interface B {}', 'let a: string', 'function f<T>(x: T): T { return x as T; }', 'class A { private x = 1; declare y: string; }', 'import type { A } from "a"; export {}', 'const x = <T,>(y: T) => y!;']) {
  // Ours ends a statement where a type stood, so that the next line does not go on with it.
  check(`stripTypeScriptTypes ${args(code)}`, () => stripTypeScriptTypes(code).replaceAll(';', ' '));
}
for (const code of ['enum A { B }', 'namespace A { export const b = 1 }', 'class A { constructor(private x) {} }']) {
  check(`stripTypeScriptTypes ${args(code)}`, () => {
    try {
      return stripTypeScriptTypes(code);
    } catch (error) {
      return [error.name, error.code];
    }
  });
}
check('stripTypeScriptTypes named', () => stripTypeScriptTypes('let a: string', { mode: 'strip', sourceUrl: 'a.ts' }));
check('a port as an emitter', () => {
  const { port1 } = new MessageChannel();
  const heard = [];
  port1.once('message', (value) => heard.push(value));
  const told = [port1.listenerCount('message'), port1.eventNames().includes('message')];
  port1.removeAllListeners();
  const after = [port1.listenerCount('message'), port1.emit('message', 1)];
  port1.close();
  return [told, after, heard];
});

check('WeakRef in its job', () => {
  const made = new WeakRef({ a: 1 });
  class Own extends WeakRef {}
  return [made.deref(), made.deref(), new Own({ b: 2 }).deref(), new Own({}) instanceof WeakRef, WeakRef.name, WeakRef.length, WeakRef.prototype.constructor === WeakRef];
});
check('WeakRef called', () => WeakRef({}));
check('WeakRef of a number', () => new WeakRef(1));
await checkLater('WeakRef after its job', async () => {
  const held = { a: 1 };
  const made = new WeakRef(held);
  await later();
  return made.deref() === held;
});
