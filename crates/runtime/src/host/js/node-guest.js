// A tool's worker in the machine's Node: reads frames from file 3, answers on file 4. The owner trusts
// nothing that comes from here; what a tool may reach is decided by the walls around this process.
// `framework` (guest/js/tool.js) is put before this text.
'use strict';
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const util = require('node:util');
const { createRequire, isBuiltin } = require('node:module');
const { pathToFileURL } = require('node:url');

const CHANNEL = 3;
const ANSWERS = 4;
const LOADING = 0;
const DEPTH = 100;
const RESULT_CHARS = 16 * 1024 * 1024;
const RESULT_VALUES = 2_000_000;
const STACK_CHARS = 16 * 1024;
const MESSAGE_BYTES = 64 * 1024;
const MESSAGE_COST = 64;
const RUN_BYTES = 8 * 1024 * 1024;
const PROGRESS_MS = 10;
const STORAGE_BYTES = 32 * 1024 * 1024;
const LEFT_WORK = 'the process ends with this run, which left work behind: what the tool kept in memory is lost';

const end = process.reallyExit.bind(process, 0);
const apart = process.env.PM_APART === '1';
// What a command is given: folders of its own, and the way out.
const OURS = ['HOME', 'TMPDIR', ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()])];

/** Synchronous, so that lines come in order and at once, also out of a loop that never yields; waits while there is no room. */
function send(message) {
  const json = Buffer.from(JSON.stringify(message));
  const frame = Buffer.alloc(8 + json.length);
  frame.writeUInt32LE(json.length, 0);
  json.copy(frame, 8);
  for (let at = 0; at < frame.length; ) {
    try {
      at += fs.writeSync(ANSWERS, frame, at);
    } catch {
      end();
    }
  }
}

let logged = 0;
let dropped = 0;

function cut(text, limit) {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  return `${new util.TextDecoder().decode(bytes.subarray(0, limit), { stream: true })}… (+${bytes.length - limit} bytes)`;
}

function log(level, text) {
  const message = cut(String(text).toWellFormed(), MESSAGE_BYTES);
  logged += Buffer.byteLength(message) + MESSAGE_COST;
  if (logged > RUN_BYTES) dropped += 1;
  else send({ t: 'log', level, text: message });
}

let told = 0;
let untold;

function progress(done, total, text) {
  const known = typeof total === 'number' && Number.isFinite(total) ? total : null;
  const words = text === undefined || text === null ? null : cut(String(text), 4096);
  untold = { t: 'progress', done: Number.isFinite(done) ? done : 0, total: known, text: words };
  // Where there is too much of it, the newest counts.
  if (Date.now() - told >= PROGRESS_MS) flush();
}

function flush() {
  if (untold) send(untold);
  untold = undefined;
  told = Date.now();
}

for (const [name, level] of Object.entries({ debug: 'DEBUG', log: 'INFO', info: 'INFO', dir: 'INFO', warn: 'WARN', trace: 'WARN', error: 'ERROR' })) {
  console[name] = (...values) => log(level, name === 'dir' ? util.inspect(values[0], values[1]) : util.format(...values));
}
for (const [stream, level] of [[process.stdout, 'INFO'], [process.stderr, 'ERROR']]) {
  stream.write = (chunk, encoding, done) => {
    log(level, (typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()).replace(/\n$/, ''));
    const after = typeof encoding === 'function' ? encoding : done;
    if (typeof after === 'function') process.nextTick(after);
    return true;
  };
}

function usage() {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  return { cpu_ms: (userCPUTime + systemCPUTime) / 1000, memory: maxRSS * 1024 };
}

function failure(cause, message, more) {
  return { cause, message: String(message).toWellFormed(), ...more };
}

/** What was thrown may be anything, getters that throw included. */
function thrown(error) {
  const text = (name) => {
    try {
      const value = error?.[name];
      return value === undefined || value === null ? undefined : String(value).toWellFormed();
    } catch {
      return undefined;
    }
  };
  if (!(error instanceof Object)) return failure('threw', util.inspect(error));
  const stack = text('stack') ?? '';
  const from = stack.startsWith('    at ') ? 0 : stack.indexOf('\n    at ') + 1;
  const frames = stack.startsWith('    at ') || from > 0 ? stack.slice(from) : '';
  const place = /:(\d+):(\d+)\)?$/m.exec(frames);
  const cause = text('code') === 'ERR_MEMORY_ALLOCATION_FAILED' ? 'memory_limit' : 'threw';
  return failure(cause, text('message') ?? util.inspect(error), {
    name: text('name') ?? '',
    code: text('code') ?? null,
    stack: frames.slice(0, STACK_CHARS).toWellFormed(),
    line: place ? Number(place[1]) : null,
    column: place ? Number(place[2]) : null,
  });
}

function deeper(value, levels) {
  if (value === null || typeof value !== 'object') return false;
  return levels === 0 || Object.values(value).some((part) => deeper(part, levels - 1));
}

/** How many values and keys this JSON has. */
function counted(text) {
  let [values, quoted] = [1, false];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') quoted = !quoted;
    else if (quoted) at += character === '\\' ? 1 : 0;
    else if (',:[{'.includes(character)) values++;
  }
  return values;
}

function outcome(value) {
  let text;
  try {
    text = value === undefined ? 'null' : JSON.stringify(value);
  } catch (error) {
    return { failed: failure('not_serializable', error?.message ?? error) };
  }
  if (text === undefined) return { failed: failure('not_serializable', 'a function or symbol is not JSON') };
  if (text.length > RESULT_CHARS) {
    return { failed: failure('result_too_large', `${text.length} characters`, { detail: { chars: text.length, limit: RESULT_CHARS } }) };
  }
  const values = text.length > RESULT_VALUES ? counted(text) : 0;
  if (values > RESULT_VALUES) {
    return { failed: failure('result_too_large', `${values} values`, { detail: { values, limit: RESULT_VALUES } }) };
  }
  const plain = JSON.parse(text.toWellFormed());
  if (deeper(plain, DEPTH)) return { failed: failure('not_serializable', `nested deeper than ${DEPTH} levels`) };
  return { ok: { value: plain, picture: null } };
}

/** What keeps the process awake, and the processes beside it. */
function left() {
  const list = `/proc/self/task/${process.pid}/children`;
  // Not every kernel keeps it.
  const children = fs.existsSync(list) ? fs.readFileSync(list, 'utf8').trim().split(' ').filter(Boolean).length : 0;
  // Orphans are not children; in a namespace of our own they are seen.
  const others = apart ? fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length : 0;
  return process.getActiveResourcesInfo().length + children + others;
}

let channel;
let tool;
let open = LOADING;
let idle = 0;

function finish(result, ending) {
  const run = open;
  if (run === undefined) return;
  open = undefined;
  channel.ref();
  flush();
  const last = ending || run === LOADING || left() > idle;
  if (last && run !== LOADING) log('WARN', LEFT_WORK);
  process[Symbol.for('prompt-manager.sweep')]?.();
  if (last && result.failed) result.failed.state_lost = run !== LOADING;
  const lost = dropped;
  [logged, dropped] = [0, 0];
  if (lost > 0) log('WARN', `${lost} log messages over the limit of ${RUN_BYTES} bytes were dropped`);
  send({ t: 'done', run, outcome: result, usage: usage(), last });
  if (last) end();
}

function fail(error, ending) {
  const run = open;
  const failed = thrown(error);
  if (!tool || run === LOADING) return finish({ failed }, ending);
  tool.businessError(failed.message, failed.name, failed.code ?? undefined).then(
    (code) => finish({ failed: { ...failed, business: typeof code === 'string' ? code : null } }, ending),
    () => finish({ failed }, ending),
  );
}

process.on('uncaughtException', (error) => (open === undefined ? end() : fail(error, true)));
// Nothing is left to do: the channel does not count while a run is open.
process.on('beforeExit', () => finish({ failed: failure('never_settles', 'nothing is left to do, and the promise is still pending') }, true));
process.exit = (code = process.exitCode ?? 0) => {
  finish({ failed: failure('exited', `process.exit(${code})`, { detail: code }) }, true);
  end();
};

const storageOf = (folder) => {
  const file = path.join(folder, 'data/storage.json');
  const read = () => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '{}');
  return {
    storageRead: read,
    storageWrite(key, json) {
      const all = key === undefined ? {} : JSON.parse(read());
      if (key !== undefined && json === undefined) delete all[key];
      else if (key !== undefined) Object.defineProperty(all, key, { value: JSON.parse(json), enumerable: true, configurable: true, writable: true });
      const text = JSON.stringify(all);
      if (Buffer.byteLength(text) > STORAGE_BYTES) throw new Error(`storage would grow to ${Buffer.byteLength(text)} bytes, the limit is ${STORAGE_BYTES}`);
      const draft = `${file}.${process.pid}.tmp`;
      const written = fs.openSync(draft, 'w', 0o600);
      try {
        fs.writeFileSync(written, text);
        fs.fsyncSync(written);
      } finally {
        fs.closeSync(written);
      }
      fs.renameSync(draft, file);
    },
  };
};

let way = 'execute';

async function load(given) {
  if (given.as === 'trial') way = 'trial';
  const [major, minor] = process.versions.node.split('.').map(Number);
  // Older ones do not see by its text that a file is a module.
  if (major < 20 || (major === 20 && minor < 19) || major === 21 || (major === 22 && minor < 7)) {
    finish({ failed: failure('old_node', `Node ${process.versions.node}`, { detail: process.versions.node }) }, true);
  }
  const ours = Object.fromEntries(OURS.filter((name) => name in process.env).map((name) => [name, process.env[name]]));
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, Object.fromEntries(given.env), ours, ours.HTTP_PROXY && { NODE_USE_ENV_PROXY: '1' });
  process.chdir(given.directories[0] ?? given.folder);
  const main = path.join(given.folder, given.main);
  process.argv = [process.argv[0], main];
  const own = createRequire(main);
  const natives = {
    toolName: given.name,
    toolDir: given.folder,
    userHome: given.user_home,
    dataHome: given.data_home,
    directories: given.directories,
    env: Object.fromEntries(given.env),
    progress,
    // From the tool's place, not from this text's, which has none.
    bring: (name) => import(isBuiltin(name) ? name : pathToFileURL(own.resolve(name)).href),
    ...storageOf(given.folder),
  };
  const internal = { log, require: own, requireFrom: (from, name) => createRequire(from)(name) };
  const module = await import(pathToFileURL(main).href);
  tool = framework(module.default, natives, internal);
  open = undefined;
  channel.ref();
  send({ t: 'ready' });
}

function receive(message) {
  if (message.t === 'load') load(message).catch((error) => fail(error, true));
  else if (message.t === 'run') {
    open = message.run;
    idle = left();
    channel.unref();
    // In a turn of its own: what came to its end in this one still counts as open.
    const settled = (then) => (value) => setImmediate(() => open === message.run && then(value));
    tool[way](message.params).then(settled((value) => finish(outcome(value))), settled((error) => fail(error)));
  } else if (message.t === 'stop' && message.run === open) {
    // What goes on cannot be stopped in Node but with the process.
    const words = { time_limit: 'time limit', cancelled: 'cancelled' };
    finish({ failed: failure(message.why, words[message.why]) }, true);
  }
}

// Put together once a frame is whole: large ones come in very many pieces.
let pieces = [];
let held = 0;
let wanted = 8;
channel = new net.Socket({ fd: CHANNEL, readable: true, writable: false });
channel.on('data', (bytes) => {
  pieces.push(bytes);
  held += bytes.length;
  while (held >= wanted) {
    const all = Buffer.concat(pieces);
    const json = all.readUInt32LE(0);
    wanted = 8 + json + all.readUInt32LE(4);
    pieces = [all];
    if (held < wanted) return;
    const message = JSON.parse(all.toString('utf8', 8, 8 + json));
    pieces = [all.subarray(wanted)];
    held -= wanted;
    wanted = 8;
    receive(message);
  }
});
channel.on('error', end);
channel.on('close', end);
