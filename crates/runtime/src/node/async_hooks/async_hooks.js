// async_hooks: AsyncLocalStorage. What runs later has the store of who asked for it. Timers and
// ticks keep it themselves, promise reactions through `then`. Hooks of one's own (createHook) are
// not here: they are taken, and never called.
//
// `await` does not go through `then`, and the engine does not say which job it runs. But jobs run
// in the order in which they are queued, so a job that sets the store is queued right before the
// one that goes on after the `await`:
//   - what is awaited is a promise: the engine asks for its `constructor`, and puts its reaction
//     onto it at once. Ours is put there before;
//   - it is no promise: the engine makes one. That it was made and fulfilled is heard.
// Every other job begins without a store (guest/engine.rs): nobody gets what is another's.
// Not kept: what follows the `await` of a foreign thenable (bluebird's) that is rejected later. It
// has no store. And a promise whose `constructor` is read by others while it is pending counts as
// handled.
const { invalidArgType } = require('internal/errors');
const { apply, defineProperty } = Reflect;
const { get: getOf, set: setOf, has: hasOf, delete: deleteOf } = WeakMap.prototype;

internal.asyncStore ??= undefined;

let patched = false;
function patch() {
  if (patched) return;
  patched = true;
  const { prototype } = Promise;
  const { then } = prototype;
  const { resolve } = Promise;
  // The store of each promise's maker, until it is fulfilled.
  const stores = new WeakMap();
  // A promise made here is none of the tool's; and nobody awaits while `then` and `resolve` look.
  let own = false;
  let looking = false;
  // The next call of `then` is of a promise that follows another.
  let following = false;

  const settled = apply(resolve, Promise, [undefined]);
  defineProperty(settled, 'constructor', { value: undefined });
  const setting = (store) => () => {
    internal.asyncStore = store;
    native.carry();
  };
  const queue = (promise, job) => {
    const before = own;
    own = true;
    try {
      apply(then, promise, [job, job]);
    } finally {
      own = before;
    }
  };
  const lookingAt = (work, self, args) => {
    const before = looking;
    looking = true;
    try {
      return apply(work, self, args);
    } finally {
      looking = before;
    }
  };

  // Not put back afterwards: that is done after every job.
  const keeping = (reaction, store, follows) => {
    if (typeof reaction !== 'function') return reaction;
    return (value) => {
      internal.asyncStore = store;
      // A promise that follows another is often one that is awaited; a rejection is not heard of.
      if (follows) queue(settled, setting(store));
      return reaction(value);
    };
  };
  const method = (name, value) => defineProperty(prototype, name, { value, writable: true, configurable: true });
  method('then', {
    then(fulfilled, rejected) {
      const store = internal.asyncStore;
      const follows = following;
      following = false;
      return lookingAt(then, this, [keeping(fulfilled, store, follows), keeping(rejected, store, follows)]);
    },
  }.then);
  defineProperty(Promise, 'resolve', {
    value: {
      resolve(value) {
        return lookingAt(resolve, this, [value]);
      },
    }.resolve,
    writable: true,
    configurable: true,
  });
  const { constructor } = prototype;
  defineProperty(prototype, 'constructor', {
    configurable: true,
    enumerable: false,
    get() {
      const standing = own || looking ? 0 : native.standing(this);
      if (standing !== 0) queue(standing === 1 ? this : settled, setting(internal.asyncStore));
      return constructor;
    },
    set(value) {
      defineProperty(this, 'constructor', { value, writable: true, enumerable: true, configurable: true });
    },
  });
  const { queueMicrotask } = globalThis;
  defineProperty(globalThis, 'queueMicrotask', {
    value: {
      queueMicrotask(callback) {
        queueMicrotask(keeping(callback, internal.asyncStore, false));
      },
    }.queueMicrotask,
    writable: true,
    enumerable: true,
    configurable: true,
  });

  native.listen((what, promise) => {
    if (own) return;
    if (what === 0) {
      apply(setOf, stores, [promise, internal.asyncStore]);
    } else if (what === 1) {
      internal.asyncStore = apply(getOf, stores, [promise]);
      // Where it is rejected at once, nothing more is heard of it.
      queue(settled, setting(internal.asyncStore));
      following = true;
    } else if (what === 2) {
      following = false;
    } else if (apply(hasOf, stores, [promise])) {
      queue(settled, setting(apply(getOf, stores, [promise])));
      apply(deleteOf, stores, [promise]);
    }
  });
}

const within = (store, work, self, args) => {
  const before = internal.asyncStore;
  internal.asyncStore = store;
  try {
    return apply(work, self, args);
  } finally {
    internal.asyncStore = before;
  }
};
// A store is a Map that is never changed, so that keeping one is keeping a reference.
const having = (storage, value) => {
  const store = new Map(internal.asyncStore);
  if (value === none) store.delete(storage);
  else store.set(storage, value);
  return store;
};
// What others entered meanwhile stays, as in Node.
const withValue = (storage, value, work, args) => {
  const before = internal.asyncStore?.has(storage) ? internal.asyncStore.get(storage) : none;
  internal.asyncStore = having(storage, value);
  try {
    return apply(work, null, args);
  } finally {
    internal.asyncStore = having(storage, before);
  }
};
const none = Symbol('none');

class AsyncLocalStorage {
  #enabled = false;
  static bind(work) {
    return AsyncResource.bind(work);
  }
  static snapshot() {
    return AsyncLocalStorage.bind((work, ...args) => work(...args));
  }
  run(value, work, ...args) {
    patch();
    this.#enabled = true;
    return withValue(this, value, work, args);
  }
  exit(work, ...args) {
    return withValue(this, none, work, args);
  }
  enterWith(value) {
    patch();
    this.#enabled = true;
    internal.asyncStore = having(this, value);
  }
  getStore() {
    return this.#enabled ? internal.asyncStore?.get(this) : undefined;
  }
  disable() {
    this.#enabled = false;
  }
}

let ids = 1;
class AsyncResource {
  #store = internal.asyncStore;
  #id = ++ids;
  constructor(type) {
    if (typeof type !== 'string') throw invalidArgType('type', 'string', type);
  }
  runInAsyncScope(work, self, ...args) {
    return within(this.#store, work, self, args);
  }
  bind(work, self) {
    if (typeof work !== 'function') throw invalidArgType('fn', 'function', work);
    const resource = this;
    const bound = self === undefined
      ? function (...args) { return resource.runInAsyncScope(work, this, ...args); }
      : (...args) => resource.runInAsyncScope(work, self, ...args);
    defineProperty(bound, 'length', { value: work.length, configurable: true });
    return bound;
  }
  static bind(work, type, self) {
    return new AsyncResource(type || work?.name || 'bound-anonymous-fn').bind(work, self);
  }
  emitDestroy() {
    return this;
  }
  asyncId() {
    return this.#id;
  }
  triggerAsyncId() {
    return 1;
  }
}
const hook = { enable: () => hook, disable: () => hook };
Object.assign(exports, { AsyncLocalStorage, AsyncResource, createHook: () => hook, executionAsyncId: () => 1, triggerAsyncId: () => 0, executionAsyncResource: () => ({}), asyncWrapProviders: {} });
