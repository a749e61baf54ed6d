// vm: realms of their own, and what goes between an object and its realm.
import vm from 'node:vm';
import { check, random, show } from './cases.mjs';

const rng = random(9);
const attempt = (work) => {
  try {
    return work();
  } catch (error) {
    return ['threw', error?.name, error?.code, error instanceof Error, error?.code === undefined ? undefined : error.message];
  }
};
const say = (name, work) => check(name, () => show(attempt(work)));

const SCRIPTS = [
  '1 + 1', 'var a = 5; a', 'a = (typeof a === "number" ? a : 0) + 1', 'typeof missing', 'missing', 'this.b = 2; b', 'function f() { return typeof a; } f()', 'typeof f === "function" ? f() : "none"', 'delete globalThis.b', 'typeof b',
  'let once = 1; once', 'typeof once', 'typeof require', 'typeof process', 'typeof Buffer', 'typeof setTimeout', 'typeof Array', 'typeof globalThis', '[] instanceof Array', 'n += 2', 'list.push(n)', 'list instanceof Array', 'Array.isArray(list)', 'o.deep.x = n; o.deep', 'throw new TypeError("mine")', 'throw 5', 'null.x', '"use strict"; undeclared = 1',
  'undeclared = 1', 'undeclared', 'Object.keys(globalThis).sort().join()', 'this === globalThis', 'var n = 1; n', 'n', 'function n() {} typeof n', 'Object = 5', 'typeof Object', 'get', 'get = 3', 'frozen.x = 1; frozen.x', 'call(3)', 'with (o) { deep.y = 1 } o.deep.y', 'eval("var inner = 7; inner")', 'typeof inner', '(0, eval)("var outer = 8"); outer',
  'Object.getPrototypeOf(o) === Object.prototype', '({}).constructor === Object', 'new Function("return typeof n")()', 'class K {} typeof K', 'typeof K', 'const c = 1; c', 'c = 2', 'JSON.stringify(o)', '"b" in globalThis', 'Object.getOwnPropertyNames(globalThis).includes("n")', '1 +', 'return 1', 'a b',
];
const fresh = () => {
  let got = 1;
  return { n: 1, list: [1], o: { deep: {} }, frozen: Object.freeze({ x: 0 }), call: (value) => value * 2, get get() { return got; }, set get(value) { got = value * 10; } };
};
const keys = (object) => Object.keys(object).sort();
const plain = (object) => keys(object).map((key) => [key, typeof object[key] === 'object' ? JSON.stringify(object[key]) : typeof object[key] === 'function' ? 'function' : object[key]]);

for (const code of SCRIPTS) {
  say(`new context: ${show(code)}`, () => { const object = fresh(); const came = attempt(() => vm.runInNewContext(code, object)); return [typeof came === 'function' ? 'function' : came, plain(object)]; });
  say(`script: ${show(code)}`, () => { const made = attempt(() => new vm.Script(code, { filename: 'x.js' })); return made instanceof vm.Script ? 'made' : made; });
}
// Several scripts in one context, the object changed between them.
for (let round = 0; round < 300; round++) {
  const steps = rng.some(SCRIPTS, 2, 6);
  const changes = steps.map(() => rng.pick(['none', 'set a', 'set n', 'delete a', 'delete n', 'add']));
  say(`round ${steps.map((step, at) => `${step} [${changes[at]}]`).join(' | ')}`, () => {
    const object = vm.createContext(fresh());
    return steps.map((code, at) => {
      const came = attempt(() => vm.runInContext(code, object));
      const change = changes[at];
      if (change === 'set a') object.a = at * 100;
      if (change === 'set n') object.n = at * 100;
      if (change === 'delete a') delete object.a;
      if (change === 'delete n') delete object.n;
      if (change === 'add') object.b = 'added';
      return [typeof came === 'function' ? 'function' : came, plain(object)];
    });
  });
}
for (const odd of [undefined, null, 5, 'text', {}, [], () => 1, Symbol('s'), true]) {
  say(`createContext(${show(odd)})`, () => { const made = vm.createContext(odd); return [typeof made, vm.isContext(made), made === odd]; });
  say(`isContext(${show(odd)})`, () => vm.isContext(odd));
  say(`runInContext(${show(odd)})`, () => vm.runInContext('1', odd));
  say(`new Script(${show(odd)})`, () => new vm.Script(odd).runInThisContext());
  say(`compileFunction(${show(odd)})`, () => typeof vm.compileFunction(odd));
  say(`compileFunction params ${show(odd)}`, () => vm.compileFunction('return arguments.length', odd)(1, 2));
}
say('the realm has its own classes', () => {
  const made = vm.runInNewContext('({ list: [], object: {}, error: new Error("m"), map: new Map(), promise: Promise.resolve(), f() {} })');
  return [made.list instanceof Array, Array.isArray(made.list), made.object instanceof Object, made.error instanceof Error, made.map instanceof Map, made.promise instanceof Promise, made.f instanceof Function];
});
say('a context twice is one', () => { const object = {}; return [vm.createContext(object) === object, vm.createContext(object) === object, vm.isContext(object)]; });
say('two contexts know nothing of each other', () => { const [a, b] = [vm.createContext({}), vm.createContext({})]; vm.runInContext('var x = 1; Array.prototype.mine = 1', a); return [vm.runInContext('typeof x + typeof [].mine', b), typeof [].mine]; });
say('a function of the realm sees changes of the object', () => { const object = vm.createContext({ n: 1 }); const f = vm.runInContext('(() => n)', object); object.n = 5; return f(); });
say('the object sees what a function of the realm sets', () => { const object = vm.createContext({ n: 1 }); const f = vm.runInContext('(() => { n++ })', object); f(); f(); return object.n; });
say('a script runs again', () => { const script = new vm.Script('n = n * 2'); const object = vm.createContext({ n: 1 }); return [script.runInContext(object), script.runInContext(object), script.runInNewContext({ n: 50 }), object.n]; });
say('this context', () => { globalThis.seen = 3; return [vm.runInThisContext('seen + 1'), new vm.Script('typeof seen').runInThisContext(), delete globalThis.seen]; });
say('compileFunction', () => [vm.compileFunction('return a + b', ['a', 'b'])(1, 2), vm.compileFunction('return x + y', ['y'], { contextExtensions: [{ x: 10 }] })(5), vm.compileFunction('return typeof here', [], { parsingContext: vm.createContext({ here: 1 }) })()]);
say('file names', () => { try { vm.runInNewContext('\n\nthrow new Error("m")', {}, 'some-file.js'); } catch (error) { return error.stack.includes('some-file.js:3'); } });
for (const code of ['for (;;);', 'n = 2; for (;;);', 'try { for (;;); } catch { n = 3 } finally { n = 4 }', '(function f() { for (;;) try { f() } catch {} })()', '/(a+)+b/.test("a".repeat(40))', '[1].forEach(() => { for (;;); })', '1 + n', 'throw new TypeError("mine")', 'new Promise(() => { for (;;); })']) {
  for (const way of ['runInContext', 'runInNewContext', 'Script']) {
    say(`timeout, ${way}: ${code}`, () => {
      const object = vm.createContext({ n: 1 });
      const options = { timeout: 20 };
      const came = attempt(() => (way === 'Script' ? new vm.Script(code).runInContext(object, options) : vm[way](code, object, options)));
      return [came, object.n, vm.runInContext('n + 1', object)];
    });
  }
}
say('timeout in this context', () => [attempt(() => vm.runInThisContext('for (;;);', { timeout: 10 })), attempt(() => new vm.Script('while (true);').runInThisContext({ timeout: 10 })), vm.runInThisContext('1 + 1', { timeout: 100 })]);
say('a timeout in a timeout: the inner ends first', () => vm.runInNewContext('[inner(), after()]', { inner: () => attempt(() => vm.runInNewContext('for (;;);', {}, { timeout: 10 })), after: () => 'went on' }, { timeout: 5000 }));
say('a timeout in a timeout: the outer ends both', () => { let went = false; const came = attempt(() => vm.runInNewContext('try { inner() } catch {} for (;;);', { inner: () => { try { vm.runInNewContext('for (;;);', {}, { timeout: 60_000 }); } catch { /* the outer's */ } went = true; } }, { timeout: 20 })); return came; });
say('after a timeout all is as before', () => { attempt(() => vm.runInNewContext('for (;;);', {}, { timeout: 5 })); let sum = 0; for (let i = 0; i < 2e6; i++) sum += i % 3; return sum; });
for (const odd of [0, -1, 1.5, NaN, '5', null, undefined, {}, 2 ** 32, Infinity]) say(`timeout ${show(odd)}`, () => vm.runInNewContext('1', {}, { timeout: odd }));
say('members', () => keys(vm).filter((name) => !/^(SourceTextModule|SyntheticModule|Module|measureMemory)$/.test(name)));
