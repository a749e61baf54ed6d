// What a value is, whatever it pretends to be: by the engine's class of it.
const sample = {
  promise: Promise.resolve(), mapIterator: new Map().entries(), setIterator: new Set().values(), arrayIterator: [].values(),
  weakMap: new WeakMap(), weakSet: new WeakSet(), weakRef: new WeakRef({}), date: new Date(0), regexp: /a/, error: new Error(),
  generator: (function* () {})(), asyncGenerator: (async function* () {})(), dom: new DOMException(''),
  number: Object(1), string: Object(''), boolean: Object(true), bigint: Object(1n), symbol: Object(Symbol.iterator),
  generatorFunction: function* () {}, asyncFunction: async () => {}, asyncGeneratorFunction: async function* () {},
};
// Those of sloppy functions are of another class.
const lax = new Function('a', 'return arguments')(1);
sample.arguments = (function () { return arguments; })();
const classes = Object.fromEntries(Object.entries(sample).map(([name, value]) => [name, native.classOf(value)]));
classes.looseArguments = native.classOf(lax);

const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
/** Whether a value is of one of these classes. */
exports.is = (value, ...names) => {
  if (!isObject(value)) return false;
  const found = native.classOf(value);
  return names.some((name) => classes[name] === found);
};
exports.proxy = native.proxy;
exports.promise = native.promise;
