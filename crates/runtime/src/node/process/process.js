// process: what a tool sees of "its" process.
const listeners = new Map();

const process = {
  title: 'pm-worker',
  pid: native.pid,
  ppid: 0,
  platform: 'linux',
  arch: native.arch,
  version: 'v22.0.0',
  versions: { node: '22.0.0', modules: '127' },
  release: { name: 'node' },
  execPath: '/usr/bin/node',
  execArgv: [],
  argv: ['/usr/bin/node', native.main],
  argv0: 'node',
  exitCode: undefined,
  env: native.env,
  config: { variables: {} },
  features: {},
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
  nextTick: (callback, ...args) => queueMicrotask(() => callback(...args)),
  emitWarning: (warning) => internal.log('WARN', String(warning?.message ?? warning)),
  on(name, listener) {
    listeners.set(name, [...(listeners.get(name) ?? []), listener]);
    return process;
  },
  off(name, listener) {
    listeners.set(name, (listeners.get(name) ?? []).filter((known) => known !== listener));
    return process;
  },
  emit(name, ...args) {
    const known = listeners.get(name) ?? [];
    for (const listener of known) listener.apply(process, args);
    return known.length > 0;
  },
  listeners: (name) => [...(listeners.get(name) ?? [])],
  listenerCount: (name) => (listeners.get(name) ?? []).length,
  removeAllListeners(name) {
    if (name === undefined) listeners.clear();
    else listeners.delete(name);
    return process;
  },
};
process.addListener = process.on;
process.once = process.on;
process.removeListener = process.off;

const stream = (fd, level) => ({
  fd,
  isTTY: false,
  writable: true,
  write(text) {
    internal.log(level, String(text).replace(/\n$/, ''));
    return true;
  },
});
process.stdout = stream(1, 'INFO');
process.stderr = stream(2, 'ERROR');
module.exports = process;
