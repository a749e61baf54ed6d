// Timers: callbacks by number here, their times in the event loop.
const armed = new Map();
const custom = Symbol.for('nodejs.util.promisify.custom');

class Timeout {
  constructor(id) {
    this.id = id;
  }
  ref() {
    return this;
  }
  unref() {
    return this;
  }
  hasRef() {
    return true;
  }
  refresh() {
    const timer = armed.get(this.id);
    if (timer) native.rearm(this.id, timer.ms);
    return this;
  }
  close() {
    armed.delete(this.id);
    return this;
  }
  [Symbol.toPrimitive]() {
    return this.id;
  }
  [Symbol.dispose]() {
    this.close();
  }
}

function arm(callback, ms, args, repeats) {
  if (typeof callback !== 'function') {
    throw Object.assign(new TypeError('The "callback" argument must be of type function.'), { code: 'ERR_INVALID_ARG_TYPE' });
  }
  const id = native.arm(ms);
  armed.set(id, { callback, ms, args, repeats });
  return new Timeout(id);
}

const delay = (ms) => {
  const number = Number(ms);
  return number >= 1 ? number : 1;
};
const clear = (timer) => {
  const id = timer instanceof Timeout ? timer.id : Number(timer);
  armed.delete(id);
};

internal.fireTimer = (id) => {
  const timer = armed.get(id);
  if (!timer) return;
  if (timer.repeats) native.rearm(id, timer.ms);
  else armed.delete(id);
  timer.callback(...timer.args);
};

exports.setTimeout = (callback, ms, ...args) => arm(callback, delay(ms), args, false);
exports.setInterval = (callback, ms, ...args) => arm(callback, delay(ms), args, true);
exports.setImmediate = (callback, ...args) => arm(callback, 0, args, false);
exports.clearTimeout = exports.clearInterval = exports.clearImmediate = clear;

const abortable = (start, value, signal) =>
  new Promise((resolve, reject) => {
    const aborted = () => Object.assign(new Error('The operation was aborted'), { name: 'AbortError', code: 'ABORT_ERR', cause: signal.reason });
    if (signal?.aborted) return reject(aborted());
    const timer = start(() => resolve(value));
    signal?.addEventListener?.('abort', () => (clear(timer), reject(aborted())), { once: true });
  });
exports.promises = {
  setTimeout: (ms, value, options) => abortable((done) => exports.setTimeout(done, ms), value, options?.signal),
  setImmediate: (value, options) => abortable((done) => exports.setImmediate(done), value, options?.signal),
};
exports.setTimeout[custom] = exports.promises.setTimeout;
exports.setImmediate[custom] = exports.promises.setImmediate;
