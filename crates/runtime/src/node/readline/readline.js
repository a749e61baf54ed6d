// readline: lines of a stream. There is no terminal to edit them in.
const EventEmitter = require('events');
const { StringDecoder } = require('string_decoder');

class Interface extends EventEmitter {
  #rest = '';
  #asked = [];
  closed = false;
  constructor(input, output) {
    super();
    const choice = input && typeof input.on === 'function' ? { input, output } : input;
    Object.assign(this, { input: choice.input, output: choice.output, terminal: false, line: '' });
    this.prompted = choice.prompt ?? '> ';
    const decoder = new StringDecoder('utf8');
    const take = (text) => {
      const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
      this.#rest = lines.pop();
      for (const line of lines) this.#give(line);
    };
    this.input.on('data', (chunk) => take(typeof chunk === 'string' ? chunk : decoder.write(chunk)));
    this.input.on('end', () => {
      take(decoder.end());
      if (this.#rest !== '') this.#give(this.#rest.replace(/\r$/, ''));
      this.#rest = '';
      this.close();
    });
    this.input.on('error', (error) => this.emit('error', error));
    choice.signal?.addEventListener('abort', () => this.close(), { once: true });
    this.input.resume?.();
  }
  #give(line) {
    const asked = this.#asked.shift();
    if (asked) asked(line);
    else this.emit('line', line);
  }
  question(query, options, done = options) {
    this.output?.write(query);
    this.#asked.push(done);
  }
  setPrompt(text) { this.prompted = text; }
  getPrompt() { return this.prompted; }
  prompt() { this.output?.write(this.prompted); }
  write(text) { this.output?.write(text); }
  pause() { this.input.pause?.(); return this; }
  resume() { this.input.resume?.(); return this; }
  close() {
    if (this.closed) return;
    this.closed = true;
    this.input.pause?.();
    this.emit('close');
  }
  [Symbol.asyncIterator]() { return lines(this); }
}
async function* lines(reader) {
  const waiting = [];
  let wake;
  reader.on('line', (line) => (waiting.push(line), wake?.()));
  reader.once('close', () => wake?.());
  while (waiting.length > 0 || !reader.closed) {
    if (waiting.length === 0) await new Promise((resolve) => (wake = resolve));
    else yield waiting.shift();
  }
}
const createInterface = (input, output) => new Interface(input, output);
const nothing = (stream, ...rest) => {
  const done = rest.findLast((one) => typeof one === 'function');
  if (done) queueMicrotask(done);
  return true;
};
Object.assign(exports, { Interface, createInterface, clearLine: nothing, clearScreenDown: nothing, cursorTo: nothing, moveCursor: nothing, emitKeypressEvents() {} });
exports.promises = {
  Interface,
  createInterface(...args) {
    const reader = new Interface(...args);
    const { question } = reader;
    reader.question = (query) => new Promise((resolve) => question.call(reader, query, resolve));
    return reader;
  },
};
