// What client and server share: names, checks, and how a body is framed.
const { base, callable } = require('internal/callable');
const { Readable, Writable } = require('stream');
const { Buffer } = require('buffer');
const { coded, invalidArgType } = require('internal/errors');
const { nextTick } = require('process');

const METHODS = ('ACL BIND CHECKOUT CONNECT COPY DELETE GET HEAD LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY OPTIONS PATCH POST ' +
  'PROPFIND PROPPATCH PURGE PUT QUERY REBIND REPORT SEARCH SOURCE SUBSCRIBE TRACE UNBIND UNLINK UNLOCK UNSUBSCRIBE').split(' ');
const STATUS_CODES = {
  100: 'Continue', 101: 'Switching Protocols', 102: 'Processing', 103: 'Early Hints', 200: 'OK', 201: 'Created', 202: 'Accepted',
  203: 'Non-Authoritative Information', 204: 'No Content', 205: 'Reset Content', 206: 'Partial Content', 207: 'Multi-Status', 208: 'Already Reported',
  226: 'IM Used', 300: 'Multiple Choices', 301: 'Moved Permanently', 302: 'Found', 303: 'See Other', 304: 'Not Modified', 305: 'Use Proxy',
  307: 'Temporary Redirect', 308: 'Permanent Redirect', 400: 'Bad Request', 401: 'Unauthorized', 402: 'Payment Required', 403: 'Forbidden',
  404: 'Not Found', 405: 'Method Not Allowed', 406: 'Not Acceptable', 407: 'Proxy Authentication Required', 408: 'Request Timeout', 409: 'Conflict',
  410: 'Gone', 411: 'Length Required', 412: 'Precondition Failed', 413: 'Payload Too Large', 414: 'URI Too Long', 415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable', 417: 'Expectation Failed', 418: "I'm a Teapot", 421: 'Misdirected Request', 422: 'Unprocessable Entity', 423: 'Locked',
  424: 'Failed Dependency', 425: 'Too Early', 426: 'Upgrade Required', 428: 'Precondition Required', 429: 'Too Many Requests',
  431: 'Request Header Fields Too Large', 451: 'Unavailable For Legal Reasons', 500: 'Internal Server Error', 501: 'Not Implemented', 502: 'Bad Gateway',
  503: 'Service Unavailable', 504: 'Gateway Timeout', 505: 'HTTP Version Not Supported', 506: 'Variant Also Negotiates', 507: 'Insufficient Storage',
  508: 'Loop Detected', 509: 'Bandwidth Limit Exceeded', 510: 'Not Extended', 511: 'Network Authentication Required',
};

const TOKEN = /^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+$/;
const BAD_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
function validateHeaderName(name, label = 'Header name') {
  if (typeof name !== 'string' || !TOKEN.test(name)) throw coded(TypeError, 'ERR_INVALID_HTTP_TOKEN', `${label} must be a valid HTTP token ["${name}"]`);
}
function validateHeaderValue(name, value) {
  if (value === undefined) throw coded(TypeError, 'ERR_HTTP_INVALID_HEADER_VALUE', `Invalid value "${value}" for header "${name}"`);
  for (const one of Array.isArray(value) ? value : [value]) {
    if (BAD_VALUE.test(String(one))) throw coded(TypeError, 'ERR_INVALID_CHAR', `Invalid character in header content ["${name}"]`);
  }
}

// Headers of which the first one counts.
const FIRST = new Set(('age authorization content-length content-type etag expires from host if-modified-since if-unmodified-since last-modified ' +
  'location max-forwards proxy-authorization referer retry-after server user-agent').split(' '));

function joined(raw) {
  const headers = {};
  for (let at = 0; at < raw.length; at += 2) {
    const [name, value] = [raw[at].toLowerCase(), raw[at + 1]];
    if (name === 'set-cookie') {
      if (headers[name]) headers[name].push(value);
      else headers[name] = [value];
    } else if (!Object.hasOwn(headers, name)) headers[name] = value;
    else if (!FIRST.has(name)) headers[name] += (name === 'cookie' ? '; ' : ', ') + value;
  }
  return headers;
}
function distinct(raw) {
  const headers = { __proto__: null };
  for (let at = 0; at < raw.length; at += 2) (headers[raw[at].toLowerCase()] ??= []).push(raw[at + 1]);
  return headers;
}

const IncomingMessage = callable(class IncomingMessage extends base(Readable) {
  #headers;
  #trailers;
  constructor(socket) {
    super({ autoDestroy: true, highWaterMark: socket?.readableHighWaterMark });
    this._readableState.readingMore = true;
    Object.assign(this, {
      socket, httpVersionMajor: null, httpVersionMinor: null, httpVersion: null, complete: false, rawHeaders: [], rawTrailers: [], aborted: false,
      upgrade: null, url: '', method: null, statusCode: null, statusMessage: null, client: socket, _consumed: false, _dumped: false,
    });
  }
  get connection() { return this.socket; }
  set connection(socket) { this.socket = socket; }
  get headers() { return (this.#headers ??= joined(this.rawHeaders)); }
  set headers(headers) { this.#headers = headers; }
  get headersDistinct() { return distinct(this.rawHeaders); }
  get trailers() { return (this.#trailers ??= joined(this.rawTrailers)); }
  set trailers(trailers) { this.#trailers = trailers; }
  get trailersDistinct() { return distinct(this.rawTrailers); }
  setTimeout(ms, done) {
    if (done) this.on('timeout', done);
    this.socket?.setTimeout(ms);
    return this;
  }
  _read() {
    this._consumed = true;
    this._resume?.();
  }
  _destroy(error, done) {
    if (!this.readableEnded || !this.complete) {
      this.aborted = true;
      this.emit('aborted');
    }
    let reason = error;
    if (!reason && !this.complete && !this.readableEnded) reason = connectionReset('aborted');
    // Whoever does not listen to errors of a message was told by `aborted`.
    if (reason && this.listenerCount('error') === 0) reason = null;
    if (this.socket && !this.socket.destroyed && this.aborted && !this.complete) this.socket.destroy(error);
    nextTick(done, reason);
  }
  _dump() {
    if (this._dumped) return;
    this._dumped = true;
    this.removeAllListeners('data');
    this.resume();
  }
});

const connectionReset = (message) => coded(Error, 'ECONNRESET', message);

const OutgoingMessage = callable(class OutgoingMessage extends base(Writable) {
  #headers = new Map();
  #queue = [];
  #length = null;
  #sent = 0;
  #trailer = '';
  constructor(options) {
    super({ autoDestroy: false, emitClose: false, decodeStrings: true, highWaterMark: options?.highWaterMark });
    Object.assign(this, {
      _header: null, socket: null, sendDate: false, shouldKeepAlive: true, useChunkedEncodingByDefault: true, chunkedEncoding: false, finished: false,
      maxRequestsOnConnectionReached: false, _removed: new Set(), _hasBody: true, strictContentLength: false, _closed: false,
    });
  }
  get connection() { return this.socket; }
  set connection(socket) { this.socket = socket; }
  get headersSent() { return this._header !== null; }
  get _headers() { return this.getHeaders(); }

  setHeader(name, value) {
    if (this._header) throw coded(Error, 'ERR_HTTP_HEADERS_SENT', 'Cannot set headers after they are sent to the client');
    validateHeaderName(name);
    validateHeaderValue(name, value);
    const key = name.toLowerCase();
    this.#headers.set(key, [name, value]);
    this._removed.delete(key);
    return this;
  }
  setHeaders(headers) {
    if (!(headers instanceof Map) && headers?.constructor?.name !== 'Headers') throw invalidArgType('headers', ['Headers', 'Map'], headers);
    for (const [name, value] of headers) this.setHeader(name, value);
    return this;
  }
  appendHeader(name, value) {
    const before = this.getHeader(name);
    return this.setHeader(name, before === undefined ? value : [before, value].flat());
  }
  getHeader(name) { return this.#headers.get(String(name).toLowerCase())?.[1]; }
  getHeaders() {
    const all = { __proto__: null };
    for (const [key, [, value]] of this.#headers) all[key] = value;
    return all;
  }
  getHeaderNames() { return [...this.#headers.keys()]; }
  getRawHeaderNames() { return [...this.#headers.values()].map(([name]) => name); }
  hasHeader(name) { return this.#headers.has(String(name).toLowerCase()); }
  removeHeader(name) {
    if (this._header) throw coded(Error, 'ERR_HTTP_HEADERS_SENT', 'Cannot remove headers after they are sent to the client');
    const key = String(name).toLowerCase();
    this.#headers.delete(key);
    this._removed.add(key);
  }
  addTrailers(headers) {
    this.#trailer = '';
    for (const [name, value] of Array.isArray(headers) ? headers : Object.entries(headers)) {
      validateHeaderName(name, 'Trailer name');
      validateHeaderValue(name, value);
      this.#trailer += `${name}: ${value}\r\n`;
    }
  }
  flushHeaders() {
    if (!this._header) this._implicitHeader();
    this.#emit(Buffer.alloc(0), () => {});
  }

  /** The head as text. `first`: its first line. Decides how the body is framed. */
  _storeHeader(first) {
    const has = (name) => this.#headers.has(name);
    let text = first;
    const coding = String(this.getHeader('transfer-encoding') ?? '');
    this.chunkedEncoding = /(^|,)\s*chunked\s*$/i.test(coding);
    // Never both, and no length that is none: two readers could take the body for different things.
    if (this.chunkedEncoding) this.#headers.delete('content-length');
    else this.#headers.delete('transfer-encoding');
    const length = this.getHeader('content-length');
    if (length !== undefined && !/^\d+$/.test(String(length))) {
      throw coded(TypeError, 'ERR_HTTP_INVALID_HEADER_VALUE', `Invalid value "${length}" for header "Content-Length"`);
    }
    for (const [name, value] of this.#headers.values()) {
      for (const one of Array.isArray(value) ? (name.toLowerCase() === 'cookie' ? [value.join('; ')] : value) : [value]) text += `${name}: ${one}\r\n`;
    }
    if (this.sendDate && !has('date')) text += `Date: ${new Date().toUTCString()}\r\n`;
    let framed = '';
    if (!this._hasBody) this.chunkedEncoding = false;
    else if (!this.chunkedEncoding && length === undefined) {
      if (this.#length !== null && !this._removed.has('content-length')) framed = `Content-Length: ${this.#length}\r\n`;
      else if (this.useChunkedEncodingByDefault && !this._removed.has('transfer-encoding')) {
        framed = 'Transfer-Encoding: chunked\r\n';
        this.chunkedEncoding = true;
      } else if (this._bodyEndsWithConnection) this.shouldKeepAlive = false;
    }
    if (length !== undefined && this._hasBody) this._declared = Number(length);
    const connection = this.getHeader('connection');
    if (connection !== undefined) {
      if (/(^|,)\s*close\s*(,|$)/i.test(String(connection))) this.shouldKeepAlive = false;
    } else if (!this._removed.has('connection')) {
      text += `Connection: ${this.shouldKeepAlive ? 'keep-alive' : 'close'}\r\n`;
      if (this.shouldKeepAlive && this._keepAliveHint) text += `Keep-Alive: timeout=${this._keepAliveHint}\r\n`;
    }
    text += framed;
    this._header = `${text}\r\n`;
    this.#head = Buffer.from(this._header, 'latin1');
  }
  #head = null;

  write(chunk, encoding, done) {
    if (this._early()) return true;
    return super.write(chunk, encoding, done);
  }
  end(chunk, encoding, done) {
    if (typeof chunk === 'function') [chunk, encoding, done] = [undefined, undefined, chunk];
    else if (typeof encoding === 'function') [encoding, done] = [undefined, encoding];
    if (!this._header && !this.writableEnded) {
      // All of it is known.
      if (chunk === undefined || chunk === null) this.#length = 0;
      else if (typeof chunk === 'string') this.#length = Buffer.byteLength(chunk, encoding);
      else if (ArrayBuffer.isView(chunk)) this.#length = chunk.byteLength;
      if (this.writableLength > 0) this.#length = null;
    }
    this.finished = true;
    if (chunk !== undefined && chunk !== null) {
      super.write(chunk, encoding);
      super.end(done);
    } else super.end(done);
    return this;
  }
  _early() { return false; }
  _write(chunk, encoding, done) {
    this._writev([{ chunk, encoding }], done);
  }
  _writev(chunks, done) {
    if (!this._header) this._implicitHeader();
    const bytes = chunks.length === 1 ? bufferOf(chunks[0]) : Buffer.concat(chunks.map(bufferOf));
    if (!this._hasBody || bytes.length === 0) return this.#head && this._hasBody ? this.#emit(Buffer.alloc(0), done) : done();
    this.#sent += bytes.length;
    if (this._declared !== undefined && this.#sent > this._declared) return done(this.#mismatch());
    this.#emit(this.chunkedEncoding ? Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, CRLF]) : bytes, done);
  }
  _final(done) {
    if (!this._header) this._implicitHeader();
    if (this._hasBody && this._declared !== undefined && this.#sent !== this._declared && this.strictContentLength) return done(this.#mismatch());
    // Less than was promised: whoever waits for the rest must not get the next message instead.
    if (this._hasBody && this._declared !== undefined && this.#sent < this._declared) this.shouldKeepAlive = false;
    const end = this.chunkedEncoding ? Buffer.from(`0\r\n${this.#trailer}\r\n`, 'latin1') : Buffer.alloc(0);
    this.#emit(end, (error) => {
      done(error);
      if (!error) this._finished();
    });
  }
  #mismatch() {
    return coded(Error, 'ERR_HTTP_CONTENT_LENGTH_MISMATCH', `Response body's content-length of ${this.#sent} byte(s) does not match the content-length of ${this._declared} byte(s) set in header`);
  }
  #emit(bytes, done) {
    const head = this.#head;
    this.#head = null;
    const whole = head ? (bytes.length ? Buffer.concat([head, bytes]) : head) : bytes;
    if (!this.socket || this._held) return void this.#queue.push([whole, done]);
    this.#send(whole, done);
  }
  #send(bytes, done) {
    // What cannot be sent any more is dropped: the end of the connection is told by the socket.
    if (bytes.length === 0 || this.socket.destroyed) return void nextTick(done);
    this.socket.write(bytes, (error) => {
      if (!error) done();
    });
  }
  /** The socket is there, and it is this message's turn. */
  _flush() {
    this._held = false;
    for (const [bytes, done] of this.#queue.splice(0)) this.#send(bytes, done);
  }
  setTimeout(ms, done) {
    if (done) this.on('timeout', done);
    if (this.socket) this.socket.setTimeout(ms);
    else this.once('socket', (socket) => socket.setTimeout(ms));
    return this;
  }
  _destroy(error, done) {
    this.#queue.length = 0;
    done(error);
  }
  pipe() {
    this.emit('error', coded(Error, 'ERR_STREAM_CANNOT_PIPE', 'Cannot pipe, not readable'));
  }
});
const CRLF = Buffer.from('\r\n');
const bufferOf = ({ chunk, encoding }) => (typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk);

/** Fills a message with what the parser found of its head. */
function filled(message, head) {
  Object.assign(message, {
    httpVersionMajor: 1, httpVersionMinor: head.minor, httpVersion: `1.${head.minor}`, rawHeaders: head.raw, upgrade: head.upgrade,
    method: head.method ?? null, url: head.url ?? '', statusCode: head.status ?? null, statusMessage: head.reason ?? (head.status ? '' : null),
  });
  return message;
}

Object.assign(exports, {
  METHODS, STATUS_CODES, TOKEN, IncomingMessage, OutgoingMessage, connectionReset, filled, validateHeaderName, validateHeaderValue, maxHeaderSize: 16384,
});
