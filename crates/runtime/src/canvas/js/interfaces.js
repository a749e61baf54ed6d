// WebIDL in small: argument checks, conversions, and the shape of an interface.
(function (native, shared) {
  'use strict';

  const typedArrayTag = Object.getOwnPropertyDescriptor(
    Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get;
  const reflectCall = Reflect.apply;

  shared.need = (name, given, required) => {
    if (given < required) {
      throw new TypeError(`${name}: ${required} argument(s) required, but only ${given} present`);
    }
  };

  // [EnforceRange]: whole numbers inside the range, or a TypeError.
  const enforceRange = (name, value, min, max) => {
    const number = Math.trunc(+value);
    if (!(number >= min && number <= max)) {
      throw new TypeError(`${name}: ${number} is not an integer from ${min} to ${max}`);
    }
    return number + 0;
  };
  shared.long = (name, value) => enforceRange(name, value, -2147483648, 2147483647);
  shared.unsignedLong = (name, value) => enforceRange(name, value, 0, 4294967295);
  shared.unsignedLongLong = (name, value) => enforceRange(name, value, 0, Number.MAX_SAFE_INTEGER);

  shared.isObject = (value) => value !== null && (typeof value === 'object' || typeof value === 'function');

  // A dictionary argument: undefined and null are the empty one.
  shared.dictionary = (name, value) => {
    if (value === undefined || value === null) return {};
    if (!shared.isObject(value)) throw new TypeError(`${name}: an object is expected`);
    return value;
  };

  shared.sequence = (name, value) => {
    if (!shared.isObject(value) || typeof value[Symbol.iterator] !== 'function') {
      throw new TypeError(`${name}: a sequence is expected`);
    }
    return [...value];
  };

  // The name of a typed array's class; undefined for everything else.
  shared.typedArrayName = (value) => reflectCall(typedArrayTag, value, []);

  // Puts native members onto a prototype.
  shared.mixin = (prototype, members) => {
    Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(members));
  };

  // An interface that scripts cannot construct.
  shared.illegal = (name, prototype) => {
    const constructor = { [name]: function () { throw new TypeError('Illegal constructor'); } }[name];
    Object.defineProperty(constructor, 'prototype', { value: prototype, writable: false });
    Object.defineProperty(prototype, 'constructor', {
      value: constructor, writable: true, enumerable: false, configurable: true,
    });
    return constructor;
  };

  // Members of interfaces are enumerable, constructors and symbols are not; globals are hidden from for-in.
  shared.publish = (constructor) => {
    const { name, prototype } = constructor;
    for (const key of Object.getOwnPropertyNames(prototype)) {
      if (key !== 'constructor') Object.defineProperty(prototype, key, { enumerable: true });
    }
    Object.defineProperty(prototype, Symbol.toStringTag, { value: name, configurable: true });
    shared.global(name, constructor);
  };

  shared.global = (name, value) => {
    Object.defineProperty(native.globals, name, { value, writable: true, enumerable: false, configurable: true });
  };
})
