// console: lines of the run's log; `Console` writes them to streams. What only a debugger would see
// (profile, timeStamp) does nothing, as in Node without one.
const util = require('util');
const { invalidArgType, coded } = require('internal/errors');
const { tableOf } = require('internal/console_table');

/** The methods, over what takes a line of a level. `state` is one console's own. */
function methods(write, state) {
  const { counts, timers } = state;
  const line = (level) => (...args) => {
    const text = util.formatWithOptions(state.options, ...args);
    const { indent } = state;
    write(level, indent === '' ? text : text.split('\n').map((one) => indent + one).join('\n'));
  };
  const log = line('INFO');
  const warn = line('WARN');
  const warning = (text) => require('process').emitWarning(text);
  const elapsed = (label) => {
    const ms = performance.now() - timers.get(label);
    if (ms >= 1000) return `${label}: ${(ms / 1000).toFixed(3)}s`;
    return `${label}: ${ms >= 1 ? Number(ms.toFixed(3)) : ms.toFixed(3)}ms`;
  };
  const known = (label, name) => timers.has(label) || void warning(`No such label '${label}' for console.${name}()`);
  const all = {
    log, info: log, debug: line('DEBUG'), warn, error: line('ERROR'), dirxml: log,
    trace: (...args) => line('DEBUG')(`Trace${args.length > 0 ? `: ${util.format(...args)}` : ''}\n${new Error().stack.split('\n').slice(2).join('\n')}`),
    dir: (value, options) => write('INFO', state.indent + util.inspect(value, { customInspect: false, ...state.options, ...options })),
    table(data, columns) {
      const text = tableOf(data, columns, state.options);
      if (text === undefined) log(data);
      else log(text);
    },
    assert: (condition, ...args) => {
      if (condition) return;
      if (typeof args[0] === 'string') warn(`Assertion failed: ${args[0]}`, ...args.slice(1));
      else warn('Assertion failed', ...args);
    },
    clear() {},
    count: (label = 'default') => {
      label = `${label}`;
      counts.set(label, (counts.get(label) ?? 0) + 1);
      log(`${label}: ${counts.get(label)}`);
    },
    countReset: (label = 'default') => {
      if (!counts.delete(`${label}`)) warning(`Count for '${label}' does not exist`);
    },
    group: (...args) => {
      if (args.length > 0) log(...args);
      state.indent += ' '.repeat(state.width);
    },
    groupEnd: () => {
      state.indent = state.indent.slice(state.width);
    },
    time: (label = 'default') => {
      label = `${label}`;
      if (timers.has(label)) warning(`Label '${label}' already exists for console.time()`);
      else timers.set(label, performance.now());
    },
    timeLog: (label = 'default', ...args) => {
      if (known(`${label}`, 'timeLog')) log(elapsed(`${label}`), ...args);
    },
    timeEnd: (label = 'default') => {
      if (!known(`${label}`, 'timeEnd')) return;
      log(elapsed(`${label}`));
      timers.delete(`${label}`);
    },
    profile() {},
    profileEnd() {},
    timeStamp() {},
  };
  all.groupCollapsed = all.group;
  return all;
}
const fresh = (more) => ({ counts: new Map(), timers: new Map(), indent: '', width: 2, options: {}, ...more });

function Console(options, ...rest) {
  if (!new.target) return new Console(options, ...rest);
  const given = !options || typeof options.write === 'function' ? { stdout: options, stderr: rest[0], ignoreErrors: rest[1] } : options;
  const { stdout, stderr = stdout, ignoreErrors = true, colorMode = 'auto', inspectOptions, groupIndentation = 2 } = given;
  for (const [name, stream] of [['stdout', stdout], ['stderr', stderr]]) {
    if (typeof stream?.write !== 'function') throw coded(TypeError, 'ERR_CONSOLE_WRITABLE_STREAM', `Console expects a writable stream instance for ${name}`);
  }
  if (inspectOptions !== undefined && (typeof inspectOptions !== 'object' || inspectOptions === null)) throw invalidArgType('options.inspectOptions', 'object', inspectOptions);
  const state = fresh({ width: groupIndentation, options: { colors: colorMode === true, ...inspectOptions } });
  const write = (level, text) => {
    const stream = level === 'WARN' || level === 'ERROR' || text.startsWith('Trace') ? stderr : stdout;
    const unheard = () => {};
    if (ignoreErrors) stream.once?.('error', unheard);
    try {
      stream.write(`${text}\n`, ignoreErrors ? unheard : undefined);
    } catch (error) {
      if (!ignoreErrors) throw error;
    } finally {
      stream.removeListener?.('error', unheard);
    }
  };
  Object.defineProperties(this, { _stdout: { value: stdout, writable: true, configurable: true }, _stderr: { value: stderr, writable: true, configurable: true } });
  // Classes made of this one have methods of their own.
  for (const [name, value] of Object.entries(methods(write, state))) if (!(name in this) || Console.prototype[name] === this[name]) this[name] = value;
}
const own = methods((level, text) => internal.log(level, text), fresh());
// So that they can be asked for; a console has its own.
for (const name of Object.keys(own)) Object.defineProperty(Console.prototype, name, { value: own[name], writable: true, configurable: true });
Object.defineProperty(Console, Symbol.hasInstance, { value: (one) => one === module.exports || Function.prototype[Symbol.hasInstance].call(Console, one) });
module.exports = own;
Object.assign(module.exports, { Console, context: () => module.exports, createTask: () => ({ run: (work) => work() }) });
Object.defineProperty(module.exports, Symbol.toStringTag, { value: 'console', configurable: true });
for (const name of ['_stdout', '_stderr']) Object.defineProperty(module.exports, name, { configurable: true, get: () => require('process')[name.slice(1)] });
