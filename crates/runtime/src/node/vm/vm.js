// vm: scripts in this realm, and in realms of their own.
//
// A context is a realm beside an object of the caller. What the object has is an accessor on the
// realm's global object, so both sides see every change of it at once; what a script adds is brought
// to the object when the script ends, which is the one difference from Node that a script can see
// (code that adds a global later, from a timer, is seen at the next run).
const { coded, integer, invalidArgType, string } = require('internal/errors');
const DONT_CONTEXTIFY = Symbol('vm_context_no_contextify');
const realms = new WeakMap();
const own = Reflect.ownKeys;
const { defineProperty, getOwnPropertyDescriptor } = Object;

function fileOf(options) {
  const file = typeof options === 'string' ? options : options?.filename;
  if (file !== undefined) string(file, 'options.filename');
  return file ?? 'evalmachine.<anonymous>';
}

/** Ends with the script's `timeout`, if it has one; the error is of the realm that the script was in. */
function timed(options, Base, work) {
  const time = options?.timeout;
  if (time === undefined) return work();
  integer(time, 'options.timeout', 1, 2 ** 32 - 1);
  return native.within(time, work, () => coded(Base, 'ERR_SCRIPT_EXECUTION_TIMEOUT', `Script execution timed out after ${time}ms`));
}

// What the interpreter has and the language has not.
const EXTRAS = ['performance', 'queueMicrotask', 'DOMException', 'atob', 'btoa', 'navigator'];

class Context {
  #realm = native.realm();
  #global = withoutExtras(native.global(this.#realm));
  // What the realm has of itself: it is shown to the object only when a script sets it anew.
  #language = new Map(own(this.#global).map((key) => [key, getOwnPropertyDescriptor(this.#global, key).value]));
  #shown = new Set();
  // `var` at the top cannot be taken back from a global object: those are copied each time,
  // and what the script left as it was is not given back (the caller may have deleted it).
  #copied = new Map();

  run(object, file, code, options) {
    this.#bring(object);
    try {
      return timed(options, this.#language.get('Error'), () => native.evaluate(this.#realm, file, code));
    } finally {
      this.#fetch(object);
    }
  }
  #bring(object) {
    for (const key of this.#shown) if (!(key in object)) this.#forget(key);
    for (const key of own(object)) {
      if (this.#copied.has(key)) this.#copied.set(key, (this.#global[key] = object[key]));
      else if (!this.#shown.has(key)) this.#show(object, key);
    }
  }
  #show(object, key) {
    const there = getOwnPropertyDescriptor(this.#global, key);
    if (there && !there.configurable) return;
    defineProperty(this.#global, key, {
      get: () => object[key],
      set: (value) => { object[key] = value; },
      enumerable: getOwnPropertyDescriptor(object, key).enumerable,
      configurable: true,
    });
    this.#shown.add(key);
  }
  #forget(key) {
    this.#shown.delete(key);
    delete this.#global[key];
    if (this.#language.has(key)) defineProperty(this.#global, key, { value: this.#language.get(key), writable: true, enumerable: false, configurable: true });
  }
  #fetch(object) {
    for (const key of this.#shown) {
      const there = getOwnPropertyDescriptor(this.#global, key);
      if (there?.get) continue;
      // The script deleted it, or declared a function of that name.
      this.#shown.delete(key);
      if (!there) delete object[key];
    }
    for (const key of own(this.#global)) {
      if (this.#shown.has(key)) continue;
      const { configurable, value, get } = getOwnPropertyDescriptor(this.#global, key);
      if (this.#language.has(key) && (get || Object.is(this.#language.get(key), value))) continue;
      if (get) {
        defineProperty(object, key, getOwnPropertyDescriptor(this.#global, key));
        continue;
      }
      if (this.#copied.has(key) && Object.is(this.#copied.get(key), value)) continue;
      object[key] = value;
      if (configurable) this.#show(object, key);
      else this.#copied.set(key, value);
    }
  }
}

const objectNeeded = (object) => {
  if (typeof object !== 'object' || object === null) throw invalidArgType('object', ['Object'], object);
};
function withoutExtras(global) {
  for (const name of EXTRAS) delete global[name];
  // The language has it; the engine has it from us, and a realm has ours.
  defineProperty(global, 'Intl', { get: () => globalThis.Intl, set: (value) => void defineProperty(global, 'Intl', { value, writable: true, enumerable: false, configurable: true }), enumerable: false, configurable: true });
  return global;
}

const contextOf = (object) => {
  objectNeeded(object);
  const found = realms.get(object);
  if (!found) throw invalidArgType('contextifiedObject', ['vm.Context'], object);
  return found;
};

class Script {
  #code;
  #file;
  constructor(code, options = {}) {
    this.#code = `${code}`;
    this.#file = fileOf(options);
    // Complains now, as Node does.
    internal.natives.check(this.#file, this.#code);
  }
  runInThisContext(options) { return timed(options, Error, () => internal.natives.evaluate(this.#file, this.#code)); }
  runInContext(object, options) { return contextOf(object).run(object, this.#file, this.#code, options); }
  runInNewContext(object, options) { return this.runInContext(createContext(object), options); }
  createCachedData() { return require('buffer').Buffer.alloc(0); }
}

// Parsed in the realm, too: its errors are the realm's.
const within = (code, object, options) => contextOf(object).run(object, fileOf(options), `${code}`, options);

function createContext(object = {}, options) {
  if (object === DONT_CONTEXTIFY) object = {};
  objectNeeded(object);
  if (options !== undefined && (typeof options !== 'object' || options === null)) throw invalidArgType('options', ['Object'], options);
  if (!realms.has(object)) realms.set(object, new Context());
  return object;
}
function isContext(object) {
  objectNeeded(object);
  return realms.has(object);
}

function compileFunction(code, params = [], options = {}) {
  string(code, 'code');
  if (!Array.isArray(params)) throw invalidArgType('params', ['Array'], params);
  params.forEach((name, at) => string(name, `params[${at}]`));
  const text = `(function (${params.join(', ')}) {${code}\n})`;
  const { parsingContext, contextExtensions = [] } = options;
  const file = options.filename ?? '';
  const evaluated = (words) => (parsingContext === undefined ? internal.natives.evaluate(file, words) : contextOf(parsingContext).run(parsingContext, file, words));
  if (contextExtensions.length === 0) return evaluated(text);
  const names = contextExtensions.map((_, at) => `__extension${at}`);
  return evaluated(`(function (${names.join(', ')}) { ${names.map((name) => `with (${name}) `).join('')}return ${text}; })`)(...contextExtensions);
}

Object.assign(exports, {
  Script, createContext, compileFunction, isContext,
  createScript: (code, options) => new Script(code, options),
  runInThisContext: (code, options) => new Script(code, options).runInThisContext(options),
  runInContext: within,
  runInNewContext: (code, object, options) => within(code, createContext(object), options),
  constants: { __proto__: null, USE_MAIN_CONTEXT_DEFAULT_LOADER: Symbol('vm_dynamic_import_main_context_default'), DONT_CONTEXTIFY },
});
