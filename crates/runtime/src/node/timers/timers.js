// Timers: callbacks by number here, their times in the event loop.
const { aborted, callback: checkCallback, invalidArgType } = require('internal/errors');
const armed = new Map();
const custom = Symbol.for('nodejs.util.promisify.custom');

class Timeout {
  #held = true;
  #again;
  constructor(id, again) {
    Object.defineProperty(this, 'id', { value: id });
    this.#again = again;
  }
  ref() {
    this.#held = true;
    native.hold(this.id, true);
    return this;
  }
  unref() {
    this.#held = false;
    native.hold(this.id, false);
    return this;
  }
  hasRef() {
    return this.#held;
  }
  refresh() {
    this.#again?.(this.#held);
    return this;
  }
  close() {
    clear(this);
    return this;
  }
  [Symbol.toPrimitive]() {
    return this.id;
  }
  [Symbol.dispose]() {
    this.close();
  }
}
class Immediate extends Timeout {}

function arm(Kind, callback, ms, args, repeats) {
  checkCallback(callback, 'callback');
  const id = native.arm(ms);
  const entry = { callback, ms, args, repeats, timer: undefined, store: internal.asyncStore, cleared: false };
  // What has fired can be wound up again; what was cleared cannot.
  entry.timer = new Kind(id, (held) => {
    if (entry.cleared) return;
    armed.set(id, entry);
    native.rearm(id, ms);
    native.hold(id, held);
  });
  armed.set(id, entry);
  return entry.timer;
}

const delay = (ms) => {
  const number = Number(ms);
  return number >= 1 ? number : 1;
};
const clear = (timer) => {
  if (timer == null) return;
  const id = timer instanceof Timeout ? timer.id : Number(timer);
  const entry = armed.get(id);
  if (entry) entry.cleared = true;
  armed.delete(id);
  native.disarm(id);
};

internal.leftovers.push(() => armed.clear());
internal.fireTimer = (id) => {
  const timer = armed.get(id);
  if (!timer) return;
  if (timer.repeats) timer.timer.refresh();
  else armed.delete(id);
  internal.asyncStore = timer.store;
  timer.callback.apply(timer.timer, timer.args);
};

exports.setTimeout = function setTimeout(callback, ms, ...args) { return arm(Timeout, callback, delay(ms), args, false); };
exports.setInterval = function setInterval(callback, ms, ...args) { return arm(Timeout, callback, delay(ms), args, true); };
exports.setImmediate = function setImmediate(callback, ...args) { return arm(Immediate, callback, 0, args, false); };
exports.clearTimeout = exports.clearInterval = exports.clearImmediate = clear;

const abortable = (start, value, signal) =>
  new Promise((resolve, reject) => {
    if (signal !== undefined && typeof signal?.addEventListener !== 'function') return reject(invalidArgType('options.signal', 'AbortSignal', signal));
    if (signal?.aborted) return reject(aborted(signal.reason));
    const stop = () => {
      clear(timer);
      reject(aborted(signal.reason));
    };
    const timer = start(() => {
      signal?.removeEventListener('abort', stop);
      resolve(value);
    });
    signal?.addEventListener('abort', stop, { once: true });
  });
async function* intervals(ms, value, options) {
  for (;;) yield await exports.promises.setTimeout(ms, value, options);
}
exports.promises = {
  setTimeout: (ms, value, options) => abortable((done) => exports.setTimeout(done, ms), value, options?.signal),
  setImmediate: (value, options) => abortable((done) => exports.setImmediate(done), value, options?.signal),
  setInterval: intervals,
  scheduler: {
    wait: (ms, options) => exports.promises.setTimeout(ms, undefined, options),
    yield: () => exports.promises.setImmediate(),
  },
};
exports.setTimeout[custom] = exports.promises.setTimeout;
exports.setImmediate[custom] = exports.promises.setImmediate;
// Deprecated, and asked for by old packages: a timer on an object of theirs.
exports.enroll = (item, ms) => Object.assign(item, { _idleTimeout: ms });
exports.unenroll = (item) => exports.clearTimeout(item._onPmTimeout);
exports.active = (item) => {
  exports.unenroll(item);
  item._onPmTimeout = exports.setTimeout(() => item._onTimeout?.(), item._idleTimeout);
};
