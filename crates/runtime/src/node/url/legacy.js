// The old url.parse, url.format and url.resolve.
const querystring = require('querystring');
const { coded, invalidArgType } = require('internal/errors');

const SLASHED = new Set(['http:', 'https:', 'ftp:', 'gopher:', 'file:', 'ws:', 'wss:']);
const NO_HOST = new Set(['javascript:']);
const ESCAPED = /[\t\n\r "'<>\\^`{|}]/g;
const escapeChar = (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;

function Url() {
  this.protocol = this.slashes = this.auth = this.host = this.port = this.hostname = null;
  this.hash = this.search = this.query = this.pathname = this.path = this.href = null;
}

Url.prototype.parse = function (input, parseQuery, slashesDenoteHost) {
  if (typeof input !== 'string') throw invalidArgType('url', 'string', input);
  let rest = input.replace(/^[\s\ufeff]+|[\s\ufeff]+$/g, '');
  const mark = rest.search(/[?#]/);
  rest = mark < 0 ? rest.replaceAll('\\', '/') : rest.slice(0, mark).replaceAll('\\', '/') + rest.slice(mark);

  const simple = !slashesDenoteHost && !rest.includes('#') && !rest.includes('@') && /^(\/\/?(?!\/)[^?\s]*)(\?[^\s]*)?$/.exec(rest);
  if (simple) {
    this.path = this.href = rest;
    this.pathname = simple[1];
    this.search = simple[2] ?? null;
    this.query = simple[2] ? (parseQuery ? querystring.parse(simple[2].slice(1)) : simple[2].slice(1)) : parseQuery ? { __proto__: null } : null;
    if (simple[2] === undefined && parseQuery) this.search = null;
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
    if (slashes && !(lower && NO_HOST.has(lower))) {
      rest = rest.slice(2);
      this.slashes = true;
    }
  }
  if (!(lower && NO_HOST.has(lower)) && (slashes || (scheme && !SLASHED.has(lower) && false))) rest = this.readHost(rest);

  if (!(lower && NO_HOST.has(lower))) rest = rest.replace(ESCAPED, escapeChar);
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
    this.search = null;
    this.query = { __proto__: null };
  }
  if (rest) this.pathname = rest;
  if (lower && SLASHED.has(lower) && this.hostname && !this.pathname) this.pathname = '/';
  if (this.pathname || this.search) this.path = (this.pathname ?? '') + (this.search ?? '');
  this.href = this.format();
  return this;
};

Url.prototype.readHost = function (text) {
  const end = text.search(/[/?#]/);
  let host = end < 0 ? text : text.slice(0, end);
  let rest = end < 0 ? '' : text.slice(end);
  const at = host.lastIndexOf('@');
  if (at >= 0) {
    this.auth = decodeURIComponent(host.slice(0, at));
    host = host.slice(at + 1);
  }
  const bad = host.search(/[\t\n\r "%'*;<>\\^`{|}]/);
  if (bad >= 0) {
    rest = host.slice(bad) + rest;
    host = host.slice(0, bad);
  }
  const port = /:(\d*)$/.exec(host);
  if (port) {
    if (port[1] !== '') this.port = port[1];
    host = host.slice(0, -port[0].length);
  }
  const bracketed = host.startsWith('[') && host.endsWith(']');
  let name = host.length > 255 ? '' : host.toLowerCase();
  if (!bracketed && name !== '') {
    if (/[:\[\]]/.test(name)) throw Object.assign(coded(TypeError, 'ERR_INVALID_URL', 'Invalid URL'), { input: text });
    if (/[^\x00-\x7f]/.test(name)) name = require('url').domainToASCII(name);
  }
  this.host = name + (this.port ? `:${this.port}` : '');
  this.hostname = bracketed ? name.slice(1, -1) : name;
  if (rest !== '' && !/^[/?#]/.test(rest)) rest = `/${rest}`;
  return rest;
};

Url.prototype.format = function () {
  let auth = this.auth ?? '';
  if (auth) auth = `${encodeURIComponent(auth).replace(/%3A/i, ':')}@`;
  let protocol = this.protocol ?? '';
  if (protocol && !protocol.endsWith(':')) protocol += ':';
  let pathname = this.pathname ?? '';
  let hash = this.hash ?? '';
  let host = '';
  if (this.host) host = auth + this.host;
  else if (this.hostname) host = auth + (this.hostname.includes(':') && !this.hostname.startsWith('[') ? `[${this.hostname}]` : this.hostname) + (this.port ? `:${this.port}` : '');
  let search = this.search ?? '';
  if (search === '' && this.query !== null && typeof this.query === 'object') {
    const text = querystring.stringify(this.query);
    if (text) search = `?${text}`;
  }
  pathname = pathname.replace(/[#?]/g, escapeChar);
  if (this.slashes || SLASHED.has(protocol)) {
    if (this.slashes || host) {
      if (pathname && !pathname.startsWith('/')) pathname = `/${pathname}`;
      host = `//${host}`;
    } else if (protocol === 'file:') {
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
    const host = unicode ? require('url').domainToUnicode(given.hostname) + (given.port ? `:${given.port}` : '') : given.host;
    const user = auth && (given.username || given.password) ? `${given.username}${given.password ? `:${given.password}` : ''}@` : '';
    return `${given.protocol}${given.host || given.protocol === 'file:' ? '//' : ''}${user}${host}${given.pathname}${search ? given.search : ''}${fragment ? given.hash : ''}`;
  }
  return Url.prototype.format.call(given);
}

Url.prototype.resolve = function (relative) {
  return this.resolveObject(parse(relative, false, true)).format();
};
Url.prototype.resolveObject = function (given) {
  const relative = typeof given === 'string' ? parse(given, false, true) : given;
  const result = Object.assign(new Url(), this);
  const done = () => {
    if (result.pathname !== null || result.search !== null) result.path = (result.pathname ?? '') + (result.search ?? '');
    result.auth = relative.auth ?? result.auth;
    result.href = result.format();
    return result;
  };
  result.hash = relative.hash;
  if (relative.href === '') return done();
  const take = (...names) => names.forEach((name) => (result[name] = relative[name]));
  if (relative.slashes && !relative.protocol) {
    take('slashes', 'auth', 'host', 'port', 'hostname', 'pathname', 'search', 'query', 'path');
    if (SLASHED.has(result.protocol) && result.hostname && !result.pathname) result.path = result.pathname = '/';
    result.href = result.format();
    return result;
  }
  if (relative.protocol && relative.protocol !== result.protocol) {
    Object.assign(result, relative);
    result.href = result.format();
    return result;
  }
  if (relative.host || relative.host === '') take('host', 'hostname', 'port', 'auth');
  const absolute = relative.pathname?.startsWith('/') || (relative.host && relative.pathname);
  let path;
  if (absolute || relative.host) {
    path = (relative.pathname ?? '/').split('/');
    take('search', 'query');
  } else if (relative.pathname) {
    path = [...(result.pathname ?? '').split('/').slice(0, -1), ...relative.pathname.split('/')];
    take('search', 'query');
  } else {
    if (relative.search !== null) take('search', 'query');
    return done();
  }
  const rooted = path[0] === '' && path.length > 1 || Boolean(result.host);
  const folder = ['', '.', '..'].includes(path.at(-1)) && path.length > 1;
  const kept = [];
  for (const part of path) {
    if (part === '' && kept.length === 0) continue;
    if (part === '.') continue;
    if (part !== '..') kept.push(part);
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (!rooted) kept.push('..');
  }
  if (folder && kept.at(-1) !== '') kept.push('');
  result.pathname = (rooted ? '/' : '') + kept.join('/');
  return done();
};

Object.assign(exports, {
  Url, parse, format,
  resolve: (from, to) => parse(from, false, true).resolve(to),
  resolveObject: (from, to) => (from ? parse(from, false, true).resolveObject(to) : to),
});
