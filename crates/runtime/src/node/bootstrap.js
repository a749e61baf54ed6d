// The registry of Node's modules and the globals that Node has.
(function (natives) {
  'use strict';
  const own = new Map();

  function requireOwn(name) {
    const bare = name.startsWith('node:') ? name.slice(5) : name;
    if (own.has(bare)) return own.get(bare).exports;
    const factory = natives.factory(bare);
    if (!factory) {
      throw Object.assign(new Error(`No such built-in module: node:${bare}`), { code: 'ERR_UNKNOWN_BUILTIN_MODULE' });
    }
    const module = { exports: {} };
    own.set(bare, module);
    factory(module, module.exports, requireOwn, internal, natives.native(bare));
    return module.exports;
  }

  // Stands for a package that is not installed while a tool is only described: it can be imported
  // and taken apart, but not used.
  function stub(name) {
    const missing = () => {
      throw Object.assign(new Error(`package '${name}' is not installed`), { code: 'MODULE_NOT_FOUND', package: name });
    };
    return new Proxy(function () {}, {
      get: (target, key) => (key === 'prototype' ? target.prototype : typeof key === 'symbol' ? undefined : stub(name)),
      apply: missing,
      construct: missing,
    });
  }

  // CommonJS is not looked at until something asks for it.
  const common = () => requireOwn('internal/common');

  // Not on the global object, and without a prototype that others could change.
  const internal = {
    __proto__: null,
    // Text cut inside a character is no reason to fail.
    log: (level, text) => natives.log(level, text.toWellFormed()),
    require: requireOwn,
    requireFrom: (base, name) => common().createRequire(base)(name),
    requireFile: (path) => common().requireFile(path),
    resolveImport: (path) => (specifier) => natives.resolveImport(path, String(specifier)),
    natives,
    stub,
    // What a run left behind is not the next one's.
    leftovers: [],
    forget() {
      for (let n = 0; n < internal.leftovers.length; n++) internal.leftovers[n]();
    },
  };

  // Stacks as V8 writes them: what happened, then where.
  Error.prepareStackTrace = (error, sites) => {
    let head;
    try {
      head = Error.prototype.toString.call(error);
    } catch {
      head = 'Error';
    }
    for (const site of sites) {
      const name = site.getFunctionName();
      const line = site.getLineNumber();
      const place = site.isNative() ? 'native' : line === null || line < 0 ? site.getFileName() : `${site.getFileName()}:${line}:${site.getColumnNumber()}`;
      head += name ? `\n    at ${name} (${place})` : `\n    at ${place}`;
    }
    return head;
  };

  // What V8's call sites have besides and QuickJS does not know: packages ask for it and mean it well.
  const callSites = (prototype) => {
    const no = () => false;
    const none = () => undefined;
    const additions = {
      isEval: no, isConstructor: no, isToplevel: () => true, isAsync: no, isPromiseAll: no, getPromiseIndex: () => null, getThis: none, getTypeName: () => null,
      getMethodName: () => null, getEvalOrigin: none, getScriptNameOrSourceURL() { return this.getFileName(); }, getPosition: () => 0,
    };
    for (const [name, value] of Object.entries(additions)) {
      if (!(name in prototype)) Object.defineProperty(prototype, name, { value, writable: true, configurable: true });
    }
  };
  {
    const { prepareStackTrace } = Error;
    Error.prepareStackTrace = (error, sites) => {
      if (sites.length > 0) callSites(Object.getPrototypeOf(sites[0]));
      return '';
    };
    void new Error('').stack;
    Error.prepareStackTrace = prepareStackTrace;
  }

  const hidden = (name, value) => Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  // Evaluated when first touched: most tools use few of them, and start-up is what a call waits for.
  const lazy = (names, module, pick) => {
    for (const name of names) {
      Object.defineProperty(globalThis, name, {
        configurable: true,
        get() {
          const value = pick(requireOwn(module), name);
          hidden(name, value);
          return value;
        },
        set: (value) => hidden(name, value),
      });
    }
  };
  const member = (exports, name) => exports[name];
  hidden('global', globalThis);
  lazy(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'], 'timers', member);
  lazy(['console'], 'console', (exports) => exports);
  lazy(['process'], 'process', (exports) => exports);
  lazy(['Buffer', 'Blob', 'File'], 'buffer', member);
  lazy(['TextEncoder', 'TextDecoder'], 'internal/text', member);
  lazy(['structuredClone'], 'internal/clone', member);
  lazy(['Event', 'EventTarget', 'CustomEvent', 'AbortController', 'AbortSignal'], 'internal/event_target', member);
  lazy(['URL', 'URLSearchParams'], 'url', member);
  lazy(['fetch', 'Headers', 'Request', 'Response', 'FormData'], 'internal/fetch', member);
  lazy(['WebSocket', 'MessageEvent', 'CloseEvent'], 'internal/websocket', member);
  lazy(['MessageChannel', 'MessagePort', 'BroadcastChannel'], 'internal/message_channel', member);
  lazy(['EventSource'], 'internal/event_source', member);
  lazy([
    'ReadableStream', 'ReadableStreamDefaultReader', 'ReadableStreamBYOBReader', 'ReadableStreamBYOBRequest', 'ReadableByteStreamController', 'ReadableStreamDefaultController',
    'WritableStream', 'WritableStreamDefaultWriter', 'WritableStreamDefaultController', 'TransformStream', 'TransformStreamDefaultController',
    'ByteLengthQueuingStrategy', 'CountQueuingStrategy', 'TextEncoderStream', 'TextDecoderStream', 'CompressionStream', 'DecompressionStream',
  ], 'stream/web', member);
  lazy(['WebAssembly'], 'internal/wasm', (exports) => exports);
  lazy(['crypto'], 'crypto', (exports) => exports.webcrypto);
  lazy(['Crypto'], 'crypto', (exports) => exports.webcrypto.constructor);
  lazy(['CryptoKey', 'SubtleCrypto'], 'internal/crypto_subtle', member);
  lazy(['navigator', 'Navigator'], 'internal/navigator', member);
  lazy(['Performance', 'PerformanceEntry', 'PerformanceMark', 'PerformanceMeasure', 'PerformanceObserver', 'PerformanceObserverEntryList', 'PerformanceResourceTiming'], 'perf_hooks', member);
  // The engine's clock is there from the start; what Node's has besides comes when it is asked for.
  const clock = globalThis.performance;
  internal.clock = clock;
  internal.clockLater = [
    'mark', 'measure', 'clearMarks', 'clearMeasures', 'clearResourceTimings', 'markResourceTiming', 'setResourceTimingBufferSize', 'getEntries', 'getEntriesByName', 'getEntriesByType',
    'eventLoopUtilization', 'nodeTiming', 'timerify', 'toJSON', 'addEventListener', 'removeEventListener', 'dispatchEvent',
  ];
  for (const name of internal.clockLater) {
    Object.defineProperty(clock, name, {
      configurable: true,
      get() {
        requireOwn('perf_hooks');
        return clock[name];
      },
      set: (value) => Object.defineProperty(clock, name, { value, writable: true, configurable: true }),
    });
  }
  // Intl is read while code runs, in scripts too, and what runs then shows in stacks: so it has a registry
  // of its own, and the native half of that gives nothing but Intl.
  const speech = { __proto__: null };
  let speechNative;
  function partOfIntl(name) {
    if (speech[name] !== undefined) return speech[name].exports;
    const module = { exports: {} };
    speech[name] = module;
    speechNative ??= natives.intlNative();
    natives.intlFactory(name)(module, module.exports, partOfIntl, undefined, speechNative);
    return module.exports;
  }
  Object.defineProperty(globalThis, 'Intl', {
    configurable: true,
    get() {
      const { Intl: value } = partOfIntl('internal/intl');
      hidden('Intl', value);
      return value;
    },
    set: (value) => hidden('Intl', value),
  });
  // The methods that speak a language; nothing of it is read before the first call.
  const speaking = (prototype, methods) => {
    for (const [name, value] of Object.entries(methods)) {
      Object.defineProperty(value, 'length', { value: name === 'localeCompare' ? 1 : 0, configurable: true });
      Object.defineProperty(prototype, name, { value, writable: true, configurable: true });
    }
  };
  const intl = () => partOfIntl('internal/intl');
  const { valueOf: numberOf } = Number.prototype;
  const { valueOf: bigOf } = BigInt.prototype;
  speaking(Number.prototype, { toLocaleString(locales, options) { return intl().numberText(numberOf.call(this), locales, options); } });
  speaking(BigInt.prototype, { toLocaleString(locales, options) { return intl().numberText(bigOf.call(this), locales, options); } });
  speaking(Date.prototype, {
    toLocaleString(locales, options) { return intl().dateText(this, 'any', 'all', locales, options); },
    toLocaleDateString(locales, options) { return intl().dateText(this, 'date', 'date', locales, options); },
    toLocaleTimeString(locales, options) { return intl().dateText(this, 'time', 'time', locales, options); },
  });
  const textOf = (value, name) => {
    if (value === undefined || value === null) throw new TypeError(`String.prototype.${name} called on null or undefined`);
    return String(value);
  };
  speaking(String.prototype, {
    localeCompare(that, locales, options) { return intl().comparison(textOf(this, 'localeCompare'), String(that), locales, options); },
    toLocaleUpperCase(locales) { const text = textOf(this, 'toLocaleUpperCase'); return locales === undefined ? text.toUpperCase() : intl().upper(text, locales); },
    toLocaleLowerCase(locales) { const text = textOf(this, 'toLocaleLowerCase'); return locales === undefined ? text.toLowerCase() : intl().lower(text, locales); },
  });
  const list = {
    toLocaleString(locales, options) {
      const values = Object(this);
      let text = '';
      for (let n = 0, { length } = values; n < length; n++) {
        if (n > 0) text += ',';
        const value = values[n];
        if (value !== undefined && value !== null) text += String(value.toLocaleString(locales, options));
      }
      return text;
    },
  };
  speaking(Array.prototype, list);
  speaking(Object.getPrototypeOf(Uint8Array.prototype), list);
  // What a WeakRef was made of, or gave, stays until the job has ended, as the language says: the engine
  // frees what nothing refers to at once.
  {
    const Engine = globalThis.WeakRef;
    const { apply, construct } = Reflect;
    const { deref } = Engine.prototype;
    const later = globalThis.queueMicrotask ?? ((work) => void Promise.resolve().then(work));
    let kept = [];
    const keep = (target) => {
      if (kept.push(target) === 1) later(() => { kept = []; });
    };
    const WeakRef = function (target) {
      if (new.target === undefined) throw new TypeError("Constructor WeakRef requires 'new'");
      const made = construct(Engine, [target], new.target);
      keep(target);
      return made;
    };
    Object.defineProperty(WeakRef, 'name', { value: 'WeakRef', configurable: true });
    Object.defineProperty(WeakRef, 'prototype', { value: Engine.prototype, writable: false });
    Object.defineProperty(Engine.prototype, 'constructor', { value: WeakRef, writable: true, configurable: true });
    const methods = {
      deref() {
        const target = apply(deref, this, []);
        if (target !== undefined) keep(target);
        return target;
      },
    };
    Object.defineProperty(Engine.prototype, 'deref', { value: methods.deref, writable: true, configurable: true });
    hidden('WeakRef', WeakRef);
  }
  if (globalThis.queueMicrotask === undefined) {
    hidden('queueMicrotask', (callback) => void Promise.resolve().then(callback));
  }
  return internal;
})
