// https: http over tls.
const http = require('http');
const tls = require('tls');
const { ClientRequest } = require('internal/http_client');
const { serving } = require('internal/http_server');

// Whoever trusts otherwise, or shows another certificate, gets a socket of its own.
const TRUST = ['ca', 'cert', 'key', 'ciphers', 'rejectUnauthorized', 'servername', 'minVersion', 'maxVersion', 'secureProtocol', 'ALPNProtocols', 'checkServerIdentity'];
const numbers = new WeakMap();
let count = 0;
const shown = (value) => {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object' && typeof value !== 'function') return String(value);
  if (ArrayBuffer.isView(value) || Array.isArray(value)) return String(value);
  if (!numbers.has(value)) numbers.set(value, ++count);
  return `#${numbers.get(value)}`;
};

class Agent extends http.Agent {
  defaultPort = 443;
  protocol = 'https:';
  constructor(options) {
    super(options);
    this.maxCachedSessions = this.options.maxCachedSessions ?? 100;
  }
  createConnection(...args) {
    const done = typeof args.at(-1) === 'function' ? args.pop() : undefined;
    const options = { ...args.find((one) => one !== null && typeof one === 'object') };
    if (typeof args[0] === 'number' || typeof args[0] === 'string') options.port = args[0];
    if (typeof args[1] === 'string') options.host = args[1];
    return tls.connect(options, done);
  }
  getName(options = {}) {
    return [super.getName(options), ...TRUST.map((name) => shown(name === 'servername' && options.servername === options.host ? undefined : options[name]))].join(':');
  }
}

let agent = new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 });
function request(...args) {
  const [first, second, third] = internal.withDefaultAgent(args, agent);
  if (third === undefined && (second === undefined || typeof second === 'function')) first.defaultPort ??= 443;
  else second.defaultPort ??= 443;
  const direct = typeof first === 'object' && !(first instanceof URL) ? first : second;
  // Without an agent it is TLS all the same.
  if ((direct.agent === null || direct.agent === undefined) && typeof direct.createConnection !== 'function') direct.agent = agent;
  return new ClientRequest(first, second, third);
}

class Server extends serving(tls.Server, 'secureConnection') {
  constructor(options, listener) {
    const [given, heard] = typeof options === 'function' ? [{}, options] : [options ?? {}, listener];
    super({ ALPNProtocols: ['http/1.1'], ...given }, heard);
    this.on('tlsClientError', (error, socket) => {
      if (this.listenerCount('clientError') > 0) this.emit('clientError', error, socket);
      else socket.destroy();
    });
  }
}

Object.assign(exports, {
  Agent, Server, request,
  createServer: (options, listener) => new Server(options, listener),
  get(...args) {
    const made = request(...args);
    made.end();
    return made;
  },
});
Object.defineProperty(exports, 'globalAgent', { enumerable: true, configurable: true, get: () => agent, set: (value) => { agent = value; } });
