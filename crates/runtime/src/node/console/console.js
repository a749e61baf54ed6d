// console.*: lines of the run's log.
const util = require('util');
const counts = new Map();
const timers = new Map();
let indent = '';

const write = (level) => (...args) => {
  const text = util.format(...args);
  internal.log(level, indent === '' ? text : text.split('\n').map((line) => indent + line).join('\n'));
};
const log = write('INFO');
const warn = write('WARN');
const elapsed = (label) => `${label}: ${(performance.now() - timers.get(label)).toFixed(3)}ms`;

module.exports = {
  log,
  info: log,
  debug: write('DEBUG'),
  warn,
  error: write('ERROR'),
  trace: (...args) => write('DEBUG')(`Trace: ${util.format(...args)}\n${new Error().stack}`),
  dir: (value, options) => log(util.inspect(value, options)),
  dirxml: log,
  table: (value) => log(util.inspect(value)),
  assert: (condition, ...args) => {
    if (!condition) warn(args.length > 0 ? `Assertion failed: ${util.format(...args)}` : 'Assertion failed');
  },
  count: (label = 'default') => {
    counts.set(label, (counts.get(label) ?? 0) + 1);
    log(`${label}: ${counts.get(label)}`);
  },
  countReset: (label = 'default') => void counts.delete(label),
  group: (...args) => {
    if (args.length > 0) log(...args);
    indent += '  ';
  },
  groupCollapsed: (...args) => module.exports.group(...args),
  groupEnd: () => {
    indent = indent.slice(2);
  },
  time: (label = 'default') => void timers.set(label, performance.now()),
  timeLog: (label = 'default', ...args) => {
    if (timers.has(label)) log(elapsed(label), ...args);
  },
  timeEnd: (label = 'default') => {
    if (!timers.has(label)) return;
    log(elapsed(label));
    timers.delete(label);
  },
};
