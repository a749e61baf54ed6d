// domain: deprecated in Node; what old packages use of it. What is thrown inside `run`, `bind` and
// `intercept` becomes the domain's `error`; what comes later without them does not.
const EventEmitter = require('events');
const stack = [];
class Domain extends EventEmitter {
  members = [];
  add(member) { if (!this.members.includes(member)) this.members.push(member); }
  remove(member) { this.members = this.members.filter((one) => one !== member); }
  enter() {
    stack.push(this);
    exports.active = process.domain = this;
  }
  exit() {
    const at = stack.lastIndexOf(this);
    if (at >= 0) stack.splice(at);
    exports.active = process.domain = stack.at(-1) ?? null;
  }
  #within(work, that, given) {
    this.enter();
    try {
      return Reflect.apply(work, that, given);
    } catch (error) {
      if (this.listenerCount('error') === 0) throw error;
      if (typeof error === 'object' && error !== null) Object.defineProperty(error, 'domain', { value: this, writable: true, configurable: true });
      this.emit('error', error);
      return undefined;
    } finally {
      this.exit();
    }
  }
  run(work, ...given) { return this.#within(work, this, given); }
  bind(work) {
    const self = this;
    return function (...given) { return self.#within(work, this, given); };
  }
  intercept(work) {
    const self = this;
    return function (error, ...given) { return error ? void self.emit('error', error) : self.#within(work, this, given); };
  }
}
internal.leftovers.push(() => {
  stack.length = 0;
  exports.active = process.domain = null;
});
Object.assign(exports, { Domain, create: () => new Domain(), createDomain: () => new Domain(), active: null, _stack: stack });
