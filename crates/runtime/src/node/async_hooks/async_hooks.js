// async_hooks: AsyncLocalStorage. What runs later has the store of who asked for it: timers and
// ticks keep it themselves, promise reactions through `then`. Not kept: what follows an `await`,
// which does not go through `then`.
internal.asyncStore ??= undefined;

let patched = false;
function patch() {
  if (patched) return;
  patched = true;
  const { then } = Promise.prototype;
  const keeping = (reaction) => {
    if (typeof reaction !== 'function') return reaction;
    const store = internal.asyncStore;
    return function (value) {
      const before = internal.asyncStore;
      internal.asyncStore = store;
      try {
        return reaction.call(this, value);
      } finally {
        internal.asyncStore = before;
      }
    };
  };
  Object.defineProperty(Promise.prototype, 'then', {
    writable: true,
    configurable: true,
    value: function (fulfilled, rejected) {
      return then.call(this, keeping(fulfilled), keeping(rejected));
    },
  });
  const { queueMicrotask } = globalThis;
  globalThis.queueMicrotask = (callback) => queueMicrotask(keeping(callback));
}

const within = (store, work, args) => {
  const before = internal.asyncStore;
  internal.asyncStore = store;
  try {
    return work(...args);
  } finally {
    internal.asyncStore = before;
  }
};

class AsyncLocalStorage {
  #enabled = true;
  static bind(work) { return AsyncResource.bind(work); }
  static snapshot() {
    const store = internal.asyncStore;
    return (work, ...args) => within(store, work, args);
  }
  run(value, work, ...args) {
    patch();
    this.#enabled = true;
    return within(new Map(internal.asyncStore ?? []).set(this, value), work, args);
  }
  exit(work, ...args) {
    const store = new Map(internal.asyncStore ?? []);
    store.delete(this);
    return within(store, work, args);
  }
  enterWith(value) {
    patch();
    this.#enabled = true;
    internal.asyncStore = new Map(internal.asyncStore ?? []).set(this, value);
  }
  getStore() { return this.#enabled ? internal.asyncStore?.get(this) : undefined; }
  disable() { this.#enabled = false; }
}
let ids = 1;
class AsyncResource {
  #store = internal.asyncStore;
  #id = ++ids;
  constructor(type) { this.type = type; }
  runInAsyncScope(work, self, ...args) { return within(this.#store, work.bind(self), args); }
  bind(work, self) { return (...args) => this.runInAsyncScope(work, self, ...args); }
  static bind(work, type, self) { return new AsyncResource(type).bind(work, self); }
  emitDestroy() { return this; }
  asyncId() { return this.#id; }
  triggerAsyncId() { return 1; }
}
const hook = { enable: () => hook, disable: () => hook };
Object.assign(exports, { AsyncLocalStorage, AsyncResource, createHook: () => hook, executionAsyncId: () => 1, triggerAsyncId: () => 0, executionAsyncResource: () => ({}), asyncWrapProviders: {} });
