// perf_hooks, and `performance`: the clock, marks and measures, and observers of them. The engine tells
// nothing of its own work: there are no entries of garbage collection, of functions or of connections.
const { EventTarget } = require('internal/event_target');
const { structuredClone } = require('internal/clone');
const { callback, coded, invalidArgType, outOfRange } = require('internal/errors');
const { clock } = internal;
for (const name of internal.clockLater) delete clock[name];

const key = Symbol('performance');
const illegal = (secret) => {
  if (secret !== key) throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
};
class PerformanceEntry {
  #it;
  constructor(secret, it) {
    illegal(secret);
    this.#it = it;
  }
  get name() { return this.#it.name; }
  get entryType() { return this.#it.entryType; }
  get startTime() { return this.#it.startTime; }
  get duration() { return this.#it.duration; }
  toJSON() { return { name: this.name, entryType: this.entryType, startTime: this.startTime, duration: this.duration, ...('detail' in this ? { detail: this.detail } : undefined) }; }
  [Symbol.for('nodejs.util.inspect.custom')](depth, options) {
    return depth < 0 ? this : `${this.constructor.name} ${require('util').inspect(this.toJSON(), options)}`;
  }
}
const detailOf = (options) => (options?.detail === undefined || options.detail === null ? null : structuredClone(options.detail));
class PerformanceMark extends PerformanceEntry {
  #detail;
  constructor(name, options = {}) {
    if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "name" argument must be specified');
    if (options !== null && typeof options !== 'object') throw invalidArgType('options', 'object', options);
    const startTime = options?.startTime ?? clock.now();
    if (typeof startTime !== 'number') throw invalidArgType('startTime', 'number', startTime);
    if (startTime < 0) throw coded(TypeError, 'ERR_PERFORMANCE_INVALID_TIMESTAMP', `${startTime} is not a valid timestamp`);
    super(key, { name: `${name}`, entryType: 'mark', startTime, duration: 0 });
    this.#detail = detailOf(options);
  }
  get detail() { return this.#detail; }
}
class PerformanceMeasure extends PerformanceEntry {
  #detail;
  constructor(secret, it, detail) {
    super(secret, it);
    this.#detail = detail;
  }
  get detail() { return this.#detail; }
}
class PerformanceResourceTiming extends PerformanceEntry {}

const entries = [];
internal.leftovers.push(() => {
  entries.length = 0;
  observers.clear();
});
const ordered = (list) => [...list].sort((a, b) => a.startTime - b.startTime);
const named = (list, name, type) => ordered(list.filter((entry) => entry.name === name && (type === undefined || entry.entryType === type)));
const typed = (list, type) => ordered(list.filter((entry) => entry.entryType === type));
class PerformanceObserverEntryList {
  #list;
  constructor(secret, list) {
    illegal(secret);
    this.#list = list;
  }
  getEntries() { return ordered(this.#list); }
  getEntriesByType(type) { return typed(this.#list, `${type}`); }
  getEntriesByName(name, type) { return named(this.#list, `${name}`, type); }
}

const TYPES = ['mark', 'measure'];
const KNOWN = ['dns', 'function', 'gc', 'http', 'http2', 'mark', 'measure', 'net', 'resource'];
const observers = new Set();
class PerformanceObserver {
  #callback;
  #types = new Set();
  #kept = [];
  #told = false;
  static get supportedEntryTypes() { return TYPES; }
  constructor(work) {
    callback(work, 'callback');
    this.#callback = work;
  }
  observe(options = {}) {
    if (typeof options !== 'object' || options === null) throw invalidArgType('options', 'object', options);
    const { entryTypes, type, buffered } = options;
    if (entryTypes === undefined && type === undefined) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "options.entryTypes" or "options.type" argument must be specified');
    if (entryTypes !== undefined && type !== undefined) throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', "The property 'options.entryTypes' options.entryTypes can not set with options.type together");
    if (entryTypes !== undefined) this.#types = new Set(entryTypes.filter((one) => KNOWN.includes(one)));
    else this.#types.add(type);
    if (this.#types.size > 0) observers.add(this);
    if (buffered && type !== undefined) for (const entry of typed(entries, type)) PerformanceObserver.tell(this, entry);
  }
  disconnect() {
    observers.delete(this);
    this.#kept = [];
    this.#types.clear();
  }
  takeRecords() { return this.#kept.splice(0); }
  static tell(observer, entry) {
    if (!observer.#types.has(entry.entryType)) return;
    observer.#kept.push(entry);
    if (observer.#told) return;
    observer.#told = true;
    setImmediate(() => {
      observer.#told = false;
      const kept = observer.takeRecords();
      if (kept.length > 0) observer.#callback.call(observer, new PerformanceObserverEntryList(key, kept), observer);
    });
  }
}
const { tell } = PerformanceObserver;
delete PerformanceObserver.tell;

// What is never cleared must not grow for ever.
const MOST = 100_000;
function add(entry) {
  if (entries.length >= MOST) entries.splice(0, MOST / 2);
  entries.push(entry);
  for (const observer of observers) tell(observer, entry);
  return entry;
}
function drop(type, name) {
  for (let n = entries.length - 1; n >= 0; n--) if (entries[n].entryType === type && (name === undefined || entries[n].name === `${name}`)) entries.splice(n, 1);
}
function moment(given) {
  if (typeof given === 'number') {
    if (given < 0) throw coded(TypeError, 'ERR_PERFORMANCE_INVALID_TIMESTAMP', `${given} is not a valid timestamp`);
    return given;
  }
  const found = entries.findLast((entry) => entry.entryType === 'mark' && entry.name === `${given}`);
  if (!found) throw new DOMException(`The "${given}" performance mark has not been set`, 'SyntaxError');
  return found.startTime;
}
const EMPTY = { bootstrapComplete: 0, environment: 0, idleTime: 0, loopExit: -1, loopStart: 0, nodeStart: 0, v8Start: 0 };

class Performance extends EventTarget {
  constructor() {
    illegal();
    super();
  }
  // Nothing ever happens to it.
  addEventListener() {}
  removeEventListener() {}
  now() { return clock.now(); }
  get timeOrigin() { return clock.timeOrigin; }
  mark(name, options) { return add(new PerformanceMark(name, options)); }
  measure(name, from, to) {
    if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "name" argument must be specified');
    const { start, end, duration, detail } = typeof from === 'object' && from !== null ? from : { start: from, end: to };
    const until = end !== undefined ? moment(end) : start !== undefined && duration !== undefined ? moment(start) + duration : clock.now();
    const since = start !== undefined ? moment(start) : end !== undefined && duration !== undefined ? until - duration : 0;
    return add(new PerformanceMeasure(key, { name: `${name}`, entryType: 'measure', startTime: since, duration: until - since }, detailOf({ detail })));
  }
  clearMarks(name) { drop('mark', name); }
  clearMeasures(name) { drop('measure', name); }
  clearResourceTimings() {}
  markResourceTiming() {}
  setResourceTimingBufferSize() {}
  getEntries() { return ordered(entries); }
  getEntriesByName(name, type) { return named(entries, `${name}`, type); }
  getEntriesByType(type) { return typed(entries, `${type}`); }
  eventLoopUtilization() { return { idle: 0, active: 0, utilization: 0 }; }
  get nodeTiming() { return { name: 'node', entryType: 'node', startTime: 0, duration: clock.now(), ...EMPTY }; }
  timerify(work, { histogram } = {}) {
    callback(work, 'fn');
    function timed(...given) {
      const since = clock.now();
      const came = new.target ? Reflect.construct(work, given, work) : Reflect.apply(work, this, given);
      histogram?.record(Math.max(1, Math.round((clock.now() - since) * 1e6)));
      return came;
    }
    return Object.defineProperties(timed, { name: { value: `timerified ${work.name}`, configurable: true }, length: { value: work.length, configurable: true } });
  }
  toJSON() { return { nodeTiming: this.nodeTiming, timeOrigin: this.timeOrigin, eventLoopUtilization: this.eventLoopUtilization() }; }
}
for (const kind of [PerformanceEntry, PerformanceMark, PerformanceMeasure, PerformanceObserver, PerformanceObserverEntryList, PerformanceResourceTiming, Performance]) {
  Object.defineProperty(kind.prototype, Symbol.toStringTag, { value: kind.name, configurable: true });
}

/** Values that were recorded, each as it was: a worker records few. */
class Histogram {
  #values = [];
  #of() { return this.#values; }
  record(value) {
    if (typeof value !== 'number' && typeof value !== 'bigint') throw invalidArgType('val', ['integer', 'bigint'], value);
    if (value < 1) throw outOfRange('val', '>= 1 && <= 9007199254740991', value);
    if (this.#values.length < MOST) this.#values.push(Number(value));
  }
  recordDelta() {}
  add(other) { for (const value of other.#values) this.record(value); }
  reset() { this.#values = []; }
  enable() { return true; }
  disable() { return true; }
  get count() { return this.#of().length; }
  get countBigInt() { return BigInt(this.count); }
  get exceeds() { return 0; }
  get exceedsBigInt() { return 0n; }
  get min() { return this.count === 0 ? 9223372036854776000 : this.#values.reduce((a, b) => Math.min(a, b)); }
  get minBigInt() { return this.count === 0 ? 9223372036854775807n : BigInt(this.min); }
  get max() { return this.#values.reduce((a, b) => Math.max(a, b), 0); }
  get maxBigInt() { return BigInt(this.max); }
  get mean() { return this.#values.reduce((a, b) => a + b, 0) / this.count; }
  get stddev() {
    const { mean } = this;
    return Math.sqrt(this.#values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / this.count);
  }
  percentile(percent) {
    const sorted = [...this.#values].sort((a, b) => a - b);
    return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0;
  }
  percentileBigInt(percent) { return BigInt(this.percentile(percent)); }
  get percentiles() { return new Map([[100, this.max]]); }
  get percentilesBigInt() { return new Map([[100, this.maxBigInt]]); }
}
// The engine's own object, which has been `performance` from the start.
const performance = Object.setPrototypeOf(clock, Performance.prototype);
const constants = {
  NODE_PERFORMANCE_GC_MAJOR: 4, NODE_PERFORMANCE_GC_MINOR: 1, NODE_PERFORMANCE_GC_INCREMENTAL: 8, NODE_PERFORMANCE_GC_WEAKCB: 16, NODE_PERFORMANCE_GC_FLAGS_NO: 0,
  NODE_PERFORMANCE_GC_FLAGS_CONSTRUCT_RETAINED: 2, NODE_PERFORMANCE_GC_FLAGS_FORCED: 4, NODE_PERFORMANCE_GC_FLAGS_SYNCHRONOUS_PHANTOM_PROCESSING: 8,
  NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE: 16, NODE_PERFORMANCE_GC_FLAGS_ALL_EXTERNAL_MEMORY: 32, NODE_PERFORMANCE_GC_FLAGS_SCHEDULE_IDLE: 64,
};
Object.assign(exports, {
  performance, Performance, PerformanceEntry, PerformanceMark, PerformanceMeasure, PerformanceObserver, PerformanceObserverEntryList, PerformanceResourceTiming, constants,
  monitorEventLoopDelay: () => new Histogram(), createHistogram: () => new Histogram(),
});
