// fs: every operation is written once, synchronously; the promise and callback forms are made
// from it. Workers run one call at a time, so there is nothing to overlap with.
const { Buffer } = require('buffer');
const path = require('path');
const { callback: mustCall, coded, integer, invalidArgType, invalidArgValue } = require('internal/errors');

const S_IFMT = 0o170000;
const KINDS = { File: 0o100000, Directory: 0o040000, SymbolicLink: 0o120000, FIFO: 0o010000, Socket: 0o140000, CharacterDevice: 0o020000, BlockDevice: 0o060000 };
const constants = {
  __proto__: null,
  UV_FS_SYMLINK_DIR: 1, UV_FS_SYMLINK_JUNCTION: 2, O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, UV_DIRENT_UNKNOWN: 0, UV_DIRENT_FILE: 1, UV_DIRENT_DIR: 2,
  UV_DIRENT_LINK: 3, UV_DIRENT_FIFO: 4, UV_DIRENT_SOCKET: 5, UV_DIRENT_CHAR: 6, UV_DIRENT_BLOCK: 7,
  S_IFMT, S_IFREG: KINDS.File, S_IFDIR: KINDS.Directory, S_IFCHR: KINDS.CharacterDevice, S_IFBLK: KINDS.BlockDevice, S_IFIFO: KINDS.FIFO, S_IFLNK: KINDS.SymbolicLink, S_IFSOCK: KINDS.Socket,
  O_CREAT: 0o100, O_EXCL: 0o200, UV_FS_O_FILEMAP: 0, O_NOCTTY: 0o400, O_TRUNC: 0o1000, O_APPEND: 0o2000, O_DIRECTORY: 0o200000, O_NOATIME: 0o1000000, O_NOFOLLOW: 0o400000, O_SYNC: 0o4010000,
  O_DSYNC: 0o10000, O_DIRECT: 0o40000, O_NONBLOCK: 0o4000, S_IRWXU: 0o700, S_IRUSR: 0o400, S_IWUSR: 0o200, S_IXUSR: 0o100, S_IRWXG: 0o70, S_IRGRP: 0o40, S_IWGRP: 0o20, S_IXGRP: 0o10,
  S_IRWXO: 0o7, S_IROTH: 0o4, S_IWOTH: 0o2, S_IXOTH: 0o1, F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1, UV_FS_COPYFILE_EXCL: 1, COPYFILE_EXCL: 1, UV_FS_COPYFILE_FICLONE: 2, COPYFILE_FICLONE: 2,
  UV_FS_COPYFILE_FICLONE_FORCE: 4, COPYFILE_FICLONE_FORCE: 4,
};

function nameOf(value, name = 'path') {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw invalidArgValue(name, value, 'must be a string, Uint8Array, or URL without null bytes');
    return value.startsWith('/') ? value : path.resolve(value);
  }
  if (value instanceof Uint8Array) return nameOf(Buffer.from(value).toString(), name);
  if (typeof value?.href === 'string' && typeof value.protocol === 'string') return nameOf(require('url').fileURLToPath(value), name);
  throw invalidArgType(name, ['string', 'Buffer', 'URL'], value);
}
const fdOf = (fd) => (integer(fd, 'fd', 0, 2 ** 31 - 1), fd);

function settings(options, defaults = {}) {
  if (options != null && typeof options !== 'string' && typeof options !== 'object') throw invalidArgType('options', ['string', 'Object'], options);
  const chosen = { ...defaults, ...(typeof options === 'string' ? { encoding: options } : options) };
  if (chosen.encoding && chosen.encoding !== 'buffer' && !Buffer.isEncoding(chosen.encoding)) throw invalidArgValue('encoding', chosen.encoding, 'is invalid encoding');
  return chosen;
}
const modeOf = (mode, fallback) => (mode === undefined || mode === null ? fallback : typeof mode === 'string' ? parseInt(mode, 8) : mode);
const bytesOf = (data, encoding) => {
  if (typeof data === 'string') return Buffer.from(data, encoding ?? 'utf8');
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  throw invalidArgType('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
};
const asBuffer = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const FLAGS = new Set(['r', 'rs', 'sr', 'r+', 'rs+', 'sr+', 'w', 'wx', 'xw', 'w+', 'wx+', 'xw+', 'a', 'ax', 'xa', 'as', 'sa', 'a+', 'ax+', 'xa+', 'as+', 'sa+']);
const flagsOf = (flags) => {
  if (flags == null) return 'r';
  if (typeof flags !== 'number') {
    if (!FLAGS.has(flags)) throw invalidArgValue('flags', flags);
    return flags.startsWith('x') ? `${flags[1]}x${flags.slice(2)}` : flags;
  }
  const base = flags & constants.O_APPEND ? 'a' : flags & constants.O_TRUNC || flags & constants.O_CREAT ? 'w' : 'r';
  return base + (flags & constants.O_EXCL ? 'x' : '') + (flags & constants.O_RDWR || (base === 'r' && flags & constants.O_WRONLY) ? '+' : '');
};

class Stats {
  constructor(numbers, big) {
    const names = ['dev', 'ino', 'mode', 'nlink', 'uid', 'gid', 'rdev', 'size', 'blksize', 'blocks', 'atimeMs', 'mtimeMs', 'ctimeMs', 'birthtimeMs'];
    // In the order in which Node has them.
    for (const name of ['dev', 'mode', 'nlink', 'uid', 'gid', 'rdev', 'blksize', 'ino', 'size', 'blocks', 'atimeMs', 'mtimeMs', 'ctimeMs', 'birthtimeMs']) {
      const number = numbers[names.indexOf(name)];
      this[name] = big ? BigInt(Math.floor(number)) : number;
    }
    for (const name of ['atime', 'mtime', 'ctime', 'birthtime']) {
      const ms = numbers[names.indexOf(`${name}Ms`)];
      if (big) this[`${name}Ns`] = BigInt(Math.floor(ms * 1e6));
      Object.defineProperty(this, name, { value: new Date(ms), writable: true, configurable: true });
    }
  }
}
class StatFs {
  constructor(numbers, big) {
    ['type', 'bsize', 'blocks', 'bfree', 'bavail', 'files', 'ffree'].forEach((name, at) => (this[name] = big ? BigInt(numbers[at]) : numbers[at]));
  }
}
class Dirent {
  #bits;
  constructor(name, parentPath, bits) {
    this.name = name;
    this.parentPath = this.path = parentPath;
    this.#bits = bits;
  }
  get _bits() {
    return this.#bits;
  }
}
for (const [kind, bits] of Object.entries(KINDS)) {
  const method = { value() { return (Number(this._bits ?? this.mode) & S_IFMT) === bits; }, writable: true, configurable: true };
  Object.defineProperty(Stats.prototype, `is${kind}`, method);
  Object.defineProperty(Dirent.prototype, `is${kind}`, method);
}
Object.defineProperty(Dirent.prototype, '_bits', { enumerable: false });

function statWith(call, options) {
  try {
    return new Stats(call(), options?.bigint);
  } catch (error) {
    if (options?.throwIfNoEntry === false && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function entries(folder, options) {
  const found = [];
  for (const [name, bits] of native.readdir(folder)) {
    found.push(new Dirent(name, folder, bits));
    if (options.recursive && bits === KINDS.Directory) found.push(...entries(path.join(folder, name), options));
  }
  return found;
}

const copyFailure = (code, message) => coded(Error, code, message);
function copyTree(from, to, options) {
  const stats = new Stats(native.stat(from, Boolean(options.dereference)));
  if (options.filter && !options.filter(from, to)) return;
  const there = statOr(to, Boolean(options.dereference));
  if (there && there.ino === stats.ino && there.dev === stats.dev) throw copyFailure('ERR_FS_CP_EINVAL', `src and dest cannot be the same ${to}`);
  if (there && stats.isDirectory() && !there.isDirectory()) throw copyFailure('ERR_FS_CP_DIR_TO_NON_DIR', `Cannot overwrite non-directory ${to} with directory ${from}`);
  if (there?.isDirectory() && !stats.isDirectory()) throw copyFailure('ERR_FS_CP_NON_DIR_TO_DIR', `Cannot overwrite directory ${to} with non-directory ${from}`);
  if (stats.isDirectory()) {
    if (!options.recursive) throw copyFailure('ERR_FS_EISDIR', `Recursive option not enabled, cannot copy a directory: ${from}`);
    if (`${to}/`.startsWith(`${from}/`)) throw copyFailure('ERR_FS_CP_EINVAL', `Cannot copy ${from} to a subdirectory of self ${to}`);
    native.mkdir(to, true, 0o777);
    for (const [name] of native.readdir(from)) copyTree(path.join(from, name), path.join(to, name), options);
    return;
  }
  if (there && options.errorOnExist && options.force === false) throw copyFailure('ERR_FS_CP_EEXIST', `Target already exists: ${to}`);
  if (there && options.force === false) return;
  if (stats.isSymbolicLink()) {
    if (there) native.unlink(to);
    native.symlink(native.readlink(from), to);
    return;
  }
  native.mkdir(path.dirname(to), true, 0o777);
  native.copyFile(from, to, false);
}
function statOr(file, follow) {
  try {
    return new Stats(native.stat(file, follow));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

// As in Node the sync and the callback form walk the path themselves, and their errors say where
// they were; the promise asks the system.
function walked(file) {
  try {
    return native.realpath(file);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR' && error.code !== 'ELOOP' && error.code !== 'ENAMETOOLONG') throw error;
    let at = '';
    for (const part of file.split('/').filter(Boolean)) {
      at += `/${part}`;
      if (new Stats(native.stat(at, false)).isSymbolicLink()) native.stat(at, true);
    }
    throw error;
  }
}

function remove(file, options) {
  const choice = { recursive: Boolean(options?.recursive), force: Boolean(options?.force) };
  let stats;
  try {
    stats = new Stats(native.stat(file, false));
  } catch (error) {
    if (choice.force && error.code === 'ENOENT') return;
    throw error;
  }
  if (stats.isDirectory() && !choice.recursive) {
    const error = coded(Error, 'ERR_FS_EISDIR', `Path is a directory: rm returned EISDIR (is a directory) ${file}`);
    throw Object.assign(error, { name: 'SystemError', errno: 21, syscall: 'rm', path: file });
  }
  native.rm(file, choice.recursive, choice.force);
}

const seconds = (time) => (time instanceof Date ? time.getTime() : typeof time === 'string' ? Number(time) * 1000 : Number(time) * 1000);

/** Owners stay as they are: to keep them is granted, to change them nobody may here. */
function owned(syscall, file, { uid: own, gid: group }, uid, gid) {
  integer(uid, 'uid', -1, 2 ** 32 - 1);
  integer(gid, 'gid', -1, 2 ** 32 - 1);
  if ((uid === -1 || uid === own) && (gid === -1 || gid === group)) return;
  const shown = file === undefined ? '' : ` '${file}'`;
  throw Object.assign(coded(Error, 'EPERM', `EPERM: operation not permitted, ${syscall}${shown}`), { errno: -1, syscall, ...(file === undefined ? {} : { path: String(file) }) });
}

const operations = {
  readFile(file, options) {
    const { encoding } = settings(options);
    const bytes = typeof file === 'number' ? readAll(file) : native.readFile(nameOf(file));
    const buffer = asBuffer(bytes);
    return encoding && encoding !== 'buffer' ? buffer.toString(encoding) : buffer;
  },
  writeFile(file, data, options) {
    const { encoding, flag = 'w', mode } = settings(options);
    if (typeof file === 'number') return void operations.write(file, bytesOf(data, encoding));
    native.writeFile(nameOf(file), bytesOf(data, encoding), flagsOf(flag), modeOf(mode, 0o666));
  },
  appendFile(file, data, options) {
    operations.writeFile(file, data, settings(options, { flag: 'a' }));
  },
  stat: (file, options) => statWith(() => native.stat(nameOf(file), true), options),
  lstat: (file, options) => statWith(() => native.stat(nameOf(file), false), options),
  fstat: (fd, options) => statWith(() => native.fstat(fdOf(fd)), options),
  readdir(folder, options) {
    const choice = settings(options);
    const root = nameOf(folder);
    const found = entries(root, choice);
    return choice.withFileTypes ? found : found.map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
  },
  mkdir(folder, options) {
    const choice = typeof options === 'object' && options !== null ? options : { mode: options };
    return native.mkdir(nameOf(folder), Boolean(choice.recursive), modeOf(choice.mode, 0o777)) ?? undefined;
  },
  mkdtemp: (prefix) => native.mkdtemp(nameOf(prefix, 'prefix')),
  rm: (file, options) => remove(nameOf(file), options),
  rmdir: (folder, options) => (options?.recursive ? native.rm(nameOf(folder), true, false) : native.rmdir(nameOf(folder))),
  unlink: (file) => native.unlink(nameOf(file)),
  rename: (from, to) => native.rename(nameOf(from, 'oldPath'), nameOf(to, 'newPath')),
  link: (from, to) => native.link(nameOf(from, 'existingPath'), nameOf(to, 'newPath')),
  symlink: (target, file) => native.symlink(String(target), nameOf(file)),
  readlink: (file) => native.readlink(nameOf(file)),
  realpath: (file) => walked(nameOf(file)),
  copyFile: (from, to, mode = 0) => native.copyFile(nameOf(from, 'src'), nameOf(to, 'dest'), (mode & constants.COPYFILE_EXCL) !== 0),
  cp: (from, to, options) => copyTree(nameOf(from, 'src'), nameOf(to, 'dest'), options ?? {}),
  access: (file, mode = constants.F_OK) => native.access(nameOf(file), mode),
  chown: (file, uid, gid) => owned('chown', file, new Stats(native.stat(nameOf(file), true)), uid, gid),
  lchown: (file, uid, gid) => owned('lchown', file, new Stats(native.stat(nameOf(file), false)), uid, gid),
  fchown: (fd, uid, gid) => owned('fchown', undefined, new Stats(native.fstat(fdOf(fd))), uid, gid),
  chmod: (file, mode) => native.chmod(nameOf(file), modeOf(mode, 0)),
  utimes: (file, atime, mtime) => native.utimes(nameOf(file), seconds(atime), seconds(mtime)),
  lutimes: (file, atime, mtime) => native.lutimes(nameOf(file), seconds(atime), seconds(mtime)),
  statfs: (file, options) => new StatFs(native.statfs(nameOf(file)), options?.bigint),
  truncate(file, length = 0) {
    const fd = native.open(nameOf(file), 'r+', 0o666);
    try {
      native.ftruncate(fd, length);
    } finally {
      native.close(fd);
    }
  },
  open: (file, flags, mode) => native.open(nameOf(file), flagsOf(flags), modeOf(mode, 0o666)),
  close: (fd) => native.close(fdOf(fd)),
  read(fd, buffer, offset, length, position) {
    fdOf(fd);
    if (typeof offset === 'object' && offset !== null) ({ offset, length, position } = offset);
    const at = offset ?? 0;
    const bytes = native.read(fd, length ?? buffer.byteLength - at, position ?? -1);
    new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength).set(bytes, at);
    return bytes.length;
  },
  write(fd, data, offset, length, position) {
    if (typeof data === 'string') return writeAll(fd, Buffer.from(data, typeof length === 'string' ? length : 'utf8'), typeof offset === 'number' ? offset : -1);
    const at = offset ?? 0;
    return writeAll(fd, bytesOf(data).subarray(at, at + (length ?? data.byteLength - at)), position ?? -1);
  },
  fsync: (fd) => native.fsync(fdOf(fd)),
  fdatasync: (fd) => native.fsync(fdOf(fd)),
  ftruncate: (fd, length = 0) => native.ftruncate(fdOf(fd), length),
  futimes: (fd, atime, mtime) => native.futimes(fdOf(fd), seconds(atime), seconds(mtime)),
  exists(file) {
    try {
      native.access(nameOf(file), constants.F_OK);
      return true;
    } catch {
      return false;
    }
  },
};

function readAll(fd) {
  const parts = [];
  for (;;) {
    const part = native.read(fd, 1 << 20, -1);
    if (part.length === 0) return Buffer.concat(parts);
    parts.push(part);
  }
}

function writeAll(fd, bytes, position) {
  let done = 0;
  while (done < bytes.length) done += native.write(fd, bytes.subarray(done), position < 0 ? -1 : position + done);
  return done;
}

class FileHandle {
  constructor(fd) {
    this.fd = fd;
  }
  async close() {
    if (this.fd === -1) return;
    native.close(this.fd);
    this.fd = -1;
  }
  async read(buffer, ...rest) {
    const target = ArrayBuffer.isView(buffer) ? buffer : Buffer.alloc(buffer?.length ?? 16384);
    const bytesRead = ArrayBuffer.isView(buffer) ? operations.read(this.fd, target, ...rest) : operations.read(this.fd, target, buffer ?? {});
    return { bytesRead, buffer: target };
  }
  async write(data, ...rest) {
    return { bytesWritten: operations.write(this.fd, data, ...rest), buffer: data };
  }
  readFile = async (options) => operations.readFile(this.fd, options);
  writeFile = async (data, options) => operations.writeFile(this.fd, data, options);
  appendFile = async (data, options) => operations.writeFile(this.fd, data, options);
  stat = async (options) => operations.fstat(this.fd, options);
  sync = async () => operations.fsync(this.fd);
  datasync = async () => operations.fsync(this.fd);
  truncate = async (length) => operations.ftruncate(this.fd, length);
  utimes = async (atime, mtime) => operations.futimes(this.fd, atime, mtime);
  chown = async (uid, gid) => operations.fchown(this.fd, uid, gid);
  readv = async (buffers, position) => ({ bytesRead: exports.readvSync(this.fd, buffers, position ?? null), buffers });
  writev = async (buffers, position) => ({ bytesWritten: exports.writevSync(this.fd, buffers, position ?? null), buffers });
  createReadStream = (options) => exports.createReadStream(null, { ...options, fd: this.fd, autoClose: false });
  createWriteStream = (options) => exports.createWriteStream(null, { ...options, fd: this.fd, autoClose: false });
  readLines = (options) => require('readline').createInterface({ input: this.createReadStream(options), crlfDelay: Infinity });
  readableWebStream = () => require('stream').Readable.toWeb(this.createReadStream());
  [Symbol.asyncDispose]() {
    return this.close();
  }
}

const promises = { constants };
for (const [name, operation] of Object.entries(operations)) {
  exports[`${name}Sync`] = operation;
  exports[name] = (...args) => {
    const callback = args.pop();
    mustCall(callback, 'cb');
    let result;
    try {
      result = operation(...args);
    } catch (error) {
      // Wrong arguments are told at once.
      if (/^ERR_(INVALID_ARG|OUT_OF_RANGE)/.test(error.code)) throw error;
      return void setImmediate(() => callback(error));
    }
    setImmediate(() => (name === 'exists' ? callback(result) : name === 'read' || name === 'write' ? callback(null, result, args[1]) : callback(null, result)));
  };
  promises[name] = async (...args) => operation(...args);
}
for (const name of ['exists', 'close', 'read', 'write', 'fstat', 'fsync', 'fdatasync', 'ftruncate', 'futimes', 'fchown']) delete promises[name];
promises.open = async (...args) => new FileHandle(operations.open(...args));
exports.realpath.native = (file, ...rest) => promises.realpath(file).then((found) => rest.at(-1)(null, found), rest.at(-1));
exports.realpathSync.native = (file) => native.realpath(nameOf(file));
Object.assign(exports, { constants, promises, Stats, Dirent, F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1 });

// What is built on the above.
class Dir {
  #entries;
  constructor(folder, options) {
    this.path = folder;
    this.#entries = operations.readdir(folder, { ...options, withFileTypes: true });
  }
  readSync() { return this.#entries.shift() ?? null; }
  async read() { return this.readSync(); }
  closeSync() {}
  async close() {}
  async *[Symbol.asyncIterator]() {
    for (let entry = this.readSync(); entry; entry = this.readSync()) yield entry;
  }
}
function opendir(folder, options, told) {
  const name = nameOf(folder);
  try {
    return new Dir(name, options);
  } catch (error) {
    if (error.syscall !== 'scandir') throw error;
    const text = error.message.split(', scandir')[0];
    const failure = Object.assign(coded(Error, error.code, `${text}, opendir${told ? ` '${name}'` : ''}`), { errno: error.errno, syscall: 'opendir' });
    throw told ? Object.assign(failure, { path: name }) : failure;
  }
}
exports.opendirSync = (folder, options) => opendir(folder, options, false);
promises.opendir = async (folder, options) => opendir(folder, options, true);
exports.opendir = (folder, ...rest) => {
  const done = rest.pop();
  mustCall(done, 'callback');
  let found;
  try {
    found = opendir(folder, rest[0], true);
  } catch (error) {
    if (error.syscall === undefined) throw error;
    return void setImmediate(done, error);
  }
  setImmediate(done, null, found);
};
promises.realpath = async (file) => native.realpath(nameOf(file));
exports.Dir = Dir;

exports.readvSync = (fd, views, position = null) => {
  let total = 0;
  for (const view of views) {
    const count = operations.read(fd, view, 0, view.byteLength, position === null ? null : position + total);
    total += count;
    if (count < view.byteLength) break;
  }
  return total;
};
exports.writevSync = (fd, views, position = null) =>
  views.reduce((total, view) => total + operations.write(fd, view, 0, view.byteLength, position === null ? null : position + total), 0);

Object.defineProperty(exports.exists, Symbol.for('nodejs.util.promisify.custom'), { value: (file) => Promise.resolve(operations.exists(file)) });
for (const name of ['read', 'write']) {
  Object.defineProperty(exports[name], Symbol.for('nodejs.util.promisify.custom'), {
    value: (fd, data, ...rest) =>
      new Promise((resolve, reject) => exports[name](fd, data, ...rest, (error, count) => (error ? reject(error) : resolve({ [name === 'read' ? 'bytesRead' : 'bytesWritten']: count, buffer: data })))),
  });
}
for (const name of ['ReadStream', 'WriteStream']) {
  Object.defineProperty(exports, name, { enumerable: true, configurable: true, get: () => require('internal/fs_streams')[name] });
  exports[`create${name}`] = (path, options) => new (require('internal/fs_streams')[name])(path, options);
}
for (const name of ['watch', 'watchFile', 'unwatchFile']) exports[name] = (...given) => require('internal/fs_watch')[name](...given);
promises.watch = (...given) => require('internal/fs_watch').events(...given);
for (const name of ['readv', 'writev']) {
  exports[name] = (fd, views, position, done = position) => {
    mustCall(done, 'cb');
    let count;
    try {
      count = exports[`${name}Sync`](fd, views, typeof position === 'number' ? position : null);
    } catch (error) {
      return void setImmediate(done, error);
    }
    setImmediate(done, null, count, views);
  };
}
exports.globSync = (pattern, options) => [...require('internal/glob').found(pattern, options)];
exports.glob = (pattern, options, done = options) => {
  mustCall(done, 'cb');
  let found;
  try {
    found = exports.globSync(pattern, typeof options === 'object' ? options : undefined);
  } catch (error) {
    return void setImmediate(done, error);
  }
  setImmediate(done, null, found);
};
promises.glob = async function* glob(pattern, options) { yield* require('internal/glob').found(pattern, options); };
exports.openAsBlob = async (file, { type = '' } = {}) => {
  if (typeof type !== 'string') throw invalidArgType('options.type', 'string', type);
  return new (require('buffer').Blob)([operations.readFile(file)], { type });
};
exports.FileReadStream = undefined;
exports.FileWriteStream = undefined;
for (const name of ['ReadStream', 'WriteStream']) Object.defineProperty(exports, `File${name}`, { enumerable: true, configurable: true, get: () => exports[name] });
