// http.Server: requests of one connection after the other, each with its answer.
const { callable } = require('internal/callable');
const net = require('net');
const { Buffer } = require('buffer');
const { coded } = require('internal/errors');
const { IncomingMessage, OutgoingMessage, STATUS_CODES, connectionReset, filled, maxHeaderSize, validateHeaderName, validateHeaderValue } = require('internal/http_common');
const messages = require('internal/http_parser');
const { nextTick } = require('process');

const ServerResponse = callable(class ServerResponse extends OutgoingMessage {
  statusCode = 200;
  statusMessage = undefined;
  _bodyEndsWithConnection = true;
  constructor(request, options) {
    super(options);
    this.req = request;
    this.sendDate = true;
    if (request?.method === 'HEAD') this._hasBody = false;
    if (request && request.httpVersionMinor < 1) {
      this.useChunkedEncodingByDefault = /chunked/i.test(request.headers.te ?? '');
      this.shouldKeepAlive = false;
    }
  }
  assignSocket(socket) {
    if (socket._httpMessage) throw coded(Error, 'ERR_HTTP_SOCKET_ASSIGNED', 'Socket already assigned');
    socket._httpMessage = this;
    this.socket = socket;
    this.emit('socket', socket);
    this._flush();
  }
  detachSocket(socket) {
    socket._httpMessage = null;
    this.socket = null;
  }
  writeContinue(done) { this.socket.write('HTTP/1.1 100 Continue\r\n\r\n', done); }
  writeProcessing() { this.socket.write('HTTP/1.1 102 Processing\r\n\r\n'); }
  writeEarlyHints(hints, done) {
    let text = 'HTTP/1.1 103 Early Hints\r\n';
    for (const [name, value] of Object.entries(hints)) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
      text += `${name}: ${[value].flat().join(', ')}\r\n`;
    }
    this.socket.write(`${text}\r\n`, done);
  }
  _implicitHeader() { this.writeHead(this.statusCode); }
  writeHead(status, reason, headers) {
    if (this._header) throw coded(Error, 'ERR_HTTP_HEADERS_SENT', 'Cannot write headers after they are sent to the client');
    const code = status | 0;
    if (code < 100 || code > 999) throw coded(RangeError, 'ERR_HTTP_INVALID_STATUS_CODE', `Invalid status code: ${status}`);
    if (typeof reason === 'string') this.statusMessage = reason;
    else headers = reason;
    this.statusMessage ??= STATUS_CODES[code] || 'unknown';
    if (/[^\t\x20-\x7e\x80-\xff]/.test(this.statusMessage)) throw coded(TypeError, 'ERR_INVALID_CHAR', 'Invalid character in statusMessage');
    this.statusCode = code;
    if (Array.isArray(headers)) {
      const pairs = Array.isArray(headers[0]) ? headers : headers.flatMap((one, at) => (at % 2 ? [] : [[one, headers[at + 1]]]));
      for (const [name] of pairs) this.removeHeader(name);
      for (const [name, value] of pairs) this.appendHeader(name, value);
    } else for (const [name, value] of Object.entries(headers ?? {})) this.setHeader(name, value);
    if (code === 204 || code === 304 || code < 200) this._hasBody = false;
    this._storeHeader(`HTTP/1.1 ${code} ${this.statusMessage}\r\n`);
    return this;
  }
  writeHeader(...args) { return this.writeHead(...args); }
  _finished() { this._over?.(); }
  _destroy(error, done) {
    this.socket?.destroy(error);
    super._destroy(error, done);
  }
});

/** One connection: reads requests, answers them in order. */
class Connection {
  #server;
  #socket;
  #parser = undefined;
  #request = null;
  #response = null;
  #rest = null;
  #count = 0;
  #deadline = null;
  constructor(server, socket) {
    this.#server = server;
    this.#socket = socket;
    this.#parser = messages.parser('request', server._limit);
    socket._paused = false;
    const data = (bytes) => this.#data(bytes);
    const close = () => this.#closed();
    const end = () => this.#ended();
    const error = (problem) => this.#problem(problem);
    const timeout = () => this.#timeout();
    this.listeners = { data, close, end, error, timeout };
    for (const [event, listener] of Object.entries(this.listeners)) socket.on(event, listener);
    if (server.timeout) socket.setTimeout(server.timeout);
    this.#arm(server.headersTimeout);
  }
  get idle() { return this.#request === null && this.#response === null; }
  destroy() { this.#socket.destroy(); }

  /** A head, or a request, must be whole by then: who dribbles holds a place. */
  #arm(ms) {
    clearTimeout(this.#deadline);
    this.#deadline = ms ? setTimeout(() => this.#refuse(coded(Error, 'ERR_HTTP_REQUEST_TIMEOUT', 'Request timeout')), ms).unref() : null;
  }

  #data(bytes) {
    if (this.#response && this.#request?.complete) {
      // The next request waits until this one is answered.
      this.#rest = this.#rest ? Buffer.concat([this.#rest, bytes]) : bytes;
      this.#socket.pause();
      return;
    }
    if (this.idle && this.#count > 0) {
      this.#socket.setTimeout(this.#server.timeout);
      if (!this.#deadline) this.#arm(this.#server.headersTimeout);
    }
    this.#parser.upgrades(this.#server.listenerCount('upgrade') > 0);
    const found = this.#parser.execute(bytes, 0);
    let at = 1;
    while (at < found.length) {
      switch (found[at++]) {
        case 0: {
          const head = found[at++];
          if (head.upgrade) return this.#upgrade(head, bytes.subarray(found[0]));
          if (!this.#begin(head)) return;
          break;
        }
        case 1: {
          const part = bytes.subarray(found[at], found[at + 1]);
          at += 2;
          if (this.#request && !this.#request._dumped && !this.#request.destroyed && !this.#request.push(part)) this.#socket.pause();
          break;
        }
        case 2:
          this.#complete(found[at++]);
          break;
        case 3:
          break;
        default:
          return this.#refuse(Object.assign(coded(Error, found[at], `Parse Error: ${found[at + 1]}`), { reason: found[at + 1], rawPacket: bytes, bytesParsed: found[0] }));
      }
    }
    if (found[0] < bytes.length) this.#data(bytes.subarray(found[0]));
  }

  #begin(head) {
    const server = this.#server;
    const socket = this.#socket;
    this.#arm(server.requestTimeout);
    const request = filled(new server._Request(socket), head);
    request._resume = () => socket.resume();
    const response = new server._Response(request, {});
    this.#count++;
    response.shouldKeepAlive = head.keepAlive && server.listening !== false;
    if (head.minor < 1 && head.keepAlive) response.shouldKeepAlive = true;
    if (server.keepAliveTimeout) response._keepAliveHint = Math.floor(server.keepAliveTimeout / 1000);
    if (server.maxRequestsPerSocket > 0 && this.#count >= server.maxRequestsPerSocket) response.shouldKeepAlive = false;
    this.#request = request;
    this.#response = response;
    response._over = () => this.#answered();
    response.assignSocket(socket);
    const { headers } = request;
    if (server._requiresHost && head.minor >= 1 && headers.host === undefined) {
      this.#plain(400);
      return false;
    }
    if (server.maxRequestsPerSocket > 0 && this.#count > server.maxRequestsPerSocket) {
      server.emit('dropRequest', request, socket);
      response.writeHead(503).end();
      return true;
    }
    if (headers.expect !== undefined && head.minor >= 1) {
      if (/^100-continue$/i.test(headers.expect)) {
        if (server.listenerCount('checkContinue') > 0) {
          server.emit('checkContinue', request, response);
          return true;
        }
        response.writeContinue();
      } else {
        if (server.listenerCount('checkExpectation') > 0) server.emit('checkExpectation', request, response);
        else response.writeHead(417).end();
        return true;
      }
    }
    server.emit('request', request, response);
    return true;
  }
  #complete(trailers) {
    clearTimeout(this.#deadline);
    this.#deadline = null;
    const request = this.#request;
    if (!request) return;
    request.complete = true;
    request.rawTrailers = trailers;
    request.push(null);
    if (!this.#response) this.#next();
  }

  #answered() {
    const [response, request, socket] = [this.#response, this.#request, this.#socket];
    if (!response) return;
    response.detachSocket(socket);
    this.#response = null;
    nextTick(() => response.emit('close'));
    response.destroyed = true;
    if (!response.shouldKeepAlive || socket.destroyed) return socket.destroySoon();
    if (request.complete) return this.#next();
    // What is left of the body is nobody's; reading it is the way to the next request.
    request._dump();
    socket.resume();
  }
  #next() {
    const socket = this.#socket;
    const request = this.#request;
    this.#request = null;
    if (request && !request.readableEnded) request._dump();
    if (socket.destroyed) return;
    const server = this.#server;
    if (server._closing) return socket.destroySoon();
    const rest = this.#rest;
    this.#rest = null;
    socket.setTimeout(server.keepAliveTimeout || server.timeout);
    socket.resume();
    if (rest) nextTick(() => !socket.destroyed && this.#data(rest));
  }

  #upgrade(head, rest) {
    const server = this.#server;
    const socket = this.#socket;
    const request = filled(new server._Request(socket), head);
    request.complete = true;
    request.push(null);
    this.#leave();
    const event = head.method === 'CONNECT' ? 'connect' : 'upgrade';
    if (server.listenerCount(event) === 0) return void socket.destroy();
    socket.setTimeout(0);
    socket.readableFlowing = null;
    server.emit(event, request, socket, Buffer.from(rest));
  }
  #leave() {
    clearTimeout(this.#deadline);
    for (const [event, listener] of Object.entries(this.listeners)) this.#socket.removeListener(event, listener);
    this.#server._connections.delete(this);
  }

  #plain(status) {
    const socket = this.#socket;
    socket.removeListener('data', this.listeners.data);
    if (socket.writable && !this.#response?.headersSent) {
      socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`);
    }
    socket.destroySoon();
  }
  #refuse(error) {
    const socket = this.#socket;
    socket.removeListener('data', this.listeners.data);
    if (this.#server.listenerCount('clientError') > 0) return void this.#server.emit('clientError', error, socket);
    this.#plain({ HPE_HEADER_OVERFLOW: 431, HPE_CHUNK_EXTENSIONS_OVERFLOW: 413, ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code] ?? 400);
  }
  #problem(error) {
    if (this.#server.listenerCount('clientError') > 0) this.#server.emit('clientError', error, this.#socket);
    else this.#socket.destroy(error);
  }
  #timeout() {
    const [request, response, server, socket] = [this.#request, this.#response, this.#server, this.#socket];
    const heard = request?.emit('timeout', socket) | response?.emit('timeout', socket) | (!this.idle && server.emit('timeout', socket));
    if (!heard) socket.destroy();
  }
  #ended() {
    const found = this.#parser.finish();
    if (found[1] === 4) return this.#refuse(coded(Error, found[2], `Parse Error: ${found[3]}`));
    if (this.idle) this.#socket.destroySoon();
    else if (this.#response) this.#response.shouldKeepAlive = false;
  }
  #closed() {
    const [request, response] = [this.#request, this.#response];
    this.#leave();
    this.#request = this.#response = null;
    if (request && !request.complete) request.destroy(connectionReset('aborted'));
    if (response && !response._emittedClose) {
      response._emittedClose = true;
      response.destroyed = true;
      response.emit('close');
    }
  }
}

/** The part that http and https have in common: both are servers of some net. */
const serving = (Base, event) =>
  class Server extends Base {
    timeout = 0;
    keepAliveTimeout = 5000;
    headersTimeout = 60000;
    requestTimeout = 300000;
    maxHeadersCount = null;
    maxRequestsPerSocket = 0;
    _connections = new Set();
    _closing = false;
    constructor(options = {}, listener = undefined) {
      const [given, heard] = typeof options === 'function' ? [{}, options] : [options ?? {}, listener];
      super({ allowHalfOpen: true, noDelay: true, ...given });
      for (const name of ['keepAliveTimeout', 'headersTimeout', 'requestTimeout', 'maxRequestsPerSocket']) if (given[name] !== undefined) this[name] = given[name];
      this._Request = given.IncomingMessage ?? IncomingMessage;
      this._Response = given.ServerResponse ?? ServerResponse;
      this._requiresHost = given.requireHostHeader ?? true;
      this._limit = given.maxHeaderSize ?? maxHeaderSize;
      if (heard) this.on('request', heard);
      this.on(event, (socket) => this._connections.add(new Connection(this, socket)));
      this.on('listening', () => { this._closing = false; });
    }
    setTimeout(ms, done) {
      this.timeout = ms;
      if (done) this.on('timeout', done);
      return this;
    }
    closeAllConnections() {
      for (const one of [...this._connections]) one.destroy();
    }
    closeIdleConnections() {
      for (const one of [...this._connections]) if (one.idle) one.destroy();
    }
    close(done) {
      this._closing = true;
      super.close(done);
      this.closeIdleConnections();
      return this;
    }
  };

const Server = serving(net.Server, 'connection');
Object.assign(exports, { Server, ServerResponse, serving });
