// Bodies of requests and answers: from whatever they are made of, and into what is asked for.
const { Buffer, Blob, File } = require('buffer');
const { FormData } = require('internal/headers');

const streams = () => require('stream/web');
/** Bytes of all that one body may bring into memory. */
const MOST = 512 * 1024 * 1024;

/** `{bytes | stream, type, length}` of what `body` may be. */
function extract(body) {
  if (typeof body === 'string') return known(Buffer.from(body.toWellFormed()), 'text/plain;charset=UTF-8');
  if (body instanceof URLSearchParams) return known(Buffer.from(String(body)), 'application/x-www-form-urlencoded;charset=UTF-8');
  if (body instanceof ArrayBuffer) return known(Buffer.from(body.slice(0)));
  if (ArrayBuffer.isView(body)) return known(Buffer.from(Buffer.from(body.buffer, body.byteOffset, body.byteLength)));
  if (body instanceof Blob) return { blob: body, type: body.type || null, length: body.size };
  if (body instanceof FormData) return multipart(body);
  if (isStream(body)) {
    if (body.locked) throw new TypeError('Response body object should not be disturbed or locked');
    return { stream: body, type: null, length: null };
  }
  if (typeof body?.[Symbol.asyncIterator] === 'function') return { stream: streams().ReadableStream.from(body), type: null, length: null };
  return known(Buffer.from(String(body)), 'text/plain;charset=UTF-8');
}
const isStream = (body) => typeof body?.getReader === 'function';
const known = (bytes, type = null) => ({ bytes, type, length: bytes.length });

const quoted = (name) => name.replace(/\r?\n|\r/g, '\r\n').replace(/\n/g, '%0A').replace(/\r/g, '%0D').replace(/"/g, '%22');
function multipart(form) {
  const boundary = `----formdata-${require('crypto').randomBytes(12).toString('hex')}`;
  const parts = [];
  for (const [name, value] of form) {
    let head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"`;
    if (typeof value === 'string') parts.push(Buffer.from(`${head}\r\n\r\n${value.replace(/\r?\n|\r/g, '\r\n')}\r\n`));
    else {
      head += `; filename="${quoted(value.name)}"\r\nContent-Type: ${value.type || 'application/octet-stream'}\r\n\r\n`;
      parts.push(Buffer.from(head), value, Buffer.from('\r\n'));
    }
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  const blob = new Blob(parts);
  return { blob, type: `multipart/form-data; boundary=${boundary}`, length: blob.size };
}

function parts(bytes, boundary) {
  const form = new FormData();
  const mark = Buffer.from(`--${boundary}`);
  const wrong = () => new TypeError('Failed to parse body as FormData.');
  let at = bytes.indexOf(mark);
  if (at < 0) throw wrong();
  for (;;) {
    at += mark.length;
    if (bytes.subarray(at, at + 2).toString() === '--') return form;
    const head = bytes.indexOf('\r\n\r\n', at);
    const end = bytes.indexOf(Buffer.from(`\r\n--${boundary}`), head);
    if (head < 0 || end < 0) throw wrong();
    const lines = bytes.subarray(at + 2, head).toString().split('\r\n');
    const field = (name) => lines.find((line) => line.toLowerCase().startsWith(`${name}:`))?.slice(name.length + 1).trim();
    const disposition = field('content-disposition') ?? '';
    const word = (name) => new RegExp(`[;\\s]${name}="([^"]*)"`, 'i').exec(disposition)?.[1]?.replace(/%0A/g, '\n').replace(/%0D/g, '\r').replace(/%22/g, '"');
    const [name, filename] = [word('name'), word('filename')];
    if (name === undefined) throw wrong();
    const content = bytes.subarray(head + 4, end);
    if (filename === undefined) form.append(name, new TextDecoder().decode(content));
    else form.append(name, new File([content], filename, { type: field('content-type') ?? 'text/plain' }));
    at = end + 2;
  }
}

/** The half that Request and Response share. */
class Body {
  #source = null;
  #stream = null;
  #used = false;
  static set(body, source) {
    body.#source = source;
  }
  static source(body) {
    return body.#source;
  }
  /** For sending: bytes where they are there, else a stream. Afterwards it is used. */
  static take(body) {
    const source = body.#source;
    if (!source) return null;
    body.#used = true;
    return body.#stream ? { stream: body.#stream, length: source.length } : source;
  }
  static copy(body) {
    const source = body.#source;
    if (!source) return null;
    if (source.bytes && !body.#stream) return source;
    const [one, other] = body.body.tee();
    body.#stream = one;
    return { stream: other, type: source.type, length: source.length };
  }
  get body() {
    const source = this.#source;
    if (!source) return null;
    this.#stream ??= source.stream ?? streamOf(source);
    return this.#stream;
  }
  get bodyUsed() { return this.#used || Boolean(this.#stream && this.#source?.disturbed?.()) || Boolean(this.#stream?._disturbed); }
  async #all() {
    const source = this.#source;
    if (this.bodyUsed || this.#stream?.locked) throw new TypeError('Body is unusable: Body has already been read');
    if (!source) return Buffer.alloc(0);
    this.#used = true;
    if (!this.#stream && source.bytes) return source.bytes;
    if (!this.#stream && source.blob) return Blob.prototype.bytes ? source.blob.bytes().then(Buffer.from) : Buffer.from(await source.blob.arrayBuffer());
    if (!this.#stream && source.read) return source.read();
    const reader = this.body.getReader();
    const all = [];
    let length = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return Buffer.concat(all);
      if (!(value instanceof Uint8Array)) throw new TypeError('Received non-Uint8Array chunk');
      length += value.length;
      if (length > MOST) {
        reader.cancel().catch(() => {});
        throw new TypeError(`a body of more than ${MOST} bytes`);
      }
      all.push(value);
    }
  }
  async arrayBuffer() {
    const bytes = await this.#all();
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  }
  async bytes() { return new Uint8Array(await this.arrayBuffer()); }
  async text() { return new TextDecoder().decode(await this.#all()); }
  async json() { return JSON.parse(await this.text()); }
  async blob() { return new Blob([await this.#all()], { type: this.headers.get('content-type') ?? '' }); }
  async formData() {
    const type = this.headers.get('content-type') ?? '';
    const boundary = /^multipart\/form-data\s*;.*?boundary="?([^";]+)"?/i.exec(type)?.[1];
    if (boundary) return parts(await this.#all(), boundary);
    if (/^application\/x-www-form-urlencoded\b/i.test(type)) {
      const form = new FormData();
      for (const [name, value] of new URLSearchParams(await this.text())) form.append(name, value);
      return form;
    }
    throw new TypeError('Content-Type was not one of "multipart/form-data" or "application/x-www-form-urlencoded".');
  }
}
const { set, source, take, copy } = Body;
for (const name of ['set', 'source', 'take', 'copy']) delete Body[name];

function streamOf({ bytes, blob }) {
  const { ReadableStream } = streams();
  return new ReadableStream({
    type: 'bytes',
    async pull(controller) {
      const all = bytes ?? new Uint8Array(await blob.arrayBuffer());
      if (all.length > 0) controller.enqueue(new Uint8Array(all));
      controller.close();
    },
  });
}
Object.assign(exports, { Body, MOST, copy, extract, set, source, take });
