// tls: rustls in this worker, over whatever connection there is. A TLSSocket is a net.Socket whose
// handle encrypts. Not here: certificates that servers ask clients for, PSK, sessions to keep.
const net = require('net');
const { Buffer } = require('buffer');
const { coded, invalidArgType } = require('internal/errors');
const { isIP } = require('internal/net_errors');
const sessions = require('internal/tls_session');
const { nextTick } = require('process');

const pemOf = (value, name) => {
  if (value === undefined || value === null) return null;
  const texts = [value].flat().map((one) => {
    const part = one?.pem ?? one?.buf ?? one;
    if (typeof part === 'string') return part;
    if (ArrayBuffer.isView(part)) return Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString('latin1');
    throw invalidArgType(`options.${name}`, ['string', 'Buffer', 'TypedArray', 'DataView'], part);
  });
  return texts.join('\n');
};

let extra;
/** What the tool's environment adds to whom it trusts (NODE_EXTRA_CA_CERTS). */
function extraCertificates() {
  if (extra !== undefined) return extra;
  extra = null;
  const path = process.env.NODE_EXTRA_CA_CERTS;
  if (path) {
    try {
      extra = require('fs').readFileSync(path, 'latin1');
    } catch (error) {
      internal.log('WARN', `NODE_EXTRA_CA_CERTS: ${error.message}`);
    }
  }
  return extra;
}

class SecureContext {
  constructor(options = {}) {
    const context = {};
    for (const name of ['ca', 'cert', 'key']) context[name] = pemOf(options[name], name);
    if (options.pfx !== undefined) throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'tls: pfx is not available here; give cert and key');
    if ([options.key].flat().some((one) => one?.passphrase) || /ENCRYPTED/.test(context.key ?? '')) {
      throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'tls: encrypted keys are not available here');
    }
    const exact = { TLSv1_2_method: 'TLSv1.2', TLSv1_3_method: 'TLSv1.3' }[options.secureProtocol];
    context.min = options.minVersion ?? exact ?? exports.DEFAULT_MIN_VERSION;
    context.max = options.maxVersion ?? exact ?? exports.DEFAULT_MAX_VERSION;
    Object.defineProperty(this, 'context', { value: context });
  }
}
const contextOf = (options) => (options.secureContext ?? new SecureContext(options)).context;
const protocolsOf = (list) => {
  if (list === undefined || list === null) return null;
  if (Array.isArray(list)) return list.map(String);
  const names = [];
  const bytes = Buffer.from(list);
  for (let at = 0; at < bytes.length; at += bytes[at] + 1) names.push(bytes.toString('latin1', at + 1, at + 1 + bytes[at]));
  return names;
};

/** Encrypts over another handle: the same methods, outside and inside. */
class Encrypted {
  #inner;
  #session;
  #sent = Promise.resolve();
  constructor(inner, session) {
    this.#inner = inner;
    this.#session = session;
    for (const name of ['address', 'port', 'localAddress', 'localPort']) this[name] = inner[name];
  }
  get info() { return this.#session.info(); }
  #flush() {
    const bytes = this.#session.take();
    // One after the other: a record that is cut in two by another is no record.
    if (bytes) this.#sent = this.#sent.then(() => this.#inner.write(bytes));
    return this.#sent;
  }
  async #more() {
    const bytes = await this.#inner.read();
    if (bytes === null) return false;
    try {
      this.#session.feed(bytes);
    } catch (error) {
      this.#flush().catch(() => {});
      throw error;
    }
    return true;
  }
  async handshake() {
    for (;;) {
      await this.#flush();
      if (!this.#session.handshaking()) return;
      if (!(await this.#more())) throw coded(Error, 'ECONNRESET', 'Client network socket disconnected before secure TLS connection was established');
    }
  }
  async read() {
    for (;;) {
      const plain = this.#session.plain();
      if (plain) return plain;
      if (this.#session.closed() || !(await this.#more())) return null;
      this.#flush().catch(() => {});
    }
  }
  async write(bytes) {
    for (let at = 0; at < bytes.length; ) {
      at += this.#session.write(bytes, at);
      await this.#flush();
    }
  }
  end() {
    this.#session.end();
    this.#flush().then(() => this.#inner.end(), () => {});
  }
  close(reset) {
    if (!reset) {
      this.#session.end();
      const last = this.#session.take();
      if (last) this.#sent.then(() => this.#inner.write(last)).catch(() => {}).then(() => this.#inner.close());
      else this.#inner.close();
    } else this.#inner.close(true);
  }
  hold(held) { this.#inner.hold?.(held); }
  noDelay(on) { this.#inner.noDelay?.(on); }
  keepAlive(seconds) { this.#inner.keepAlive?.(seconds); }
}

/** A stream as a handle. */
class OverStream {
  #stream;
  #parts;
  constructor(stream) {
    this.#stream = stream;
    this.#parts = stream[Symbol.asyncIterator]({ destroyOnReturn: false });
    stream.on('error', () => {});
    for (const [ours, theirs] of [['address', 'remoteAddress'], ['port', 'remotePort'], ['localAddress', 'localAddress'], ['localPort', 'localPort']]) this[ours] = stream[theirs];
  }
  async read() {
    const { done, value } = await this.#parts.next();
    return done ? null : value;
  }
  write(bytes) {
    return new Promise((resolve, reject) => this.#stream.write(bytes, (error) => (error ? reject(error) : resolve())));
  }
  end() { this.#stream.end(); }
  close() { this.#stream.destroy(); }
  hold(held) { this.#stream[held ? 'ref' : 'unref']?.(); }
}

const opened = (socket) =>
  new Promise((resolve, reject) => {
    if (!socket.connecting) return resolve();
    socket.once('connect', resolve).once('error', reject).once('close', () => reject(coded(Error, 'ECONNRESET', 'socket hang up')));
  });

class TLSSocket extends net.Socket {
  #options;
  #info = {};
  #server;
  encrypted = true;
  authorized = false;
  authorizationError = null;
  secureConnecting = true;
  alpnProtocol = false;
  servername = null;
  _secureEstablished = false;

  constructor(under, options = {}) {
    super({ allowHalfOpen: options.allowHalfOpen, highWaterMark: options.highWaterMark, signal: options.signal });
    this.#options = options;
    this.#server = Boolean(options.isServer);
    this._tlsOptions = options;
    if (under) {
      this.connecting = Boolean(under.connecting);
      this._parent = under;
      // A client's begins when it is told to, or has something to say.
      this.#begin = () => this._over(under);
      if (this.#server) this._start();
    }
  }
  #begin = null;
  _start() {
    const begin = this.#begin;
    this.#begin = null;
    begin?.();
  }
  get _handle() { return super._handle ?? (this._parent ? { _parentWrap: this._parent } : null); }
  _write(chunk, encoding, done) {
    this._start();
    super._write(chunk, encoding, done);
  }
  _writev(chunks, done) {
    this._start();
    super._writev(chunks, done);
  }

  /** A stream that is there, or will be. */
  _over(under) {
    internal.openSockets.add(this);
    // Nothing was read from it yet: its own handle will do, and costs nothing in between.
    const bare = Object.getPrototypeOf(under) === net.Socket.prototype && under._handle && !under.connecting && under.readableLength === 0 && under.writableLength === 0 && !under._reading;
    if (bare) {
      const handle = under._release();
      this.once('close', () => under.destroy());
      this.#start(async () => handle);
      return;
    }
    this.#start(async () => {
      await opened(under);
      return new OverStream(under);
    });
  }

  async _establish(options, host, port) {
    const handle = await super._establish(options, host, port);
    this.#start(async () => handle);
    return null;
  }

  async #start(get) {
    let inner;
    try {
      inner = await get();
      if (this.destroyed) return inner.close(true);
      const handle = new Encrypted(inner, this.#session());
      await this.#shake(handle, inner);
    } catch (error) {
      inner?.close();
      this._failed(error);
    }
  }
  async #shake(handle, inner) {
    const dropped = () => inner.close(true);
    this.once('close', dropped);
    this._inner = inner;
    await handle.handshake();
    this.removeListener('close', dropped);
    if (this.destroyed) return;
    const info = handle.info;
    this.#info = info;
    this.alpnProtocol = info.alpn ?? false;
    this.secureConnecting = false;
    this._secureEstablished = true;
    if (this.#server) {
      this.servername = info.servername ?? false;
    } else {
      this.servername = this.#name() || null;
      this.authorized = info.code === undefined;
      this.authorizationError = info.code ?? null;
      const check = this.#options.checkServerIdentity;
      if (check && this.#options.rejectUnauthorized !== false) {
        const problem = check(this.#checked(), this.getPeerCertificate(true));
        if (problem) throw problem;
      }
    }
    this._opened(handle);
    if (this._parent && !this.#server) this.connecting = false;
    this.emit('secure');
    this.emit(this.#server ? 'secured' : 'secureConnect');
    if (!this.isPaused() || this.readableFlowing === null) this.read(0);
  }
  _connected() {
    super._connected();
  }
  _failed(error) {
    if (error.code === 'ECONNRESET' && !error.syscall) {
      Object.assign(error, { path: undefined, host: this.#options.host, port: this.#options.port, localAddress: undefined });
    }
    if (this.#server) this.emit('_tlsError', error);
    this.destroy(error);
  }
  #name() {
    const { servername, host } = this.#options;
    return servername ?? (host && !isIP(host) ? host : '');
  }
  #checked() {
    const { servername, host } = this.#options;
    return servername || host || 'localhost';
  }
  #session() {
    const options = this.#options;
    const context = contextOf(options);
    const alpn = protocolsOf(options.ALPNProtocols);
    if (this.#server) return sessions.server({ ...context, alpn });
    return sessions.client({
      ...context, alpn, extra: extraCertificates(), servername: String(this.#checked()).replace(/\.$/, ''),
      reject: options.rejectUnauthorized !== false && process.env.NODE_TLS_REJECT_UNAUTHORIZED !== '0',
      checksName: !options.checkServerIdentity || options.checkServerIdentity === checkServerIdentity,
    });
  }

  getProtocol() { return this.#info.protocol ?? null; }
  getCipher() {
    const name = this.#info.cipher;
    return name ? { name, standardName: name, version: this.getProtocol() } : {};
  }
  getPeerCertificate(detailed = false) {
    const chain = (this.#info.peer ?? []).map(described);
    if (chain.length === 0) return {};
    if (detailed) chain.forEach((one, at) => { one.issuerCertificate = chain[at + 1] ?? one; });
    return chain[0];
  }
  getCertificate() { return {}; }
  getSession() {}
  getTLSTicket() {}
  getEphemeralKeyInfo() { return {}; }
  getFinished() {}
  getPeerFinished() {}
  getSharedSigalgs() { return []; }
  isSessionReused() { return false; }
  setServername(name) { this.#options = { ...this.#options, servername: name }; }
  setMaxSendFragment() { return true; }
  disableRenegotiation() {}
  enableTrace() {}
  renegotiate(options, done) {
    nextTick(() => done?.(coded(Error, 'ERR_TLS_RENEGOTIATION_DISABLED', 'TLS session renegotiation disabled for this socket')));
    return false;
  }
}

/** A certificate as Node describes it. */
function described(der) {
  const seen = sessions.certificate(der);
  if (!seen) return { raw: Buffer.from(der) };
  const names = (pairs) => {
    const all = {};
    for (const [key, value] of pairs) all[key] = key in all ? [all[key], value].flat() : value;
    return all;
  };
  const date = (ms) => {
    const [, day, month, year, time] = new Date(ms).toUTCString().match(/, (\d+) (\w+) (\d+) ([\d:]+)/);
    return `${month} ${String(Number(day)).padStart(2)} ${time} ${year} GMT`;
  };
  const raw = Buffer.from(der);
  const hash = (kind) => require('crypto').createHash(kind).update(raw).digest('hex').toUpperCase().match(/../g).join(':');
  return {
    subject: names(seen.subject), issuer: names(seen.issuer), subjectaltname: seen.names || undefined, ca: seen.ca,
    valid_from: date(seen.from), valid_to: date(seen.to), serialNumber: seen.serialNumber, raw,
    get fingerprint() { return hash('sha1'); },
    get fingerprint256() { return hash('sha256'); },
    get fingerprint512() { return hash('sha512'); },
  };
}

function matches(host, pattern) {
  const [first, ...rest] = pattern.toLowerCase().split('.');
  const [own, ...others] = host.toLowerCase().split('.');
  if (rest.join('.') !== others.join('.')) return false;
  return first === own || (first === '*' && rest.length >= 2);
}
function checkServerIdentity(host, certificate) {
  const names = (certificate.subjectaltname ?? '').split(', ').filter(Boolean);
  const name = String(host).replace(/\.$/, '');
  let reason;
  if (isIP(name)) {
    if (names.some((one) => one === `IP Address:${name}`)) return undefined;
    reason = `IP: ${name} is not in the cert's list: ${names.filter((one) => one.startsWith('IP')).map((one) => one.slice(11)).join(', ')}`;
  } else {
    const known = names.filter((one) => one.startsWith('DNS:')).map((one) => one.slice(4));
    const used = known.length > 0 ? known : [certificate.subject?.CN ?? []].flat();
    if (used.some((one) => matches(name, one))) return undefined;
    reason = known.length > 0 ? `Host: ${name}. is not in the cert's altnames: ${certificate.subjectaltname}` : `Host: ${name}. is not cert's CN: ${certificate.subject?.CN}`;
  }
  const error = coded(Error, 'ERR_TLS_CERT_ALTNAME_INVALID', `Hostname/IP does not match certificate's altnames: ${reason}`);
  return Object.assign(error, { reason, host: name, cert: certificate });
}

function connect(...args) {
  const done = typeof args.at(-1) === 'function' ? args.pop() : undefined;
  const named = args.find((one) => one !== null && typeof one === 'object') ?? {};
  const options = { ...named };
  if (typeof args[0] !== 'object') options.port = args[0];
  if (typeof args[1] === 'string') options.host = args[1];
  options.host ??= options.hostname ?? options.socket?._host ?? 'localhost';
  contextOf(options);
  const socket = new TLSSocket(options.socket, options);
  if (done) socket.once('secureConnect', done);
  if (options.socket) socket._start();
  else socket.connect([options, null]);
  return socket;
}

class Server extends net.Server {
  #context;
  constructor(options = {}, listener = undefined) {
    const [given, heard] = typeof options === 'function' ? [{}, options] : [options ?? {}, listener];
    super(given);
    if (given.cert || given.secureContext) this.#context = given.secureContext ?? new SecureContext(given);
    if (heard) this.on('secureConnection', heard);
    this.on('connection', (raw) => this.#secure(raw, given));
  }
  setSecureContext(options) {
    this.#context = new SecureContext(options);
  }
  addContext() {}
  #secure(raw, { ALPNProtocols, handshakeTimeout = 120000 }) {
    raw.pause();
    const socket = new TLSSocket(raw, { isServer: true, secureContext: this.#context, ALPNProtocols, allowHalfOpen: this._options.allowHalfOpen });
    raw.on('error', () => {});
    const late = setTimeout(() => socket.destroy(coded(Error, 'ERR_TLS_HANDSHAKE_TIMEOUT', 'TLS handshake timeout')), handshakeTimeout).unref();
    socket.once('secured', () => {
      clearTimeout(late);
      this.emit('secureConnection', socket);
    });
    const failed = (error) => {
      clearTimeout(late);
      if (!socket._secureEstablished) this.emit('tlsClientError', error, socket);
    };
    socket.on('error', failed);
    socket.once('close', () => clearTimeout(late));
  }
}

Object.assign(exports, {
  TLSSocket, Server, SecureContext, connect, checkServerIdentity,
  createServer: (options, listener) => new Server(options, listener),
  createSecureContext: (options) => new SecureContext(options),
  DEFAULT_MIN_VERSION: 'TLSv1.2', DEFAULT_MAX_VERSION: 'TLSv1.3', DEFAULT_ECDH_CURVE: 'auto',
  DEFAULT_CIPHERS: 'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256',
  CLIENT_RENEG_LIMIT: 3, CLIENT_RENEG_WINDOW: 600,
  getCiphers: () => sessions.ciphers(),
  convertALPNProtocols(list, out) {
    out.ALPNProtocols = Buffer.concat(list.map((name) => Buffer.from([name.length, ...Buffer.from(name)])));
  },
});
Object.defineProperty(exports, 'rootCertificates', { enumerable: true, configurable: true, get: () => Object.freeze(sessions.roots()) });
