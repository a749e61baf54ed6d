// Event, EventTarget, AbortController: the web's events, without a tree to bubble through.
const { aborted, coded, invalidArgType } = require('internal/errors');

const state = new WeakMap();
const of = (event) => {
  const found = state.get(event);
  if (!found) throw coded(TypeError, 'ERR_INVALID_THIS', 'Value of "this" must be of type Event');
  return found;
};

class Event {
  constructor(type, options = {}) {
    if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "type" argument must be specified');
    state.set(this, {
      type: String(type), bubbles: Boolean(options?.bubbles), cancelable: Boolean(options?.cancelable), composed: Boolean(options?.composed),
      target: null, current: null, prevented: false, stopped: false, silenced: false, passive: false, time: performance.now(), trusted: false,
    });
  }
  get type() { return of(this).type; }
  get target() { return of(this).target; }
  get srcElement() { return of(this).target; }
  get currentTarget() { return of(this).current; }
  get bubbles() { return of(this).bubbles; }
  get cancelable() { return of(this).cancelable; }
  get composed() { return of(this).composed; }
  get defaultPrevented() { return of(this).prevented; }
  get returnValue() { return !of(this).prevented; }
  get cancelBubble() { return of(this).stopped; }
  get eventPhase() { return of(this).current ? 2 : 0; }
  get timeStamp() { return of(this).time; }
  get isTrusted() { return of(this).trusted; }
  composedPath() { return of(this).current ? [of(this).current] : []; }
  preventDefault() {
    const event = of(this);
    if (event.cancelable && !event.passive) event.prevented = true;
  }
  stopPropagation() { of(this).stopped = true; }
  stopImmediatePropagation() { of(this).stopped = of(this).silenced = true; }
  static NONE = 0;
  static CAPTURING_PHASE = 1;
  static AT_TARGET = 2;
  static BUBBLING_PHASE = 3;
}

class CustomEvent extends Event {
  #detail;
  constructor(type, options = {}) {
    super(type, options);
    this.#detail = options?.detail ?? null;
  }
  get detail() { return this.#detail; }
}

class EventTarget {
  #listeners = new Map();
  addEventListener(type, listener, options = {}) {
    if (listener == null) return;
    if (typeof listener !== 'function' && typeof listener !== 'object') throw invalidArgType('listener', 'EventListener', listener);
    const choice = typeof options === 'boolean' ? { capture: options } : options ?? {};
    const { once = false, capture = false, passive = false, signal } = choice;
    if (signal?.aborted) return;
    const list = this.#listeners.get(String(type)) ?? [];
    if (list.some((known) => known.listener === listener && known.capture === Boolean(capture))) return;
    this.#listeners.set(String(type), [...list, { listener, once, passive, capture: Boolean(capture) }]);
    signal?.addEventListener('abort', () => this.removeEventListener(type, listener, choice), { once: true });
  }
  removeEventListener(type, listener, options = {}) {
    const capture = Boolean(typeof options === 'boolean' ? options : options?.capture);
    const list = this.#listeners.get(String(type));
    if (list) this.#listeners.set(String(type), list.filter((known) => known.listener !== listener || known.capture !== capture));
  }
  dispatchEvent(event) {
    if (!(event instanceof Event)) throw invalidArgType('event', 'Event', event);
    const inner = of(event);
    if (inner.current) throw new DOMException('The event is already being dispatched', 'InvalidStateError');
    inner.target = inner.current = this;
    const attribute = this[`on${inner.type}`];
    const list = this.#listeners.get(inner.type) ?? [];
    for (const entry of typeof attribute === 'function' ? [{ listener: attribute }, ...list] : list) {
      if (inner.silenced) break;
      if (entry.once) this.removeEventListener(inner.type, entry.listener, { capture: entry.capture });
      inner.passive = entry.passive;
      try {
        if (typeof entry.listener === 'function') entry.listener.call(this, event);
        else entry.listener.handleEvent?.(event);
      } catch (error) {
        // A listener's fault is nobody's who dispatches; it ends the run.
        require('process').nextTick(() => { throw error; });
      }
    }
    inner.current = null;
    return !inner.prevented;
  }
  static namesOf(target) {
    return [...target.#listeners].filter(([, list]) => list.length > 0).map(([type]) => type);
  }
  static listenersOf(target, type) {
    return (target.#listeners.get(type) ?? []).map((entry) => entry.listener);
  }
}
const { listenersOf, namesOf } = EventTarget;
delete EventTarget.listenersOf;
delete EventTarget.namesOf;

const key = Symbol('AbortSignal');
class AbortSignal extends EventTarget {
  #aborted = false;
  #reason;
  onabort = null;
  constructor(secret) {
    if (secret !== key) throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    super();
    Object.defineProperty(this, 'onabort', { enumerable: false });
  }
  get aborted() { return this.#aborted; }
  get reason() { return this.#reason; }
  throwIfAborted() {
    if (this.#aborted) throw this.#reason;
  }
  static abort(reason = new DOMException('This operation was aborted', 'AbortError')) {
    const signal = new AbortSignal(key);
    signal.#aborted = true;
    signal.#reason = reason;
    return signal;
  }
  static timeout(ms) {
    const signal = new AbortSignal(key);
    setTimeout(() => AbortSignal.trigger(signal, new DOMException('The operation was aborted due to timeout', 'TimeoutError')), ms).unref();
    return signal;
  }
  static any(signals) {
    const signal = new AbortSignal(key);
    for (const other of signals) {
      if (other.aborted) return AbortSignal.abort(other.reason);
      other.addEventListener('abort', () => AbortSignal.trigger(signal, other.reason), { once: true });
    }
    return signal;
  }
  static trigger(signal, reason) {
    if (signal.#aborted) return;
    signal.#aborted = true;
    signal.#reason = reason;
    signal.dispatchEvent(new Event('abort'));
  }
}
const { trigger } = AbortSignal;
Object.defineProperty(AbortSignal, 'trigger', { enumerable: false });

class AbortController {
  #signal = new AbortSignal(key);
  get signal() { return this.#signal; }
  abort(reason = new DOMException('This operation was aborted', 'AbortError')) {
    trigger(this.#signal, reason);
  }
}
for (const kind of [Event, CustomEvent, EventTarget, AbortSignal, AbortController]) {
  Object.defineProperty(kind.prototype, Symbol.toStringTag, { value: kind.name, configurable: true });
}
Object.assign(exports, { Event, CustomEvent, EventTarget, AbortSignal, AbortController, listenersOf, namesOf, aborted });
