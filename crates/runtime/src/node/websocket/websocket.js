// WebSocket (RFC 6455), the client's side, over an upgraded connection. No compression is offered.
const { Buffer, Blob } = require('buffer');
const { Event, EventTarget } = require('internal/event_target');
const { randomBytes, createHash } = require('crypto');

const MAGIC = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
/** Bytes of one message. */
const MOST = 128 * 1024 * 1024;
/** How long the other side may take to say goodbye, ms. */
const GOODBYE = 3000;

class MessageEvent extends Event {
  constructor(type, { data = null, origin = '', lastEventId = '', source = null, ports = [] } = {}) {
    super(type);
    Object.assign(this, { data, origin, lastEventId, source, ports });
  }
}
class CloseEvent extends Event {
  constructor(type, { wasClean = false, code = 0, reason = '' } = {}) {
    super(type);
    Object.assign(this, { wasClean, code, reason });
  }
}
class ErrorEvent extends Event {
  constructor(type, { message = '', error = undefined } = {}) {
    super(type);
    Object.assign(this, { message, error });
  }
}

const CODES = { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 };

class WebSocket extends EventTarget {
  #url;
  #state = 0;
  #protocol = '';
  #socket = null;
  #request = null;
  #kept = [];
  #length = 0;
  #parts = null;
  #buffered = 0;
  #closing = null;
  #timer = null;
  binaryType = 'blob';

  constructor(url, protocols = []) {
    super();
    const given = typeof protocols === 'object' && protocols !== null && !Array.isArray(protocols) ? protocols : { protocols };
    let parsed;
    try {
      parsed = new URL(String(url));
    } catch {
      throw new DOMException(`Invalid URL: ${url}`, 'SyntaxError');
    }
    parsed.protocol = { 'http:': 'ws:', 'https:': 'wss:' }[parsed.protocol] ?? parsed.protocol;
    if (!/^wss?:$/.test(parsed.protocol)) throw new DOMException(`Expected a ws: or wss: protocol, got ${parsed.protocol}`, 'SyntaxError');
    if (parsed.hash) throw new DOMException('Got fragment', 'SyntaxError');
    const wanted = [given.protocols ?? []].flat().map(String);
    if (new Set(wanted.map((one) => one.toLowerCase())).size !== wanted.length || !wanted.every((one) => /^[!#$%&'*+\-.^_`|~0-9a-zA-Z]+$/.test(one))) {
      throw new DOMException('Invalid Sec-WebSocket-Protocol value', 'SyntaxError');
    }
    this.#url = parsed;
    this.#connect(parsed, wanted, given.headers);
  }
  get url() { return this.#url.href; }
  get readyState() { return this.#state; }
  get protocol() { return this.#protocol; }
  get extensions() { return ''; }
  get bufferedAmount() { return this.#buffered; }

  #connect(url, protocols, more) {
    const secure = url.protocol === 'wss:';
    const key = randomBytes(16).toString('base64');
    const headers = { ...Object.fromEntries(new (require('internal/headers').Headers)(more ?? {})), connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-key': key, 'sec-websocket-version': '13' };
    if (protocols.length > 0) headers['sec-websocket-protocol'] = protocols.join(', ');
    const auth = url.username ? { auth: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}` } : {};
    const request = (this.#request = require(secure ? 'https' : 'http').request({
      protocol: secure ? 'https:' : 'http:', hostname: url.hostname.replace(/^\[|\]$/g, ''), port: url.port || (secure ? 443 : 80), path: `${url.pathname}${url.search}`, headers, agent: false, ...auth,
    }));
    request.on('error', (error) => this.#fail(error));
    request.on('response', (response) => {
      response.on('error', () => {});
      request.destroy();
      this.#fail(new Error('Received network error or non-101 status code.'));
    });
    request.on('upgrade', (response, socket, rest) => {
      this.#request = null;
      const accept = createHash('sha1').update(key + MAGIC).digest('base64');
      const chosen = response.headers['sec-websocket-protocol'];
      const good = response.headers['sec-websocket-accept'] === accept && /^websocket$/i.test(response.headers.upgrade ?? '') && !response.headers['sec-websocket-extensions'] && (chosen === undefined || protocols.includes(chosen));
      if (!good || this.#state !== 0) {
        socket.destroy();
        return this.#fail(new Error('the answer to the handshake is none'));
      }
      this.#protocol = chosen ?? '';
      this.#socket = socket;
      this.#state = 1;
      socket.setTimeout(0);
      socket.setNoDelay(true);
      socket.on('data', (bytes) => this.#data(bytes)).on('error', (error) => this.#fail(error)).on('end', () => socket.end()).on('close', () => this.#over());
      this.dispatchEvent(new Event('open'));
      if (rest.length > 0) this.#data(rest);
    });
    request.end();
  }

  #data(bytes) {
    this.#kept.push(bytes);
    this.#length += bytes.length;
    while (this.#socket && this.#state !== 3) {
      const head = this.#peek(14);
      if (head.length < 2) return;
      const [fin, opcode] = [head[0] >= 0x80, head[0] & 15];
      let size = head[1] & 0x7f;
      let start = 2;
      if (size === 126) {
        if (head.length < 4) return;
        [size, start] = [head.readUInt16BE(2), 4];
      } else if (size === 127) {
        if (head.length < 10) return;
        [size, start] = [Number(head.readBigUInt64BE(2)), 10];
      }
      const control = opcode >= 8;
      // A server never masks; control frames are short and whole; nobody agreed on the other bits.
      if (head[1] >= 0x80 || head[0] & 0x70 || (control && (size > 125 || !fin)) || (opcode > 2 && opcode < 8) || opcode > 10) return this.#protocolError('frame');
      if (size + (this.#parts?.length ?? 0) > MOST) return this.#abort(1009, 'message too large');
      if (this.#length < start + size) return;
      this.#take(start);
      this.#frame(fin, opcode, this.#take(size));
    }
  }
  #peek(count) {
    if (this.#kept[0].length < count && this.#kept.length > 1) this.#kept = [Buffer.concat(this.#kept)];
    return this.#kept[0].subarray(0, count);
  }
  #take(count) {
    if (this.#kept.length > 1) this.#kept = [Buffer.concat(this.#kept)];
    const [whole] = this.#kept;
    this.#kept = [whole.subarray(count)];
    this.#length -= count;
    return whole.subarray(0, count);
  }

  #frame(fin, opcode, payload) {
    if (opcode === 8) return this.#goodbye(payload);
    if (opcode === 9) return this.#send(10, payload);
    if (opcode === 10) return undefined;
    if ((opcode === 0) === (this.#parts === null)) return this.#protocolError('continuation');
    this.#parts ??= { opcode, list: [], length: 0 };
    this.#parts.list.push(payload);
    this.#parts.length += payload.length;
    if (!fin) return undefined;
    const { opcode: kind, list } = this.#parts;
    this.#parts = null;
    const bytes = Buffer.concat(list);
    let data;
    if (kind === 1) {
      try {
        data = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      } catch {
        return this.#abort(1007, 'invalid UTF-8');
      }
    } else data = this.binaryType === 'arraybuffer' ? new Uint8Array(bytes).buffer : new Blob([bytes]);
    if (this.#state === 1) this.dispatchEvent(new MessageEvent('message', { data, origin: this.#url.origin }));
    return undefined;
  }
  #goodbye(payload) {
    const code = payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
    const allowed = code === 1005 ? payload.length === 0 : (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999);
    if (!allowed) return this.#protocolError('close code');
    this.#closing = { code, reason: payload.subarray(2).toString(), wasClean: true };
    if (this.#state === 1) {
      this.#state = 2;
      this.#send(8, payload.subarray(0, 2));
    }
    this.#socket?.end();
    return undefined;
  }
  #protocolError(what) { this.#abort(1002, what); }
  #abort(code, what) {
    const reason = Buffer.alloc(2);
    reason.writeUInt16BE(code);
    this.#send(8, reason);
    this.#fail(new Error(what), code);
  }
  #fail(error, code = 1006) {
    if (this.#state === 3) return;
    this.#closing ??= { code, reason: '', wasClean: false };
    if (this.#state !== 2 || !this.#socket) this.dispatchEvent(new ErrorEvent('error', { message: error.message, error }));
    const socket = this.#socket;
    this.#over();
    socket?.destroy();
  }
  #over() {
    if (this.#state === 3) return;
    clearTimeout(this.#timer);
    this.#state = 3;
    this.#socket = null;
    this.#kept = [];
    this.dispatchEvent(new CloseEvent('close', this.#closing ?? { code: 1006, reason: '', wasClean: false }));
  }

  #send(opcode, payload) {
    const size = payload.length;
    const head = Buffer.alloc(size < 126 ? 6 : size < 65536 ? 8 : 14);
    head[0] = 0x80 | opcode;
    head[1] = 0x80 | (size < 126 ? size : size < 65536 ? 126 : 127);
    if (size >= 65536) head.writeBigUInt64BE(BigInt(size), 2);
    else if (size >= 126) head.writeUInt16BE(size, 2);
    const mask = randomBytes(4);
    mask.copy(head, head.length - 4);
    const masked = Buffer.alloc(size);
    for (let at = 0; at < size; at++) masked[at] = payload[at] ^ mask[at & 3];
    this.#buffered += size;
    this.#socket?.write(Buffer.concat([head, masked]), () => { this.#buffered -= size; });
  }
  send(data) {
    if (this.#state === 0) throw new DOMException('Sent before connected.', 'InvalidStateError');
    if (data instanceof Blob) return void data.arrayBuffer().then((bytes) => this.#state === 1 && this.#send(2, Buffer.from(bytes)));
    const text = !(data instanceof ArrayBuffer) && !ArrayBuffer.isView(data);
    const bytes = text ? Buffer.from(String(data).toWellFormed()) : ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
    if (this.#state === 1) this.#send(text ? 1 : 2, bytes);
  }
  close(code = undefined, reason = '') {
    if (code !== undefined && code !== 1000 && !(code >= 3000 && code <= 4999)) throw new DOMException('invalid code', 'InvalidAccessError');
    const words = Buffer.from(String(reason));
    if (words.length > 123) throw new DOMException('Reason must be less than 123 bytes', 'SyntaxError');
    if (this.#state >= 2) return;
    if (this.#state === 0) {
      this.#state = 2;
      this.#request?.destroy();
      return;
    }
    this.#state = 2;
    const head = Buffer.alloc(code === undefined ? 0 : 2);
    if (code !== undefined) head.writeUInt16BE(code);
    this.#send(8, Buffer.concat([head, code === undefined ? Buffer.alloc(0) : words]));
    this.#timer = setTimeout(() => this.#socket?.destroy(), GOODBYE).unref();
  }
}
for (const name of ['open', 'message', 'error', 'close']) {
  const heard = Symbol(name);
  Object.defineProperty(WebSocket.prototype, `on${name}`, {
    enumerable: true,
    configurable: true,
    get() { return this[heard] ?? null; },
    set(listener) {
      Object.defineProperty(this, heard, { value: typeof listener === 'function' ? listener : null, configurable: true });
    },
  });
}
for (const [name, value] of Object.entries(CODES)) for (const owner of [WebSocket, WebSocket.prototype]) Object.defineProperty(owner, name, { value, enumerable: true });
for (const kind of [WebSocket, MessageEvent, CloseEvent, ErrorEvent]) Object.defineProperty(kind.prototype, Symbol.toStringTag, { value: kind.name, configurable: true });
Object.assign(exports, { WebSocket, MessageEvent, CloseEvent, ErrorEvent });
