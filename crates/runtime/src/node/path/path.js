// path: POSIX. The other form, with its drives and shares, is in windows.js; what both do alike is
// made here for either.
const process = require('process');
const { invalidArgType, string } = require('internal/errors');

// Resolves "." and ".."; ".." above the root vanishes when the path is absolute.
function reduce(path, absolute, separators, sep) {
  const parts = [];
  for (const part of path.split(separators)) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (!absolute) parts.push('..');
  }
  return parts.join(sep);
}

// The last part of a path, from `start` on: where it begins and where it ends, without what
// separates behind it.
function lastPart(path, start, isSep) {
  let end = path.length;
  while (end > start && isSep(path[end - 1])) end--;
  let begin = end;
  while (begin > start && !isSep(path[begin - 1])) begin--;
  return { start, begin, end };
}

function withoutSuffix(path, suffix, { start, begin, end }) {
  const base = path.slice(begin, end);
  if (suffix === undefined || suffix === '' || suffix.length > path.length) return base;
  if (suffix === path) return '';
  if (base.length >= suffix.length) return base !== suffix && base.endsWith(suffix) ? base.slice(0, -suffix.length) : base;
  // Node compares from the end and takes all that is left when the name ends before the suffix.
  return suffix.endsWith(base) ? path.slice(base === '' ? start : begin) : base;
}

function extension(base) {
  const dot = base.lastIndexOf('.');
  return dot <= 0 || base === '..' ? '' : base.slice(dot);
}

const described = (root, dir, base) => {
  const ext = extension(base);
  return { root, dir, base, ext, name: base.slice(0, base.length - ext.length) };
};

const formatter = (sep) => (parts) => {
  if (parts === null || typeof parts !== 'object' || Array.isArray(parts)) throw invalidArgType('pathObject', 'object', parts);
  const dir = parts.dir || parts.root;
  const base = parts.base || `${parts.name || ''}${parts.ext ? (parts.ext[0] === '.' ? '' : '.') + parts.ext : ''}`;
  if (!dir) return base;
  return dir === parts.root ? dir + base : dir + sep + base;
};

const slash = (char) => char === '/';

function normalize(path) {
  string(path, 'path');
  if (path === '') return '.';
  const absolute = path.startsWith('/');
  let reduced = reduce(path, absolute, '/', '/');
  if (reduced === '') {
    if (absolute) return '/';
    return path.endsWith('/') ? './' : '.';
  }
  if (path.endsWith('/')) reduced += '/';
  return absolute ? `/${reduced}` : reduced;
}

function join(...paths) {
  let joined = '';
  for (const path of paths) {
    string(path, 'path');
    if (path !== '') joined = joined === '' ? path : `${joined}/${path}`;
  }
  return joined === '' ? '.' : normalize(joined);
}

function resolve(...paths) {
  let resolved = '';
  for (let at = paths.length - 1; at >= 0 && !resolved.startsWith('/'); at--) {
    string(paths[at], `paths[${at}]`);
    if (paths[at] !== '') resolved = resolved === '' ? paths[at] : `${paths[at]}/${resolved}`;
  }
  if (!resolved.startsWith('/')) resolved = `${process.cwd()}/${resolved}`;
  return `/${reduce(resolved, true, '/', '/')}`;
}

function relative(from, to) {
  string(from, 'from');
  string(to, 'to');
  const source = resolve(from).split('/').filter(Boolean);
  const target = resolve(to).split('/').filter(Boolean);
  let common = 0;
  while (common < source.length && common < target.length && source[common] === target[common]) common++;
  return [...source.slice(common).map(() => '..'), ...target.slice(common)].join('/');
}

function dirname(path) {
  string(path, 'path');
  const { begin } = lastPart(path, 0, slash);
  if (begin === 0) return path.startsWith('/') ? '/' : '.';
  // One separator goes; exactly two in front stay, as POSIX allows.
  if (begin === 1) return '/';
  return begin === 2 && path.startsWith('//') ? '//' : path.slice(0, begin - 1);
}

function basename(path, suffix) {
  if (suffix !== undefined) string(suffix, 'suffix');
  string(path, 'path');
  return withoutSuffix(path, suffix, lastPart(path, 0, slash));
}

function parse(path) {
  string(path, 'path');
  const root = path.startsWith('/') ? '/' : '';
  const { begin, end } = lastPart(path, root.length, slash);
  return described(root, begin > root.length ? path.slice(0, begin - 1) : root, path.slice(begin, end));
}

Object.assign(exports, {
  resolve, normalize,
  isAbsolute(path) {
    string(path, 'path');
    return path.startsWith('/');
  },
  join, relative,
  toNamespacedPath: (path) => path,
  dirname, basename,
  extname(path) {
    string(path, 'path');
    const { begin, end } = lastPart(path, 0, slash);
    return extension(path.slice(begin, end));
  },
  format: formatter('/'),
  parse,
  sep: '/',
  delimiter: ':',
});
exports._makeLong = exports.toNamespacedPath;
exports.posix = exports;
Object.defineProperty(exports, 'win32', {
  enumerable: true,
  configurable: true,
  get() {
    const win32 = require('internal/windows_path')({ reduce, lastPart, withoutSuffix, extension, described, formatter });
    win32.win32 = win32;
    win32.posix = exports;
    Object.defineProperty(exports, 'win32', { value: win32, enumerable: true, configurable: true, writable: true });
    return win32;
  },
});
exports.matchesGlob = (path, pattern) => require('internal/glob').matches(path, pattern);
