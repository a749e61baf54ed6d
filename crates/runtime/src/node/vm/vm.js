// vm: scripts in this realm; a "new context" is a scope over the given object, not another realm.
const { coded, string } = require('internal/errors');
const contexts = new WeakSet();

function within(code, object, filename) {
  const scope = new Proxy(object, {
    has: () => true,
    get: (target, key) => {
      if (key === Symbol.unscopables) return undefined;
      if (key in target) return target[key];
      if (key === 'globalThis') return target;
      if (BUILTINS.has(key)) return globalThis[key];
      throw new ReferenceError(`${String(key)} is not defined`);
    },
    set: (target, key, value) => ((target[key] = value), true),
  });
  const run = internal.natives.compile(filename, `return function (__scope, __code) { with (__scope) { const __value = eval(__code); return __value; } }`)();
  return run(scope, code);
}
const BUILTINS = new Set(Object.getOwnPropertyNames(globalThis).filter((name) => /^[A-Z]/.test(name) || ['parseInt', 'parseFloat', 'isNaN', 'isFinite', 'undefined', 'eval', 'encodeURIComponent', 'decodeURIComponent', 'encodeURI', 'decodeURI', 'escape', 'unescape'].includes(name)));
for (const name of ['Buffer', 'Blob', 'File', 'URL', 'URLSearchParams', 'TextEncoder', 'TextDecoder', 'Event', 'EventTarget', 'CustomEvent', 'AbortController', 'AbortSignal']) BUILTINS.delete(name);

class Script {
  #code;
  #file;
  constructor(code, options = {}) {
    this.#code = String(code);
    this.#file = (typeof options === 'string' ? options : options?.filename) ?? 'evalmachine.<anonymous>';
    // Complains now, as Node does.
    internal.natives.check(this.#file, this.#code);
  }
  runInThisContext() { return internal.natives.evaluate(this.#file, this.#code); }
  runInContext(object) {
    if (!contexts.has(object)) throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "contextifiedObject" argument must be an vm.Context');
    return within(this.#code, object, this.#file);
  }
  runInNewContext(object = {}) { return this.runInContext(createContext(object)); }
  createCachedData() { return require('buffer').Buffer.alloc(0); }
}
const createContext = (object = {}) => (contexts.add(object), object);
function compileFunction(code, params = [], options = {}) {
  string(code, 'code');
  return internal.natives.evaluate(options.filename ?? '', `(function (${params.join(', ')}) {${code}\n})`);
}
Object.assign(exports, {
  Script, createContext, compileFunction,
  isContext: (object) => contexts.has(object),
  createScript: (code, options) => new Script(code, options),
  runInThisContext: (code, options) => new Script(code, options).runInThisContext(),
  runInContext: (code, object, options) => new Script(code, options).runInContext(object),
  runInNewContext: (code, object, options) => new Script(code, options).runInNewContext(object),
  constants: {},
});
