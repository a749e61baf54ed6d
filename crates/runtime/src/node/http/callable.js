// Classes that can be called on an object of another class, as Node's older ones can:
// `ServerResponse.call(this, request)` in a function that `util.inherits` from it.

let adopted = null;
/** `Parent`, for a class of ours to extend: constructing one puts its fields onto the object that is called on. */
exports.base = (Parent) => {
  function Base(...given) {
    const object = adopted;
    if (object === null) return Reflect.construct(Parent, given, new.target);
    adopted = null;
    Reflect.apply(Parent, object, given);
    return object;
  }
  Base.prototype = Parent.prototype;
  return Object.setPrototypeOf(Base, Parent);
};
/** A class made of such a base, callable. */
exports.callable = (Class) => {
  function Callable(...given) {
    if (new.target) return Reflect.construct(Class, given, new.target);
    if (!(this instanceof Callable)) return new Callable(...given);
    adopted = this;
    try {
      Reflect.construct(Class, given, this.constructor);
    } finally {
      adopted = null;
    }
    return undefined;
  }
  Callable.prototype = Class.prototype;
  Object.defineProperty(Class.prototype, 'constructor', { value: Callable, writable: true, configurable: true });
  Object.defineProperty(Callable, 'name', { value: Class.name, configurable: true });
  for (const [name, own] of Object.entries(Object.getOwnPropertyDescriptors(Class))) if (!(name in Function.prototype) && name !== 'prototype') Object.defineProperty(Callable, name, own);
  return Object.setPrototypeOf(Callable, Object.getPrototypeOf(Class));
};
