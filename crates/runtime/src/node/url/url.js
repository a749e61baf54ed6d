// url: URL and URLSearchParams of the web (parsed natively), file URLs, and the old url.parse.
const { callback, coded, invalidArgType } = require('internal/errors');
const inspectCustom = Symbol.for('nodejs.util.inspect.custom');
const PARTS = ['href', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash', 'origin'];

const form = (text) =>
  encodeURIComponent(text.toWellFormed()).replace(/[!'()~]|%20/g, (c) => (c === '%20' ? '+' : `%${c.charCodeAt(0).toString(16).toUpperCase()}`));
const unform = (text) => {
  const spaced = text.replaceAll('+', ' ');
  if (!spaced.includes('%')) return spaced;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(require('querystring').unescapeBuffer(spaced));
};

class URLSearchParams {
  #pairs = [];
  #changed = () => {};
  constructor(init = undefined) {
    if (init == null) return;
    if (typeof init === 'object' || typeof init === 'function') {
      const iterator = init[Symbol.iterator];
      if (iterator === this[Symbol.iterator] && init instanceof URLSearchParams) {
        this.#pairs = [...init];
      } else if (iterator != null) {
        if (typeof iterator !== 'function') throw coded(TypeError, 'ERR_ARG_NOT_ITERABLE', 'Query pairs must be iterable');
        for (const pair of init) {
          const both = pair != null && typeof pair !== 'string' && typeof pair[Symbol.iterator] === 'function' ? [...pair] : [];
          if (both.length !== 2) throw coded(TypeError, 'ERR_INVALID_TUPLE', 'Each query pair must be an iterable [name, value] tuple');
          this.#pairs.push(both.map((one) => String(one).toWellFormed()));
        }
      } else {
        for (const key of Reflect.ownKeys(init)) {
          if (typeof key === 'string' && Object.prototype.propertyIsEnumerable.call(init, key)) this.#pairs.push([key.toWellFormed(), String(init[key]).toWellFormed()]);
        }
      }
    } else {
      this.#read(String(init));
    }
  }
  #read(text) {
    const whole = text.toWellFormed();
    this.#pairs = (whole.startsWith('?') ? whole.slice(1) : whole)
      .split('&')
      .filter((part) => part !== '')
      .map((part) => {
        const at = part.indexOf('=');
        return at < 0 ? [unform(part), ''] : [unform(part.slice(0, at)), unform(part.slice(at + 1))];
      });
  }
  static attach(params, query, changed) {
    params.#read(query);
    params.#changed = changed;
  }
  static #need(given, count, names) {
    if (given < count) throw coded(TypeError, 'ERR_MISSING_ARGS', `The ${names} must be specified`);
  }
  get size() { return this.#pairs.length; }
  append(name, value) {
    URLSearchParams.#need(arguments.length, 2, '"name" and "value" arguments');
    this.#pairs.push([String(name).toWellFormed(), String(value).toWellFormed()]);
    this.#changed();
  }
  delete(name, value = undefined) {
    URLSearchParams.#need(arguments.length, 1, '"name" argument');
    this.#pairs = this.#pairs.filter(([key, known]) => key !== String(name) || (value !== undefined && known !== String(value)));
    this.#changed();
  }
  get(name) {
    URLSearchParams.#need(arguments.length, 1, '"name" argument');
    return this.#pairs.find(([key]) => key === String(name))?.[1] ?? null;
  }
  getAll(name) { return this.#pairs.filter(([key]) => key === String(name)).map(([, value]) => value); }
  has(name, value = undefined) {
    return this.#pairs.some(([key, known]) => key === String(name) && (value === undefined || known === String(value)));
  }
  set(name, value) {
    URLSearchParams.#need(arguments.length, 2, '"name" and "value" arguments');
    const first = this.#pairs.find(([key]) => key === String(name));
    if (first) {
      first[1] = String(value).toWellFormed();
      this.#pairs = this.#pairs.filter((pair) => pair === first || pair[0] !== String(name));
    } else {
      this.#pairs.push([String(name).toWellFormed(), String(value).toWellFormed()]);
    }
    this.#changed();
  }
  sort() {
    this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    this.#changed();
  }
  forEach(visit, self = undefined) {
    callback(visit, 'callback');
    for (const [name, value] of this.#pairs) visit.call(self, value, name, this);
  }
  *entries() { for (let at = 0; at < this.#pairs.length; at++) yield [...this.#pairs[at]]; }
  *keys() { for (let at = 0; at < this.#pairs.length; at++) yield this.#pairs[at][0]; }
  *values() { for (let at = 0; at < this.#pairs.length; at++) yield this.#pairs[at][1]; }
  toString() { return this.#pairs.map(([name, value]) => `${form(name)}=${form(value)}`).join('&'); }
  [inspectCustom](depth, options, inspect) {
    if (typeof depth === 'number' && depth < 0) return '[Object]';
    const shown = this.#pairs.map(([name, value]) => `${inspect(name, options)} => ${inspect(value, options)}`);
    const line = shown.join(', ');
    if (shown.length === 0) return 'URLSearchParams {}';
    return line.length + 20 <= options.breakLength ? `URLSearchParams { ${line} }` : `URLSearchParams {\n  ${shown.join(',\n  ')} }`;
  }
}
Object.defineProperty(URLSearchParams.prototype, Symbol.iterator, { value: URLSearchParams.prototype.entries, writable: true, configurable: true });
Object.defineProperty(URLSearchParams.prototype, Symbol.toStringTag, { value: 'URLSearchParams', configurable: true });
const { attach } = URLSearchParams;
delete URLSearchParams.attach;

// More slashes than two in front of a host mean what two mean, where there is always a host.
function parsed(text, base) {
  if (base === undefined) return native.parse(text, undefined);
  const whole = `${base}`.toWellFormed();
  const many = /^(?:https?|wss?|ftp):/i.test(whole) && /^[\0- ]*[\\/]{3,}/.exec(text);
  return native.parse(many ? `//${text.slice(many[0].length)}` : text, whole);
}
class URL {
  #parts;
  #params;
  constructor(input, base = undefined) {
    if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "url" argument must be specified');
    const text = `${input}`.toWellFormed();
    this.#parts = parsed(text, base);
    if (!this.#parts) {
      const error = coded(TypeError, 'ERR_INVALID_URL', 'Invalid URL');
      error.input = text;
      if (base !== undefined) error.base = `${base}`;
      throw error;
    }
  }
  static canParse(input, base = undefined) {
    return parsed(`${input}`.toWellFormed(), base) != null;
  }
  static parse(input, base = undefined) {
    return URL.canParse(input, base) ? new URL(input, base) : null;
  }
  static createObjectURL(blob) { return require('buffer').createObjectURL(blob); }
  static revokeObjectURL() {}
  static change(url, part, value) {
    url.#parts = native.change(url.#parts[0], part, value) ?? url.#parts;
    if (part !== 'params' && url.#params) url.#attach();
  }
  static part(url, at) { return url.#parts[at]; }
  #attach() {
    attach(this.#params, this.search, () => {
      this.#parts = native.change(this.#parts[0], 'search', this.#params.toString());
    });
  }
  get href() { return this.#parts[0]; }
  set href(value) {
    const parts = native.parse(`${value}`, undefined);
    if (!parts) throw Object.assign(coded(TypeError, 'ERR_INVALID_URL', 'Invalid URL'), { input: `${value}` });
    this.#parts = parts;
    if (this.#params) this.#attach();
  }
  get searchParams() {
    if (!this.#params) {
      this.#params = new URLSearchParams();
      this.#attach();
    }
    return this.#params;
  }
  toString() { return this.#parts[0]; }
  toJSON() { return this.#parts[0]; }
  [inspectCustom](depth, options, inspect) {
    if (typeof depth === 'number' && depth < 0) return this.#parts[0];
    const shown = {};
    for (const name of ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'searchParams', 'hash']) shown[name] = this[name];
    return `URL ${inspect(shown, options)}`;
  }
}
const { change, part } = URL;
delete URL.change;
delete URL.part;
PARTS.forEach((name, at) => {
  if (name === 'href') return;
  const set = name === 'origin' ? undefined : function (value) { change(this, name, `${value}`.toWellFormed()); };
  Object.defineProperty(URL.prototype, name, { enumerable: true, configurable: true, get() { return part(this, at); }, set });
});
for (const name of ['href', 'searchParams', 'toString', 'toJSON']) Object.defineProperty(URL.prototype, name, { enumerable: true });
Object.defineProperty(URL.prototype, Symbol.toStringTag, { value: 'URL', configurable: true });

function fileURLToPath(input) {
  const url = typeof input === 'string' ? new URL(input) : input;
  if (typeof url?.href !== 'string' || typeof url.protocol !== 'string') throw invalidArgType('path', ['string', 'URL'], input);
  if (url.protocol !== 'file:') throw coded(TypeError, 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file');
  if (url.hostname !== '') throw coded(TypeError, 'ERR_INVALID_FILE_URL_HOST', 'File URL host must be "localhost" or empty on linux');
  if (/%2f/i.test(url.pathname)) throw Object.assign(coded(TypeError, 'ERR_INVALID_FILE_URL_PATH', 'File URL path must not include encoded / characters'), { input: url });
  return decodeURIComponent(url.pathname);
}

function fileURLToPathBuffer(input) {
  const url = typeof input === 'string' ? new URL(input) : input;
  fileURLToPath(url);
  return require('querystring').unescapeBuffer(url.pathname);
}

function pathToFileURL(path) {
  if (typeof path !== 'string') throw invalidArgType('path', 'string', path);
  const absolute = require('path').resolve(path) + (String(path).endsWith('/') && String(path) !== '/' ? '/' : '');
  const escaped = absolute.replace(/[%\\\n\r\t?#[\]^|~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
  return new URL(`file://${escaped}`);
}

function urlToHttpOptions(url) {
  const options = {
    __proto__: null, ...url, protocol: url.protocol, hostname: url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname,
    hash: url.hash, search: url.search, pathname: url.pathname, path: `${url.pathname || ''}${url.search || ''}`, href: url.href,
  };
  if (url.port !== '') options.port = Number(url.port);
  if (url.username || url.password) options.auth = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return options;
}

// A domain as the host of a URL: numbers become addresses.
const hostOf = (domain) => native.parse(`ws://${`${domain}`.toWellFormed()}`, undefined)?.[PARTS.indexOf('hostname')] ?? '';
const legacy = (name) => (...args) => require('internal/legacy_url')[name](...args);
Object.assign(exports, {
  URL, URLSearchParams, fileURLToPath, fileURLToPathBuffer, pathToFileURL, urlToHttpOptions,
  domainToASCII: hostOf,
  domainToUnicode: (domain) => native.toUnicode(hostOf(domain)) || hostOf(domain),
  parse: legacy('parse'), format: legacy('format'), resolve: legacy('resolve'), resolveObject: legacy('resolveObject'),
});
Object.defineProperty(exports, 'Url', { enumerable: true, get: () => require('internal/legacy_url').Url });
