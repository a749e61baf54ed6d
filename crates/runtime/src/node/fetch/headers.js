// Headers and FormData of fetch.
const { validateHeaderName } = require('internal/http_common');

const BAD = /[\0\r\n]|[^\0-\xff]/;
const normal = (value) => {
  const text = String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
  if (BAD.test(text)) throw new TypeError(`Headers: ${JSON.stringify(text.slice(0, 80))} is an invalid header value.`);
  return text;
};
const named = (name) => {
  const text = String(name);
  try {
    validateHeaderName(text);
  } catch {
    throw new TypeError(`Headers: ${JSON.stringify(text.slice(0, 80))} is an invalid header name.`);
  }
  return text;
};

class Headers {
  // By lower case: the name as it was first given, and its values.
  #all = new Map();
  #fixed = false;
  constructor(init = undefined) {
    if (init === undefined) return;
    if (init === null || (typeof init !== 'object' && typeof init !== 'function')) throw new TypeError("Headers constructor: init could not be converted to a sequence or a record.");
    if (#all in init) for (const [key, entry] of init.#all) this.#all.set(key, [entry[0], [...entry[1]]]);
    else if (typeof init[Symbol.iterator] === 'function') {
      for (const pair of init) {
        const both = [...pair];
        if (both.length !== 2) throw new TypeError('Headers constructor: expected name/value pair to be length 2, found ' + both.length + '.');
        this.append(...both);
      }
    } else for (const key of Reflect.ownKeys(init)) if (Object.prototype.propertyIsEnumerable.call(init, key)) this.append(key, init[key]);
  }
  #change() {
    if (this.#fixed) throw new TypeError('immutable');
  }
  append(name, value) {
    const [shown, text] = [named(name), normal(value)];
    this.#change();
    const entry = this.#all.get(shown.toLowerCase());
    if (entry) entry[1].push(text);
    else this.#all.set(shown.toLowerCase(), [shown, [text]]);
  }
  set(name, value) {
    const [shown, text] = [named(name), normal(value)];
    this.#change();
    this.#all.set(shown.toLowerCase(), [shown, [text]]);
  }
  delete(name) {
    const key = named(name).toLowerCase();
    this.#change();
    this.#all.delete(key);
  }
  get(name) {
    const entry = this.#all.get(named(name).toLowerCase());
    return entry ? entry[1].join(entry[0].toLowerCase() === 'cookie' ? '; ' : ', ') : null;
  }
  has(name) { return this.#all.has(named(name).toLowerCase()); }
  getSetCookie() { return [...(this.#all.get('set-cookie')?.[1] ?? [])]; }
  *entries() {
    for (const key of [...this.#all.keys()].sort()) {
      if (key === 'set-cookie') for (const one of this.getSetCookie()) yield [key, one];
      else if (this.#all.has(key)) yield [key, this.get(key)];
    }
  }
  *keys() { for (const [key] of this.entries()) yield key; }
  *values() { for (const [, value] of this.entries()) yield value; }
  forEach(work, self) { for (const [key, value] of this.entries()) work.call(self, value, key, this); }
  [Symbol.iterator]() { return this.entries(); }
  [Symbol.for('nodejs.util.inspect.custom')](depth, options) {
    return `Headers ${require('util').inspect(Object.fromEntries(this.entries()), options)}`;
  }
  /** From a message, as it came: nothing is checked again. */
  static received(raw) {
    const headers = new Headers();
    for (let at = 0; at < raw.length; at += 2) {
      const entry = headers.#all.get(raw[at].toLowerCase());
      if (entry) entry[1].push(raw[at + 1]);
      else headers.#all.set(raw[at].toLowerCase(), [raw[at], [raw[at + 1]]]);
    }
    headers.#fixed = true;
    return headers;
  }
  static fix(headers) {
    headers.#fixed = true;
    return headers;
  }
}
const { received, fix } = Headers;
delete Headers.received;
delete Headers.fix;

const { Blob, File } = require('buffer');
const part = (name, value, filename) => {
  if (!(value instanceof Blob)) return [String(name).toWellFormed(), String(value).toWellFormed()];
  const called = filename ?? (value instanceof File ? value.name : 'blob');
  const file = value instanceof File && filename === undefined ? value : new File([value], called, { type: value.type, lastModified: value.lastModified });
  return [String(name).toWellFormed(), file];
};
class FormData {
  #parts = [];
  constructor(form = undefined) {
    if (form !== undefined) throw new TypeError("Failed to construct 'FormData': parameter 1 is not of type 'HTMLFormElement'");
  }
  append(name, value, filename) {
    if (arguments.length < 2) throw new TypeError(`FormData.append: 2 arguments required, but only ${arguments.length} present.`);
    if (arguments.length > 2 && !(value instanceof Blob)) throw new TypeError('FormData.append: parameter 2 is not of type Blob');
    this.#parts.push(part(name, value, filename));
  }
  set(name, value, filename) {
    const made = part(name, value, filename);
    const at = this.#parts.findIndex(([known]) => known === made[0]);
    this.#parts = this.#parts.filter(([known], index) => known !== made[0] || index === at);
    if (at < 0) this.#parts.push(made);
    else this.#parts[at] = made;
  }
  delete(name) { this.#parts = this.#parts.filter(([known]) => known !== String(name)); }
  get(name) { return this.#parts.find(([known]) => known === String(name))?.[1] ?? null; }
  getAll(name) { return this.#parts.filter(([known]) => known === String(name)).map(([, value]) => value); }
  has(name) { return this.#parts.some(([known]) => known === String(name)); }
  *entries() { for (const [name, value] of this.#parts) yield [name, value]; }
  *keys() { for (const [name] of this.#parts) yield name; }
  *values() { for (const [, value] of this.#parts) yield value; }
  forEach(work, self) { for (const [name, value] of this.entries()) work.call(self, value, name, this); }
  [Symbol.iterator]() { return this.entries(); }
}
for (const kind of [Headers, FormData]) Object.defineProperty(kind.prototype, Symbol.toStringTag, { value: kind.name, configurable: true });
Object.assign(exports, { Headers, FormData, received, fix });
