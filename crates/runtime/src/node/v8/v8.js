// v8: values as bytes, in the form that Node's `v8.serialize` has, and numbers about the heap. There is no
// V8 here: what only it could tell (snapshots, coverage, its flags) is refused or does nothing.
const { Buffer } = require('buffer');
const { coded, string } = require('internal/errors');

const VERSION = 15;
const FLAGS = ['g', 'i', 'm', 'y', 'u', 's', 'l', 'd', 'v'];
const VIEWS = ['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array', 'Float32Array', 'Float64Array', 'DataView', 'Buffer', 'BigInt64Array', 'BigUint64Array'];
// As the web has them, with a letter each.
const VIEW_TAGS = { b: 'Int8Array', B: 'Uint8Array', C: 'Uint8ClampedArray', w: 'Int16Array', W: 'Uint16Array', d: 'Int32Array', D: 'Uint32Array', h: 'Float16Array', f: 'Float32Array', F: 'Float64Array', q: 'BigInt64Array', Q: 'BigUint64Array', '?': 'DataView' };
const ERRORS = { E: EvalError, R: RangeError, F: ReferenceError, S: SyntaxError, T: TypeError, U: URIError };
const uncloned = (value) => new DOMException(`${typeof value === 'symbol' ? String(value) : typeof value === 'function' ? value.toString() : `#<${value.constructor?.name ?? 'Object'}>`} could not be cloned.`, 'DataCloneError');
const types = () => require('util').types;

class Serializer {
  #bytes = new Uint8Array(256);
  #size = 0;
  #ids = new Map();
  #hosts = false;
  #room(count) {
    if (this.#size + count > this.#bytes.length) {
      const more = new Uint8Array(Math.max(this.#bytes.length * 2, this.#size + count));
      more.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = more;
    }
    this.#size += count;
    return this.#size - count;
  }
  // The bytes may be others once there is room.
  #byte(value) {
    const at = this.#room(1);
    this.#bytes[at] = value;
  }
  #tag(letter) { this.#byte(letter.charCodeAt(0)); }
  #varint(value) {
    let rest = BigInt(value);
    while (rest >= 128n) {
      this.#byte(Number(rest & 127n) | 128);
      rest >>= 7n;
    }
    this.#byte(Number(rest));
  }
  #small(value) {
    while (value >= 128) {
      this.#byte((value & 127) | 128);
      value >>>= 7;
    }
    this.#byte(value);
  }
  writeHeader() {
    this.#byte(0xff);
    this.#byte(VERSION);
  }
  writeUint32(value) { this.#small(value >>> 0); }
  writeUint64(high, low) { this.#varint((BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)); }
  writeDouble(value) {
    const at = this.#room(8);
    new DataView(this.#bytes.buffer).setFloat64(at, value, true);
  }
  writeRawBytes(source) {
    const bytes = ArrayBuffer.isView(source) ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength) : new Uint8Array(source);
    const at = this.#room(bytes.length);
    this.#bytes.set(bytes, at);
  }
  transferArrayBuffer() {}
  releaseBuffer() {
    const made = Buffer.from(this.#bytes.buffer, 0, this.#size);
    this.#bytes = new Uint8Array(0);
    this.#size = 0;
    return made;
  }
  _setTreatArrayBufferViewsAsHostObjects(hosts) { this.#hosts = Boolean(hosts); }
  writeValue(value) {
    this.#value(value);
    return true;
  }
  #value(value) {
    if (value === undefined) return this.#tag('_');
    if (value === null) return this.#tag('0');
    if (value === true) return this.#tag('T');
    if (value === false) return this.#tag('F');
    if (typeof value === 'number') return this.#number(value);
    if (typeof value === 'bigint') return this.#big('Z', value);
    if (typeof value === 'string') return this.#text(value);
    if (typeof value !== 'object') throw this.#failure(value);
    return this.#object(value);
  }
  #failure(value) {
    const Kind = this._getDataCloneError;
    return new Kind(uncloned(value).message);
  }
  #number(value, wide = false) {
    if (!wide && Object.is(value, value | 0)) {
      this.#tag('I');
      return this.#small(((value << 1) ^ (value >> 31)) >>> 0);
    }
    this.#tag('N');
    return this.writeDouble(value);
  }
  #big(tag, value) {
    this.#tag(tag);
    const digits = [];
    for (let rest = value < 0n ? -value : value; rest > 0n; rest >>= 64n) digits.push(rest & 0xffff_ffff_ffff_ffffn);
    this.#small((digits.length * 8 * 2) | (value < 0n ? 1 : 0));
    const bytes = new Uint8Array(BigUint64Array.from(digits).buffer);
    this.writeRawBytes(bytes);
  }
  #text(value) {
    if (!/[^\0-\xff]/.test(value)) {
      this.#tag('"');
      this.#small(value.length);
      return this.writeRawBytes(Buffer.from(value, 'latin1'));
    }
    const size = value.length * 2;
    let digits = 1;
    for (let rest = size; rest >= 128; rest >>>= 7) digits++;
    // Letters of two bytes begin at an even place.
    if ((this.#size + 1 + digits) % 2 !== 0) this.#tag('\0');
    this.#tag('c');
    this.#small(size);
    return this.writeRawBytes(Buffer.from(value, 'utf16le'));
  }
  #object(value) {
    const known = this.#ids.get(value);
    if (known !== undefined) {
      this.#tag('^');
      return this.#small(known);
    }
    const is = types();
    const host = ArrayBuffer.isView(value);
    if (host && !this.#hosts && !this.#ids.has(value.buffer)) this.#object(value.buffer);
    this.#ids.set(value, this.#ids.size);
    if (host) return this.#hosts ? this.#host(value) : this.#view(value);
    if (is.isProxy(value) || is.isPromise(value) || is.isWeakMap(value) || is.isWeakSet(value)) throw this.#failure(value);
    if (Array.isArray(value)) return this.#array(value);
    if (is.isDate(value)) {
      this.#tag('D');
      return this.writeDouble(value.getTime());
    }
    if (is.isRegExp(value)) {
      this.#tag('R');
      this.#text(value.source);
      return this.#small([...value.flags].reduce((bits, flag) => bits | (1 << FLAGS.indexOf(flag)), 0));
    }
    if (is.isMap(value)) return this.#all(';', ':', [...value].flat(1));
    if (is.isSet(value)) return this.#all("'", ',', [...value]);
    if (is.isArrayBuffer(value)) {
      this.#tag('B');
      this.#small(value.byteLength);
      return this.writeRawBytes(value);
    }
    if (is.isBoxedPrimitive(value)) return this.#boxed(value.valueOf(), value);
    if (is.isNativeError(value)) return this.#error(value);
    if (is.isSharedArrayBuffer(value) || is.isSymbolObject(value)) throw this.#failure(value);
    this.#tag('o');
    const count = this.#members(value, Object.keys(value));
    this.#tag('{');
    return this.#small(count);
  }
  #members(value, names) {
    let count = 0;
    for (const name of names) {
      if (!Object.hasOwn(value, name)) continue;
      const index = Number(name);
      if (String(index >>> 0) === name && index < 2 ** 32 - 1) this.#number(index);
      else this.#text(name);
      this.#value(value[name]);
      count++;
    }
    return count;
  }
  #array(value) {
    const names = Object.keys(value);
    let dense = 0;
    while (dense < value.length && names[dense] === String(dense)) dense++;
    const whole = dense === value.length;
    this.#tag(whole ? 'A' : 'a');
    this.#small(value.length);
    // V8 keeps such an array as doubles, and writes them so.
    const wide = whole && value.every((one) => typeof one === 'number') && value.some((one) => !Object.is(one, one | 0));
    if (whole) for (let at = 0; at < value.length; at++) typeof value[at] === 'number' ? this.#number(value[at], wide) : this.#value(value[at]);
    const count = this.#members(value, whole ? names.slice(value.length) : names);
    this.#tag(whole ? '$' : '@');
    this.#small(count);
    this.#small(value.length);
  }
  #all(begin, end, parts) {
    this.#tag(begin);
    for (const part of parts) this.#value(part);
    this.#tag(end);
    this.#small(parts.length);
  }
  #boxed(inner, value) {
    if (typeof inner === 'boolean') return this.#tag(inner ? 'y' : 'x');
    if (typeof inner === 'number') {
      this.#tag('n');
      return this.writeDouble(inner);
    }
    if (typeof inner === 'bigint') return this.#big('z', inner);
    if (typeof inner !== 'string') throw this.#failure(value);
    this.#tag('s');
    return this.#text(inner);
  }
  #error(value) {
    this.#tag('r');
    const kind = Object.keys(ERRORS).find((one) => ERRORS[one].name === String(value.name));
    if (kind) this.#tag(kind);
    if (Object.hasOwn(value, 'message')) {
      this.#tag('m');
      this.#text(String(value.message));
    }
    if (Object.hasOwn(value, 'cause')) {
      this.#tag('c');
      this.#value(value.cause);
    }
    if (typeof value.stack === 'string') {
      this.#tag('s');
      this.#text(value.stack);
    }
    this.#tag('.');
  }
  #host(value) {
    this.#tag('\\');
    if (typeof this._writeHostObject !== 'function') throw coded(TypeError, 'ERR_METHOD_NOT_IMPLEMENTED', 'The _writeHostObject() method is not implemented');
    this._writeHostObject(value);
  }
  #view(value) {
    this.#tag('V');
    this.#tag(Object.keys(VIEW_TAGS).find((tag) => VIEW_TAGS[tag] === (Object.prototype.toString.call(value).slice(8, -1))) ?? '?');
    this.#small(value.byteOffset);
    this.#small(value.byteLength);
    this.#small(0);
  }
}

// What is thrown for what cannot be copied; a subclass may say otherwise.
Serializer.prototype._getDataCloneError = Error;

class Deserializer {
  #bytes;
  #at = 0;
  #version = 0;
  #known = [];
  constructor(buffer) {
    if (!ArrayBuffer.isView(buffer)) throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'buffer must be a TypedArray or a DataView');
    this.buffer = buffer;
    this.#bytes = new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  }
  readHeader() {
    if (this.#bytes[0] !== 0xff || !(this.#bytes[1] >= 13 && this.#bytes[1] <= VERSION)) throw new Error('Unable to deserialize cloned data due to invalid or unsupported version.');
    [this.#at, this.#version] = [2, this.#bytes[1]];
    return true;
  }
  getWireFormatVersion() { return this.#version; }
  transferArrayBuffer() {}
  #need(count) {
    if (!(count >= 0) || this.#at + count > this.#bytes.length) throw new Error('Unable to deserialize cloned data.');
    this.#at += count;
    return this.#at - count;
  }
  #varint() {
    for (let [value, shift] = [0n, 0n]; ; shift += 7n) {
      const byte = this.#bytes[this.#need(1)];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128 || shift > 63n) return value;
    }
  }
  readUint32() { return Number(this.#varint() & 0xffff_ffffn); }
  readUint64() {
    const value = this.#varint();
    return [Number((value >> 32n) & 0xffff_ffffn), Number(value & 0xffff_ffffn)];
  }
  readDouble() { return new DataView(this.#bytes.buffer, this.#bytes.byteOffset).getFloat64(this.#need(8), true); }
  readRawBytes(count) {
    const at = this.#need(count);
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + at, count);
  }
  _readRawBytes(count) { return this.#need(count); }
  #tag() {
    for (;;) {
      const byte = this.#bytes[this.#need(1)];
      if (byte !== 0) return String.fromCharCode(byte);
    }
  }
  #peek() {
    let at = this.#at;
    while (this.#bytes[at] === 0) at++;
    return String.fromCharCode(this.#bytes[at] ?? 0);
  }
  #keep(value) {
    this.#known.push(value);
    return value;
  }
  #big() {
    const bits = this.readUint32();
    const bytes = this.readRawBytes(bits >>> 1);
    let value = 0n;
    for (let at = bytes.length - 1; at >= 0; at--) value = (value << 8n) | BigInt(bytes[at]);
    return bits & 1 ? -value : value;
  }
  #until(end, take) {
    while (this.#peek() !== end) take();
    this.#tag();
  }
  #put(target, name, value) { Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true }); }
  readValue() {
    const value = this.#value(this.#tag());
    // Views stand after the bytes that they look at.
    if (value instanceof ArrayBuffer && this.#peek() === 'V') return this.#view(value);
    return value;
  }
  #value(tag) {
    switch (tag) {
      case '_': return undefined;
      case '0': return null;
      case 'T': return true;
      case 'F': return false;
      case 'I': {
        const bits = this.readUint32();
        return (bits >>> 1) ^ -(bits & 1);
      }
      case 'U': return this.readUint32();
      case 'N': return this.readDouble();
      case 'Z': return this.#big();
      case '"': return this.readRawBytes(this.readUint32()).toString('latin1');
      case 'c': return this.readRawBytes(this.readUint32()).toString('utf16le');
      case 'S': return this.readRawBytes(this.readUint32()).toString('utf8');
      case '^': return this.#known[this.readUint32()];
      case 'y': return this.#keep(Object(true));
      case 'x': return this.#keep(Object(false));
      case 'n': return this.#keep(Object(this.readDouble()));
      case 'z': return this.#keep(Object(this.#big()));
      case 's': return this.#keep(Object(this.readValue()));
      case 'D': return this.#keep(new Date(this.readDouble()));
      case 'R': {
        const id = this.#known.push(undefined) - 1;
        const source = this.readValue();
        const bits = this.readUint32();
        return (this.#known[id] = new RegExp(source, FLAGS.filter((flag, at) => flag !== 'l' && bits & (1 << at)).join('')));
      }
      case 'B': return this.#keep(Uint8Array.from(this.readRawBytes(this.readUint32())).buffer);
      case 'o': {
        const made = this.#keep({});
        this.#until('{', () => this.#put(made, this.readValue(), this.readValue()));
        this.readUint32();
        return made;
      }
      case 'A': case 'a': return this.#array(tag === 'A');
      case ';': {
        const made = this.#keep(new Map());
        this.#until(':', () => made.set(this.readValue(), this.readValue()));
        this.readUint32();
        return made;
      }
      case "'": {
        const made = this.#keep(new Set());
        this.#until(',', () => made.add(this.readValue()));
        this.readUint32();
        return made;
      }
      case 'r': return this.#error();
      case '\\': {
        const id = this.#known.push(undefined) - 1;
        if (typeof this._readHostObject !== 'function') throw coded(TypeError, 'ERR_METHOD_NOT_IMPLEMENTED', 'The _readHostObject() method is not implemented');
        return (this.#known[id] = this._readHostObject());
      }
      default: throw new Error('Unable to deserialize cloned data.');
    }
  }
  #array(whole) {
    const length = this.readUint32();
    if (whole && length > this.#bytes.length) throw new Error('Unable to deserialize cloned data.');
    const made = this.#keep(new Array(length));
    for (let at = 0; whole && at < length; at++) {
      if (this.#peek() === '-') this.#tag();
      else made[at] = this.readValue();
    }
    this.#until(whole ? '$' : '@', () => this.#put(made, this.readValue(), this.readValue()));
    this.readUint32();
    this.readUint32();
    return made;
  }
  #error() {
    const id = this.#known.push(undefined) - 1;
    let tag = this.#tag();
    const Kind = ERRORS[tag] ?? Error;
    if (ERRORS[tag]) tag = this.#tag();
    const made = (this.#known[id] = new Kind());
    const names = { m: 'message', c: 'cause', s: 'stack' };
    for (; tag !== '.'; tag = this.#tag()) {
      if (!names[tag]) throw new Error('Unable to deserialize cloned data.');
      Object.defineProperty(made, names[tag], { value: this.readValue(), writable: true, configurable: true });
    }
    return made;
  }
  #view(buffer) {
    this.#tag();
    const kind = VIEW_TAGS[this.#tag()];
    const [offset, length] = [this.readUint32(), this.readUint32()];
    if (this.#version >= 14) this.readUint32();
    const Kind = globalThis[kind];
    if (!Kind) throw new Error('Unable to deserialize cloned data.');
    return this.#keep(new Kind(buffer, offset, length / (Kind.BYTES_PER_ELEMENT ?? 1)));
  }
}

class DefaultSerializer extends Serializer {
  constructor() {
    super();
    this._setTreatArrayBufferViewsAsHostObjects(true);
  }
  _writeHostObject(view) {
    const kind = Buffer.isBuffer(view) ? 'Buffer' : Object.prototype.toString.call(view).slice(8, -1);
    const at = VIEWS.indexOf(kind);
    if (at < 0) throw new this._getDataCloneError(uncloned(view).message);
    this.writeUint32(at);
    this.writeUint32(view.byteLength);
    this.writeRawBytes(view);
  }
}
class DefaultDeserializer extends Deserializer {
  _readHostObject() {
    const kind = VIEWS[this.readUint32()];
    const bytes = this.readRawBytes(this.readUint32());
    if (kind === 'Buffer') return bytes;
    const { buffer } = Uint8Array.from(bytes);
    if (kind === undefined) throw new Error('Unable to deserialize cloned data.');
    return new globalThis[kind](buffer);
  }
}

function serialize(value) {
  const serializer = new DefaultSerializer();
  serializer.writeHeader();
  serializer.writeValue(value);
  return serializer.releaseBuffer();
}
function deserialize(buffer) {
  const deserializer = new DefaultDeserializer(buffer);
  deserializer.readHeader();
  return deserializer.readValue();
}

const absent = (name) => () => {
  throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `v8.${name}() is not available: the engine of workers is not V8`);
};
function getHeapStatistics() {
  const { heapUsed, heapTotal } = require('process').memoryUsage();
  const limit = require('process').constrainedMemory();
  return {
    total_heap_size: heapTotal, total_heap_size_executable: 0, total_physical_size: heapTotal, total_available_size: Math.max(0, limit - heapUsed), used_heap_size: heapUsed,
    heap_size_limit: limit, malloced_memory: heapUsed, peak_malloced_memory: heapUsed, does_zap_garbage: 0, number_of_native_contexts: 1, number_of_detached_contexts: 0,
    total_global_handles_size: 0, used_global_handles_size: 0, external_memory: 0,
  };
}
class GCProfiler {
  start() {}
  stop() { return { version: 1, startTime: 0, statistics: [], endTime: 0 }; }
}
Object.assign(exports, {
  serialize, deserialize, Serializer, Deserializer, DefaultSerializer, DefaultDeserializer, getHeapStatistics, GCProfiler,
  getHeapSpaceStatistics: () => [],
  getHeapCodeStatistics: () => ({ code_and_metadata_size: 0, bytecode_and_metadata_size: 0, external_script_source_size: 0, cpu_profiler_metadata_size: 0 }),
  cachedDataVersionTag: () => 0,
  setFlagsFromString: (flags) => string(flags, 'flags'),
  setHeapSnapshotNearHeapLimit() {},
  takeCoverage() {},
  stopCoverage() {},
  isStringOneByteRepresentation: (text) => (string(text, 'content'), !/[^\0-\xff]/.test(text)),
  startupSnapshot: { isBuildingSnapshot: () => false, addSerializeCallback: absent('startupSnapshot'), addDeserializeCallback: absent('startupSnapshot'), setDeserializeMainFunction: absent('startupSnapshot') },
  getHeapSnapshot: absent('getHeapSnapshot'), writeHeapSnapshot: absent('writeHeapSnapshot'), queryObjects: absent('queryObjects'), getCppHeapStatistics: absent('getCppHeapStatistics'),
});
