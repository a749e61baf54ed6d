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
  lazy(['crypto'], 'crypto', (exports) => exports.webcrypto);
  if (globalThis.queueMicrotask === undefined) {
    hidden('queueMicrotask', (callback) => void Promise.resolve().then(callback));
  }
  return internal;
})
