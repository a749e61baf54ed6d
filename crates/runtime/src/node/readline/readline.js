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
  getCursorPos() { return { rows: 0, cols: this.prompted.length }; }
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
// What moves a terminal's cursor, as text.
const ESCAPES = {
  clearLine: (direction) => (direction < 0 ? '\x1b[1K' : direction > 0 ? '\x1b[0K' : '\x1b[2K'),
  clearScreenDown: () => '\x1b[0J',
  cursorTo: (x, y) => (typeof y === 'number' ? `\x1b[${y + 1};${x + 1}H` : `\x1b[${x + 1}G`),
  moveCursor: (x, y) => (x < 0 ? `\x1b[${-x}D` : x > 0 ? `\x1b[${x}C` : '') + (y < 0 ? `\x1b[${-y}A` : y > 0 ? `\x1b[${y}B` : ''),
};
const written = Object.fromEntries(Object.entries(ESCAPES).map(([name, text]) => [name, (stream, ...rest) => {
  const done = rest.findLast((one) => typeof one === 'function');
  const out = text(...rest.filter((one) => typeof one !== 'function'));
  // What is no terminal is a line of the log, where they would only be in the way.
  if (stream === null || stream === undefined || stream.isTTY === false || out === '') {
    if (done) process.nextTick(done, null);
    return true;
  }
  return stream.write(out, done);
}]));
class Readline {
  #stream;
  #autoCommit;
  #todo = [];
  constructor(stream, { autoCommit = false } = {}) {
    this.#stream = stream;
    this.#autoCommit = autoCommit;
  }
  #add(text) {
    if (this.#autoCommit) process.nextTick(() => this.#stream.write(text));
    else this.#todo.push(text);
    return this;
  }
  clearLine(direction) { return this.#add(ESCAPES.clearLine(direction)); }
  clearScreenDown() { return this.#add(ESCAPES.clearScreenDown()); }
  cursorTo(x, y) { return this.#add(ESCAPES.cursorTo(x, y)); }
  moveCursor(x, y) { return this.#add(ESCAPES.moveCursor(x, y)); }
  commit() { return new Promise((done) => this.#stream.write(this.#todo.splice(0).join(''), () => done())); }
  rollback() {
    this.#todo = [];
    return this;
  }
}
Object.assign(exports, { Interface, createInterface, ...written, emitKeypressEvents() {} });
exports.promises = {
  Interface, Readline,
  createInterface(...args) {
    const reader = new Interface(...args);
    const { question } = reader;
    reader.question = (query) => new Promise((resolve) => question.call(reader, query, resolve));
    return reader;
  },
};
