// util.MIMEType: types of media, as the standard of the web reads them.
const { coded } = require('internal/errors');
const TOKEN = /^[!#$%&'*+\-.^_`|~A-Za-z0-9]+$/;
const QUOTABLE = /^[\t\x20-\x7e\x80-\xff]*$/;
const wrong = (kind, text, at = -1) => coded(TypeError, 'ERR_INVALID_MIME_SYNTAX', `The MIME syntax for a ${kind} in ${JSON.stringify(text)} is invalid${at >= 0 ? ` at ${at}` : ''}`);
const lower = (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const escaped = (text) => (TOKEN.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`);

class MIMEParams {
  #all = new Map();
  delete(name) { this.#all.delete(`${name}`); }
  get(name) { return this.#all.get(`${name}`) ?? null; }
  has(name) { return this.#all.has(`${name}`); }
  set(name, value) {
    [name, value] = [`${name}`, `${value}`];
    if (!TOKEN.test(name)) throw wrong('parameter name', name, /[^!#$%&'*+\-.^_`|~A-Za-z0-9]/.exec(name)?.index ?? -1);
    if (!QUOTABLE.test(value)) throw wrong('parameter value', value, /[^\t\x20-\x7e\x80-\xff]/.exec(value).index);
    this.#all.set(name, value);
  }
  *entries() { yield* this.#all.entries(); }
  *keys() { yield* this.#all.keys(); }
  *values() { yield* this.#all.values(); }
  [Symbol.iterator]() { return this.entries(); }
  toString() { return [...this.#all].map(([name, value]) => `${name}=${value.length === 0 ? '""' : escaped(value)}`).join(';'); }
  toJSON() { return this.toString(); }
  /** What stands after the type: what is not well formed is left out, the first of a name counts. */
  static read(text) {
    const made = new MIMEParams();
    for (let at = 0; at < text.length; ) {
      at += /^[\t\n\f\r ]*/.exec(text.slice(at))[0].length;
      const name = /^[^;=]*/.exec(text.slice(at))[0];
      at += name.length;
      if (text[at] !== '=') {
        at++;
        continue;
      }
      at++;
      let value = '';
      if (text[at] === '"') {
        for (at++; at < text.length && text[at] !== '"'; at++) {
          if (text[at] === '\\' && at + 1 < text.length) at++;
          value += text[at];
        }
        at += /^[^;]*/.exec(text.slice(at))[0].length + 1;
      } else {
        const found = /^[^;]*/.exec(text.slice(at))[0];
        at += found.length + 1;
        value = found.replace(/[\t\n\f\r ]+$/, '');
        if (value === '') continue;
      }
      const key = lower(name);
      if (TOKEN.test(key) && QUOTABLE.test(value) && !made.#all.has(key)) made.#all.set(key, value);
    }
    return made;
  }
}
const { read } = MIMEParams;
delete MIMEParams.read;

class MIMEType {
  #type;
  #subtype;
  #params;
  constructor(given) {
    const text = `${given}`;
    const trimmed = text.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '');
    const slash = trimmed.indexOf('/');
    const type = slash < 0 ? trimmed : trimmed.slice(0, slash);
    if (slash < 0 || !TOKEN.test(type)) throw wrong('type', text, slash < 0 ? -1 : /[^!#$%&'*+\-.^_`|~A-Za-z0-9]/.exec(type)?.index);
    const [subtype] = /^[^;]*/.exec(trimmed.slice(slash + 1));
    const bare = subtype.replace(/[\t\n\f\r ]+$/, '');
    if (!TOKEN.test(bare)) throw wrong('subtype', text, bare === '' ? -1 : /[^!#$%&'*+\-.^_`|~A-Za-z0-9]/.exec(bare).index);
    [this.#type, this.#subtype] = [lower(type), lower(bare)];
    this.#params = read(trimmed.slice(slash + 2 + subtype.length));
  }
  get type() { return this.#type; }
  set type(value) {
    if (!TOKEN.test(`${value}`)) throw wrong('type', `${value}`, /[^!#$%&'*+\-.^_`|~A-Za-z0-9]/.exec(value)?.index ?? -1);
    this.#type = lower(`${value}`);
  }
  get subtype() { return this.#subtype; }
  set subtype(value) {
    if (!TOKEN.test(`${value}`)) throw wrong('subtype', `${value}`, /[^!#$%&'*+\-.^_`|~A-Za-z0-9]/.exec(value)?.index ?? -1);
    this.#subtype = lower(`${value}`);
  }
  get essence() { return `${this.#type}/${this.#subtype}`; }
  get params() { return this.#params; }
  toString() {
    const params = `${this.#params}`;
    return this.essence + (params === '' ? '' : `;${params}`);
  }
  toJSON() { return this.toString(); }
}
Object.assign(exports, { MIMEType, MIMEParams });
