// fetch, Request and Response over http and https. Deliberately without caches, cookies and CORS: there
// is no page whose they could be.
const http = require('http');
const https = require('https');
const { Buffer } = require('buffer');
const { Headers, FormData, received, fix } = require('internal/headers');
const { Body, MOST, copy, extract, set, source, take } = require('internal/body');

const FORBIDDEN = new Set(['CONNECT', 'TRACE', 'TRACK']);
const UPPER = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT']);
const REDIRECTS = 20;
const NO_BODY = new Set([101, 204, 205, 304]);

class Request extends Body {
  #state;
  constructor(input, init = {}) {
    super();
    const before = typeof input === 'object' && input !== null && #state in input ? input.#state : null;
    let url;
    if (before) url = before.url;
    else {
      try {
        url = new URL(String(input));
      } catch (cause) {
        throw new TypeError(`Failed to parse URL from ${input}`, { cause });
      }
      if (url.username || url.password) throw new TypeError(`Request cannot be constructed from a URL that includes credentials: ${input}`);
    }
    let method = init.method === undefined ? before?.method ?? 'GET' : String(init.method);
    if (!/^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+$/.test(method)) throw new TypeError(`'${method}' is not a valid HTTP method.`);
    if (FORBIDDEN.has(method.toUpperCase())) throw new TypeError(`'${method}' HTTP method is unsupported.`);
    if (UPPER.has(method.toUpperCase())) method = method.toUpperCase();
    const choice = (name, values, fallback) => {
      const value = init[name] ?? before?.[name] ?? fallback;
      if (!values.includes(value)) throw new TypeError(`Request constructor: ${value} is not an accepted type. Expected one of ${values.join(', ')}.`);
      return value;
    };
    const signal = init.signal === undefined ? before?.signal : init.signal;
    if (signal !== null && signal !== undefined && typeof signal.aborted !== 'boolean') throw new TypeError("Failed to construct 'Request': member signal is not of type AbortSignal.");
    const body = init.body ?? null;
    if (init.window !== undefined && init.window !== null) throw new TypeError("'window' option must be null");
    this.#state = {
      url, method, headers: new Headers(init.headers ?? before?.headers), signal: signal ? AbortSignal.any([signal]) : new AbortController().signal,
      redirect: choice('redirect', ['follow', 'manual', 'error'], 'follow'), mode: init.mode ?? before?.mode ?? 'cors', credentials: init.credentials ?? before?.credentials ?? 'same-origin',
      cache: init.cache ?? before?.cache ?? 'default', referrer: 'about:client', referrerPolicy: init.referrerPolicy ?? '', integrity: String(init.integrity ?? before?.integrity ?? ''),
      keepalive: Boolean(init.keepalive ?? before?.keepalive), duplex: 'half',
    };
    if (body !== null && (method === 'GET' || method === 'HEAD')) throw new TypeError('Request with GET/HEAD method cannot have body.');
    if (body !== null) {
      const made = extract(body);
      if (made.stream && init.duplex === undefined) throw new TypeError('RequestInit: duplex option is required when sending a body.');
      set(this, made);
      if (made.type && !this.headers.has('content-type')) this.headers.append('content-type', made.type);
    } else if (before && source(input)) {
      if (input.bodyUsed) throw new TypeError('Cannot construct a Request with a Request object that has already been used.');
      set(this, take(input));
    }
  }
  get url() { return this.#state.url.href; }
  get method() { return this.#state.method; }
  get headers() { return this.#state.headers; }
  get signal() { return this.#state.signal; }
  get redirect() { return this.#state.redirect; }
  get mode() { return this.#state.mode; }
  get credentials() { return this.#state.credentials; }
  get cache() { return this.#state.cache; }
  get referrer() { return this.#state.referrer; }
  get referrerPolicy() { return this.#state.referrerPolicy; }
  get integrity() { return this.#state.integrity; }
  get keepalive() { return this.#state.keepalive; }
  get duplex() { return this.#state.duplex; }
  get destination() { return ''; }
  clone() {
    if (this.bodyUsed || this.body?.locked) throw new TypeError('unusable');
    const other = new Request(this.url, { ...this.#state, headers: this.headers });
    set(other, copy(this));
    return other;
  }
}

class Response extends Body {
  #state;
  constructor(body = null, init = {}) {
    super();
    const status = init?.status === undefined ? 200 : Number(init.status);
    if (!Number.isInteger(status) || status < 200 || status > 599) throw new RangeError('init["status"] must be in the range of 200 to 599, inclusive.');
    const statusText = String(init?.statusText ?? '');
    if (/[^\t\x20-\x7e\x80-\xff]/.test(statusText)) throw new TypeError('Invalid statusText');
    this.#state = { status, statusText, headers: new Headers(init?.headers ?? undefined), type: 'default', url: '', redirected: false };
    if (body !== null && body !== undefined) {
      if (NO_BODY.has(status)) throw new TypeError(`Response constructor: Invalid response status code ${status}`);
      const made = extract(body);
      set(this, made);
      if (made.type && !this.headers.has('content-type')) this.headers.append('content-type', made.type);
    }
  }
  get type() { return this.#state.type; }
  get url() { return this.#state.url; }
  get redirected() { return this.#state.redirected; }
  get status() { return this.#state.status; }
  get ok() { return this.status >= 200 && this.status <= 299; }
  get statusText() { return this.#state.statusText; }
  get headers() { return this.#state.headers; }
  clone() {
    if (this.bodyUsed || this.body?.locked) throw new TypeError('Response.clone: Body has already been consumed.');
    return made({ ...this.#state, headers: new Headers(this.headers) }, copy(this));
  }
  static made(state, body) {
    const response = new Response();
    response.#state = state;
    set(response, body);
    return response;
  }
  static error() { return made({ status: 0, statusText: '', headers: fix(new Headers()), type: 'error', url: '', redirected: false }, null); }
  static json(data, init = {}) {
    const text = JSON.stringify(data);
    if (text === undefined) throw new TypeError('The data is not JSON serializable');
    const headers = new Headers(init.headers);
    if (!headers.has('content-type')) headers.set('content-type', 'application/json');
    return new Response(text, { ...init, headers });
  }
  static redirect(url, status = 302) {
    if (![301, 302, 303, 307, 308].includes(status)) throw new RangeError(`Invalid status code ${status}`);
    const parsed = new URL(String(url));
    return made({ status, statusText: '', headers: fix(new Headers({ location: parsed.href })), type: 'default', url: '', redirected: false }, null);
  }
}
const made = Response.made;
delete Response.made;

// Connections of fetch are its own: whoever changes http.globalAgent does not change them.
const options = { keepAlive: true, scheduling: 'lifo', timeout: 4000 };
const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };

async function fetch(input, init = undefined) {
  const request = new Request(input, init);
  const { signal } = request;
  signal.throwIfAborted();
  const { protocol } = new URL(request.url);
  if (protocol === 'data:') return dataOf(request.url);
  if (protocol === 'blob:' || !agents[protocol]) throw failure(new Error(protocol === 'about:' ? 'about scheme is not supported' : 'unknown scheme'));
  let url = new URL(request.url);
  let { method } = request;
  const headers = new Headers(request.headers);
  uncached(headers, request.cache);
  let body = take(request);
  for (let count = 0; ; count++) {
    const message = await send(url, method, headers, body, signal);
    const { statusCode: status } = message;
    const location = message.headers.location;
    if (![301, 302, 303, 307, 308].includes(status) || request.redirect === 'manual' || location === undefined) {
      return answered(message, { url, method, redirected: count > 0, signal });
    }
    message.resume();
    message.on('error', () => {});
    if (request.redirect === 'error') throw failure(new Error('unexpected redirect'));
    if (count === REDIRECTS) throw failure(new Error('redirect count exceeded'));
    let next;
    try {
      // Bytes of a header that are none of ASCII's are UTF-8.
      next = new URL(Buffer.from(location, 'latin1').toString(), url);
    } catch (cause) {
      throw failure(cause);
    }
    if (!agents[next.protocol]) throw failure(new Error('URL scheme must be a HTTP(S) scheme'));
    if (body?.stream && status !== 303) throw failure(new Error('a body that is a stream cannot be sent again'));
    if (((status === 301 || status === 302) && method === 'POST') || (status === 303 && method !== 'GET' && method !== 'HEAD')) {
      method = 'GET';
      body = null;
      for (const name of ['content-encoding', 'content-language', 'content-location', 'content-type', 'content-length']) headers.delete(name);
    }
    // What was meant for one host is not told to another.
    if (next.origin !== url.origin) for (const name of ['authorization', 'proxy-authorization', 'cookie', 'host']) headers.delete(name);
    if (!next.hash) next.hash = url.hash;
    url = next;
  }
}

const failure = (cause) => new TypeError('fetch failed', { cause });

const CONDITIONS = ['if-modified-since', 'if-none-match', 'if-unmodified-since', 'if-match', 'if-range'];
/** What the standard has a request say when its own cache is not to answer: who asks on conditions
 * means the server. */
function uncached(headers, cache) {
  const put = (name, value) => headers.has(name) || headers.set(name, value);
  const asked = cache === 'default' && CONDITIONS.some((name) => headers.has(name)) ? 'no-store' : cache;
  if (asked === 'no-cache') put('cache-control', 'max-age=0');
  if (asked === 'no-store' || asked === 'reload') {
    put('pragma', 'no-cache');
    put('cache-control', 'no-cache');
  }
  // A part of something packed could not be unpacked.
  if (headers.has('range')) headers.set('accept-encoding', headers.has('accept-encoding') ? `${headers.get('accept-encoding')}, identity` : 'identity');
}

function send(url, method, given, body, signal) {
  return new Promise((resolve, reject) => {
    const headers = { host: url.host };
    for (const [name, value] of given) headers[name] = name === 'set-cookie' ? [...(headers[name] ?? []), value] : value;
    headers.accept ??= '*/*';
    headers['accept-language'] ??= '*';
    headers['sec-fetch-mode'] ??= 'cors';
    headers['user-agent'] ??= 'node';
    headers['accept-encoding'] ??= ENCODINGS.filter((one) => decoder(one)).join(', ');
    delete headers['transfer-encoding'];
    delete headers.connection;
    delete headers['content-length'];
    if (body?.length !== null && body?.length !== undefined) headers['content-length'] = String(body.length);
    else if (!body && (method === 'POST' || method === 'PUT' || method === 'PATCH')) headers['content-length'] = '0';
    const module = url.protocol === 'https:' ? https : http;
    let again = true;
    const start = () => {
      let out;
      try {
        out = module.request({
          protocol: url.protocol, hostname: url.hostname.replace(/^\[|\]$/g, ''), port: url.port, path: `${url.pathname}${url.search}`, method, headers, agent: agents[url.protocol],
        });
      } catch (error) {
        return reject(failure(error));
      }
      const stop = () => {
        out.destroy(signal.reason instanceof Error ? signal.reason : undefined);
        reject(signal.reason);
      };
      signal.addEventListener('abort', stop, { once: true });
      out.on('response', (message) => {
        signal.removeEventListener('abort', stop);
        resolve(message);
      });
      out.on('upgrade', (message, socket) => {
        socket.destroy();
        reject(failure(new Error('bad upgrade')));
      });
      out.on('error', (error) => {
        signal.removeEventListener('abort', stop);
        // The server closed what lay idle while we took it up.
        if (again && out.reusedSocket && error.code === 'ECONNRESET' && !body?.stream && !signal.aborted) {
          again = false;
          return start();
        }
        reject(signal.aborted ? signal.reason : failure(error));
      });
      feed(out, body, (error) => {
        out.destroy(error);
        reject(failure(error));
      });
    };
    start();
  });
}

async function feed(out, body, failed) {
  if (!body) return out.end();
  if (body.bytes) return out.end(body.bytes);
  try {
    if (body.blob && !body.stream) return out.end(Buffer.from(await body.blob.arrayBuffer()));
    for await (const part of body.stream) {
      if (!(part instanceof Uint8Array)) throw new TypeError('Received non-Uint8Array chunk');
      if (out.destroyed) return undefined;
      if (!out.write(part)) await new Promise((resolve) => out.once('drain', resolve).once('close', resolve));
    }
    return out.end();
  } catch (error) {
    return failed(error);
  }
}

function answered(message, { url, method, redirected, signal }) {
  const { statusCode: status } = message;
  const state = { status, statusText: message.statusMessage, headers: received(message.rawHeaders), type: 'basic', url: url.href, redirected };
  const without = fragmentless(url);
  state.url = without;
  if (NO_BODY.has(status) || method === 'HEAD') {
    message.resume();
    return made(state, null);
  }
  const plain = decoded(message, state.headers.get('content-encoding'));
  let [taken, over, gone] = [false, false, undefined];
  const stop = () => {
    gone = signal.reason;
    message.destroy();
    plain.destroy(gone instanceof Error ? gone : new Error(String(gone)));
  };
  signal.addEventListener('abort', stop, { once: true });
  const forget = () => signal.removeEventListener('abort', stop);
  const reason = (error) => (gone !== undefined ? gone : new TypeError('terminated', { cause: error }));
  plain.once('close', forget);
  return made(state, {
    type: null,
    length: null,
    disturbed: () => taken,
    /** All of it, without a stream between. */
    read: () =>
      new Promise((resolve, reject) => {
        const parts = [];
        let length = 0;
        plain.on('data', (part) => {
          length += part.length;
          if (length > MOST) plain.destroy(new Error(`a body of more than ${MOST} bytes`));
          parts.push(part);
        });
        plain.on('end', () => resolve(parts.length === 1 ? parts[0] : Buffer.concat(parts)));
        plain.on('error', (error) => reject(reason(error)));
        if (plain.destroyed && !plain.readableEnded) reject(reason(plain.errored));
      }),
    get stream() {
      const { ReadableStream } = require('stream/web');
      return (this._stream ??= new ReadableStream({
        type: 'bytes',
        start(controller) {
          plain.on('data', (part) => {
            if (over) return;
            taken = true;
            controller.enqueue(new Uint8Array(part));
            if (controller.desiredSize <= 0) plain.pause();
          });
          plain.on('end', () => {
            if (over) return;
            over = true;
            controller.close();
            controller.byobRequest?.respond(0);
          });
          plain.on('error', (error) => {
            if (!over) controller.error(reason(error));
            over = true;
          });
          plain.pause();
          if (plain.destroyed && !plain.readableEnded) controller.error(reason(plain.errored));
        },
        pull() { plain.resume(); },
        cancel() {
          taken = over = true;
          message.destroy();
          plain.destroy();
        },
      }, { highWaterMark: 65536 }));
    },
  });
}

const fragmentless = (url) => (url.hash ? url.href.slice(0, url.href.indexOf('#')) : url.href);

const ENCODINGS = ['gzip', 'deflate', 'br', 'zstd'];
/** What makes the stream that decodes; nothing where there is none. */
function decoder(encoding) {
  const zlib = require('zlib');
  const names = { gzip: 'createGunzip', 'x-gzip': 'createGunzip', deflate: 'createUnzip', br: 'createBrotliDecompress', zstd: 'createZstdDecompress' };
  return Object.hasOwn(names, encoding) ? zlib[names[encoding]] : undefined;
}
function decoded(message, encodings) {
  const list = (encodings ?? '').toLowerCase().split(',').map((one) => one.trim()).filter(Boolean).reverse();
  if (list.length === 0 || list.length > 5 || !list.every(decoder)) return message;
  const { pipeline } = require('stream');
  return pipeline([message, ...list.map((one) => decoder(one)())], () => {});
}

/** `data:` is no network: its bytes are in its name. */
function dataOf(url) {
  const match = /^data:([^,]*?)(;base64)?,(.*)$/is.exec(url.split('#')[0]);
  if (!match) throw failure(new Error('invalid data: URL'));
  const text = unescape(match[3]);
  const bytes = match[2] ? Buffer.from(text, 'base64') : Buffer.from(text, 'latin1');
  const type = match[1] || 'text/plain;charset=US-ASCII';
  return made({ status: 200, statusText: 'OK', headers: fix(new Headers({ 'content-type': type })), type: 'basic', url, redirected: false }, { bytes, type, length: bytes.length });
}

for (const kind of [Request, Response]) Object.defineProperty(kind.prototype, Symbol.toStringTag, { value: kind.name, configurable: true });
Object.assign(exports, { fetch, Request, Response, Headers, FormData });
