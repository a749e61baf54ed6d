//! The table: what code does to stay, and which ends are right.
//!
//! `THROWN` and its like are the codes that a caller sees. More than one where the machine decides:
//! which of two limits is reached first, or whether a native call heard the soft stop.

/// In milliseconds, for what only its limit ends.
pub const SHORT: u64 = 200;
/// For what ends by itself, or has to fill memory first.
pub const LONG: u64 = 8_000;

pub const OK: &str = "ok";
pub const THROWN: &str = "js_execution_failed";
pub const TIME: &str = "timeout";
pub const MEMORY: &str = "memory_limit";
pub const PENDING: &str = "never_settles";
pub const NOT_JSON: &str = "non_json_serializable_return";
pub const TOO_LARGE: &str = "result_too_large";
pub const EXITED: &str = "process_exited";
pub const CRASHED: &str = "worker_crashed";

/// Where the code can be run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Where {
    /// In a tool and in `run_javascript`.
    Both,
    /// It needs modules.
    Tool,
    /// It needs a canvas.
    Script,
}

pub struct Case {
    pub name: &'static str,
    /// The body of an async function; in a tool, `require` and `self` are there.
    pub body: &'static str,
    pub ends: &'static [&'static str],
    pub limit: u64,
    pub place: Where,
}

const fn both(name: &'static str, ends: &'static [&'static str], limit: u64, body: &'static str) -> Case {
    Case {
        name,
        body,
        ends,
        limit,
        place: Where::Both,
    }
}

const fn tool(name: &'static str, ends: &'static [&'static str], limit: u64, body: &'static str) -> Case {
    Case {
        name,
        body,
        ends,
        limit,
        place: Where::Tool,
    }
}

const fn script(name: &'static str, ends: &'static [&'static str], limit: u64, body: &'static str) -> Case {
    Case {
        name,
        body,
        ends,
        limit,
        place: Where::Script,
    }
}

#[rustfmt::skip]
pub const CASES: &[Case] = &[
    // Loops that the interpreter sees.
    both("an endless loop", &[TIME], SHORT, "for (;;);"),
    both("a generator without an end", &[TIME], SHORT, "function* g() { for (;;) yield 1 } for (const x of g());"),
    both("async iteration without an end", &[TIME], SHORT, "async function* g() { for (;;) yield 1 } for await (const x of g());"),
    both("catching the interrupt", &[TIME], SHORT, "for (;;) { try { for (;;); } catch { } }"),
    both("a finally that loops", &[TIME], SHORT, "try { for (;;); } finally { for (;;); }"),
    both("a rejection handler that loops", &[TIME], SHORT, "(async () => { for (;;); })().catch(() => { for (;;); }); return new Promise(() => {})"),
    both("an iterator whose return loops", &[TIME], SHORT, "const i = { [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }), return() { for (;;); } }) }; for (const x of i) for (;;);"),
    both("a sort that never ends", &[TIME], SHORT, "[3, 2, 1].sort(() => { for (;;); })"),
    both("a getter on the global object", &[TIME], SHORT, "Object.defineProperty(globalThis, 'x', { get() { for (;;); } }); return x"),
    // Loops of the event loop.
    both("endless microtasks", &[TIME], SHORT, "const f = () => Promise.resolve().then(f); await f()"),
    both("queueMicrotask for ever", &[TIME], SHORT, "const f = () => queueMicrotask(f); f(); return new Promise(() => {})"),
    both("a timer that arms itself again", &[TIME], SHORT, "const f = () => setTimeout(f, 0); f(); return new Promise(() => {})"),
    both("an interval", &[TIME], SHORT, "setInterval(() => {}, 1); return new Promise(() => {})"),
    both("timers without number", &[TIME, MEMORY], LONG, "for (;;) setTimeout(() => {}, 1e6)"),
    both("a promise that nobody settles", &[PENDING], LONG, "return new Promise(() => {})"),
    both("a thenable that never answers", &[PENDING], LONG, "return { then() {} }"),
    both("a thenable that answers with itself", &[TIME], SHORT, "const t = { then(done) { done(t) } }; return t"),
    both("a thenable that loops", &[TIME], SHORT, "return { then() { for (;;); } }"),
    tool("ticks for ever", &[TIME], SHORT, "const f = () => process.nextTick(f); f(); return new Promise(() => {})"),
    tool("immediates for ever", &[TIME], SHORT, "const f = () => setImmediate(f); f(); return new Promise(() => {})"),
    // Native code that asks nobody.
    both("a catastrophic expression", &[TIME], SHORT, "return /(a+)+$/.test('a'.repeat(60) + 'b')"),
    both("an expression on a huge string", &[TIME, MEMORY, THROWN], SHORT, "return /(?:a|ab|b)*c/.test('ab'.repeat(5e6))"),
    both("replacing with an expression, quadratic", &[TIME], SHORT, "return ('a'.repeat(1e6)).replace(/a*b/g, '').length"),
    both("joining a huge array", &[TIME, MEMORY, THROWN], SHORT, "return Array(2 ** 32 - 1).join('').length"),
    both("joining with a long text", &[TIME, MEMORY, THROWN], SHORT, "return Array(1e6).join('x'.repeat(1e6)).length"),
    both("filling a huge array", &[TIME, MEMORY, THROWN], LONG, "return Array(2 ** 32 - 1).fill(0).length"),
    both("indexOf in nothing", &[TIME], SHORT, "return Array(2 ** 32 - 1).indexOf(1)"),
    both("reversing nothing", &[TIME, MEMORY], LONG, "return Array(2 ** 32 - 1).reverse().length"),
    both("an array as long as it says", &[TIME, MEMORY, THROWN], LONG, "return Array.from({ length: 2 ** 53 - 1 }).length"),
    both("a BigInt power", &[TIME, MEMORY, THROWN], SHORT, "return String(2n ** (2n ** 62n)).length"),
    both("a BigInt squared for ever", &[TIME, MEMORY, THROWN], LONG, "let x = 3n; for (;;) x *= x"),
    both("a BigInt in words", &[TIME, MEMORY, THROWN, OK], SHORT, "return (10n ** 300000n).toString().length"),
    both("Atomics.wait", &[TIME, THROWN], SHORT, "Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0)"),
    both("a fill that shrinks its buffer", &[OK, THROWN], LONG, "const b = new ArrayBuffer(64, { maxByteLength: 128 }); const u = new Uint8Array(b); u.fill({ valueOf() { b.resize(0); return 1 } }); return u.length"),
    tool("compressing for a long time", &[TIME, MEMORY], SHORT, "const z = require('zlib'); const b = Buffer.alloc(6e7); for (let i = 0; i < b.length; i += 3) b[i] = i * i; return z.deflateSync(b, { level: 9 }).length"),
    tool("/dev/zero", &[TIME, MEMORY, THROWN], LONG, "return require('fs').readFileSync('/dev/zero').length"),
    // WebAssembly.
    tool("a loop in WebAssembly", &[TIME], SHORT, "const b = Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 9, 1, 7, 0, 3, 64, 12, 0, 11, 11]);  new WebAssembly.Instance(new WebAssembly.Module(b)).exports.f()"),
    tool("a loop in WebAssembly, caught", &[TIME], SHORT, "const b = Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 9, 1, 7, 0, 3, 64, 12, 0, 11, 11]);  const { f } = new WebAssembly.Instance(new WebAssembly.Module(b)).exports; for (;;) { try { f() } catch { } }"),
    tool("a loop in a start function", &[TIME], SHORT, "const b = Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 8, 1, 0, 10, 9, 1, 7, 0, 3, 64, 12, 0, 11, 11]);  return WebAssembly.instantiate(b)"),
    tool("WebAssembly in JavaScript in WebAssembly", &[THROWN], LONG, "const b = Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 2, 7, 1, 1, 101, 1, 102, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 103, 0, 1, 10, 6, 1, 4, 0, 16, 0, 11]); const { exports } = new WebAssembly.Instance(new WebAssembly.Module(b), { e: { f() { exports.g() } } }); exports.g()"),
    tool("a call of itself in WebAssembly", &[THROWN], LONG, "const b = Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 6, 1, 4, 0, 16, 0, 11]); new WebAssembly.Instance(new WebAssembly.Module(b)).exports.f()"),
    tool("memories of WebAssembly without end", &[MEMORY, THROWN], LONG, "const all = []; for (;;) all.push(new WebAssembly.Memory({ initial: 256 }))"),
    tool("a memory that grows without end", &[MEMORY, THROWN], LONG, "const m = new WebAssembly.Memory({ initial: 1 }); for (;;) { m.grow(16); new Uint8Array(m.buffer).fill(1) }"),
    tool("a table that grows without end", &[MEMORY, THROWN], LONG, "const t = new WebAssembly.Table({ element: 'externref', initial: 1 }); for (;;) t.grow(1e6, {})"),
    tool("modules without end, each kept", &[MEMORY, THROWN, TIME], LONG, "const b = Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 9, 1, 7, 0, 3, 64, 12, 0, 11, 11]);  const all = []; for (;;) all.push(new WebAssembly.Instance(new WebAssembly.Module(b)))"),
    tool("a memory's bytes, taken from it", &[OK], LONG, "const { transfer } = ArrayBuffer.prototype; const m = new WebAssembly.Memory({ initial: 1 }); const taken = new Uint8Array(transfer.call(m.buffer)); let grown = 0; try { m.grow(999); grown = 1 } catch { } taken.fill(7); const seen = new Uint8Array(m.buffer); if (grown || seen[9] !== 7) throw 'moved'; return seen.length"),
    tool("a memory that grows under a copy", &[OK, THROWN], LONG, "const m = new WebAssembly.Memory({ initial: 1 }); const u = new Uint8Array(m.buffer); u.fill({ valueOf() { m.grow(100); return 1 } }); u.set({ length: 9, get 0() { m.grow(1); return 1 } }); return u.length"),
    // Recursion.
    both("deep recursion", &[THROWN], LONG, "const f = () => f() + 1; return f()"),
    both("recursion that catches its end", &[TIME, THROWN], SHORT, "const f = () => { try { f() } catch { f() } }; f(); for (;;);"),
    both("recursion in toString", &[THROWN], LONG, "const o = { toString() { return `${o}` } }; return `${o}`"),
    both("recursion in a getter", &[THROWN], LONG, "const o = { get x() { return this.x } }; return o.x"),
    both("recursion in a comparator", &[THROWN], LONG, "const f = () => [2, 1].sort(f); f()"),
    both("recursion in a proxy", &[THROWN], LONG, "const p = new Proxy({}, { get: (t, k, r) => r[k] }); return p.x"),
    both("a chain of proxies", &[THROWN, OK], LONG, "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.x ?? 'none'"),
    both("JSON.parse, deep", &[THROWN], LONG, "return JSON.parse('['.repeat(1e6))"),
    both("JSON.stringify, deep", &[THROWN, TIME], SHORT, "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return JSON.stringify(a).length"),
    both("an expression, nested", &[THROWN], LONG, "return new RegExp('('.repeat(1e5) + ')'.repeat(1e5)).test('')"),
    both("arguments without number", &[THROWN, TIME, MEMORY], SHORT, "return Math.max(...Array(1e7))"),
    tool("a loop in a realm of vm", &[TIME], SHORT, "require('vm').runInNewContext('try { for (;;); } finally { for (;;); }')"),
    tool("realms of vm without end, each kept", &[MEMORY, TIME, CRASHED], LONG, "const vm = require('vm'); const kept = []; for (;;) kept.push(vm.createContext({}))"),
    tool("realms of vm without end, none kept", &[TIME], SHORT * 5, "const vm = require('vm'); for (;;) { const o = vm.createContext({}); vm.runInContext('this.self = function () { return self }', o) }"),
    tool("code, nested", &[THROWN], LONG, "return require('vm').runInThisContext('('.repeat(1e5) + ')'.repeat(1e5))"),
    tool("a clone, deep", &[THROWN], LONG, "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return structuredClone(a).length"),
    tool("inspecting, deep and wide", &[TIME, MEMORY, THROWN, OK], SHORT, "const o = {}; for (let i = 0; i < 1e5; i++) o[i] = { o }; console.log('%o', o); return 1"),
    // Memory.
    both("arrays without end", &[MEMORY], LONG, "const all = []; for (;;) all.push(new Array(1e6).fill(all.length))"),
    both("a string that doubles", &[MEMORY, THROWN], LONG, "let s = 'x'; const all = []; for (;;) { s += s; all.push(s.charCodeAt(s.length - 1)) }"),
    both("strings without end", &[MEMORY, TIME], LONG, "const all = []; for (;;) all.push(('x' + all.length).repeat(1e6))"),
    both("typed arrays without end", &[MEMORY], LONG, "const all = []; for (;;) all.push(new Uint8Array(1 << 24))"),
    both("one huge typed array", &[MEMORY, THROWN], LONG, "return new Uint8Array(2 ** 33).length"),
    both("a shared buffer, huge", &[MEMORY, THROWN], LONG, "const b = new SharedArrayBuffer(2 ** 32); new Uint8Array(b).fill(1); return b.byteLength"),
    both("shared buffers without end", &[MEMORY, THROWN], LONG, "const all = []; for (;;) { const b = new SharedArrayBuffer(1 << 24); new Uint8Array(b).fill(1); all.push(b) }"),
    both("a buffer that grows", &[MEMORY, THROWN], LONG, "const b = new ArrayBuffer(1, { maxByteLength: 2 ** 33 }); for (;;) { b.resize(b.byteLength * 2); new Uint8Array(b).fill(1) }"),
    // The first rejection counts, as in Node.
    both("rejections without number", &[MEMORY, TIME, THROWN], LONG, "for (;;) Promise.reject(1)"),
    both("FinalizationRegistry, churned", &[TIME, MEMORY], SHORT, "const r = new FinalizationRegistry(() => { for (;;); }); for (;;) r.register({}, 1)"),
    both("weak references without number", &[MEMORY, TIME], LONG, "const all = []; for (;;) all.push(new WeakRef({}))"),
    both("catching the end of memory", &[MEMORY, TIME, THROWN], 2000, "const all = []; for (;;) { try { for (;;) all.push(new Uint8Array(1 << 20)) } catch { all.push(1) } }"),
    tool("Buffer.alloc without end", &[MEMORY], LONG, "const all = []; for (;;) all.push(Buffer.alloc(1 << 24, 1))"),
    tool("a compressed bomb", &[MEMORY, THROWN], LONG, "const z = require('zlib'); let b = Buffer.alloc(1 << 25); const once = z.gzipSync(b); b = Buffer.concat(Array(64).fill(once)); return z.gunzipSync(b).length"),
    tool("decompressed, kept, again", &[MEMORY], LONG, "const z = require('zlib'); const once = z.gzipSync(Buffer.alloc(1 << 24)); const all = []; for (;;) all.push(z.gunzipSync(once))"),
    tool("files read, kept, again", &[MEMORY], LONG, "const fs = require('fs'); fs.writeFileSync(self.__toolDir + '/data/big', Buffer.alloc(1 << 24)); const all = []; for (;;) all.push(fs.readFileSync(self.__toolDir + '/data/big'))"),
    tool("text turned to bytes and back", &[MEMORY, THROWN], LONG, "const s = 'x'.repeat(1e7); const all = []; for (;;) all.push(Buffer.from(s).toString())"),
    tool("random bytes without end", &[MEMORY, THROWN], LONG, "const c = require('crypto'); const all = []; for (;;) all.push(c.randomBytes(1 << 22))"),
    script("canvases without end", &[THROWN, MEMORY], LONG, "const all = []; for (;;) { const c = new OffscreenCanvas(2048, 2048); c.getContext('2d').fillRect(0, 0, 9, 9); all.push(c) }"),
    script("a huge canvas", &[THROWN, MEMORY], LONG, "getCanvas(16384, 16384); return 1"),
    script("image data without end", &[THROWN, MEMORY], LONG, "const x = getCanvas(1000, 1000).getContext('2d'); const all = []; for (;;) all.push(x.getImageData(0, 0, 1000, 1000))"),
    script("a path without end", &[TIME, THROWN, MEMORY, CRASHED], LONG, "const x = getCanvas(100, 100).getContext('2d'); for (;;) x.lineTo(1, 2)"),
    // What is built in, changed.
    both("Symbol.species", &[TIME, THROWN, OK], SHORT, "class A extends Array { static get [Symbol.species]() { return function () { return new Proxy([], { defineProperty() { for (;;); } }) } } } return A.from([1, 2, 3]).map((x) => x).length"),
    tool("Symbol.species of bytes", &[THROWN, OK], LONG, "Object.defineProperty(Uint8Array, Symbol.species, { get: () => function () { return new Uint8Array(0) } }); return require('zlib').gzipSync(Buffer.concat([Buffer.from('abc'), Buffer.from('d')]).subarray(1)).length"),
    both("poisoned prototypes", &[OK, THROWN, TIME, NOT_JSON], SHORT, POISON),
    tool("poisoned, then thrown", &[THROWN, TIME], SHORT, "Error.prepareStackTrace = () => { for (;;); }; String.prototype.toWellFormed = () => { throw 1 }; console.log(new Error('x').stack); throw new TypeError('y')"),
    tool("bytes that lie about their length", &[OK, THROWN], LONG, "const b = Buffer.from('abc'); Object.defineProperty(b, 'length', { value: 'x' }); return require('zlib').gzipSync(b).length"),
    tool("bytes that are gone", &[OK, THROWN], LONG, "const b = new Uint8Array(1000); structuredClone(b.buffer, { transfer: [b.buffer] }); b.buffer.transfer(); return require('crypto').createHash('sha256').update(b).digest('hex')"),
    both("Promise.prototype.then", &[OK, TIME], SHORT, "Promise.prototype.then = function () { for (;;); }; return 1"),
    // What is returned and thrown.
    both("toJSON that never ends", &[TIME], SHORT, "return { toJSON() { for (;;); } }"),
    both("toJSON that throws null", &[NOT_JSON], LONG, "return { toJSON() { throw null } }"),
    both("a getter in the result", &[TIME], SHORT, "return { get x() { for (;;); } }"),
    both("a result that is a proxy", &[TIME], SHORT, "return new Proxy({}, { ownKeys() { for (;;); } })"),
    both("a result with itself inside", &[NOT_JSON], LONG, "const a = {}; a.a = a; return a"),
    both("a result as deep as it goes", &[NOT_JSON, THROWN, TIME], SHORT, "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a"),
    both("a huge result", &[TOO_LARGE, MEMORY], LONG, "return 'x'.repeat(3e7)"),
    both("the largest result", &[TOO_LARGE, MEMORY], LONG, "return 'é'.repeat(9e7)"),
    both("a result of many values", &[TOO_LARGE, MEMORY], LONG, "return Array(2e6).fill(0)"),
    both("a result of many parts", &[TOO_LARGE, MEMORY, TIME], LONG, "return Array(2e6).fill({ a: 'bcdefgh' })"),
    both("an error's stack", &[TIME], SHORT, "throw Object.defineProperty(new Error('x'), 'stack', { get() { for (;;); } })"),
    both("an error's message", &[TIME], SHORT, "throw Object.defineProperty(new Error('x'), 'message', { get() { for (;;); } })"),
    both("an error's cause", &[THROWN], LONG, "throw Object.defineProperty(new Error('x'), 'cause', { get() { for (;;); } })"),
    both("an error's toString", &[TIME], SHORT, "throw { toString() { for (;;); } }"),
    both("an error that cannot be text", &[THROWN], LONG, "throw { toString() { throw { toString() { throw 1 } } } }"),
    both("an error that is a proxy", &[THROWN, TIME], SHORT, "throw new Proxy({}, { get() { for (;;); } })"),
    both("an error with a huge message", &[THROWN, MEMORY], LONG, "throw new Error('x'.repeat(5e7))"),
    both("nothing thrown", &[THROWN], LONG, "throw undefined"),
    both("a symbol thrown", &[THROWN], LONG, "throw Symbol('s')"),
    // Floods.
    both("a flood of lines", &[TIME], SHORT, "for (;;) console.log('x'.repeat(1000))"),
    both("one huge line", &[OK, MEMORY], LONG, "console.log('x'.repeat(3e7)); return 1"),
    tool("a flood of progress", &[TIME], SHORT, "for (;;) self.api.progress(1, 2, 'x')"),
    tool("a huge text of progress", &[OK, MEMORY], LONG, "for (let i = 0; i < 10; i++) self.api.progress(i, 10, 'x'.repeat(2e7)); return 1"),
    tool("a flood of imports", &[TIME, MEMORY], LONG, "for (let i = 0; ; i++) await import('./part.mjs?' + i)"),
    tool("a flood of imports of nothing", &[TIME, MEMORY, THROWN], LONG, "for (let i = 0; ; i++) import('./nothing-' + i)"),
    tool("a flood of standard output", &[TIME, MEMORY], SHORT, "for (;;) process.stdout.write('x'.repeat(1e4))"),
    // Leaving.
    tool("process.exit", &[EXITED], LONG, "process.exit(3)"),
    tool("process.exit in a timer", &[EXITED], LONG, "setTimeout(() => process.exit(0), 1); return new Promise(() => {})"),
    tool("process.exit, caught", &[EXITED], LONG, "try { process.exit(1) } finally { for (;;); }"),
    tool("process.abort", &[CRASHED], LONG, "process.abort()"),
    tool("killing itself", &[THROWN], LONG, "process.kill(process.pid, 'SIGKILL')"),
    both("an exception in a timer", &[THROWN], LONG, "setTimeout(() => { throw new Error('late') }, 1); return new Promise(() => {})"),
    both("a rejection that nobody hears", &[THROWN], LONG, "Promise.reject(new Error('unheard')); return new Promise((done) => setTimeout(done, 5000))"),
];

/// What our own layer uses, as far as one can think of it.
const POISON: &str = "
for (const [name, of] of [['push', Array], ['map', Array], ['join', Array], ['shift', Array], ['get', Map], ['set', Map], ['apply', (() => {}).__proto__], ['call', (() => {}).__proto__], ['replace', String], ['split', String]]) (of.prototype ?? of)[name] = () => { throw name };
Object.prototype.get = () => { throw 'get' }; Object.prototype.toJSON = () => 'poisoned'; Object.prototype.then = undefined;
JSON.stringify = () => { for (;;); }; JSON.parse = () => { for (;;); }; Object.keys = () => { throw 'keys' }; Object.defineProperty = () => { throw 'define' };
Array.prototype[Symbol.iterator] = function () { throw 'iterator' }; Number = String = Symbol = undefined; Date.now = () => { throw 'now' };
return 'poisoned'";
