// EventSource: events of a server over fetch, taken up again when the connection breaks.
const { Event, EventTarget } = require('internal/event_target');
const { MessageEvent } = require('internal/websocket');
/** Characters of one event. */
const MOST = 16 * 1024 * 1024;

class EventSource extends EventTarget {
  #url;
  #state = 0;
  #last = '';
  #wait = 3000;
  #abort = new AbortController();
  #init;
  onopen = null;
  onmessage = null;
  onerror = null;
  constructor(url, init = {}) {
    super();
    try {
      this.#url = new URL(String(url)).href;
    } catch {
      throw new DOMException(`Invalid URL: ${url}`, 'SyntaxError');
    }
    this.#init = init ?? {};
    this.#listen();
  }
  get url() { return this.#url; }
  get readyState() { return this.#state; }
  get withCredentials() { return Boolean(this.#init.withCredentials); }
  close() {
    this.#state = 2;
    this.#abort.abort();
  }

  async #listen() {
    while (this.#state !== 2) {
      const gone = await this.#once();
      if (this.#state === 2) return;
      this.#state = gone ? 2 : 0;
      this.dispatchEvent(new Event('error'));
      if (!gone) await new Promise((resolve) => setTimeout(resolve, this.#wait));
    }
  }
  /** Whether it is of no use to try again. */
  async #once() {
    try {
      const headers = { accept: 'text/event-stream', 'cache-control': 'no-cache' };
      if (this.#last) headers['last-event-id'] = this.#last;
      const response = await (this.#init.fetch ?? fetch)(this.#url, { headers, signal: this.#abort.signal });
      if (response.status !== 200 || !/^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')) return true;
      this.#state = 1;
      this.dispatchEvent(new Event('open'));
      await this.#read(response);
    } catch {
      // The connection broke: the same as its end.
    }
    return false;
  }
  async #read(response) {
    const decoder = new TextDecoder();
    let text = '';
    let event = { data: [], type: '' };
    for await (const part of response.body) {
      text += decoder.decode(part, { stream: true });
      for (let match; (match = /\r\n|\n|\r(?!$)/.exec(text)); ) {
        const line = text.slice(0, match.index);
        text = text.slice(match.index + match[0].length);
        if (line !== '') this.#field(line, event);
        else {
          if (event.data.length > 0) {
            this.dispatchEvent(new MessageEvent(event.type || 'message', { data: event.data.join('\n'), origin: new URL(response.url).origin, lastEventId: this.#last }));
          }
          event = { data: [], type: '' };
        }
        if (this.#state === 2) return;
      }
      if (text.length > MOST) throw new RangeError('an event without an end');
    }
  }
  #field(line, event) {
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') event.data.push(value);
    else if (name === 'event') event.type = value;
    else if (name === 'id' && !value.includes('\0')) this.#last = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.#wait = Number(value);
  }
}
for (const [name, value] of Object.entries({ CONNECTING: 0, OPEN: 1, CLOSED: 2 })) for (const owner of [EventSource, EventSource.prototype]) Object.defineProperty(owner, name, { value, enumerable: true });
Object.defineProperty(EventSource.prototype, Symbol.toStringTag, { value: 'EventSource', configurable: true });
exports.EventSource = EventSource;
