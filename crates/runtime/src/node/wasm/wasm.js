// WebAssembly: the interface and the objects' caches; what runs is in mod.rs. Not on purpose: Tag, Exception,
// shared memories (see there).
const wrong = (message) => new TypeError(message);
const isObject = (value) => value !== null && (typeof value === 'object' || typeof value === 'function');
const visible = (constructor, names) => {
  for (const name of names) Object.defineProperty(constructor.prototype, name, { enumerable: true });
  Object.defineProperty(constructor.prototype, Symbol.toStringTag, { value: `WebAssembly.${constructor.name}`, configurable: true });
};

// As the language's own kinds of errors: a class that is also called.
function errorKind(name) {
  const { [name]: kind } = {
    [name]: function (message, options) {
      const error = Reflect.construct(Error, message === undefined ? [] : [message, options], new.target ?? kind);
      Error.captureStackTrace?.(error, kind);
      return error;
    },
  };
  const hidden = (value) => ({ value, writable: true, configurable: true });
  const prototype = Object.create(Error.prototype, { constructor: hidden(kind), name: hidden(name), message: hidden('') });
  Object.defineProperty(kind, 'prototype', { value: prototype, writable: false });
  Object.defineProperty(kind, 'length', { value: 1, configurable: true });
  return Object.setPrototypeOf(kind, Error);
}
const CompileError = errorKind('CompileError');
const LinkError = errorKind('LinkError');
const RuntimeError = errorKind('RuntimeError');
const ERRORS = { __proto__: null, CompileError, LinkError, RuntimeError, RangeError, TypeError };

// What our objects are, where nobody else can say it.
const modules = new WeakMap();
// Object -> { group, number }.
const memories = new WeakMap();
const tables = new WeakMap();
const globals = new WeakMap();
// Exported function -> { group, number }.
const functions = new WeakMap();
const buffers = new WeakSet();

// Makes an object without what its constructor does.
const MADE = Symbol('made');
const made = (constructor, map, group, number) => {
  const cached = group.objects.get(`${constructor.name} ${number}`);
  if (cached !== undefined) return cached;
  const object = new constructor(MADE);
  map.set(object, { group, number });
  remember(group, constructor, number, object);
  return object;
};
const remember = (group, constructor, number, object) => {
  group.objects.set(`${constructor.name} ${number}`, object);
};

// A store and what JavaScript has seen of it. One without a module is for what code makes by itself and
// hands to instances.
function newGroup(module) {
  const values = [];
  const numbers = new Map();
  const wrapped = [];
  const adopted = new Map();
  const helpers = {
    // Its stack begins where the tool called the function of that number.
    error(kind, message, number) {
      const error = new ERRORS[kind](message);
      if (number >= 0) Error.captureStackTrace?.(error, wrapped[number]);
      return error;
    },
    list(value, length) {
      if (!isObject(value) || typeof value[Symbol.iterator] !== 'function') throw wrong('multi-return value must be iterable');
      const list = [...value];
      if (list.length !== length) throw wrong('multi-return length mismatch');
      return list;
    },
    hold(value) {
      let number = numbers.get(value);
      // -0 and 0 are one key, and not one value.
      if (number === undefined || !Object.is(values[number], value)) {
        number = values.push(value) - 1;
        numbers.set(value, number);
      }
      return number;
    },
    held: (number) => values[number],
    // One for each.
    wrap: (number, length, name) => wrapped[number] ??= exported(group, number, length, name),
    // A function of another store is called from this one as JavaScript's are, but stays the object that it is.
    known(value) {
      const place = functions.get(value);
      if (place === undefined) return -1;
      if (place.group === group) return place.number;
      let number = adopted.get(value);
      if (number === undefined) {
        number = native.adopt(group.native, place.group.native, place.number, value);
        adopted.set(value, number);
        wrapped[number] = value;
      }
      return number;
    },
  };
  const group = { objects: new Map(), known: helpers.known, native: native.group(module, helpers) };
  return group;
}
let shared;
const sharedGroup = () => shared ??= newGroup();

function exported(group, number, length, name) {
  const own = group.native;
  const { call } = native;
  // A method: it is no constructor.
  const { [name]: made } = { [name](...args) { return call(own, number, ...args); } };
  Object.defineProperty(made, 'length', { value: length, configurable: true });
  functions.set(made, { group, number });
  return made;
}

function bytesOf(source, where) {
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  if (source instanceof ArrayBuffer || Object.prototype.toString.call(source) === '[object ArrayBuffer]') return new Uint8Array(source);
  throw wrong(`${where}: Argument 0 must be a buffer source`);
}

function compiled(source, where) {
  const module = native.compile(bytesOf(source, where));
  if (typeof module === 'string') throw new CompileError(`${where}: ${module}`);
  return module;
}

class Module {
  constructor(source, ...ready) {
    if (source === MADE) modules.set(this, ready[0]);
    else modules.set(this, compiled(source, 'WebAssembly.Module()'));
  }
  static imports(module) {
    return native.imports(moduleOf(module, 'WebAssembly.Module.imports()')).map(([from, name, kind]) => ({ module: from, name, kind }));
  }
  static exports(module) {
    return native.exports(moduleOf(module, 'WebAssembly.Module.exports()')).map(([name, kind]) => ({ name, kind }));
  }
  static customSections(module, name) {
    const own = moduleOf(module, 'WebAssembly.Module.customSections()');
    if (name === undefined) throw wrong('WebAssembly.Module.customSections(): Argument 1 is required');
    return native.customSections(own, String(name));
  }
}
visible(Module, []);
for (const name of ['imports', 'exports', 'customSections']) Object.defineProperty(Module, name, { enumerable: true });

function moduleOf(module, where) {
  const own = isObject(module) ? modules.get(module) : undefined;
  if (own === undefined) throw wrong(`${where}: Argument 0 must be a WebAssembly.Module`);
  return own;
}

// What stands for each import, in order: [object of ours] or [anything].
function given(wanted, imports, where) {
  if (wanted.length > 0 && !isObject(imports)) throw wrong(`${where}: Imports argument must be present and must be an object`);
  return wanted.map(([from, name], at) => {
    const namespace = imports[from];
    if (!isObject(namespace)) throw wrong(`${where}: Import #${at} "${from}": module is not an object or function`);
    return namespace[name];
  });
}

function link(module, imports, where) {
  if (imports !== undefined && !isObject(imports)) throw wrong(`${where}: Argument 1 must be an object`);
  const wanted = native.imports(module);
  const values = given(wanted, imports, where);
  const refused = (at, text) => new LinkError(`${where}: Import #${at} "${wanted[at][0]}" "${wanted[at][1]}": ${text}`);
  const places = { memory: memories, table: tables, global: globals };
  const found = values.map((value, at) => (isObject(value) ? (places[wanted[at][2]] ?? functions).get(value) : undefined));
  // An exported function of elsewhere is called as any other; the rest has to be of one store.
  const homes = new Set(found.filter((place, at) => place && wanted[at][2] !== 'function').map(({ group }) => group));
  const fixed = wanted.some(([, , kind, type], at) => kind === 'global' && !found[at] && type !== 'mutable');
  if (homes.size > 1) throw refused(0, 'memories, tables and globals of different instances cannot be imported together');
  const [home] = homes;
  const group = home ?? (found.find(Boolean)?.group) ?? newGroup(module);
  const callables = [];
  const numbers = wanted.map(([, , kind, type], at) => {
    const value = values[at];
    const place = found[at];
    if (place && place.group === group) return place.number;
    if (kind === 'function') {
      if (typeof value !== 'function') throw refused(at, 'function import requires a callable');
      if (place) return group.known(value);
      return -callables.push(value);
    }
    if (kind === 'memory') throw refused(at, 'memory import must be a WebAssembly.Memory object');
    if (kind === 'table') throw refused(at, 'table import requires a WebAssembly.Table');
    if (type === 'mutable') throw refused(at, 'imported mutable global must be a WebAssembly.Global object');
    if (fixed) {
      if (type === 'i64' ? typeof value !== 'bigint' : type.length === 3 && typeof value !== 'number') {
        throw refused(at, `global import must be a ${type === 'i64' ? 'BigInt' : 'number'}${type === 'i64' ? '' : ', valid Wasm reference, or WebAssembly.Global object'}`);
      }
      if (type === 'anyfunc' && value !== null && !functions.has(value)) throw refused(at, 'imported funcref global must be null or WebAssembly function (type \'function\') object');
    }
    return native.global(group.native, type, false, value);
  });
  const exports = Object.create(null);
  for (const [name, kind, number, known] of native.instantiate(group.native, module, numbers, callables)) {
    let value = known;
    if (kind === 'memory') value = made(Memory, memories, group, number);
    else if (kind === 'table') value = made(Table, tables, group, number);
    else if (kind === 'global') value = made(Global, globals, group, number);
    Object.defineProperty(exports, name, { value, enumerable: true });
  }
  return Object.preventExtensions(exports);
}

const instances = new WeakMap();
class Instance {
  constructor(module, ...rest) {
    const own = moduleOf(module, 'WebAssembly.Instance()');
    instances.set(this, link(own, rest[0], 'WebAssembly.Instance()'));
  }
  get exports() {
    return placeOf(instances, this, 'WebAssembly.Instance.exports', 'WebAssembly.Instance');
  }
}
visible(Instance, ['exports']);

// [EnforceRange] unsigned long.
function whole(value, what, most = 4294967295) {
  const number = Math.trunc(Number(value));
  if (!Number.isFinite(number)) throw wrong(`${what} must be convertible to a valid number`);
  if (number < 0) throw wrong(`${what} must be non-negative`);
  if (number > 4294967295) throw wrong(`${what} must be in the unsigned long range`);
  if (number > most) throw new RangeError(`${what} is above the upper bound`);
  return number + 0;
}

function limits(descriptor, where, most, mostEver) {
  if (!isObject(descriptor)) throw wrong(`${where}: Argument 0 must be a ${where.includes('Memory') ? 'memory' : 'table'} descriptor`);
  const given = descriptor.initial ?? descriptor.minimum;
  if (given === undefined) throw wrong(`${where}: Property 'initial' is required`);
  const initial = whole(given, `${where}: Property 'initial': value ${String(given)}`, most);
  let { maximum } = descriptor;
  if (maximum !== undefined) {
    maximum = whole(maximum, `${where}: Property 'maximum': value ${String(maximum)}`, mostEver);
    if (maximum < initial) throw new RangeError(`${where}: Property 'maximum': value ${maximum} is below the lower bound`);
  }
  return { initial, maximum };
}

const placeOf = (map, object, where, what) => {
  const place = isObject(object) ? map.get(object) : undefined;
  if (place === undefined) throw wrong(`${where}: Receiver is not a ${what}`);
  return place;
};

class Memory {
  constructor(descriptor) {
    if (descriptor === MADE) return;
    const { initial, maximum } = limits(descriptor, 'WebAssembly.Memory()', 65536, 65536);
    if (descriptor.shared) throw wrong('WebAssembly.Memory(): shared memories are not supported');
    const group = sharedGroup();
    const number = native.memory(group.native, initial, maximum);
    memories.set(this, { group, number });
    remember(group, Memory, number, this);
  }
  get buffer() {
    const { group, number } = placeOf(memories, this, 'WebAssembly.Memory.buffer', 'WebAssembly.Memory');
    const buffer = native.buffer(group.native, number);
    buffers.add(buffer);
    return buffer;
  }
  grow(delta) {
    const { group, number } = placeOf(memories, this, 'WebAssembly.Memory.grow()', 'WebAssembly.Memory');
    return native.growMemory(group.native, number, whole(delta, 'WebAssembly.Memory.grow(): Argument 0'));
  }
}
visible(Memory, ['buffer', 'grow']);

// The bytes of a memory are not to be taken from it.
for (const name of ['transfer', 'transferToFixedLength', 'transferToImmutable']) {
  const { value: before } = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, name) ?? {};
  if (before === undefined) continue;
  const { [name]: value } = {
    [name](...args) {
      if (isObject(this) && buffers.has(this)) throw wrong(`ArrayBuffer.prototype.${name}: WebAssembly memory cannot be detached`);
      return Reflect.apply(before, this, args);
    },
  };
  Object.defineProperty(value, 'length', { value: 0, configurable: true });
  Object.defineProperty(ArrayBuffer.prototype, name, { value, writable: true, configurable: true });
}

// What was given, or what the table has where nothing was.
const filling = (group, number, rest) => (rest.length > 0 ? rest[0] : native.tableOfFunctions(group.native, number) ? null : undefined);

class Table {
  constructor(descriptor, ...rest) {
    if (descriptor === MADE) return;
    if (!isObject(descriptor)) throw wrong('WebAssembly.Table(): Argument 0 must be a table descriptor');
    const element = String(descriptor.element);
    if (element !== 'anyfunc' && element !== 'externref') throw wrong("WebAssembly.Table(): Descriptor property 'element' must be a WebAssembly reference type");
    const { initial, maximum } = limits(descriptor, 'WebAssembly.Table()', 10_000_000);
    const [value = element === 'anyfunc' ? null : undefined] = rest;
    const group = sharedGroup();
    const number = native.table(group.native, element, initial, maximum, value);
    tables.set(this, { group, number });
    remember(group, Table, number, this);
  }
  get length() {
    const { group, number } = placeOf(tables, this, 'WebAssembly.Table.length', 'WebAssembly.Table');
    return native.tableLength(group.native, number);
  }
  get(index) {
    const { group, number } = placeOf(tables, this, 'WebAssembly.Table.get()', 'WebAssembly.Table');
    return native.tableGet(group.native, number, whole(index, 'WebAssembly.Table.get(): Argument 0'));
  }
  set(index, ...rest) {
    const { group, number } = placeOf(tables, this, 'WebAssembly.Table.set()', 'WebAssembly.Table');
    native.tableSet(group.native, number, whole(index, 'WebAssembly.Table.set(): Argument 0'), filling(group, number, rest));
  }
  grow(delta, ...rest) {
    const { group, number } = placeOf(tables, this, 'WebAssembly.Table.grow()', 'WebAssembly.Table');
    return native.tableGrow(group.native, number, whole(delta, 'WebAssembly.Table.grow(): Argument 0'), filling(group, number, rest));
  }
}
visible(Table, ['length', 'get', 'set', 'grow']);

class Global {
  constructor(descriptor, ...rest) {
    if (descriptor === MADE) return;
    if (!isObject(descriptor)) throw wrong('WebAssembly.Global(): Argument 0 must be a global descriptor');
    const mutable = Boolean(descriptor.mutable);
    const type = String(descriptor.value);
    if (!['i32', 'i64', 'f32', 'f64', 'anyfunc', 'externref'].includes(type)) {
      throw wrong("WebAssembly.Global(): Descriptor property 'value' must be a WebAssembly type");
    }
    const group = sharedGroup();
    const value = rest.length === 0 && type === 'anyfunc' ? null : rest[0];
    const number = native.global(group.native, type, mutable, value);
    globals.set(this, { group, number });
    remember(group, Global, number, this);
  }
  get value() {
    const { group, number } = placeOf(globals, this, 'get WebAssembly.Global.value', 'WebAssembly.Global');
    return native.globalGet(group.native, number);
  }
  set value(value) {
    const { group, number } = placeOf(globals, this, 'set WebAssembly.Global.value', 'WebAssembly.Global');
    native.globalSet(group.native, number, value);
  }
  valueOf() {
    const { group, number } = placeOf(globals, this, 'WebAssembly.Global.valueOf()', 'WebAssembly.Global');
    return native.globalGet(group.native, number);
  }
}
visible(Global, ['value', 'valueOf']);

const instanceOf = (own, imports, where) => {
  const instance = Object.create(Instance.prototype);
  instances.set(instance, link(own, imports, where));
  return instance;
};
// A copy: what the caller does to its buffer meanwhile is none of ours.
const copyOf = (source, where) => bytesOf(source, where).slice();

async function bodyOf(source, where) {
  const response = await source;
  const { Response } = globalThis;
  if (typeof Response !== 'function' || !(response instanceof Response)) throw wrong(`${where}: Argument 0 must be a Response or a Promise resolving to one`);
  if (!response.ok) throw wrong(`${where}: HTTP status code is not ok`);
  if (response.headers.get('content-type')?.split(';')[0].trim().toLowerCase() !== 'application/wasm') throw wrong(`${where}: Incorrect response MIME type. Expected 'application/wasm'.`);
  return response.arrayBuffer();
}

const namespace = {
  async compile(source) {
    const bytes = copyOf(source, 'WebAssembly.compile()');
    await undefined;
    return new Module(MADE, compiled(bytes, 'WebAssembly.compile()'));
  },
  validate(source) {
    return native.validate(bytesOf(source, 'WebAssembly.validate()'));
  },
  async instantiate(source, imports) {
    const where = 'WebAssembly.instantiate()';
    if (isObject(source) && modules.has(source)) {
      await undefined;
      return instanceOf(modules.get(source), imports, where);
    }
    if (!isObject(source)) throw wrong(`${where}: Argument 0 must be a buffer source or a WebAssembly.Module`);
    const bytes = copyOf(source, where);
    if (imports !== undefined && !isObject(imports)) throw wrong(`${where}: Argument 1 must be an object`);
    await undefined;
    const module = new Module(MADE, compiled(bytes, where));
    return { module, instance: instanceOf(modules.get(module), imports, where) };
  },
  async compileStreaming(source) {
    return namespace.compile(await bodyOf(source, 'WebAssembly.compileStreaming()'));
  },
  async instantiateStreaming(source, imports) {
    return namespace.instantiate(await bodyOf(source, 'WebAssembly.instantiateStreaming()'), imports);
  },
};
Object.defineProperty(namespace.instantiate, 'length', { value: 1, configurable: true });
Object.defineProperty(namespace.instantiateStreaming, 'length', { value: 1, configurable: true });
for (const kind of [Module, Instance, Table, Memory, Global, CompileError, LinkError, RuntimeError]) {
  Object.defineProperty(namespace, kind.name, { value: kind, writable: true, configurable: true });
}
Object.defineProperty(namespace, Symbol.toStringTag, { value: 'WebAssembly', configurable: true });
module.exports = namespace;
