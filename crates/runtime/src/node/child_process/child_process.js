// child_process: programs that the host starts behind the walls of commands, where a person granted it.
// What Node does with them is here; what they see and when they end is the host's.
const EventEmitter = require('events');
const { Readable, Writable } = require('stream');
const { Buffer } = require('buffer');
const { aborted, callback: checkCallback, coded, invalidArgType, invalidArgValue, outOfRange } = require('internal/errors');
const { promisify } = require('util');
const { constants } = require('os');
const network = require('_network');
const process = require('process');

const MOST = 1024 * 1024;
// The others are thrown at once.
const TOLD_LATER = new Set(['EACCES', 'EAGAIN', 'EMFILE', 'ENFILE', 'ENOENT']);
const names = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));
const errnos = new Map(Object.entries(constants.errno).map(([name, number]) => [number, name]));

function signalOf(signal, standard = 'SIGTERM') {
  const asked = signal ?? standard;
  const number = typeof asked === 'number' ? asked : constants.signals[String(asked).toUpperCase()];
  if (number === undefined || (number !== 0 && !names.has(number))) throw coded(TypeError, 'ERR_UNKNOWN_SIGNAL', `Unknown signal: ${asked}`);
  return number;
}

/** What the system would have said, in Node's words. */
function failure(call, asked, { failed, message, errno }) {
  if (errno === undefined || errno === null) {
    return Object.assign(new Error(`child_process: ${message}`), { code: 'ERR_ACCESS_DENIED', permission: 'ChildProcess', reason: failed });
  }
  const code = errnos.get(errno) ?? failed;
  return Object.assign(new Error(`${call} ${asked.file} ${code}`), { errno: -errno, code, syscall: `${call} ${asked.file}`, path: asked.file, spawnargs: asked.args });
}

function text(value, name) {
  if (typeof value !== 'string') throw invalidArgType(name, 'string', value);
  if (value.includes('\0')) throw invalidArgValue(name, value, 'must be a string without null bytes');
  return value;
}

function limits({ timeout, maxBuffer }) {
  if (timeout !== undefined && timeout !== null && !(Number.isInteger(timeout) && timeout >= 0)) throw outOfRange('timeout', 'an unsigned integer', timeout);
  if (maxBuffer !== undefined && maxBuffer !== null && !(typeof maxBuffer === 'number' && maxBuffer >= 0)) throw outOfRange('options.maxBuffer', 'a positive number', maxBuffer);
}

function arrange(file, args, options) {
  text(file, 'file');
  if (file === '') throw invalidArgValue('file', file, 'cannot be empty');
  if (args !== undefined && args !== null && !Array.isArray(args)) {
    if (typeof args !== 'object') throw invalidArgType('args', 'object', args);
    options = args;
    args = [];
  }
  if (options !== undefined && (options === null || typeof options !== 'object')) throw invalidArgType('options', 'object', options);
  const given = { ...options };
  let words = [...(args ?? [])].map((one, at) => text(String(one), `args[${at}]`));
  let program = file;
  if (given.shell !== undefined && given.shell !== null && typeof given.shell !== 'boolean' && typeof given.shell !== 'string') throw invalidArgType('options.shell', ['boolean', 'string'], given.shell);
  if (given.shell) {
    program = typeof given.shell === 'string' ? given.shell : '/bin/sh';
    words = ['-c', [file, ...words].join(' ')];
  }
  limits(given);
  if (given.killSignal !== undefined && given.killSignal !== null) signalOf(given.killSignal);
  const cwd = given.cwd instanceof URL ? require('url').fileURLToPath(given.cwd) : given.cwd;
  if (cwd !== undefined && cwd !== null && typeof cwd !== 'string') throw invalidArgType('options.cwd', ['string', 'Buffer', 'URL'], cwd);
  if (cwd) text(cwd, 'options.cwd');
  const env = given.env ?? process.env;
  const pairs = Object.keys(env).filter((name) => env[name] !== undefined).map((name) => [name, String(env[name])]);
  const { stdio, listed } = wiring(given.stdio);
  const cwdPath = require('path').resolve(process.cwd(), cwd ?? '');
  return { given, stdio, listed, asked: { file: program, args: words, cwd: cwdPath, env: pairs, piped: stdio.map((one) => one === 'pipe' || one === 'inherit') }, spawnargs: [given.argv0 ?? program, ...words] };
}

/** Each of the three: `pipe`, `ignore` or `inherit`. */
function wiring(stdio = 'pipe') {
  const listed = typeof stdio === 'string' ? [stdio, stdio, stdio] : stdio;
  if (!Array.isArray(listed)) throw invalidArgValue('stdio', stdio);
  const one = (what, at) => {
    if (what === undefined || what === null) return at < 3 ? 'pipe' : 'ignore';
    if (what === 'pipe' || what === 'overlapped') return 'pipe';
    if (what === 'ignore') return 'ignore';
    if (what === 'inherit' || what === at || what === [process.stdin, process.stdout, process.stderr][at]) return at === 0 ? 'ignore' : 'inherit';
    if (what === 'ipc') throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'a channel to a child is not available in workers');
    throw invalidArgValue('stdio', what);
  };
  if (listed.slice(3).some((what) => what !== 'ignore' && what !== undefined && what !== null)) throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'streams beyond the third are not available in workers');
  return { stdio: [0, 1, 2].map((at) => one(listed[at], at)), listed };
}

class Output extends Readable {
  #handle;
  constructor(id) {
    super({ highWaterMark: 65536 });
    this.#handle = network.stream(id);
  }
  _read() {
    this.#handle.read().then(
      (bytes) => this.push(bytes === null ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
      (error) => (this.destroyed ? undefined : this.destroy(error)),
    );
  }
  _destroy(error, done) {
    this.#handle.close();
    done(error);
  }
  ref() { this.#handle.hold(true); return this; }
  unref() { this.#handle.hold(false); return this; }
}

class Input extends Writable {
  #handle;
  constructor(id) {
    super({ highWaterMark: 65536, decodeStrings: true });
    this.#handle = network.stream(id);
  }
  _write(bytes, encoding, done) {
    this.#handle.write(bytes).then(() => done(), done);
  }
  _final(done) {
    this.#handle.end();
    done();
  }
  _destroy(error, done) {
    this.#handle.close();
    done(error);
  }
  ref() { this.#handle.hold(true); return this; }
  unref() { this.#handle.hold(false); return this; }
}

class ChildProcess extends EventEmitter {
  #id = null;
  #open = 0;
  #left = false;
  constructor() {
    super();
    Object.assign(this, { stdin: null, stdout: null, stderr: null, stdio: [null, null, null], connected: false, exitCode: null, signalCode: null, killed: false, spawnfile: null, pid: undefined, spawnargs: [] });
  }

  /** Starts what was arranged. */
  _start({ asked, stdio, spawnargs }) {
    this.spawnfile = asked.file;
    this.spawnargs = spawnargs;
    const made = native.start(asked);
    if (made.failed !== undefined) {
      const error = failure('spawn', { file: asked.file, args: asked.args }, made);
      if (error.code === 'ERR_ACCESS_DENIED') throw error;
      if (!TOLD_LATER.has(error.code)) throw Object.assign(new Error(`spawn ${error.code}`), { errno: error.errno, code: error.code, syscall: 'spawn' });
      this.exitCode = error.errno;
      process.nextTick(() => {
        this.emit('error', error);
        this.emit('close', this.exitCode, null);
      });
      // As in Node, what is written to nobody is nobody's error.
      if (stdio[0] === 'pipe') this.stdin = new Writable({ write: (bytes, encoding, done) => done() });
      for (const at of [1, 2]) if (stdio[at] === 'pipe') this[at === 1 ? 'stdout' : 'stderr'] = Readable.from([]);
      this.stdio = [this.stdin, this.stdout, this.stderr];
      return;
    }
    this.#id = made.id;
    this.pid = made.pid;
    const [input, output, errors] = made.streams;
    if (stdio[0] === 'pipe') {
      this.stdin = new Input(input);
    }
    for (const [at, id, name] of [[1, output, 'stdout'], [2, errors, 'stderr']]) {
      if (id === null || id === undefined) continue;
      const stream = new Output(id);
      this.#open += 1;
      stream.once('close', () => {
        this.#open -= 1;
        this.#closing();
      });
      if (stdio[at] === 'inherit') stream.on('data', (bytes) => process[name].write(bytes));
      else this[name] = stream;
    }
    this.stdio = [this.stdin, this.stdout, this.stderr];
    process.nextTick(() => this.emit('spawn'));
    made.exited.then(({ code, signal }) => {
      this.#id = null;
      this.exitCode = signal ? null : code;
      this.signalCode = signal ? (names.get(signal) ?? null) : null;
      if (this.stdin) this.stdin.destroy();
      this.emit('exit', this.exitCode, this.signalCode);
      this.#left = true;
      // What nobody reads is let go, so that the end is seen.
      process.nextTick(() => {
        for (const stream of [this.stdout, this.stderr]) if (stream && !stream.readableEnded && stream.readableFlowing === null && stream.listenerCount('readable') === 0) stream.resume();
        this.#closing();
      });
    });
  }

  #closing() {
    if (this.#left && this.#open === 0) this.emit('close', this.exitCode, this.signalCode);
  }

  kill(signal) {
    const number = signalOf(signal);
    if (this.#id === null) return false;
    if (number !== 0) native.kill(this.#id, number);
    this.killed = true;
    return true;
  }
  ref() { if (this.#id !== null) native.hold(this.#id, true); }
  unref() { if (this.#id !== null) native.hold(this.#id, false); }
  disconnect() { this.emit('error', coded(Error, 'ERR_IPC_DISCONNECTED', 'IPC channel is already disconnected')); }
  send() { throw coded(Error, 'ERR_IPC_CHANNEL_CLOSED', 'Channel closed'); }
  [Symbol.dispose]() { if (!this.killed) this.kill(); }
}

function stops(signal) {
  if (signal === undefined) return;
  if (signal === null || typeof signal !== 'object' || !('aborted' in signal)) throw invalidArgType('options.signal', 'AbortSignal', signal);
}

function spawn(file, args, options) {
  const plan = arrange(file, args, options);
  const { timeout, signal, killSignal } = plan.given;
  stops(signal);
  const child = new ChildProcess();
  child._start(plan);
  if (timeout > 0) {
    const timer = setTimeout(() => child.kill(killSignal), timeout);
    child.once('exit', () => clearTimeout(timer));
  }
  if (signal) {
    const stop = () => {
      if (child.kill(killSignal)) child.emit('error', aborted(signal.reason));
    };
    if (signal.aborted) process.nextTick(stop);
    else {
      signal.addEventListener('abort', stop, { once: true });
      child.once('exit', () => signal.removeEventListener('abort', stop));
    }
  }
  return child;
}

/** `(file[, args][, options][, callback])`, in every combination. */
function sorted(rest) {
  const args = Array.isArray(rest[0]) ? rest.shift() : rest[0] === undefined || rest[0] === null ? (rest.shift(), []) : [];
  const options = rest[0] !== null && typeof rest[0] === 'object' ? rest.shift() : rest[0] === undefined || rest[0] === null ? (rest.shift(), {}) : {};
  const done = rest[0] ?? undefined;
  if (done !== undefined) checkCallback(done, 'callback');
  return { args, options, done };
}

function execFile(file, ...rest) {
  const { args, options, done } = sorted(rest);
  const settled = { encoding: 'utf8', timeout: 0, maxBuffer: MOST, killSignal: 'SIGTERM', cwd: null, env: null, shell: false, ...options };
  const { maxBuffer, encoding } = settled;
  const { signal, timeout, ...own } = settled;
  stops(signal);
  signalOf(own.killSignal);
  limits(settled);
  const child = spawn(file, args, own);
  const words = settled.shell ? file : [file, ...args].join(' ');
  let [ended, why, timer] = [false, null, null];
  const kept = [[], []];
  const sizes = [0, 0];
  const asText = encoding !== 'buffer' && encoding !== null && Buffer.isEncoding(encoding);
  if (asText) for (const stream of [child.stdout, child.stderr]) stream?.setEncoding(encoding);
  const end = () => {
    child.stdout?.destroy();
    child.stderr?.destroy();
    child.kill(settled.killSignal);
  };
  const finish = (code, signalName) => {
    if (ended) return;
    ended = true;
    clearTimeout(timer);
    if (signal) signal.removeEventListener('abort', abort);
    const [stdout, stderr] = kept.map((parts) => (asText ? parts.join('') : Buffer.concat(parts)));
    if (!done) return;
    if (!why && code === 0 && signalName === null) return done(null, stdout, stderr);
    const error = why ?? Object.assign(new Error(`Command failed: ${words}\n${stderr}`), { code: code < 0 ? errnos.get(-code) : code, killed: child.killed, signal: signalName });
    error.cmd ??= words;
    done(Object.assign(error, { stdout, stderr }), stdout, stderr);
  };
  const abort = () => {
    why = aborted(signal.reason);
    end();
    process.nextTick(() => finish(null, null));
  };
  [child.stdout, child.stderr].forEach((stream, at) => {
    stream?.on('data', (part) => {
      const size = asText ? Buffer.byteLength(part, encoding) : part.length;
      if (sizes[at] + size > maxBuffer) {
        const room = maxBuffer - sizes[at];
        kept[at].push(asText ? part.slice(0, room) : part.subarray(0, room));
        why ??= coded(RangeError, 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER', `${at === 0 ? 'stdout' : 'stderr'} maxBuffer length exceeded`);
        end();
      } else kept[at].push(part);
      sizes[at] += size;
    });
  });
  if (timeout > 0) timer = setTimeout(end, timeout);
  if (signal) {
    if (signal.aborted) process.nextTick(abort);
    else signal.addEventListener('abort', abort, { once: true });
  }
  child.on('close', finish);
  child.on('error', (error) => {
    why = error;
    end();
    finish(null, null);
  });
  return child;
}

function exec(command, ...rest) {
  text(command, 'command');
  const options = rest[0] !== null && typeof rest[0] === 'object' ? rest.shift() : (rest[0] === undefined || rest[0] === null) && rest.length > 1 ? (rest.shift(), {}) : {};
  const shell = typeof options.shell === 'string' ? options.shell : true;
  return execFile(command, { ...options, shell }, rest[0]);
}

const promised = (start) => (...args) => {
  let child;
  const promise = new Promise((resolve, reject) => {
    child = start(...args, (error, stdout, stderr) => (error ? reject(error) : resolve({ stdout, stderr })));
  });
  promise.child = child;
  return promise;
};
Object.defineProperty(exec, promisify.custom, { enumerable: false, value: promised(exec) });
Object.defineProperty(execFile, promisify.custom, { enumerable: false, value: promised(execFile) });

function bytesOf(input) {
  if (input === undefined || input === null) return null;
  if (typeof input === 'string') return Buffer.from(input);
  if (ArrayBuffer.isView(input)) return Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  throw invalidArgType('options.stdio[0]', ['Buffer', 'TypedArray', 'DataView', 'string'], input);
}

function spawnSync(file, args, options) {
  const plan = arrange(file, args, options);
  const { asked, given, stdio } = plan;
  const encoding = given.encoding && given.encoding !== 'buffer' ? given.encoding : null;
  const input = bytesOf(given.input);
  if (input && stdio[0] === 'pipe') asked.piped[0] = true;
  const ran = native.run(asked, { input, time: given.timeout ?? 0, most: Math.min(given.maxBuffer ?? MOST, 2 ** 31), signal: signalOf(given.killSignal) });
  if (ran.failed !== undefined) {
    const error = failure('spawnSync', asked, ran);
    if (error.code === 'ERR_ACCESS_DENIED') throw error;
    return { error, status: null, signal: null, output: null, pid: 0 };
  }
  const output = [null, null, null];
  [ran.stdout, ran.stderr].forEach((bytes, at) => {
    if (bytes === null || bytes === undefined) return;
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (stdio[at + 1] === 'inherit') process[at === 0 ? 'stdout' : 'stderr'].write(buffer);
    else output[at + 1] = encoding ? buffer.toString(encoding) : buffer;
  });
  const result = { status: ran.signal ? null : ran.code, signal: ran.signal ? (names.get(ran.signal) ?? null) : null, output, pid: ran.pid, stdout: output[1], stderr: output[2] };
  if (ran.ended) result.error = failure('spawnSync', asked, { failed: 'EIO', errno: ran.ended });
  return result;
}

/** What a failed one throws. */
function checked(result, words) {
  if (result.error) return Object.assign(result.error, result, { error: undefined });
  if (result.status === 0) return null;
  const said = result.stderr?.length > 0 ? `\n${result.stderr}` : '';
  return Object.assign(new Error(`Command failed: ${words}${said}`), result);
}

function execFileSync(file, args, options) {
  const [words, own] = Array.isArray(args) ? [args, options] : [[], args ?? options];
  const result = spawnSync(file, words, own);
  if (!own?.stdio && result.stderr) process.stderr.write(result.stderr);
  const error = checked(result, [file, ...words].join(' '));
  if (error) throw error;
  return result.stdout;
}

function execSync(command, options) {
  text(command, 'command');
  const shell = typeof options?.shell === 'string' ? options.shell : true;
  const result = spawnSync(command, [], { ...options, shell });
  if (!options?.stdio && result.stderr) process.stderr.write(result.stderr);
  const error = checked(result, command);
  if (error) throw error;
  return result.stdout;
}

function fork() {
  throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'child_process.fork: there is no Node to fork in workers; spawn a program, or use the sandbox type node');
}

module.exports = { ChildProcess, exec, execFile, execFileSync, execSync, fork, spawn, spawnSync };
