// perf_hooks: the clock, marks and measures. Observers see what is marked; the engine tells nothing of itself.
const entries = [];
const add = (entry) => (entries.push(entry), entry);
class PerformanceEntry {
  constructor(name, entryType, startTime, duration, detail) {
    Object.assign(this, { name, entryType, startTime, duration, detail: detail ?? null });
  }
  toJSON() { return { ...this }; }
}
const clock = globalThis.performance;
const at = (given) => (typeof given === 'number' ? given : entries.findLast((entry) => entry.name === given)?.startTime ?? clock.now());
const more = {
  mark: (name, options) => add(new PerformanceEntry(String(name), 'mark', options?.startTime ?? clock.now(), 0, options?.detail)),
  measure(name, start, end) {
    const choice = typeof start === 'object' && start !== null ? start : { start, end };
    const from = choice.start === undefined ? 0 : at(choice.start);
    const to = choice.end === undefined ? (choice.duration === undefined ? clock.now() : from + choice.duration) : at(choice.end);
    return add(new PerformanceEntry(String(name), 'measure', from, to - from, choice.detail));
  },
  clearMarks: (name) => drop('mark', name),
  clearMeasures: (name) => drop('measure', name),
  getEntries: () => [...entries],
  getEntriesByName: (name, type) => entries.filter((entry) => entry.name === name && (type === undefined || entry.entryType === type)),
  getEntriesByType: (type) => entries.filter((entry) => entry.entryType === type),
  timerify: (work) => work,
  eventLoopUtilization: () => ({ idle: 0, active: 0, utilization: 0 }),
};
function drop(type, name) {
  for (let n = entries.length - 1; n >= 0; n--) if (entries[n].entryType === type && (name === undefined || entries[n].name === name)) entries.splice(n, 1);
}
for (const [name, value] of Object.entries(more)) if (clock[name] === undefined) Object.defineProperty(clock, name, { value, writable: true, configurable: true });
class PerformanceObserver {
  static supportedEntryTypes = ['mark', 'measure'];
  observe() {}
  disconnect() {}
  takeRecords() { return []; }
}
const histogram = () => ({ min: 0, max: 0, mean: 0, stddev: 0, enable: () => true, disable: () => true, reset() {}, percentile: () => 0, record() {} });
Object.assign(exports, { performance: clock, PerformanceEntry, PerformanceObserver, constants: {}, monitorEventLoopDelay: histogram, createHistogram: histogram });
