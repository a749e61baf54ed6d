// http.Agent: sockets for requests, kept for the next one to the same place.
const EventEmitter = require('events');
const net = require('net');
const { coded } = require('internal/errors');
const { nextTick } = require('process');

class Agent extends EventEmitter {
  defaultPort = 80;
  protocol = 'http:';
  requests = { __proto__: null };
  sockets = { __proto__: null };
  freeSockets = { __proto__: null };
  totalSocketCount = 0;
  constructor(options) {
    super();
    this.options = { __proto__: null, ...options };
    this.options.noDelay ??= true;
    this.options.path = null;
    this.keepAlive = this.options.keepAlive || false;
    this.keepAliveMsecs = this.options.keepAliveMsecs || 1000;
    this.maxSockets = this.options.maxSockets || Agent.defaultMaxSockets;
    this.maxFreeSockets = this.options.maxFreeSockets || 256;
    this.maxTotalSockets = this.options.maxTotalSockets || Infinity;
    this.scheduling = this.options.scheduling || 'lifo';
    this.on('free', (socket, options) => this.#freed(socket, options));
  }

  getName(options = {}) {
    let name = `${options.host || 'localhost'}:${options.port ?? ''}:${options.localAddress ?? ''}`;
    if (options.family === 4 || options.family === 6) name += `:${options.family}`;
    if (options.socketPath) name += `:${options.socketPath}`;
    return name;
  }
  createConnection(options, done) {
    return net.createConnection(options, done);
  }

  addRequest(request, given) {
    const options = { __proto__: null, ...given, ...this.options };
    if (given.socketPath) options.path = given.socketPath;
    if (options.timeout === undefined && this.options.timeout) options.timeout = this.options.timeout;
    const name = this.getName(options);
    this.sockets[name] ??= [];
    const free = this.freeSockets[name];
    while (free?.length) {
      const socket = this.scheduling === 'fifo' ? free.shift() : free.pop();
      if (free.length === 0) delete this.freeSockets[name];
      if (socket.destroyed || !socket.writable) continue;
      this.reuseSocket(socket, request);
      this.sockets[name].push(socket);
      request.reusedSocket = true;
      return handOver(this, request, socket);
    }
    if (this.sockets[name].length < this.maxSockets && this.totalSocketCount < this.maxTotalSockets) {
      this.createSocket(request, options, (error, socket) => {
        if (error) request.onSocket(null, error);
        else handOver(this, request, socket);
      });
    } else (this.requests[name] ??= []).push(Object.assign(request, { _agentOptions: options }));
  }

  createSocket(request, given, done) {
    const options = { __proto__: null, ...given, ...this.options };
    const name = this.getName(options);
    options._agentKey = name;
    options.servername ??= request ? servername(options, request) : undefined;
    options.encoding = null;
    let once = false;
    const created = (error, socket) => {
      if (once) return;
      once = true;
      if (error) return done(error);
      (this.sockets[name] ??= []).push(socket);
      this.totalSocketCount++;
      this.#watch(socket, options);
      done(null, socket);
    };
    const made = this.createConnection(options, created);
    if (made) created(null, made);
  }

  #watch(socket, options) {
    const free = () => this.emit('free', socket, options);
    const close = () => this.removeSocket(socket, options);
    const timeout = () => {
      const idle = this.freeSockets[this.getName(options)];
      if (idle?.includes(socket)) socket.destroy();
    };
    const remove = () => {
      this.removeSocket(socket, options);
      for (const [event, listener] of Object.entries({ free, close, timeout, agentRemove: remove })) socket.removeListener(event, listener);
    };
    socket.on('free', free).on('close', close).on('timeout', timeout).on('agentRemove', remove);
  }

  #freed(socket, options) {
    const name = this.getName(options);
    if (!socket.writable || socket.destroyed) return void socket.destroy();
    const waiting = this.requests[name];
    if (waiting?.length) {
      const request = waiting.shift();
      if (waiting.length === 0) delete this.requests[name];
      this.reuseSocket(socket, request);
      return handOver(this, request, socket);
    }
    const free = this.freeSockets[name] ?? [];
    if (!this.keepAlive || free.length >= this.maxFreeSockets || this.totalSocketCount > this.maxTotalSockets || !this.keepSocketAlive(socket)) {
      return void socket.destroy();
    }
    remove(this.sockets, name, socket);
    (this.freeSockets[name] ??= []).push(socket);
    socket.once('error', dropped);
  }
  keepSocketAlive(socket) {
    socket.setKeepAlive(true, this.keepAliveMsecs);
    socket.unref();
    const hint = socket._keepAliveHint;
    let idle = this.options.timeout || 0;
    // A little before the server closes it.
    if (hint !== undefined) idle = Math.min(idle || Infinity, Math.max(hint * 1000 - 1000, 1));
    socket.setTimeout(idle);
    return true;
  }
  reuseSocket(socket) {
    socket.removeListener('error', dropped);
    socket.setTimeout(this.options.timeout || 0);
    socket.ref();
  }
  removeSocket(socket, options) {
    const name = this.getName(options);
    const known = remove(this.sockets, name, socket) | remove(this.freeSockets, name, socket);
    if (known) this.totalSocketCount--;
    const waiting = this.requests[name];
    if (waiting?.length && (this.sockets[name]?.length ?? 0) < this.maxSockets) {
      const request = waiting.shift();
      if (waiting.length === 0) delete this.requests[name];
      this.createSocket(request, request._agentOptions, (error, made) => {
        if (error) request.onSocket(null, error);
        else handOver(this, request, made);
      });
    }
  }
  destroy() {
    for (const sockets of [...Object.values(this.sockets), ...Object.values(this.freeSockets)]) for (const socket of [...sockets]) socket.destroy();
  }
  static defaultMaxSockets = Infinity;
}

const dropped = function () { this.destroy(); };
function remove(table, name, socket) {
  const at = table[name]?.indexOf(socket) ?? -1;
  if (at < 0) return false;
  table[name].splice(at, 1);
  if (table[name].length === 0) delete table[name];
  return true;
}
function handOver(agent, request, socket) {
  request.onSocket(socket);
  const timeout = request.timeout || agent.options.timeout || 0;
  if (socket.timeout !== timeout) socket.setTimeout(timeout);
}
function servername(options, request) {
  const header = request.getHeader('host');
  if (!header) return options.host;
  if (typeof header !== 'string') throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "options.headers.host" property must be of type string');
  const name = header.startsWith('[') ? header.slice(1, header.indexOf(']')) : header.split(':')[0];
  return net.isIP(name) ? '' : name;
}
module.exports = { Agent, globalAgent: new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 }), nextTick };
