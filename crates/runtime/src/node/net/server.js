// net.Server: the host listens, on loopback and where a person granted it, and passes who comes.
const EventEmitter = require('events');
const { callback, coded, invalidArgType } = require('internal/errors');
const { failed, port: checkPort } = require('internal/net_errors');
const network = require('_network');
const { nextTick } = require('process');

class Server extends EventEmitter {
  #listener = null;
  #sockets = new Set();
  #closing = false;
  #starting = 0;
  #held = true;
  listening = false;
  maxConnections = undefined;
  _options;

  constructor(options = {}, listener = undefined) {
    super();
    if (typeof options === 'function') [options, listener] = [{}, options];
    else if (options !== null && options !== undefined && typeof options !== 'object') throw invalidArgType('options', 'Object', options);
    this._options = options ?? {};
    if (listener) this.on('connection', listener);
  }

  listen(...args) {
    const done = typeof args.at(-1) === 'function' ? args.pop() : undefined;
    const [first, second] = args;
    const options = first !== null && typeof first === 'object' ? first : { port: first, host: typeof second === 'string' ? second : undefined };
    if (this.listening || this.#starting) throw coded(Error, 'ERR_SERVER_ALREADY_LISTEN', 'Listen method has been called more than once without closing.');
    if (done) this.once('listening', done);
    if (typeof options.path === 'string' || (typeof options.port === 'string' && !/^\d+$/.test(options.port))) {
      nextTick(() => this.emit('error', coded(Error, 'EACCES', `listen EACCES: permission denied ${options.path ?? options.port}`)));
      return this;
    }
    const port = options.port === undefined || options.port === null ? 0 : checkPort(options.port, 'options.port');
    const host = options.host || '0.0.0.0';
    this.#closing = false;
    const start = ++this.#starting;
    options.signal?.addEventListener('abort', () => this.close(), { once: true });
    network.listen(host, port).then(
      (listener) => {
        if (this.#starting !== start) return listener.close();
        this.#starting = 0;
        this.#listener = listener;
        this.listening = true;
        internal.openSockets.add(this);
        if (!this.#held) listener.hold(false);
        this.emit('listening');
        this.#accept(listener);
      },
      (error) => {
        this.#starting = 0;
        this.emit('error', failed(error, 'listen', host, port));
      },
    );
    return this;
  }

  async #accept(listener) {
    for (;;) {
      let handle;
      try {
        handle = await listener.accept();
      } catch (error) {
        if (this.#listener === listener) this.emit('error', error);
        return;
      }
      if (this.#listener !== listener) return handle.close();
      if (this.maxConnections !== undefined && this.#sockets.size >= this.maxConnections) {
        handle.close();
        const { localAddress, localPort, address: remoteAddress, port: remotePort } = handle;
        this.emit('drop', { localAddress, localPort, remoteAddress, remotePort });
        continue;
      }
      this._arrived(handle);
    }
  }

  _arrived(handle) {
    const { Socket } = require('net');
    const { allowHalfOpen, highWaterMark, noDelay, keepAlive, keepAliveInitialDelay, pauseOnConnect } = this._options;
    const socket = new Socket({ handle, allowHalfOpen, highWaterMark, noDelay, keepAlive, keepAliveInitialDelay });
    this._track(socket);
    if (pauseOnConnect) socket.pause();
    this.emit('connection', socket);
    if (!pauseOnConnect) socket.read(0);
  }
  _track(socket) {
    socket.server = this;
    this.#sockets.add(socket);
  }
  _gone(socket) {
    this.#sockets.delete(socket);
    this.#over();
  }

  address() {
    const listener = this.#listener;
    if (!listener) return null;
    return { address: listener.address, family: listener.address.includes(':') ? 'IPv6' : 'IPv4', port: listener.port };
  }
  close(done) {
    const was = this.#listener || this.#starting;
    if (typeof done === 'function') {
      if (was) this.once('close', done);
      else this.once('close', () => done(coded(Error, 'ERR_SERVER_NOT_RUNNING', 'Server is not running.')));
    } else if (done !== undefined) callback(done, 'callback');
    this.#closing = true;
    this.#starting = 0;
    const listener = this.#listener;
    this.#listener = null;
    this.listening = false;
    internal.openSockets.delete(this);
    listener?.close();
    this.#over();
    return this;
  }
  #over() {
    if (!this.#closing || this.#listener || this.#sockets.size > 0) return;
    this.#closing = false;
    nextTick(() => this.emit('close'));
  }
  /** At the end of a run. */
  destroy() {
    this.close();
  }
  getConnections(done) {
    nextTick(done, null, this.#sockets.size);
    return this;
  }
  get connections() { return this.#sockets.size; }
  get _sockets() { return this.#sockets; }
  ref() {
    this.#held = true;
    this.#listener?.hold(true);
    return this;
  }
  unref() {
    this.#held = false;
    this.#listener?.hold(false);
    return this;
  }
  async [Symbol.asyncDispose]() {
    await new Promise((resolve, reject) => this.close((error) => (error ? reject(error) : resolve())));
  }
}
exports.Server = Server;
