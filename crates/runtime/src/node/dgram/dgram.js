// dgram: a worker has no network of its own, and the host passes connections, not datagrams. Sockets can be
// made, since packages make them when they are loaded; using one is an error that says so.
const EventEmitter = require('events');
const { callback, coded } = require('internal/errors');
const refused = (name) => Object.assign(coded(Error, 'EACCES', `${name} EACCES: workers have no datagrams; sandboxType: 'node' in getRuntimeConfig() runs the tool in Node`), { syscall: name });
class Socket extends EventEmitter {
  #closed = false;
  constructor(options, heard) {
    super();
    this.type = typeof options === 'string' ? options : options?.type;
    if (this.type !== 'udp4' && this.type !== 'udp6') throw coded(TypeError, 'ERR_SOCKET_BAD_TYPE', 'Bad socket type specified. Valid types are: udp4, udp6');
    if (heard !== undefined) {
      callback(heard, 'callback');
      this.on('message', heard);
    }
  }
  #fail(name, rest) {
    if (this.#closed) throw coded(Error, 'ERR_SOCKET_DGRAM_NOT_RUNNING', 'Not running');
    const done = rest.findLast((one) => typeof one === 'function');
    process.nextTick(() => (done && name !== 'bind' ? done(refused(name)) : this.emit('error', refused(name))));
    return this;
  }
  bind(...rest) { return this.#fail('bind', rest); }
  send(...rest) { this.#fail('send', rest); }
  connect(...rest) { this.#fail('connect', rest); }
  close(done) {
    if (this.#closed) throw coded(Error, 'ERR_SOCKET_DGRAM_NOT_RUNNING', 'Not running');
    this.#closed = true;
    if (done) this.once('close', done);
    process.nextTick(() => this.emit('close'));
    return this;
  }
  address() { throw coded(Error, 'ERR_SOCKET_DGRAM_NOT_RUNNING', 'Not running'); }
  remoteAddress() { throw coded(Error, 'ERR_SOCKET_DGRAM_NOT_CONNECTED', 'Not connected'); }
  disconnect() { throw coded(Error, 'ERR_SOCKET_DGRAM_NOT_CONNECTED', 'Not connected'); }
  ref() { return this; }
  unref() { return this; }
  getRecvBufferSize() { return 0; }
  getSendBufferSize() { return 0; }
  getSendQueueSize() { return 0; }
  getSendQueueCount() { return 0; }
  async [Symbol.asyncDispose]() { if (!this.#closed) this.close(); }
}
// What only a socket that is bound could do.
for (const name of ['addMembership', 'dropMembership', 'addSourceSpecificMembership', 'dropSourceSpecificMembership', 'setBroadcast', 'setMulticastInterface', 'setMulticastLoopback', 'setMulticastTTL', 'setTTL', 'setRecvBufferSize', 'setSendBufferSize']) {
  Object.defineProperty(Socket.prototype, name, { value() { throw refused(name); }, writable: true, configurable: true });
}
Object.assign(exports, { Socket, createSocket: (options, heard) => new Socket(options, heard) });
