// Makes connections of the machine's Node take the only way out of its network namespace: the proxy that
// HTTP_PROXY names, which stands on the owner's side and judges. Without this they fail, no more: it opens
// nothing, and what goes around it reaches nobody. Loaded by `--import`, so in worker threads as well; programs
// that a tool starts have the usual variables instead.
import { existsSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { Duplex } from 'node:stream';
import tls from 'node:tls';

const PROXY = { host: '127.0.0.1', port: Number(new URL(process.env.HTTP_PROXY).port) };
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];
const LISTENS = '0A';
const HEAD_CHARS = 64 * 1024;
const CODES = { 403: 'EACCES', 504: 'ETIMEDOUT' };

const straight = net.Socket.prototype.connect;
const secure = tls.connect;

// What a run opened ends with it: there is nobody at the other end in the next one.
const opened = new Set();
process[Symbol.for('prompt-manager.sweep')] = () => opened.forEach((socket) => socket.destroy());

/** A server of the tool's own, on the loopback that it shares with nobody. */
function isOwn({ host = 'localhost', port }) {
  if (!/^(localhost|127(\.\d+){3}|::1|::ffff:127(\.\d+){3})$/i.test(host)) return false;
  const end = `:${Number(port).toString(16).toUpperCase().padStart(4, '0')}`;
  return TABLES.filter((table) => existsSync(table)).some((table) =>
    readFileSync(table, 'utf8').split('\n').some((line) => {
      const [, local, , state] = line.trim().split(/\s+/);
      return state === LISTENS && local.endsWith(end);
    }),
  );
}

net.Socket.prototype.connect = function connect(...args) {
  const [options, done] = Array.isArray(args[0]) ? args[0] : net._normalizeArgs(args);
  if (options.path || this instanceof tls.TLSSocket || isOwn(options)) return straight.apply(this, args);
  return tunnel(this, options, done);
};

/** Connects to the proxy, and says so only when the proxy has connected. */
function tunnel(socket, { host = 'localhost', port }, done) {
  const name = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const { emit, push } = socket;
  const restore = () => Object.assign(socket, { emit, push });
  const fail = (status, text) => {
    restore();
    const code = CODES[status] ?? 'ECONNREFUSED';
    const words = `connect ${code} ${name}${text && `: ${text.trim()}`}`;
    socket.destroy(Object.assign(new Error(words), { code, syscall: 'connect', address: host, port: Number(port) }));
  };
  let said = Buffer.alloc(0);
  const hear = (chunk) => {
    if (chunk !== null) said = Buffer.concat([said, chunk]);
    const text = said.toString('latin1');
    const end = text.indexOf('\r\n\r\n') + 4;
    if (end < 4 && chunk !== null && text.length < HEAD_CHARS) return true;
    const head = text.slice(0, end);
    const status = Number(/^HTTP\/1\.[01] (\d{3}) /.exec(head)?.[1]);
    if (status === 200) return open(said.subarray(end));
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    if (chunk !== null && said.length < Math.min(end + length, HEAD_CHARS)) return true;
    fail(status, said.subarray(end).toString());
    return false;
  };
  const open = (rest) => {
    restore();
    socket.connecting = false;
    const more = rest.length === 0 || socket.push(rest);
    socket.emit('connect');
    socket.emit('ready');
    return more;
  };
  // To whoever holds the socket it connects until the proxy has answered: what is written meanwhile waits.
  socket.emit = (event, ...rest) => {
    if (event !== 'connect' && event !== 'ready') return emit.call(socket, event, ...rest);
    if (event === 'ready') return true;
    const ask = Buffer.from(`CONNECT ${name} HTTP/1.1\r\nHost: ${name}\r\n\r\n`);
    socket._write(ask, 'buffer', (error) => error && socket.destroy(error));
    socket._read(0);
    socket.connecting = true;
    return true;
  };
  socket.push = hear;
  opened.add(socket);
  socket.once('close', () => opened.delete(socket));
  if (typeof done === 'function') socket.once('connect', done);
  return straight.call(socket, PROXY);
}

/** TLS over such a connection: Node would take its handle at once, and with it the proxy's answer. */
tls.connect = function connect(...args) {
  const [first, done] = net._normalizeArgs(args);
  const options = { ...first, ...args.slice(1).find((arg) => arg !== null && typeof arg === 'object') };
  if (options.socket || options.path || isOwn(options)) return secure.apply(this, args);
  const { host, port, signal } = options;
  const socket = new net.Socket({ signal });
  socket.connect({ host, port });
  const secured = secure({ ...options, socket: Duplex.from({ readable: socket, writable: socket }) }, done);
  socket.on('error', (error) => secured.destroy(error));
  for (const name of ['ref', 'unref', 'setKeepAlive', 'setNoDelay']) {
    secured[name] = (...values) => {
      socket[name](...values);
      return secured;
    };
  }
  return secured;
};

syncBuiltinESMExports();
