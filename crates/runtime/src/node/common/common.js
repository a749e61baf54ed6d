// CommonJS: the registry of files, the wrapper around them, and the class that `require('module')`
// gives. Files are found by the same resolution as imports (guest/resolve.rs).
const { natives } = internal;

const dirname = (path) => path.slice(0, Math.max(1, path.lastIndexOf('/')));
const extname = (path) => /[^/](\.[^./]*)$/.exec(path)?.[1] ?? '';

const cache = { __proto__: null };
const WRAPPER = ['(function (exports, require, module, __filename, __dirname) { ', '\n});'];

class Module {
  constructor(id = '', parent = undefined) {
    this.id = id;
    this.path = dirname(id);
    this.exports = {};
    this.filename = null;
    this.loaded = false;
    this.children = [];
    Object.defineProperty(this, 'parent', { value: parent, writable: true, configurable: true });
    parent?.children?.push(this);
  }
  get paths() {
    return Module._nodeModulePaths(this.path);
  }
  require(request) {
    if (typeof request !== 'string' || request === '') {
      throw Object.assign(new TypeError(`The argument 'id' must be a non-empty string. Received ${request === '' ? "''" : typeof request}`), {
        code: typeof request === 'string' ? 'ERR_INVALID_ARG_VALUE' : 'ERR_INVALID_ARG_TYPE',
      });
    }
    return Module._load(request, this, false);
  }
  load(filename) {
    this.filename = filename;
    const handler = Module._extensions[extname(filename)] ?? Module._extensions['.js'];
    handler(this, filename);
    this.loaded = true;
  }
  _compile(text, filename) {
    if (text.includes('RegExp.$')) internal.require('internal/legacy_regexp');
    const run = natives.compile(filename, text);
    return run.call(this.exports, this.exports, requireOf(this), this, filename, dirname(filename));
  }
}

const resolveFrom = (base, request) => natives.resolve(base, request);

Module._load = (request, parent) => {
  const [kind, target] = resolveFrom(parent?.filename ?? parent?.id ?? '', String(request));
  if (kind === 'node') return internal.require(target);
  if (kind === 'stub') return internal.stub(target);
  return loadFile(target, parent);
};

function loadFile(path, parent) {
  const known = cache[path];
  if (known) {
    if (parent && !parent.children?.includes(known)) parent.children?.push(known);
    return known.exports;
  }
  const module = new Module(path, parent);
  if (!parent && !main) main = module;
  cache[path] = module;
  let done = false;
  try {
    module.load(path);
    done = true;
  } finally {
    // The one that failed may be tried again.
    if (!done) delete cache[path];
  }
  return module.exports;
}

let main;

Module._resolveFilename = (request, parent, isMain, options) => {
  const bases = options?.paths?.map((path) => `${path}/noop.js`) ?? [parent?.filename ?? parent?.id ?? ''];
  let failure;
  for (const base of bases) {
    try {
      const [kind, target] = resolveFrom(base, String(request));
      return kind === 'node' ? String(request) : target;
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
};

function importing(path) {
  const { promise, holder } = natives.importNow(path);
  promise.catch(() => {});
  const [state, reason] = natives.settled(promise);
  if (state === 'rejected') throw reason;
  if (state === 'pending') {
    throw Object.assign(new Error(`require() cannot be used on an ES module with top-level await: ${path}. Use import() instead.`), {
      code: 'ERR_REQUIRE_ASYNC_MODULE',
    });
  }
  const { namespace } = holder;
  return Object.hasOwn(namespace, 'module.exports') ? namespace['module.exports'] : namespace;
}

Module._extensions = {
  __proto__: null,
  '.js'(module, filename) {
    const format = natives.format(filename);
    if (format === 'module') {
      module.exports = importing(filename);
      return;
    }
    const text = natives.readSource(filename);
    try {
      module._compile(text, filename);
    } catch (error) {
      // Neither name nor package said that this is a module; its text does.
      if (format !== 'unknown' || !(error instanceof SyntaxError) || !natives.isModule(text)) throw error;
      module.exports = importing(filename);
    }
  },
  '.json'(module, filename) {
    try {
      module.exports = JSON.parse(natives.readText(filename));
    } catch (error) {
      if (error instanceof SyntaxError) error.message = `${filename}: ${error.message}`;
      throw error;
    }
  },
  '.node'(module, filename) {
    const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(filename)?.[1] ?? filename;
    // A tool that is for Node has to be described before that is known.
    if (natives.describing) {
      module.exports = internal.stub(name);
      return;
    }
    natives.refused(name);
    throw Object.assign(new Error(`'${name}' needs a native addon (${filename}), which cannot be loaded here; sandboxType: 'node' in getRuntimeConfig() runs the tool in Node`), {
      code: 'ERR_DLOPEN_FAILED',
      addon: name,
    });
  },
};

function requireOf(module) {
  const require = (request) => module.require(request);
  require.resolve = (request, options) => Module._resolveFilename(request, module, false, options);
  require.resolve.paths = (request) => (natives.isBuiltin(String(request)) ? null : Module._nodeModulePaths(module.path));
  require.main = main;
  require.extensions = Module._extensions;
  require.cache = cache;
  return require;
}

function createRequire(base) {
  const path = String(base).startsWith('file:') || base instanceof Object ? internal.require('url').fileURLToPath(base) : String(base);
  if (!path.startsWith('/')) {
    throw Object.assign(new TypeError(`The argument 'filename' must be a file URL object, file URL string, or absolute path string. Received '${path}'`), {
      code: 'ERR_INVALID_ARG_VALUE',
    });
  }
  const module = new Module(path);
  module.filename = path;
  return requireOf(module);
}

Module._nodeModulePaths = (from) => {
  const paths = [];
  for (let folder = from; ; folder = dirname(folder)) {
    if (!folder.endsWith('/node_modules')) paths.push(folder === '/' ? '/node_modules' : `${folder}/node_modules`);
    if (folder === '/') return paths;
  }
};
Object.assign(Module, {
  Module,
  _cache: cache,
  _pathCache: { __proto__: null },
  globalPaths: [],
  builtinModules: natives.builtins().filter((name) => !name.startsWith('internal/')),
  isBuiltin: (name) => natives.isBuiltin(String(name)),
  createRequire,
  wrapper: WRAPPER,
  wrap: (script) => WRAPPER[0] + script + WRAPPER[1],
  _initPaths() {},
  syncBuiltinESMExports() {},
  findSourceMap: () => undefined,
  register() {},
  enableCompileCache: () => ({ status: 3 }),
  flushCompileCache() {},
  stripTypeScriptTypes(code, options = {}) {
    if (typeof code !== 'string') throw Object.assign(new TypeError(`The "code" argument must be of type string. Received ${code === null ? 'null' : `type ${typeof code}`}`), { code: 'ERR_INVALID_ARG_TYPE' });
    if (options.mode !== undefined && options.mode !== 'strip') throw Object.assign(new TypeError(`The property 'options.mode' must be one of: 'strip'. Received '${options.mode}'`), { code: 'ERR_INVALID_ARG_VALUE' });
    try {
      const text = natives.withoutTypes(code);
      return options.sourceUrl ? `${text}\n\n//# sourceURL=${options.sourceUrl}` : text;
    } catch (error) {
      throw Object.assign(error, { code: 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX' });
    }
  },
  getCompileCacheDir: () => undefined,
  constants: Object.freeze({ __proto__: null, compileCacheStatus: Object.freeze({ __proto__: null, FAILED: 0, ENABLED: 1, ALREADY_ENABLED: 2, DISABLED: 3 }) }),
  getSourceMapsSupport: () => Object.freeze({ __proto__: null, enabled: false, nodeModules: false, generatedCode: false }),
  setSourceMapsSupport() {},
  runMain() {},
  SourceMap: class SourceMap {
    constructor(payload) { this.payload = payload; }
    findEntry() { return {}; }
    findOrigin() { return {}; }
  },
  findPackageJSON(specifier, base) {
    const path = (one) => (one instanceof Object || String(one).startsWith('file:') ? internal.require('url').fileURLToPath(one) : String(one));
    const fs = internal.require('fs');
    const from = base === undefined ? '/noop.js' : path(base);
    const relative = /^(\.\.?(\/|$)|\/|file:)/.test(String(specifier));
    const start = relative ? internal.require('path').resolve(dirname(from), path(specifier)) : from;
    const name = /^(?:@[^/]+\/)?[^/]+/.exec(String(specifier))?.[0];
    for (let folder = relative && fs.statSync(start, { throwIfNoEntry: false })?.isDirectory() ? start : dirname(start); ; folder = dirname(folder)) {
      const found = relative ? `${folder}/package.json` : `${folder}/node_modules/${name}/package.json`;
      if (fs.existsSync(found)) return found;
      if (folder === '/') return undefined;
    }
  },
});

// The one place that files are asked for by ES modules: no parent, no main.
exports.requireFile = (path) => loadFile(path, null);
exports.createRequire = createRequire;
exports.Module = Module;
exports.main = () => main;
