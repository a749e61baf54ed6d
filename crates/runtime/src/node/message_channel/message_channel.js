// MessageChannel and BroadcastChannel: messages inside this one thread, copied as if they left it.
const { Event, EventTarget, listenersOf, namesOf } = require('internal/event_target');
const { MessageEvent } = require('internal/websocket');
const { structuredClone } = require('internal/clone');
const { coded } = require('internal/errors');

const key = Symbol('MessagePort');
class MessagePort extends EventTarget {
  #other = null;
  #queue = [];
  #started = false;
  #closed = false;
  #heard = null;
  #most = 10;
  #listeners = new Map();
  constructor(secret) {
    if (secret !== key) throw new TypeError('Illegal constructor');
    super();
  }
  static join(one, other) {
    one.#other = other;
    other.#other = one;
  }
  /** The next message, for who does not wait to hear of it. */
  static next(port) {
    if (typeof port !== 'object' || port === null || !(#queue in port)) throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "port" argument must be a MessagePort instance');
    return port.#queue.length === 0 ? undefined : { message: port.#queue.shift() };
  }
  get onmessage() { return this.#heard; }
  set onmessage(listener) {
    this.#heard = typeof listener === 'function' ? listener : null;
    this.start();
  }
  postMessage(message, options) {
    const other = this.#other;
    const data = structuredClone(message, Array.isArray(options) ? { transfer: options.filter((one) => one instanceof ArrayBuffer) } : undefined);
    if (!other || this.#closed || other.#closed) return;
    other.#queue.push(data);
    other.#deliver();
  }
  #deliver() {
    if (!this.#started) return;
    setImmediate(() => {
      if (this.#closed || this.#queue.length === 0) return;
      this.dispatchEvent(new MessageEvent('message', { data: this.#queue.shift() }));
    });
  }
  start() {
    if (this.#started) return;
    this.#started = true;
    for (let count = this.#queue.length; count > 0; count--) this.#deliver();
  }
  close() {
    if (this.#closed) return;
    this.#closed = true;
    setImmediate(() => this.dispatchEvent(new Event('close')));
    this.#other?.close();
  }
  // Node's ports are emitters, too.
  on(type, listener) {
    const heard = (event) => listener(type === 'message' ? event.data : event);
    this.#listeners.set(listener, heard);
    this.addEventListener(type, heard);
    if (type === 'message') this.start();
    return this;
  }
  once(type, listener) {
    const heard = (value) => {
      this.off(type, heard);
      listener(value);
    };
    return this.on(type, heard);
  }
  off(type, listener) {
    this.removeEventListener(type, this.#listeners.get(listener) ?? listener);
    return this;
  }
  emit(type, value) { return this.listenerCount(type) > 0 && (this.dispatchEvent(type === 'message' ? new MessageEvent(type, { data: value }) : new Event(type)), true); }
  listenerCount(type) { return listenersOf(this, String(type)).length; }
  eventNames() { return namesOf(this); }
  removeAllListeners(type) {
    for (const name of type === undefined ? namesOf(this) : [String(type)]) for (const listener of listenersOf(this, name)) this.removeEventListener(name, listener);
    return this;
  }
  getMaxListeners() { return this.#most; }
  setMaxListeners(count) {
    this.#most = count;
    return this;
  }
  hasRef() { return this.#started && !this.#closed; }
  ref() { return this; }
  unref() { return this; }
}
Object.defineProperty(MessagePort.prototype, 'onmessageerror', { value: null, writable: true, configurable: true });
MessagePort.prototype.addListener = MessagePort.prototype.on;
MessagePort.prototype.removeListener = MessagePort.prototype.off;
const { join, next } = MessagePort;
delete MessagePort.join;
delete MessagePort.next;

class MessageChannel {
  constructor() {
    this.port1 = new MessagePort(key);
    this.port2 = new MessagePort(key);
    join(this.port1, this.port2);
  }
}

const rooms = new Map();
class BroadcastChannel extends EventTarget {
  onmessage = null;
  onmessageerror = null;
  constructor(name) {
    super();
    this.name = String(name);
    if (!rooms.has(this.name)) rooms.set(this.name, new Set());
    rooms.get(this.name).add(this);
  }
  postMessage(message) {
    const data = structuredClone(message);
    for (const other of rooms.get(this.name) ?? []) if (other !== this) setImmediate(() => other.dispatchEvent(new MessageEvent('message', { data })));
  }
  close() { rooms.get(this.name)?.delete(this); }
  ref() { return this; }
  unref() { return this; }
}
for (const kind of [MessagePort, MessageChannel, BroadcastChannel]) Object.defineProperty(kind.prototype, Symbol.toStringTag, { value: kind.name, configurable: true });
Object.assign(exports, { receiveMessageOnPort: next, MessagePort, MessageChannel, BroadcastChannel });
