// process: what a tool sees of "its" process.
const { callback: checkCallback } = require('internal/errors');

// Ticks run before promise reactions; the event loop calls runTicks (guest/engine.rs).
const ticks = [];
internal.leftovers.push(() => {
  ticks.length = 0;
});
internal.runTicks = () => {
  while (ticks.length > 0) {
    const { callback, args, store } = ticks.shift();
    internal.asyncStore = store;
    callback(...args);
  }
};

class Process {}
Object.defineProperty(Process, 'name', { value: 'process' });
const process = new Process();
Object.defineProperty(process, Symbol.toStringTag, { value: 'process', configurable: true });
Object.assign(process, {
  title: 'pm-worker',
  pid: native.pid,
  ppid: 0,
  platform: 'linux',
  arch: native.arch,
  version: `v${native.version}`,
  // Of Node's parts only what packages look for.
  versions: { node: native.version, modules: '127', napi: '10', v8: '12.4.254.21-node.33', uv: '1.51.0', zlib: '1.3.1', openssl: '3.0.17', unicode: '17.0' },
  release: { name: 'node', lts: 'Jod', sourceUrl: `https://nodejs.org/download/release/v${native.version}/node-v${native.version}.tar.gz`, headersUrl: `https://nodejs.org/download/release/v${native.version}/node-v${native.version}-headers.tar.gz` },
  noDeprecation: false,
  execPath: '/usr/bin/node',
  execArgv: [],
  argv: ['/usr/bin/node', native.main],
  argv0: 'node',
  exitCode: undefined,
  env: native.env,
  config: { variables: {} },
  features: { inspector: false, debug: false, uv: true, ipv6: true, tls_alpn: true, tls_sni: true, tls_ocsp: false, tls: true, openssl_is_boringssl: false, cached_builtins: true, require_module: true, typescript: 'strip' },
  debugPort: 9229,
  domain: null,
  moduleLoadList: [],
  sourceMapsEnabled: false,
  setSourceMapsEnabled() {},
  cwd: () => native.folder,
  chdir: () => {
    throw Object.assign(new Error('process.chdir() is not supported in workers'), { code: 'ERR_WORKER_UNSUPPORTED_OPERATION' });
  },
  umask: () => 0o22,
  exit(code = process.exitCode ?? 0) {
    native.exit(Number(code) | 0);
    // The halt is noticed by the interpreter's next check; until then go no further.
    for (;;);
  },
  abort: native.abort,
  uptime: () => native.hrtime() / 1e9,
  hrtime: Object.assign(
    (before) => {
      const now = native.hrtime();
      const time = [Math.floor(now / 1e9), Math.floor(now % 1e9)];
      if (!before) return time;
      const nanos = time[1] - before[1];
      return nanos < 0 ? [time[0] - before[0] - 1, nanos + 1e9] : [time[0] - before[0], nanos];
    },
    { bigint: () => BigInt(Math.floor(native.hrtime())) },
  ),
  memoryUsage: Object.assign(
    () => ({ rss: native.rss(), heapTotal: native.heapUsed(), heapUsed: native.heapUsed(), external: 0, arrayBuffers: 0 }),
    { rss: native.rss },
  ),
  nextTick(callback, ...args) {
    checkCallback(callback, 'callback');
    ticks.push({ callback, args, store: internal.asyncStore });
    internal.natives.tick();
  },
  emitWarning(warning, type, code) {
    const options = typeof type === 'object' && type !== null ? type : { type, code };
    const error = warning instanceof Error ? warning : Object.assign(new Error(warning), { name: options.type ?? 'Warning' });
    if (options.code !== undefined && typeof options.code === 'string') error.code = options.code;
    internal.log('WARN', `${error.code ? `[${error.code}] ` : ''}${error.name}: ${error.message}`);
    process.nextTick(() => process.emit('warning', error));
  },
  kill() {
    throw Object.assign(new Error('process.kill() is not supported in workers'), { code: 'ERR_WORKER_UNSUPPORTED_OPERATION' });
  },
  cpuUsage: (previous = undefined) => ({ user: native.cpu() - (previous?.user ?? 0), system: 0 - (previous?.system ?? 0) }),
  resourceUsage: () => ({ userCPUTime: native.cpu(), systemCPUTime: 0, maxRSS: Math.floor(native.rss() / 1024) }),
  getuid: () => 1000,
  geteuid: () => 1000,
  getgid: () => 1000,
  getegid: () => 1000,
  getgroups: () => [1000],
  binding(name) {
    throw Object.assign(new Error(`No such module: ${name}`), { code: 'ERR_INVALID_MODULE' });
  },
  allowedNodeEnvironmentFlags: new Set(),
  getBuiltinModule: (name) => (internal.natives.isBuiltin(String(name)) ? require(String(name).replace(/^node:/, '')) : undefined),
  hasUncaughtExceptionCaptureCallback: () => false,
  setUncaughtExceptionCaptureCallback() {},
  getActiveResourcesInfo: () => [],
  availableMemory: () => Math.max(0, native.heapLimit() - native.heapUsed()),
  constrainedMemory: () => native.heapLimit(),
  threadCpuUsage: (previous = undefined) => process.cpuUsage(previous),
  ref: (one) => void (one?.[Symbol.for('nodejs.ref')] ?? one?.ref)?.call(one),
  unref: (one) => void (one?.[Symbol.for('nodejs.unref')] ?? one?.unref)?.call(one),
  openStdin: () => process.stdin.resume(),
  assert(value, message) {
    if (!value) throw Object.assign(new Error(message ?? 'assertion error'), { code: 'ERR_ASSERTION' });
  },
  loadEnvFile(path = '.env') {
    const found = require('util').parseEnv(require('fs').readFileSync(path, 'utf8'));
    for (const [name, value] of Object.entries(found)) process.env[name] ??= value;
  },
  reallyExit: (code) => process.exit(code),
  // Nothing is told at the end of a run that another process could not tell better.
  finalization: { register() {}, registerBeforeExit() {}, unregister() {} },
});

for (const [name, syscall] of Object.entries({ setuid: 'setuid', setgid: 'setgid', seteuid: 'seteuid', setegid: 'setegid', setgroups: 'setgroups', initgroups: 'initgroups' })) {
  process[name] = () => {
    throw Object.assign(new Error(`EPERM: operation not permitted, ${syscall}`), { code: 'EPERM', errno: -1, syscall });
  };
}
for (const name of ['execve', 'dlopen']) {
  process[name] = () => {
    throw Object.assign(new Error(`process.${name}() is not supported in workers`), { code: 'ERR_WORKER_UNSUPPORTED_OPERATION' });
  };
}
Object.defineProperty(process, 'mainModule', { configurable: true, enumerable: true, get: () => require('internal/common').main() });

// An EventEmitter as soon as somebody asks for one.
for (const name of ['on', 'once', 'off', 'emit', 'addListener', 'removeListener', 'removeAllListeners', 'prependListener', 'prependOnceListener', 'listeners', 'rawListeners', 'listenerCount', 'eventNames', 'setMaxListeners', 'getMaxListeners']) {
  Object.defineProperty(Process.prototype, name, {
    configurable: true,
    writable: true,
    value(...args) {
      const EventEmitter = require('events');
      for (const known of ['on', 'once', 'off', 'emit', 'addListener', 'removeListener', 'removeAllListeners', 'prependListener', 'prependOnceListener', 'listeners', 'rawListeners', 'listenerCount', 'eventNames', 'setMaxListeners', 'getMaxListeners']) {
        delete Process.prototype[known];
      }
      Object.setPrototypeOf(Process.prototype, EventEmitter.prototype);
      EventEmitter.call(process);
      return process[name](...args);
    },
  });
}

// Standard streams: lines of the run's log. Nothing comes in.
const lazily = (name, make) =>
  Object.defineProperty(process, name, {
    configurable: true,
    enumerable: true,
    get() {
      const value = make();
      Object.defineProperty(process, name, { value, configurable: true, enumerable: true, writable: true });
      return value;
    },
  });
const output = (fd, level) => () => {
  const { Writable } = require('stream');
  let rest = '';
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, encoding, done) {
      const lines = (rest + (typeof chunk === 'string' ? chunk : chunk.toString())).split('\n');
      rest = lines.pop();
      for (const line of lines) internal.log(level, line);
      // A line without an end is not kept for ever.
      if (rest !== '') process.nextTick(flush);
      done();
    },
  });
  const flush = () => {
    if (rest !== '') internal.log(level, rest);
    rest = '';
  };
  return Object.assign(stream, { fd, isTTY: false, columns: undefined, _type: 'pipe' });
};
lazily('stdout', output(1, 'INFO'));
lazily('stderr', output(2, 'ERROR'));
lazily('stdin', () => {
  const { Readable } = require('stream');
  const stream = Readable.from([]);
  return Object.assign(stream, { fd: 0, isTTY: false, setRawMode: () => stream });
});
module.exports = process;
