// net: sockets that the host connected, as Node's streams. No paths and no UDP: the broker has none.
const { Duplex } = require('stream');
const { Buffer } = require('buffer');
const { aborted, callback, coded, invalidArgType } = require('internal/errors');
const { failed, isIP, isIPv4, isIPv6, port: checkPort } = require('internal/net_errors');
const network = require('_network');
const { nextTick } = require('process');

// What is open, so that a run that ends leaves nothing behind (internal.closeSockets).
const open = new Set();
internal.closeSockets = () => {
  for (const one of [...open]) one.destroy();
  open.clear();
};

function normalize(args) {
  const done = typeof args.at(-1) === 'function' ? args.at(-1) : null;
  const [first, second] = args;
  if (first !== null && typeof first === 'object') return [first, done];
  if (typeof first === 'string' && !/^\d+$/.test(first)) return [{ path: first }, done];
  const options = { port: first };
  if (typeof second === 'string') options.host = second;
  return [options, done];
}

class Socket extends Duplex {
  #handle = null;
  #reading = false;
  #waiting = [];
  #timer = null;
  #held = true;
  #keepAlive;
  #noDelay;
  connecting = false;
  timeout = 0;
  bytesRead = 0;
  #written = 0;
  _hadError = false;
  _host = null;
  server = null;
  autoSelectFamilyAttemptedAddresses = [];

  constructor(options = {}) {
    const { handle, signal, onread, ...given } = typeof options === 'number' ? {} : options ?? {};
    super({ highWaterMark: 65536, ...given, allowHalfOpen: Boolean(given.allowHalfOpen), readable: true, writable: true, emitClose: false, autoDestroy: true, decodeStrings: true, objectMode: false, encoding: undefined, read: undefined, write: undefined, final: undefined, destroy: undefined });
    this.on('end', () => {
      if (!this.allowHalfOpen) this.write = writeAfterEnd;
    });
    if (handle) this._opened(handle);
    if (signal) {
      const stop = () => this.destroy(aborted(signal.reason));
      if (signal.aborted) nextTick(stop);
      else {
        signal.addEventListener('abort', stop, { once: true });
        this.once('close', () => signal.removeEventListener('abort', stop));
      }
    }
    this.#noDelay = options?.noDelay;
    if (options?.keepAlive) this.#keepAlive = Math.floor((options.keepAliveInitialDelay ?? 0) / 1000);
  }

  connect(...args) {
    const [options, done] = Array.isArray(args[0]) ? args[0] : normalize(args);
    if (done) this.once('connect', done);
    if (options.path !== undefined && options.path !== null) {
      nextTick(() => this.destroy(coded(Error, 'EACCES', `connect EACCES ${options.path}`)));
      return this;
    }
    if (options.port === undefined) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "options" or "port" or "path" argument must be specified');
    const port = checkPort(options.port);
    const host = options.host || options.hostname || 'localhost';
    if (typeof host !== 'string') throw invalidArgType('options.host', 'string', host);
    if (options.lookup !== undefined) callback(options.lookup, 'options.lookup');
    this.connecting = true;
    this._host = host;
    open.add(this);
    if (options.timeout) this.setTimeout(options.timeout);
    this._establish(options, host, port).then(
      (handle) => {
        if (this.destroyed) return handle?.close();
        if (handle) this._opened(handle);
        this._connected();
      },
      (error) => this.destroy(error),
    );
    return this;
  }

  /** A connection; the host is asked by name, whatever a `lookup` of the caller says. */
  async _establish(options, host, port) {
    if (options.lookup && isIP(host) === 0) await lookedUp(options, host, this);
    let handle;
    try {
      handle = await network.connect(host, port);
    } catch (error) {
      throw failed(error, 'connect', host, port);
    }
    if (!options.lookup && isIP(host) === 0) this.emit('lookup', null, handle.address, isIP(handle.address), host);
    return handle;
  }

  /** `connect` is said; what waited for it goes on. */
  _connected() {
    this.connecting = false;
    this._touch();
    this.emit('connect');
    this.emit('ready');
    if (!this.isPaused() || this.readableFlowing === null) this.read(0);
  }

  _opened(handle) {
    this.#handle = handle;
    open.add(this);
    if (this.#noDelay !== undefined) handle.noDelay(Boolean(this.#noDelay));
    if (this.#keepAlive !== undefined) handle.keepAlive(this.#keepAlive);
    if (!this.#held) handle.hold(false);
    for (const work of this.#waiting.splice(0)) work();
  }

  /** Takes the connection away from this socket, for TLS to stand on it. */
  _release() {
    const handle = this.#handle;
    this.#handle = null;
    return handle;
  }

  get _handle() { return this.#handle; }
  get _reading() { return this.#reading; }
  get pending() { return !this.#handle || this.connecting; }
  get bytesWritten() { return this.#written + this.writableLength; }
  get bufferSize() { return this.#handle ? this.writableLength : undefined; }
  get readyState() {
    if (this.connecting) return 'opening';
    if (this.readable && this.writable) return 'open';
    return this.readable ? 'readOnly' : this.writable ? 'writeOnly' : 'closed';
  }
  get remoteAddress() { return this.#handle?.address; }
  get remotePort() { return this.#handle?.port; }
  get remoteFamily() { return family(this.#handle?.address); }
  get localAddress() { return this.#handle?.localAddress; }
  get localPort() { return this.#handle?.localPort; }
  get localFamily() { return family(this.#handle?.localAddress); }
  address() {
    const { localAddress: address, localPort: port } = this;
    return address ? { address, family: family(address), port } : {};
  }

  #when(work) {
    if (this.#handle && !this.connecting) work();
    else this.#waiting.push(work);
  }

  _read() {
    if (this.#reading) return;
    this.#reading = true;
    this.#when(() => this.#pull());
  }
  #pull() {
    const handle = this.#handle;
    if (!handle) return;
    handle.read().then(
      (bytes) => {
        this.#reading = false;
        if (this.#handle !== handle || this.destroyed) return;
        this._touch();
        if (bytes === null) {
          this.push(null);
          // Nobody reads: the end is noticed all the same.
          if (this.readableLength === 0) this.read(0);
          return;
        }
        this.bytesRead += bytes.length;
        this.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      },
      (error) => {
        this.#reading = false;
        if (this.#handle === handle && !this.destroyed) this.destroy(error.code === 'ERR_SOCKET_CLOSED' ? undefined : failed(error, 'read'));
      },
    );
  }

  _write(chunk, encoding, done) {
    this.#when(() => this.#send(chunk, done));
  }
  _writev(chunks, done) {
    this.#when(() => this.#send(Buffer.concat(chunks.map((one) => (typeof one.chunk === 'string' ? Buffer.from(one.chunk, one.encoding) : one.chunk))), done));
  }
  #send(bytes, done) {
    const handle = this.#handle;
    if (!handle) return done(coded(Error, 'ERR_SOCKET_CLOSED', 'Socket is closed'));
    this._touch();
    this.#written += bytes.length;
    handle.write(bytes).then(
      () => {
        this._touch();
        done();
      },
      (error) => done(error.code === 'ERR_SOCKET_CLOSED' ? coded(Error, 'ERR_SOCKET_CLOSED', 'Socket is closed') : failed(error, 'write')),
    );
  }
  _final(done) {
    if (!this.#handle && !this.connecting) return done();
    this.#when(() => {
      this.#handle?.end();
      done();
    });
  }

  _destroy(error, done) {
    this.connecting = false;
    this.setTimeout(0);
    const handle = this.#handle;
    this.#handle = null;
    open.delete(this);
    handle?.close(this.resetting);
    this.#waiting.length = 0;
    done(error);
    nextTick(() => this.emit('close', Boolean(error)));
    this.server?._gone?.(this);
  }
  destroySoon() {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', this.destroy);
  }
  resetAndDestroy() {
    this.resetting = true;
    return this.destroy();
  }

  setTimeout(ms, done) {
    if (typeof ms !== 'number') throw invalidArgType('msecs', 'number', ms);
    this.timeout = ms;
    clearTimeout(this.#timer);
    this.#timer = null;
    if (done !== undefined) callback(done, 'callback');
    if (ms === 0) {
      if (done) this.removeListener('timeout', done);
      return this;
    }
    this.#timer = setTimeout(() => this.emit('timeout'), ms).unref();
    if (done) this.once('timeout', done);
    return this;
  }
  _touch() {
    this.#timer?.refresh();
  }
  setNoDelay(on = true) {
    this.#noDelay = Boolean(on);
    this.#handle?.noDelay(this.#noDelay);
    return this;
  }
  setKeepAlive(on = false, delay = 0) {
    this.#keepAlive = on ? Math.floor(delay / 1000) : undefined;
    this.#handle?.keepAlive(on ? this.#keepAlive : null);
    return this;
  }
  ref() {
    this.#held = true;
    this.#handle?.hold(true);
    return this;
  }
  unref() {
    this.#held = false;
    this.#handle?.hold(false);
    return this;
  }
}

function writeAfterEnd(chunk, encoding, done) {
  const then = typeof encoding === 'function' ? encoding : done;
  const error = coded(Error, 'EPIPE', 'This socket has been ended by the other party');
  if (typeof then === 'function') nextTick(then, error);
  this.destroy(error);
  return false;
}

const family = (address) => (address === undefined ? undefined : address.includes(':') ? 'IPv6' : 'IPv4');

/** Asks the caller's own function, which may refuse; where it leads is the host's to say. */
function lookedUp({ lookup, family: wanted = 0, hints = 0 }, host, socket) {
  return new Promise((resolve, reject) => {
    lookup(host, { family: wanted, hints, all: false }, (error, address, kind) => {
      const [one, of] = Array.isArray(address) ? [address[0]?.address, address[0]?.family] : [address, kind];
      socket.emit('lookup', error, one, of, host);
      if (error) reject(error);
      else resolve();
    });
  });
}

function connect(...args) {
  const [options, done] = normalize(args);
  const socket = new Socket(options);
  if (options.timeout) socket.setTimeout(options.timeout);
  return socket.connect([options, done]);
}

Object.assign(exports, {
  Socket, Stream: Socket, connect, createConnection: connect, isIP, isIPv4, isIPv6, _normalizeArgs: normalize,
  getDefaultAutoSelectFamily: () => true, setDefaultAutoSelectFamily() {},
  getDefaultAutoSelectFamilyAttemptTimeout: () => 250, setDefaultAutoSelectFamilyAttemptTimeout() {},
});
internal.openSockets = open;
const { Server } = require('internal/net_server');
exports.Server = Server;
exports.createServer = (options, listener) => new Server(options, listener);
for (const name of ['BlockList', 'SocketAddress']) Object.defineProperty(module.exports, name, { enumerable: true, configurable: true, get: () => require('internal/block_list')[name] });
