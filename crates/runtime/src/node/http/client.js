// http.ClientRequest: one request and its answer on one socket.
const { Buffer } = require('buffer');
const net = require('net');
const { aborted, coded, invalidArgType, string } = require('internal/errors');
const { IncomingMessage, OutgoingMessage, TOKEN, connectionReset, filled, maxHeaderSize } = require('internal/http_common');
const { Agent, globalAgent } = require('internal/http_agent');
const messages = require('internal/http_parser');
const { nextTick } = require('process');

const BAD_PATH = /[^\u0021-\u00ff]/;

function optionsOf(url) {
  const options = {
    protocol: url.protocol, hostname: url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname, hash: url.hash, search: url.search,
    pathname: url.pathname, path: `${url.pathname}${url.search}`, href: url.href,
  };
  if (url.port !== '') options.port = Number(url.port);
  if (url.username || url.password) options.auth = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return options;
}

class ClientRequest extends OutgoingMessage {
  #parser;
  #answered = false;
  #listeners;
  aborted = false;
  reusedSocket = false;
  res = null;
  maxHeadersCount = null;

  constructor(input, given, listener) {
    super();
    let options;
    if (typeof input === 'string') options = optionsOf(new URL(input));
    else if (input instanceof URL || (input?.searchParams && input.href)) options = optionsOf(input);
    else [listener, given, options] = [given, input, null];
    if (typeof given === 'function') [given, listener] = [{}, given];
    options = { __proto__: null, ...options, ...given };

    let agent = options.agent;
    const fallback = options._defaultAgent ?? globalAgent;
    if (agent === false) agent = new fallback.constructor();
    else if (agent === null || agent === undefined) agent = typeof options.createConnection === 'function' ? undefined : fallback;
    else if (typeof agent.addRequest !== 'function') throw invalidArgType('options.agent', ['Agent-like Object', 'undefined', 'false'], agent);
    this.agent = agent;
    const protocol = options.protocol || agent?.protocol || fallback.protocol;
    const expected = agent?.protocol ?? fallback.protocol;
    if (options.path !== undefined && options.path !== null && BAD_PATH.test(String(options.path))) {
      throw coded(TypeError, 'ERR_UNESCAPED_CHARACTERS', 'Request path contains unescaped characters');
    }
    if (protocol !== expected) throw coded(TypeError, 'ERR_INVALID_PROTOCOL', `Protocol "${protocol}" not supported. Expected "${expected}"`);
    const port = (options.port = options.port || options.defaultPort || agent?.defaultPort || 80);
    for (const name of ['hostname', 'host']) if (options[name] !== undefined && options[name] !== null) string(options[name], `options.${name}`);
    const host = (options.host = options.hostname || options.host || 'localhost');
    const setHost = options.setHost === undefined ? true : Boolean(options.setHost);
    if (options.timeout !== undefined) this.timeout = Number(options.timeout);
    const method = options.method ?? 'GET';
    string(method, 'options.method');
    if (!TOKEN.test(method)) throw coded(TypeError, 'ERR_INVALID_HTTP_TOKEN', `Method must be a valid HTTP token ["${method}"]`);
    this.method = method.toUpperCase();
    this.path = options.path || '/';
    this.host = host;
    this.protocol = protocol;
    this._limit = options.maxHeaderSize;
    this.insecureHTTPParser = undefined;
    this.joinDuplicateHeaders = options.joinDuplicateHeaders;
    if (listener) this.once('response', listener);
    this.useChunkedEncodingByDefault = !['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'].includes(this.method);
    this.shouldKeepAlive = agent ? agent.keepAlive || !(agent.maxSockets === Infinity || agent.maxSockets === undefined) : false;

    if (Array.isArray(options.headers)) this.#raw(options.headers);
    else for (const [name, value] of Object.entries(options.headers ?? {})) if (value !== undefined) this.setHeader(name, value); else this.setHeader(name, value);
    if (setHost && !this.getHeader('host')) {
      const shown = net.isIPv6(host) ? `[${host}]` : host;
      this.setHeader('Host', port !== (options.defaultPort ?? agent?.defaultPort ?? 80) ? `${shown}:${port}` : shown);
    }
    if (options.auth && !this.getHeader('Authorization')) this.setHeader('Authorization', `Basic ${Buffer.from(options.auth).toString('base64')}`);
    if (this.getHeader('expect')) nextTick(() => !this._header && !this.destroyed && this.flushHeaders());

    if (options.signal) this.#obey(options.signal);
    if (agent) agent.addRequest(this, options);
    else {
      const created = (error, socket) => (error ? nextTick(() => this.onSocket(null, error)) : this.onSocket(socket));
      const connect = typeof options.createConnection === 'function' ? options.createConnection : net.createConnection;
      let once = false;
      const socket = connect({ ...options, path: options.socketPath }, (error, made) => {
        if (!once && (error || made)) { once = true; created(error, made); }
      });
      if (socket && !once) { once = true; created(null, socket); }
    }
  }
  #raw(list) {
    const pairs = Array.isArray(list[0]) ? list : list.reduce((all, one, at) => (at % 2 ? all.at(-1).push(one) : all.push([one]), all), []);
    for (const [name, value] of pairs) this.appendHeader(name, value);
  }
  #obey(signal) {
    if (typeof signal?.addEventListener !== 'function') throw invalidArgType('options.signal', 'AbortSignal', signal);
    const stop = () => this.destroy(aborted(signal.reason));
    if (signal.aborted) return nextTick(stop);
    signal.addEventListener('abort', stop, { once: true });
    this.once('close', () => signal.removeEventListener('abort', stop));
  }

  _implicitHeader() {
    if (this._header) throw coded(Error, 'ERR_HTTP_HEADERS_SENT', 'Cannot render headers after they are sent to the client');
    if (this._endsEmpty()) {
      // A request that need not have a body says nothing of its length when it has none.
      if (!this.useChunkedEncodingByDefault) this._removed.add('content-length');
    } else this.useChunkedEncodingByDefault = true;
    this._storeHeader(`${this.method} ${this.path} HTTP/1.1\r\n`);
  }
  /** Nothing was written, and nothing will be. Flushed heads of such methods count as empty, too. */
  _endsEmpty() { return this.writableLength === 0 && (this.finished || !this.useChunkedEncodingByDefault); }

  onSocket(socket, error) {
    nextTick(() => {
      if (error) return this.destroy(error);
      if (this.destroyed) {
        this.#leave(socket);
        if (socket && !socket.destroyed) this.agent && !this.aborted ? socket.emit('free') : socket.destroy();
        return;
      }
      this.#begin(socket);
    });
  }
  #begin(socket) {
    this.socket = socket;
    socket._httpMessage = this;
    this.#parser = messages.parser('response', this._limit ?? maxHeaderSize);
    this.#parser.expect(this.method === 'HEAD', this.method === 'CONNECT');
    const data = (bytes) => this.#data(bytes);
    const end = () => this.#ended();
    const close = () => this.#closed();
    const fail = (error) => this.#failed(error);
    const timeout = () => this.timeout && this.emit('timeout');
    this.#listeners = { data, end, close, error: fail, timeout };
    for (const [event, listener] of Object.entries(this.#listeners)) socket.on(event, listener);
    if (this.timeout !== undefined && this.timeout !== socket.timeout) socket.setTimeout(this.timeout);
    this.emit('socket', socket);
    this._flush();
  }
  #leave(socket) {
    for (const [event, listener] of Object.entries(this.#listeners ?? {})) socket?.removeListener(event, listener);
    this.#listeners = undefined;
    if (socket?._httpMessage === this) socket._httpMessage = null;
  }

  #data(bytes) {
    const socket = this.socket;
    const found = this.#parser.execute(bytes, 0);
    let at = 1;
    while (at < found.length) {
      switch (found[at++]) {
        case 0:
          if (this.#head(found[at++])) return this.#tunnel(bytes.subarray(found[0]));
          break;
        case 1: {
          const part = bytes.subarray(found[at], found[at + 1]);
          at += 2;
          if (this.res && !this.res._dumped && !this.res.push(part)) socket.pause();
          break;
        }
        case 2:
          if (this.#complete(found[at++])) {
            // After a first answer that was only a notice, or behind the last one.
            if (found[0] < bytes.length) {
              if (this.res) return this.#leftOver();
              return this.#data(bytes.subarray(found[0]));
            }
          }
          break;
        case 3:
          break;
        default:
          return this.#malformed(found[at], found[at + 1], bytes);
      }
    }
  }
  /** More than one answer for one request: nothing of it can be trusted. */
  #leftOver() {
    this.shouldKeepAlive = false;
    if (this.res?.complete) this.socket?.destroy();
  }
  #malformed(code, reason, bytes) {
    const error = coded(Error, code, `Parse Error: ${reason}`);
    Object.assign(error, { reason, rawPacket: bytes });
    this.#leave(this.socket);
    this.socket?.destroy();
    if (this.res && !this.res.complete) this.res.destroy(error);
    else this.destroy(error);
  }

  /** Whether what follows is another protocol. */
  #head(head) {
    const { status } = head;
    if (status >= 100 && status < 200 && status !== 101) {
      if (status === 100) this.emit('continue');
      const { raw, minor, reason } = head;
      const message = filled(new IncomingMessage(null), head);
      this.emit('information', { statusCode: status, statusMessage: reason, httpVersion: `1.${minor}`, httpVersionMajor: 1, httpVersionMinor: minor, headers: message.headers, rawHeaders: raw });
      return false;
    }
    const response = filled(new IncomingMessage(this.socket), head);
    this.res = response;
    response.req = this;
    response._resume = () => this.socket?.resume();
    if (head.upgrade) return true;
    if (!head.keepAlive) this.shouldKeepAlive = false;
    const hint = /timeout=(\d+)/i.exec(response.headers['keep-alive'] ?? '');
    this.socket._keepAliveHint = hint ? Number(hint[1]) : undefined;
    this.#answered = true;
    response.on('end', () => this.#done());
    if (this.aborted || !this.emit('response', response)) response._dump();
    return false;
  }
  #tunnel(rest) {
    const { socket, res } = this;
    this.#leave(socket);
    socket.emit('agentRemove');
    socket.setTimeout(0);
    this.#answered = true;
    const event = this.method === 'CONNECT' ? 'connect' : 'upgrade';
    if (this.listenerCount(event) > 0) {
      socket.readableFlowing = null;
      this.emit(event, res, socket, Buffer.from(rest));
      this._closed = this.destroyed = true;
      this.#close();
    } else if (event === 'upgrade' && this.listenerCount('response') > 0 && res.statusCode !== 101) this.emit('response', res);
    else socket.destroy();
  }
  /** Whether the next message may follow. */
  #complete(trailers) {
    const { res } = this;
    if (!res) return true;
    res.complete = true;
    res.rawTrailers = trailers;
    res.push(null);
    return true;
  }

  /** The answer was read; the socket goes on when the request has gone out, too. */
  #done() {
    const { socket } = this;
    if (!socket) return;
    if (!this.writableFinished && !this.destroyed) {
      if (!this._waits) {
        this._waits = true;
        // An answer before the request is through: the rest is not worth sending.
        this.once('finish', () => this.#done());
        if (!this.shouldKeepAlive) socket.destroySoon();
      }
      return;
    }
    this.#leave(socket);
    this.socket = socket;
    if (this.shouldKeepAlive && !socket.destroyed && socket.writable) {
      const { asyncStore } = internal;
      nextTick(() => socket.emit('free'));
      internal.asyncStore = asyncStore;
    } else if (!socket.destroyed) socket.destroySoon();
    this.#close();
  }
  _finished() {}
  #close() {
    if (this._emitted) return;
    this._emitted = true;
    this.destroyed = true;
    nextTick(() => this.emit('close'));
  }
  #ended() {
    const found = this.#parser.finish();
    if (found[1] === 2) this.#complete(found[2]);
    else if (!this.#answered) this.#failed(connectionReset('socket hang up'));
    else if (this.res && !this.res.complete) this.res.destroy(connectionReset('aborted'));
  }
  #closed() {
    const { socket, res } = this;
    this.#leave(socket);
    if (res) {
      if (!res.complete) {
        const found = this.#parser.finish();
        if (found[1] === 2) this.#complete(found[2]);
        else res.destroy(connectionReset('aborted'));
      }
      if (!res.readable || res.readableEnded || res.destroyed) this.#close();
      else res.on('close', () => this.#close());
    } else if (!this.destroyed) this.destroy(connectionReset('socket hang up'));
    else this.#close();
  }
  #failed(error) {
    const { socket } = this;
    this.#leave(socket);
    socket?.destroy();
    if (this.res && !this.res.complete) {
      this.res.destroy(error);
      this.#close();
    } else this.destroy(error);
  }

  _destroy(error, done) {
    const { socket, res } = this;
    if (res && !res.complete) res.destroy(error ?? undefined);
    else if (res) res._dump();
    this.#leave(socket);
    socket?.destroy();
    const reason = error ?? (this.#answered ? null : connectionReset('socket hang up'));
    super._destroy(null, () => {
      this._emitted = true;
      // Nobody may listen any more after an answer: errors are the answer's then.
      done(this.aborted && !error && this.listenerCount('error') === 0 ? null : this.#answered && res && !error ? null : reason);
      nextTick(() => this.emit('close'));
    });
  }
  abort() {
    if (this.aborted) return;
    this.aborted = true;
    nextTick(() => this.emit('abort'));
    this.destroy();
  }
  setTimeout(ms, done) {
    this.timeout = Number(ms);
    if (done) this.once('timeout', done);
    if (this.socket) this.socket.setTimeout(this.timeout);
    return this;
  }
  #onSocket(work) {
    if (this.socket) work(this.socket);
    else this.once('socket', work);
  }
  setNoDelay(on) { this.#onSocket((socket) => socket.setNoDelay(on)); }
  setSocketKeepAlive(on, delay) { this.#onSocket((socket) => socket.setKeepAlive(on, delay)); }
  clearTimeout(done) { this.setTimeout(0, done); }
}

module.exports = { ClientRequest, Agent };
