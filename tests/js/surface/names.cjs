// In Node: every name that its modules and globals have, as JSON. `module.name`, members of objects and
// statics of classes `module.name.member`, methods `module.name#method`, each thing once, by its shortest way.
// Not walked: what begins with _, and the numbers of systems and libraries in `constants`, which are compared
// where they are used.
const { builtinModules } = require('node:module');
const { types } = require('node:util');
const BASE = new Set([Object, Function, Array, Promise, Map, Set, Error, Symbol].flatMap((kind) => [...Object.getOwnPropertyNames(kind), ...Object.getOwnPropertyNames(kind.prototype)]));
const skipped = (name) => typeof name !== 'string' || name.startsWith('_') || BASE.has(name) || ['prototype', 'super_', 'default', 'module.exports', 'withoutStackTrace', 'caller', 'arguments'].includes(name);
// What is of one process, or told otherwise: values and not names.
const VALUES = /^(process\.(env|config|argv|execArgv|versions|release|features|report|mainModule|moduleLoadList|stdin|stdout|stderr)|(os|fs|crypto|http2|zlib|perf_hooks|constants)\.constants|module\.(builtinModules|globalPaths)|async_hooks\.asyncWrapProviders|repl\.builtinModules|tls\.rootCertificates|http\.(METHODS|STATUS_CODES)|zlib\.codes|module\.Module|globalThis\.(process|global|globalThis|Buffer|console))(\.|$)/;
const LANGUAGE = /^(Object|Function|Array|Number|parse|Infinity|NaN|undefined|Boolean|String|Symbol|Date|Promise|RegExp|.*Error$|JSON|Math|Intl|.*Array$|ArrayBuffer|SharedArrayBuffer|Atomics|DataView|Map|BigInt|Set|Iterator|Weak.*|FinalizationRegistry|Proxy|Reflect|decodeURI|encodeURI|escape|unescape|eval|is.*)/;

const seen = new Set();
const names = [];
let level = [];
for (const name of builtinModules) {
  if (name.startsWith('_') || name.startsWith('node:') || ['constants', 'sys'].includes(name)) continue;
  level.push([name, require(`node:${name}`), 0]);
}
names.push(...level.map(([name]) => name));
// After the modules: most globals are theirs.
const globals = Object.getOwnPropertyNames(globalThis).filter((name) => !LANGUAGE.test(name) && !skipped(name));
names.push(...globals.map((name) => `globalThis.${name}`));
for (const name of globals) level.push([`globalThis.${name}`, globalThis[name], 1]);
while (level.length > 0) {
  const next = [];
  for (const [path, value, depth] of level) {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value) || VALUES.test(path) || types.isProxy(value)) continue;
    seen.add(value);
    for (const name of Object.getOwnPropertyNames(value)) {
      if (skipped(name)) continue;
      const at = `${path}.${name}`;
      names.push(at);
      let own;
      try {
        own = value[name];
      } catch {
        continue;
      }
      if (depth < 2 && !Array.isArray(own)) next.push([at, own, depth + 1]);
    }
    for (let kind = value.prototype; kind && kind !== Object.prototype && kind !== Function.prototype && !seen.has(kind); kind = Object.getPrototypeOf(kind)) {
      seen.add(kind);
      for (const name of Object.getOwnPropertyNames(kind)) if (!skipped(name)) names.push(`${path}#${name}`);
    }
  }
  level = next;
}
console.log(JSON.stringify([...new Set(names)].sort()));
