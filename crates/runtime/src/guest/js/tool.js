// The framework around a tool: what `this` is in its functions, how it is described, how its
// business errors are recognised. (CONTRACT, "A tool"; seed 002 sections 4 and 11.8.4)
(function (exported, natives, internal) {
  'use strict';
  const path = internal.require('path');
  // Most calls show nothing, and it is much to start with.
  const inspect = (value) => internal.require('util').inspect(value);
  const tool = exported;
  const problems = [];

  if (tool === null || (typeof tool !== 'object' && typeof tool !== 'function')) {
    throw Object.assign(new TypeError('the module has no default export that is an object'), { code: 'no_default_export' });
  }

  // Own members and those of its classes, nearest first.
  function members() {
    const found = new Map();
    for (let object = tool; object && object !== Object.prototype && object !== Function.prototype; object = Object.getPrototypeOf(object)) {
      for (const name of Object.getOwnPropertyNames(object)) {
        if (name !== 'constructor' && !found.has(name)) found.set(name, object);
      }
    }
    return [...found.keys()];
  }

  function logger() {
    const write = (level) => (message, ...rest) => {
      const text = typeof message === 'string' ? message : inspect(message);
      internal.log(level, [text, ...rest.map(compact)].join(' '));
    };
    return { debug: write('DEBUG'), info: write('INFO'), log: write('INFO'), warn: write('WARN'), error: write('ERROR') };
  }

  function compact(value) {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return value.stack ? `${value}\n${value.stack}` : String(value);
    try {
      return JSON.stringify(value) ?? String(value);
    } catch {
      return inspect(value);
    }
  }

  const storage = {
    getItem(key) {
      const all = JSON.parse(natives.storageRead());
      return Object.hasOwn(all, String(key)) ? all[String(key)] : null;
    },
    setItem(key, value) {
      const json = JSON.stringify(value);
      if (json === undefined) throw new TypeError(`storage: the value of '${String(key)}' is not JSON`);
      natives.storageWrite(String(key), json);
    },
    removeItem(key) {
      natives.storageWrite(String(key), undefined);
    },
    clear() {
      natives.storageWrite(undefined, undefined);
    },
  };

  const environment = {
    get: (name) => (Object.hasOwn(natives.env, name) ? natives.env[name] : undefined),
    set(name, value) {
      natives.env[name] = String(value);
      internal.require('process').env[name] = String(value);
    },
  };

  const directories = () => [...natives.directories];

  function expand(input) {
    const from = (root, rest) => (rest === '' ? root : path.join(root, rest));
    if (input === '~/.prompt-manager' || input.startsWith('~/.prompt-manager/')) {
      return from(natives.dataHome, input.slice('~/.prompt-manager'.length));
    }
    if (input === '~' || input.startsWith('~/')) return from(natives.userHome, input.slice(1));
    return input;
  }

  // Explains what the operating system enforces: the mounts of this worker are the same list.
  function resolvePromptManagerPath(input) {
    if (typeof input !== 'string' || input === '') throw new TypeError('path must be a non-empty string');
    if (input.includes('\0')) throw new TypeError('path must not contain NUL');
    const allowed = natives.directories;
    const resolved = path.resolve(allowed[0] ?? natives.toolDir, expand(input));
    const inside = (root) => resolved === root || resolved.startsWith(root === '/' ? '/' : `${root}/`);
    if (allowed.some(inside)) return resolved;
    throw Object.assign(new Error(`路径越权: ${input} 不在允许的目录范围内 [${allowed.join(', ')}]`), { code: 'path_not_allowed' });
  }

  const here = path.join(natives.toolDir, `${natives.toolName}.tool.js`);
  const requireToolModule = (name) => internal.requireFrom(here, name);
  const bring = natives.bring ?? ((name) => import(name));
  const importToolModule = (name) => bring(name.startsWith('.') ? path.resolve(natives.toolDir, name) : name);

  const progress = (done, total, text) => natives.progress(Number(done), total, text?.toWellFormed?.() ?? text);

  function makeContext() {
    const self = {
      api: { logger: logger(), environment, storage, progress },
      __toolDir: natives.toolDir,
      __toolName: natives.toolName,
      _allowedDirectories: directories(),
      getAllowedDirectories: directories,
      initializeFilesystem() {
        self._allowedDirectories = directories();
        return self._allowedDirectories;
      },
      resolvePromptManagerPath,
      requireToolModule,
      importToolModule,
    };
    for (const name of members()) {
      const member = tool[name];
      self[name] = typeof member === 'function' ? member.bind(self) : member;
    }
    return self;
  }

  async function ask(self, name, property) {
    if (typeof self[name] !== 'function') return self[property];
    try {
      return await self[name]();
    } catch (error) {
      problems.push({ code: `${name}_failed`, message: String(error?.message ?? error) });
      return undefined;
    }
  }

  async function describe() {
    const self = makeContext();
    const errors = await ask(self, 'getBusinessErrors', 'businessErrors');
    return {
      metadata: await ask(self, 'getMetadata', 'metadata'),
      schema: await ask(self, 'getSchema', 'schema'),
      dependencies: await ask(self, 'getDependencies', 'dependencies'),
      systemDependencies: await ask(self, 'getSystemDependencies', 'systemDependencies'),
      businessErrors: Array.isArray(errors) ? errors.map(withoutMatch) : errors,
      runtimeConfig: await ask(self, 'getRuntimeConfig', 'runtimeConfig'),
      manual: typeof self.generateManual === 'function' ? await ask(self, 'generateManual') : undefined,
      members: members().filter((name) => typeof tool[name] === 'function'),
      translations: await ask(self, 'getTranslations', 'translations'),
      problems,
    };
  }

  // What it matches by stays here, where it is tested; of what kind it is can be told.
  function withoutMatch(entry) {
    if (entry === null || typeof entry !== 'object') return entry;
    const { match, ...rest } = entry;
    return { ...rest, matchedBy: match instanceof RegExp ? 'pattern' : typeof match };
  }

  async function businessError(message, name, code) {
    const self = makeContext();
    const entries = typeof self.getBusinessErrors === 'function' ? await self.getBusinessErrors() : tool.businessErrors;
    if (!Array.isArray(entries)) return null;
    const error = Object.assign(new Error(message), { name, code });
    for (const entry of entries) {
      if (entry && (matches(entry.match, error) || (code !== undefined && entry.code === code))) return entry.code ?? null;
    }
    return null;
  }

  function matches(match, error) {
    if (match instanceof RegExp) {
      match.lastIndex = 0;
      return match.test(error.message);
    }
    if (typeof match === 'string') return match !== '' && error.message.includes(match);
    return typeof match === 'function' ? Boolean(match(error)) : false;
  }

  async function execute(params) {
    const self = makeContext();
    if (typeof self.execute !== 'function') throw new TypeError(`tool '${natives.toolName}' has no execute method`);
    return self.execute(params);
  }

  // JSON has one word for what JavaScript has several for; whoever tries a tool wants to know.
  async function trial(params) {
    const result = await execute(params);
    const kind = result === null ? 'null' : typeof result;
    return kind === 'object' || kind === 'string' ? { kind, result } : { kind };
  }

  return { describe, execute, trial, businessError };
})
