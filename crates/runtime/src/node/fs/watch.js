// fs.watchFile and fs.watch by looking again and again: a worker is told nothing by the system. What changes
// and changes back between two looks is not seen; folders are looked into, and below with `recursive`.
const EventEmitter = require('events');
const fs = require('fs');
const path = require('path');
const { callback } = require('internal/errors');
const EVERY = 100;

/** What Node tells of a file that is not there. */
const absent = () => Object.assign(Object.create(fs.Stats.prototype), { dev: 0, mode: 0, nlink: 0, uid: 0, gid: 0, rdev: 0, blksize: 0, ino: 0, size: 0, blocks: 0, atimeMs: 0, mtimeMs: 0, ctimeMs: 0, birthtimeMs: 0, atime: new Date(0), mtime: new Date(0), ctime: new Date(0), birthtime: new Date(0) });
const look = (file, options) => fs.statSync(file, { bigint: options?.bigint, throwIfNoEntry: false }) ?? absent();

class StatWatcher extends EventEmitter {
  constructor(file, options) {
    super();
    let before = look(file, options);
    this.timer = setInterval(() => {
      const now = look(file, options);
      if (now.mtimeMs === before.mtimeMs && now.size === before.size && now.ino === before.ino) return;
      const last = before;
      before = now;
      this.emit('change', now, last);
    }, options?.interval ?? 5007);
    if (options?.persistent === false) this.timer.unref();
  }
  stop() { clearInterval(this.timer); }
  ref() { this.timer.ref(); return this; }
  unref() { this.timer.unref(); return this; }
}
const watched = new Map();
// Timers end with the run that set them.
internal.leftovers.push(() => watched.clear());
const nameOf = (file) => path.resolve(file instanceof URL ? require('url').fileURLToPath(file) : String(file));
exports.watchFile = (file, options, heard = options) => {
  callback(heard, 'listener');
  const name = nameOf(file);
  if (!watched.has(name)) watched.set(name, new StatWatcher(name, typeof options === 'object' ? options : undefined));
  return watched.get(name).on('change', heard);
};
exports.unwatchFile = (file, heard) => {
  const name = nameOf(file);
  const watcher = watched.get(name);
  if (!watcher) return;
  if (heard) watcher.off('change', heard);
  else watcher.removeAllListeners('change');
  if (watcher.listenerCount('change') > 0) return;
  watcher.stop();
  watched.delete(name);
};

/** What lies there: a line for each file. */
function picture(root, recursive) {
  const seen = new Map();
  const stats = fs.lstatSync(root);
  const add = (name, one) => seen.set(name, `${one.ino} ${one.size} ${one.mtimeMs} ${one.ctimeMs}`);
  if (!stats.isDirectory()) return add(path.basename(root), stats) && seen;
  const walk = (folder, prefix) => {
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
      const at = path.join(folder, entry.name);
      const one = fs.lstatSync(at, { throwIfNoEntry: false });
      if (!one) continue;
      // A folder's own time changes with what is in it, which is told by its name.
      if (entry.isDirectory()) seen.set(prefix + entry.name, `${one.ino}`);
      else add(prefix + entry.name, one);
      if (recursive && entry.isDirectory()) walk(at, `${prefix}${entry.name}/`);
    }
  };
  walk(root, '');
  return seen;
}
class FSWatcher extends EventEmitter {
  #timer;
  constructor(file, { recursive = false, persistent = true, signal } = {}) {
    super();
    let before = picture(file, recursive);
    this.#timer = setInterval(() => {
      let now;
      try {
        now = picture(file, recursive);
      } catch (error) {
        if (error.code !== 'ENOENT') return void this.emit('error', error);
        now = new Map();
      }
      const last = before;
      before = now;
      for (const [name, line] of now) if (last.get(name) !== line) this.emit('change', last.has(name) ? 'change' : 'rename', name);
      for (const name of last.keys()) if (!now.has(name)) this.emit('change', 'rename', name);
    }, EVERY);
    if (!persistent) this.#timer.unref();
    if (signal?.aborted) this.close();
    else signal?.addEventListener('abort', () => this.close(), { once: true });
  }
  close() {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    process.nextTick(() => this.emit('close'));
  }
  ref() { this.#timer?.ref(); return this; }
  unref() { this.#timer?.unref(); return this; }
}
exports.watch = (file, options, heard) => {
  const [given, listener] = typeof options === 'function' ? [{}, options] : [typeof options === 'string' ? {} : options ?? {}, heard];
  let watcher;
  try {
    watcher = new FSWatcher(nameOf(file), given);
  } catch (error) {
    if (error.syscall === undefined) throw error;
    throw Object.assign(new Error(`${error.message.split(',')[0]}, watch '${file}'`), { errno: error.errno, code: error.code, syscall: 'watch', path: file, filename: file });
  }
  if (listener) watcher.on('change', listener);
  return watcher;
};
exports.events = async function* watch(file, options = {}) {
  const watcher = exports.watch(file, options);
  const waiting = [];
  let wake;
  let failure;
  watcher.on('change', (eventType, filename) => (waiting.push({ eventType, filename }), wake?.()));
  watcher.on('error', (error) => ((failure = error), wake?.()));
  const stop = () => wake?.();
  options.signal?.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      if (options.signal?.aborted) throw Object.assign(new Error('The operation was aborted', { cause: options.signal.reason }), { name: 'AbortError', code: 'ABORT_ERR' });
      if (failure) throw failure;
      if (waiting.length > 0) yield waiting.shift();
      else await new Promise((done) => (wake = done));
    }
  } finally {
    watcher.close();
  }
};
Object.assign(exports, { FSWatcher, StatWatcher });
