// events: EventEmitter, and waiting for its events.
const { aborted, callback, coded, integer, invalidArgType, outOfRange } = require('internal/errors');
const errorMonitor = Symbol('events.errorMonitor');
const captureRejectionSymbol = Symbol.for('nodejs.rejection');
const kCapture = Symbol('kCapture');
let defaultMaxListeners = 10;

function EventEmitter(options) {
  EventEmitter.init.call(this, options);
}
EventEmitter.prototype._events = undefined;
EventEmitter.prototype._eventsCount = 0;
EventEmitter.prototype._maxListeners = undefined;

EventEmitter.init = function (options) {
  if (this._events === undefined || this._events === Object.getPrototypeOf(this)._events) {
    this._events = { __proto__: null };
    this._eventsCount = 0;
  }
  this._maxListeners = this._maxListeners || undefined;
  const capture = options?.captureRejections ?? EventEmitter.captureRejections;
  if (capture) Object.defineProperty(this, kCapture, { value: true, writable: true, configurable: true });
};

const limitOf = (emitter) => emitter._maxListeners ?? defaultMaxListeners;

function unhandled(emitter, args) {
  const error = args[0];
  if (error instanceof Error) return error;
  let shown;
  try {
    shown = require('util').inspect(error);
  } catch {
    shown = error;
  }
  const wrapped = coded(Error, 'ERR_UNHANDLED_ERROR', `Unhandled error. (${shown})`);
  wrapped.context = error;
  return wrapped;
}

function rejected(emitter, promise, type, args) {
  promise.then(undefined, (error) => {
    require('process').nextTick(() => {
      const handler = emitter[captureRejectionSymbol];
      if (typeof handler === 'function') return handler.call(emitter, error, type, ...args);
      const before = emitter[kCapture];
      emitter[kCapture] = false;
      try {
        emitter.emit('error', error);
      } finally {
        emitter[kCapture] = before;
      }
    });
  });
}

function add(emitter, type, listener, first) {
  callback(listener, 'listener');
  let events = emitter._events;
  if (events === undefined) {
    events = emitter._events = { __proto__: null };
    emitter._eventsCount = 0;
  } else if (events.newListener !== undefined) {
    emitter.emit('newListener', type, listener.listener ?? listener);
    events = emitter._events;
  }
  const known = events[type];
  if (known === undefined) {
    events[type] = listener;
    emitter._eventsCount++;
  } else if (typeof known === 'function') {
    events[type] = first ? [listener, known] : [known, listener];
  } else if (first) {
    known.unshift(listener);
  } else {
    known.push(listener);
  }
  const list = events[type];
  const limit = limitOf(emitter);
  if (limit > 0 && list.length > limit && typeof list !== 'function' && !list.warned) {
    list.warned = true;
    require('process').emitWarning(
      Object.assign(new Error(`Possible EventEmitter memory leak detected. ${list.length} ${String(type)} listeners added to ${emitter.constructor?.name}. MaxListeners is ${limit}. Use emitter.setMaxListeners() to increase limit`), {
        name: 'MaxListenersExceededWarning', emitter, type, count: list.length,
      }),
    );
  }
  return emitter;
}

function onceOf(emitter, type, listener) {
  callback(listener, 'listener');
  let fired = false;
  const wrapped = (...args) => {
    if (fired) return;
    fired = true;
    emitter.removeListener(type, wrapped);
    return listener.apply(emitter, args);
  };
  wrapped.listener = listener;
  return Object.defineProperty(wrapped, 'name', { value: 'bound onceWrapper', configurable: true });
}

const listOf = (emitter, type) => {
  const known = emitter._events?.[type];
  return known === undefined ? [] : typeof known === 'function' ? [known] : [...known];
};

Object.assign(EventEmitter.prototype, {
  setMaxListeners(n) {
    if (typeof n !== 'number' || n < 0 || Number.isNaN(n)) throw typeof n === 'number' ? outOfRange('setMaxListeners', '>= 0', n) : invalidArgType('setMaxListeners', 'number', n);
    this._maxListeners = n;
    return this;
  },
  getMaxListeners() {
    return limitOf(this);
  },
  emit(type, ...args) {
    const events = this._events;
    if (type === 'error') {
      if (events?.[errorMonitor] !== undefined) this.emit(errorMonitor, ...args);
      if (events?.error === undefined) throw unhandled(this, args);
    }
    const handler = events?.[type];
    if (handler === undefined) return false;
    const capture = this[kCapture];
    const run = (listener) => {
      const result = listener.apply(this, args);
      if (capture && typeof result?.then === 'function') rejected(this, result, type, args);
    };
    if (typeof handler === 'function') run(handler);
    else for (const listener of [...handler]) run(listener);
    return true;
  },
  addListener(type, listener) {
    return add(this, type, listener, false);
  },
  on: undefined,
  prependListener(type, listener) {
    return add(this, type, listener, true);
  },
  once(type, listener) {
    return this.on(type, onceOf(this, type, listener));
  },
  prependOnceListener(type, listener) {
    return this.prependListener(type, onceOf(this, type, listener));
  },
  removeListener(type, listener) {
    callback(listener, 'listener');
    const known = this._events?.[type];
    if (known === undefined) return this;
    const list = typeof known === 'function' ? [known] : known;
    const at = list.findLastIndex((one) => one === listener || one.listener === listener);
    if (at < 0) return this;
    const rest = list.toSpliced(at, 1);
    if (rest.length === 0) {
      delete this._events[type];
      this._eventsCount--;
    } else {
      this._events[type] = rest.length === 1 ? rest[0] : Object.assign(rest, { warned: list.warned });
    }
    if (this._events.removeListener !== undefined) this.emit('removeListener', type, list === known ? listener : (known.listener ?? listener));
    return this;
  },
  off: undefined,
  removeAllListeners(type) {
    const events = this._events;
    if (events === undefined) return this;
    if (events.removeListener === undefined) {
      if (arguments.length === 0) {
        this._events = { __proto__: null };
        this._eventsCount = 0;
      } else if (events[type] !== undefined) {
        delete events[type];
        this._eventsCount--;
      }
      return this;
    }
    if (arguments.length === 0) {
      for (const key of Reflect.ownKeys(events)) if (key !== 'removeListener') this.removeAllListeners(key);
      this.removeAllListeners('removeListener');
      this._events = { __proto__: null };
      this._eventsCount = 0;
      return this;
    }
    for (const listener of listOf(this, type).reverse()) this.removeListener(type, listener);
    return this;
  },
  listeners(type) {
    return listOf(this, type).map((one) => one.listener ?? one);
  },
  rawListeners(type) {
    return listOf(this, type);
  },
  listenerCount(type, listener) {
    const list = listOf(this, type);
    return listener ? list.filter((one) => one === listener || one.listener === listener).length : list.length;
  },
  eventNames() {
    return this._eventsCount > 0 ? Reflect.ownKeys(this._events) : [];
  },
});
EventEmitter.prototype.on = EventEmitter.prototype.addListener;
EventEmitter.prototype.off = EventEmitter.prototype.removeListener;
for (const name of Object.keys(EventEmitter.prototype)) {
  if (typeof EventEmitter.prototype[name] === 'function') Object.defineProperty(EventEmitter.prototype[name], 'name', { value: name === 'on' ? 'addListener' : name === 'off' ? 'removeListener' : name });
}

const isTarget = (emitter) => typeof emitter.on !== 'function' && typeof emitter.addEventListener === 'function';
function listen(emitter, type, listener, options) {
  if (isTarget(emitter)) return emitter.addEventListener(type, listener, options);
  if (typeof emitter.on !== 'function') throw invalidArgType('emitter', 'EventEmitter', emitter);
  return options?.once ? emitter.once(type, listener) : emitter.on(type, listener);
}
const unlisten = (emitter, type, listener) => (isTarget(emitter) ? emitter.removeEventListener(type, listener) : emitter.removeListener(type, listener));

async function once(emitter, type, options = {}) {
  const { signal } = options;
  if (signal?.aborted) throw aborted(signal.reason);
  return new Promise((resolve, reject) => {
    const finish = (settle, value) => {
      unlisten(emitter, type, done);
      if (type !== 'error' && !isTarget(emitter)) unlisten(emitter, 'error', failed);
      signal?.removeEventListener('abort', stop);
      settle(value);
    };
    const done = (...args) => finish(resolve, args);
    const failed = (error) => finish(reject, error);
    const stop = () => finish(reject, aborted(signal.reason));
    listen(emitter, type, done, { once: true });
    if (type !== 'error' && !isTarget(emitter)) emitter.once('error', failed);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

function on(emitter, type, options = {}) {
  const { signal, close = [] } = options;
  if (signal?.aborted) throw aborted(signal.reason);
  const values = [];
  const waiting = [];
  let failure = null;
  let finished = false;
  const push = (...args) => (waiting.length > 0 ? waiting.shift().resolve({ value: args, done: false }) : values.push(args));
  const fail = (error) => {
    if (waiting.length > 0) waiting.shift().reject(error);
    else failure = error;
    void iterator.return();
  };
  const stop = () => fail(aborted(signal.reason));
  const iterator = {
    async next() {
      if (values.length > 0) return { value: values.shift(), done: false };
      if (failure) {
        const error = failure;
        failure = null;
        throw error;
      }
      if (finished) return { value: undefined, done: true };
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    async return() {
      unlisten(emitter, type, push);
      if (!isTarget(emitter)) unlisten(emitter, 'error', fail);
      for (const name of close) unlisten(emitter, name, ended);
      signal?.removeEventListener('abort', stop);
      finished = true;
      for (const { resolve } of waiting.splice(0)) resolve({ value: undefined, done: true });
      return { value: undefined, done: true };
    },
    async throw(error) {
      fail(error);
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  const ended = () => void iterator.return();
  listen(emitter, type, push);
  if (type !== 'error' && !isTarget(emitter)) emitter.on('error', fail);
  for (const name of close) listen(emitter, name, ended);
  signal?.addEventListener('abort', stop, { once: true });
  return iterator;
}

function addAbortListener(signal, listener) {
  if (signal.aborted) queueMicrotask(() => listener());
  else signal.addEventListener('abort', listener, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', listener) };
}

module.exports = EventEmitter;
Object.assign(EventEmitter, {
  EventEmitter, once, on, errorMonitor, captureRejectionSymbol, addAbortListener,
  captureRejections: false,
  usingDomains: false,
  setMaxListeners(n = defaultMaxListeners, ...targets) {
    if (typeof n !== 'number') throw invalidArgType('setMaxListeners', 'number', n);
    if (targets.length === 0) EventEmitter.defaultMaxListeners = n;
    for (const target of targets) target.setMaxListeners?.(n);
  },
  getEventListeners: (emitter, type) => (isTarget(emitter) ? require('internal/event_target').listenersOf(emitter, type) : emitter.listeners(type)),
  getMaxListeners: (emitter) => emitter.getMaxListeners?.() ?? defaultMaxListeners,
  listenerCount: (emitter, type) => emitter.listenerCount(type),
});
Object.defineProperty(EventEmitter, 'defaultMaxListeners', {
  enumerable: true,
  get: () => defaultMaxListeners,
  set(n) {
    if (typeof n !== 'number' || n < 0 || Number.isNaN(n)) throw typeof n === 'number' ? outOfRange('defaultMaxListeners', '>= 0', n) : invalidArgType('defaultMaxListeners', 'number', n);
    defaultMaxListeners = n;
  },
});
class EventEmitterAsyncResource extends EventEmitter {
  #resource;
  constructor(options) {
    super(typeof options === 'string' ? undefined : options);
    const { AsyncResource } = require('async_hooks');
    this.#resource = new AsyncResource((typeof options === 'string' ? options : options?.name) ?? new.target.name);
  }
  emit(event, ...args) {
    return this.#resource.runInAsyncScope(super.emit, this, event, ...args);
  }
  emitDestroy() {
    this.#resource.emitDestroy();
  }
  get asyncId() {
    return this.#resource.asyncId();
  }
  get triggerAsyncId() {
    return this.#resource.triggerAsyncId();
  }
  get asyncResource() {
    return this.#resource;
  }
}
EventEmitter.EventEmitterAsyncResource = EventEmitterAsyncResource;
