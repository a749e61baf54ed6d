// os: what is true inside the worker. The host's name, users and network stay outside.
const process = require('process');

Object.assign(exports, {
  EOL: '\n',
  devNull: '/dev/null',
  constants: { signals: { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGKILL: 9, SIGTERM: 15 }, errno: {} },
  arch: () => native.arch,
  platform: () => 'linux',
  type: () => 'Linux',
  release: () => '',
  version: () => '',
  machine: () => (native.arch === 'arm64' ? 'aarch64' : 'x86_64'),
  endianness: () => 'LE',
  hostname: () => 'worker',
  homedir: () => process.env.HOME ?? '/',
  tmpdir: () => (process.env.TMPDIR ?? '/tmp').replace(/(.)\/+$/, '$1'),
  availableParallelism: () => native.cpus,
  cpus: () => Array.from({ length: native.cpus }, () => ({ model: '', speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } })),
  totalmem: () => process.memoryUsage().rss,
  freemem: () => 0,
  loadavg: () => [0, 0, 0],
  uptime: () => process.uptime(),
  networkInterfaces: () => ({}),
  userInfo: () => ({ uid: -1, gid: -1, username: process.env.USER ?? 'user', homedir: process.env.HOME ?? '/', shell: null }),
});
