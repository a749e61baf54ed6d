// The registry of Node's modules and the globals that Node has.
(function (natives) {
  'use strict';
  const own = new Map();
  const files = new Map();

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

  function requireFrom(base, name) {
    const [kind, target] = natives.resolve(base, String(name));
    if (kind === 'node') return requireOwn(target);
    if (kind === 'file') return requireFile(target);
    if (kind === 'stub') return stub(target);
    throw Object.assign(new Error(`package '${target}' is not installed`), { code: 'dependency_missing', package: target });
  }

  function requireFile(path) {
    if (files.has(path)) return files.get(path).exports;
    const module = { exports: {}, id: path, filename: path, loaded: false };
    files.set(path, module);
    try {
      const text = natives.readText(path);
      if (path.endsWith('.json')) {
        module.exports = JSON.parse(text);
      } else {
        const require = createRequire(path);
        natives.compile(path, text).call(module.exports, module.exports, require, module, path, dirname(path));
      }
      module.loaded = true;
      return module.exports;
    } catch (error) {
      files.delete(path);
      throw error;
    }
  }

  const dirname = (path) => path.slice(0, Math.max(1, path.lastIndexOf('/')));

  function createRequire(base) {
    const require = (name) => requireFrom(base, name);
    require.resolve = (name) => natives.resolve(base, String(name))[1];
    return require;
  }

  // Stands for a package that is not installed while a tool is only described: it can be imported
  // and taken apart, but not used.
  function stub(name) {
    const missing = () => {
      throw Object.assign(new Error(`package '${name}' is not installed`), { code: 'dependency_missing', package: name });
    };
    return new Proxy(function () {}, {
      get: (target, key) => (key === 'prototype' ? target.prototype : typeof key === 'symbol' ? undefined : stub(name)),
      apply: missing,
      construct: missing,
    });
  }

  // Not on the global object, and without a prototype that others could change.
  const internal = {
    __proto__: null,
    // Text cut inside a character is no reason to fail.
    log: (level, text) => natives.log(level, text.toWellFormed()),
    require: requireOwn,
    requireFrom,
    requireFile,
    createRequire,
    stub,
  };

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
  lazy(['Buffer', 'TextEncoder', 'TextDecoder'], 'buffer', member);
  lazy(['structuredClone'], 'util', member);
  lazy(['crypto'], 'crypto', (exports) => exports.webcrypto);
  if (globalThis.queueMicrotask === undefined) {
    hidden('queueMicrotask', (callback) => void Promise.resolve().then(callback));
  }
  return internal;
})
