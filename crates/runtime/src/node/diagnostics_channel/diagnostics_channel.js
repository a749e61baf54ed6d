// diagnostics_channel: named channels inside one program.
const { callback } = require('internal/errors');
const channels = new Map();
class Channel {
  #subscribers = [];
  constructor(name) { this.name = name; }
  get hasSubscribers() { return this.#subscribers.length > 0; }
  subscribe(listener) {
    callback(listener, 'subscription');
    this.#subscribers = [...this.#subscribers, listener];
  }
  unsubscribe(listener) {
    const before = this.#subscribers.length;
    this.#subscribers = this.#subscribers.filter((known) => known !== listener);
    return this.#subscribers.length < before;
  }
  publish(message) {
    for (const listener of this.#subscribers) listener(message, this.name);
  }
  bindStore() {}
  unbindStore() {}
  runStores(data, work, self, ...args) {
    this.publish(data);
    return work.apply(self, args);
  }
}
const channel = (name) => channels.get(name) ?? (channels.set(name, new Channel(name)), channels.get(name));
function tracingChannel(name) {
  const part = (event) => (typeof name === 'string' ? channel(`tracing:${name}:${event}`) : name[event]);
  const all = Object.fromEntries(['start', 'end', 'asyncStart', 'asyncEnd', 'error'].map((event) => [event, part(event)]));
  return Object.assign(all, {
    get hasSubscribers() { return Object.values(all).some((one) => one?.hasSubscribers); },
    subscribe: (listeners) => Object.entries(listeners).forEach(([event, listener]) => all[event].subscribe(listener)),
    unsubscribe: (listeners) => Object.entries(listeners).forEach(([event, listener]) => all[event].unsubscribe(listener)),
    traceSync: (work, context, self, ...args) => work.apply(self, args),
    tracePromise: (work, context, self, ...args) => work.apply(self, args),
    traceCallback: (work, position, context, self, ...args) => work.apply(self, args),
  });
}
Object.assign(exports, {
  Channel, channel, tracingChannel,
  hasSubscribers: (name) => channels.get(name)?.hasSubscribers ?? false,
  subscribe: (name, listener) => channel(name).subscribe(listener),
  unsubscribe: (name, listener) => channel(name).unsubscribe(listener),
});
