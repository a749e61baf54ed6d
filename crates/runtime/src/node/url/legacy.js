// The old url.parse, url.format and url.resolve.
const querystring = require('querystring');
const { coded, invalidArgType } = require('internal/errors');

const withColon = (names) => new Set(names.flatMap((name) => [name, `${name}:`]));
const SLASHED = withColon(['http', 'https', 'ftp', 'gopher', 'file', 'ws', 'wss']);
const NO_HOST = withColon(['javascript']);
const ESCAPED = /[\t\n\r "'<>\\^`{|}]/g;
const escapeChar = (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
const bracketed = (host) => host.startsWith('[') && host.endsWith(']');
const invalid = (input) => Object.assign(coded(TypeError, 'ERR_INVALID_URL', 'Invalid URL'), { input });

function Url() {
  this.protocol = this.slashes = this.auth = this.host = this.port = this.hostname = null;
  this.hash = this.search = this.query = this.pathname = this.path = this.href = null;
}

Url.prototype.parse = function (input, parseQuery, slashesDenoteHost) {
  if (typeof input !== 'string') throw invalidArgType('url', 'string', input);
  let rest = input.replace(/^[ \t\r\n\f\u00a0\ufeff]+|[ \t\r\n\f\u00a0\ufeff]+$/g, '');
  const mark = rest.search(/[?#]/);
  rest = mark < 0 ? rest.replaceAll('\\', '/') : rest.slice(0, mark).replaceAll('\\', '/') + rest.slice(mark);

  const simple = !slashesDenoteHost && !/[#@]/.test(rest) && /^(\/\/?(?!\/)[^?\s]*)(\?[^\s]*)?$/.exec(rest);
  if (simple) {
    this.path = this.href = rest;
    this.pathname = simple[1];
    this.search = simple[2] ?? null;
    this.query = simple[2] ? (parseQuery ? querystring.parse(simple[2].slice(1)) : simple[2].slice(1)) : parseQuery ? { __proto__: null } : null;
    return this;
  }

  const scheme = /^[a-z0-9.+-]+:/i.exec(rest)?.[0];
  const lower = scheme?.toLowerCase();
  if (scheme) {
    this.protocol = lower;
    rest = rest.slice(scheme.length);
  }
  let slashes = false;
  if (slashesDenoteHost || scheme || /^\/\/[^@/]+@[^@/]+/.test(rest)) {
    slashes = rest.startsWith('//');
    if (slashes && !NO_HOST.has(lower)) {
      rest = rest.slice(2);
      this.slashes = true;
    }
  }
  // The scheme as it was written: Node looks for a host behind HTTP: without slashes, too.
  if (!NO_HOST.has(lower) && (slashes || (scheme && !SLASHED.has(scheme)))) rest = this.readHost(rest, input);

  if (!NO_HOST.has(lower)) rest = rest.replace(ESCAPED, escapeChar);
  const hash = rest.indexOf('#');
  if (hash >= 0) {
    this.hash = rest.slice(hash);
    rest = rest.slice(0, hash);
  }
  const question = rest.indexOf('?');
  if (question >= 0) {
    this.search = rest.slice(question);
    this.query = parseQuery ? querystring.parse(this.search.slice(1)) : this.search.slice(1);
    rest = rest.slice(0, question);
  } else if (parseQuery) {
    this.query = { __proto__: null };
  }
  if (rest) this.pathname = rest;
  if (SLASHED.has(lower) && this.hostname && !this.pathname) this.pathname = '/';
  if (this.pathname || this.search) this.path = (this.pathname ?? '') + (this.search ?? '');
  this.href = this.format();
  return this;
};

// User, host and port in front of `text`; gives what follows.
Url.prototype.readHost = function (text, input) {
  const stop = text.search(/[/?#]/);
  const head = (stop < 0 ? text : text.slice(0, stop)).replace(/[\t\n\r]/g, '');
  const at = head.lastIndexOf('@');
  if (at >= 0) this.auth = decodeURIComponent(head.slice(0, at));
  let host = head.slice(at + 1);
  let rest = stop < 0 ? '' : text.slice(stop);
  const bad = host.search(/[ "%';<>\\^`{|}]/);
  if (bad >= 0) {
    rest = host.slice(bad) + rest;
    host = host.slice(0, bad);
  }
  const port = /:(\d*)$/.exec(host);
  if (port) {
    if (port[1] !== '') this.port = port[1];
    host = host.slice(0, -port[0].length);
  }
  const six = bracketed(host);
  const colon = six ? -1 : host.search(/[/\\#?:]/);
  if (colon >= 0) {
    rest = `/${host.slice(colon)}${rest}`;
    host = host.slice(0, colon);
  }
  let name = host.length > 255 ? '' : host.toLowerCase();
  if (!six && /[^\0-\x7f]/.test(name)) name = native.toAscii(name);
  if (host !== '' && host.length <= 255 && (name === '' || /[\0\t\n\r #%/<>?@\\^|]/.test(name) || (!six && /[:[\]]/.test(name)))) throw invalid(input);
  this.host = name + (this.port ? `:${this.port}` : '');
  this.hostname = six ? name.slice(1, -1) : name;
  return six && !rest.startsWith('/') ? `/${rest}` : rest;
};

Url.prototype.format = function () {
  const auth = this.auth ? `${encodeURIComponent(this.auth).replaceAll('%3A', ':')}@` : '';
  let protocol = this.protocol || '';
  let pathname = (this.pathname || '').replace(/[#?]/g, escapeChar);
  let hash = this.hash || '';
  let host = '';
  if (this.host) host = auth + this.host;
  else if (this.hostname) host = auth + (this.hostname.includes(':') && !bracketed(this.hostname) ? `[${this.hostname}]` : this.hostname) + (this.port ? `:${this.port}` : '');
  const query = this.query !== null && typeof this.query === 'object' ? querystring.stringify(this.query) : '';
  let search = this.search || (query && `?${query}`) || '';
  if (protocol && !protocol.endsWith(':')) protocol += ':';
  if (this.slashes || SLASHED.has(protocol)) {
    if (this.slashes || host) {
      if (pathname && !pathname.startsWith('/')) pathname = `/${pathname}`;
      host = `//${host}`;
    } else if (protocol.startsWith('file')) {
      host = '//';
    }
  }
  if (hash && !hash.startsWith('#')) hash = `#${hash}`;
  if (search && !search.startsWith('?')) search = `?${search}`;
  return protocol + host + pathname + search.replaceAll('#', '%23') + hash;
};

function parse(url, parseQuery, slashesDenoteHost) {
  return url instanceof Url ? url : new Url().parse(url, parseQuery, slashesDenoteHost);
}

function format(given, options) {
  if (typeof given === 'string') return parse(given).format();
  if (typeof given !== 'object' || given === null) throw invalidArgType('urlObject', ['Object', 'string'], given);
  if (given instanceof URL) {
    const { fragment = true, search = true, auth = true, unicode = false } = options ?? {};
    let [, rest, query = '', hash = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(given.href);
    if (!auth) rest = rest.replace(/^([^/]*\/\/)[^/]*@/, '$1');
    if (unicode && given.hostname) rest = rest.replace(given.hostname, () => require('url').domainToUnicode(given.hostname));
    return rest + (search ? query : '') + (fragment ? hash : '');
  }
  return Url.prototype.format.call(given);
}

Url.prototype.resolve = function (relative) {
  return this.resolveObject(parse(relative, false, true)).format();
};
// Whatever stands as a host that begins with a user.
function splitHost(result) {
  const parts = result.host?.indexOf('@') > 0 ? result.host.split('@') : undefined;
  if (parts) [result.auth, result.host] = parts;
  result.hostname = result.host;
}

// "." and ".." in the parts of a path; gives how many ".." lead out of it.
function climb(parts) {
  let up = 0;
  for (let at = parts.length - 1; at >= 0; at--) {
    const part = parts[at];
    if (part !== '.' && part !== '..' && up === 0) continue;
    parts.splice(at, 1);
    if (part === '..') up++;
    else if (part !== '.') up--;
  }
  return up;
}

// The same with another scheme that has a host: its name may stand where the path is.
function underScheme(result, relative) {
  result.protocol = relative.protocol;
  let { host, pathname } = relative;
  if (!host && !/^file:?$/.test(relative.protocol) && !NO_HOST.has(relative.protocol)) {
    const parts = (pathname || '').split('/');
    while (parts.length > 0 && !(host = parts.shift()));
    host ||= '';
    if (parts[0] !== '') parts.unshift('');
    if (parts.length < 2) parts.unshift('');
    pathname = parts.join('/');
  }
  const { search, query, auth, port } = relative;
  Object.assign(result, { pathname, search, query, host: host || '', auth, hostname: relative.hostname || host, port });
  if (pathname || search) result.path = (pathname || '') + (search || '');
  result.slashes ||= relative.slashes;
}

Url.prototype.resolveObject = function (given) {
  const relative = Object.assign(new Url(), typeof given === 'string' ? parse(given, false, true) : given);
  const result = Object.assign(new Url(), this);
  const done = () => {
    result.href = result.format();
    return result;
  };
  const join = () => {
    if (result.pathname !== null || result.search !== null) result.path = (result.pathname || '') + (result.search || '');
  };
  result.hash = relative.hash;
  if (relative.href === '') return done();
  if (relative.slashes && !relative.protocol) {
    Object.assign(result, relative, { protocol: result.protocol });
    if (SLASHED.has(result.protocol) && result.hostname && !result.pathname) result.path = result.pathname = '/';
    return done();
  }
  if (relative.protocol && relative.protocol !== result.protocol) {
    if (SLASHED.has(relative.protocol)) underScheme(result, relative);
    else Object.assign(result, relative);
    return done();
  }

  const rooted = Boolean(relative.host || relative.pathname?.startsWith('/'));
  let absolute = rooted || result.pathname?.startsWith('/') || Boolean(result.host && relative.pathname);
  const dotsGo = absolute;
  let parts = result.pathname ? result.pathname.split('/') : [];
  const more = relative.pathname ? relative.pathname.split('/') : [];
  const put = (list, host) => (list[0] === '' ? (list[0] = host) : list.unshift(host));
  // Without slashes the host is a part of the path, and ".." reaches it.
  const hostless = Boolean(result.protocol && !SLASHED.has(result.protocol));
  if (hostless) {
    if (result.host) put(parts, result.host);
    Object.assign(result, { hostname: '', port: null, host: '' });
    if (relative.protocol) {
      result.auth = null;
      if (relative.host) put(more, relative.host);
      Object.assign(relative, { hostname: null, port: null, host: null });
    }
    absolute = absolute && (more[0] === '' || parts[0] === '');
  }
  const { search, query } = relative;
  if (rooted) {
    if (relative.host || relative.host === '') {
      if (result.host !== relative.host) result.auth = null;
      Object.assign(result, { host: relative.host, port: relative.port });
    }
    if (relative.hostname || relative.hostname === '') {
      if (result.hostname !== relative.hostname) result.auth = null;
      result.hostname = relative.hostname;
    }
    Object.assign(result, { search, query });
    parts = more;
  } else if (more.length > 0) {
    parts = [...parts.slice(0, -1), ...more];
    Object.assign(result, { search, query });
  } else if (search != null) {
    if (hostless) {
      result.host = parts.shift();
      splitHost(result);
    }
    Object.assign(result, { search, query });
    join();
    return done();
  }
  if (parts.length === 0) {
    result.pathname = null;
    result.path = result.search ? `/${result.search}` : null;
    return done();
  }

  const last = parts.at(-1);
  const folder = ((result.host || relative.host || parts.length > 1) && (last === '.' || last === '..')) || last === '';
  const up = climb(parts);
  if (!absolute && !dotsGo) parts.unshift(...Array(up).fill('..'));
  if (absolute && parts[0] !== '' && !parts[0]?.startsWith('/')) parts.unshift('');
  if (folder && !parts.join('/').endsWith('/')) parts.push('');
  const slashed = parts[0] === '' || Boolean(parts[0]?.startsWith('/'));
  if (hostless) {
    result.host = slashed ? '' : parts.length > 0 ? parts.shift() : '';
    splitHost(result);
  }
  absolute = absolute || Boolean(result.host && parts.length > 0);
  if (absolute && !slashed) parts.unshift('');
  result.pathname = parts.length > 0 ? parts.join('/') : null;
  if (result.pathname === null) result.path = null;
  join();
  result.auth = relative.auth || result.auth;
  result.slashes ||= relative.slashes;
  return done();
};

Object.assign(exports, {
  Url, parse, format,
  resolve: (from, to) => parse(from, false, true).resolve(to),
  resolveObject: (from, to) => (from ? parse(from, false, true).resolveObject(to) : to),
});
