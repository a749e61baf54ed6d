// path: POSIX.
const process = require('process');

function text(value, name) {
  if (typeof value !== 'string') {
    const got = value === null ? 'null' : typeof value;
    throw Object.assign(new TypeError(`The "${name}" argument must be of type string. Received ${got}`), { code: 'ERR_INVALID_ARG_TYPE' });
  }
  return value;
}

// Resolves "." and ".."; ".." above the root vanishes when the path is absolute.
function reduce(path, absolute) {
  const parts = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (!absolute) parts.push('..');
  }
  return parts.join('/');
}

function normalize(path) {
  if (text(path, 'path') === '') return '.';
  const absolute = path.startsWith('/');
  let reduced = reduce(path, absolute);
  if (reduced === '' && !absolute) reduced = '.';
  if (reduced !== '' && path.endsWith('/')) reduced += '/';
  return absolute ? `/${reduced}` : reduced;
}

function join(...paths) {
  const parts = paths.map((path) => text(path, 'path')).filter((path) => path !== '');
  return parts.length === 0 ? '.' : normalize(parts.join('/'));
}

function resolve(...paths) {
  let resolved = '';
  for (let at = paths.length - 1; at >= 0 && !resolved.startsWith('/'); at--) {
    const path = text(paths[at], `paths[${at}]`);
    if (path !== '') resolved = resolved === '' ? path : `${path}/${resolved}`;
  }
  if (!resolved.startsWith('/')) resolved = `${process.cwd()}/${resolved}`;
  return `/${reduce(resolved, true)}`;
}

function relative(from, to) {
  const source = resolve(text(from, 'from')).split('/').filter(Boolean);
  const target = resolve(text(to, 'to')).split('/').filter(Boolean);
  let common = 0;
  while (common < source.length && common < target.length && source[common] === target[common]) common++;
  return [...source.slice(common).map(() => '..'), ...target.slice(common)].join('/');
}

function dirname(path) {
  const trimmed = text(path, 'path').replace(/\/+$/, '');
  if (trimmed === '') return path.startsWith('/') ? '/' : '.';
  const slash = trimmed.lastIndexOf('/');
  if (slash === -1) return '.';
  const folder = trimmed.slice(0, slash).replace(/\/+$/, '');
  // Exactly two leading slashes keep both, as POSIX allows and Node does.
  return folder === '' ? (slash === 1 && path.startsWith('//') ? '//' : '/') : folder;
}

function basename(path, suffix) {
  const trimmed = text(path, 'path').replace(/\/+$/, '');
  const base = trimmed.slice(trimmed.lastIndexOf('/') + 1);
  if (suffix === undefined) return base;
  return base !== text(suffix, 'suffix') && base.endsWith(suffix) ? base.slice(0, base.length - suffix.length) : base;
}

function extname(path) {
  const base = basename(path);
  const dot = base.lastIndexOf('.');
  return dot <= 0 || base === '..' ? '' : base.slice(dot);
}

function parse(path) {
  const root = text(path, 'path').startsWith('/') ? '/' : '';
  const base = basename(path);
  const ext = extname(path);
  const folder = path.replace(/\/+$/, '').includes('/') ? dirname(path) : '';
  return { root, dir: base === '' ? root : folder || root, base, ext, name: base.slice(0, base.length - ext.length) };
}

function format(parts) {
  const base = parts.base || `${parts.name ?? ''}${parts.ext ? (parts.ext.startsWith('.') ? '' : '.') + parts.ext : ''}`;
  const dir = parts.dir || parts.root;
  if (!dir) return base;
  return dir === parts.root ? dir + base : `${dir}/${base}`;
}

Object.assign(exports, {
  sep: '/',
  delimiter: ':',
  normalize,
  join,
  resolve,
  relative,
  dirname,
  basename,
  extname,
  parse,
  format,
  isAbsolute: (path) => text(path, 'path').startsWith('/'),
  toNamespacedPath: (path) => path,
});
// Only what the other system's paths are asked for here: their separators.
exports.posix = exports;
exports.win32 = { ...exports, sep: '\\', delimiter: ';' };
exports.win32.win32 = exports.win32;
exports.win32.posix = exports;
