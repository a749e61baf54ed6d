// path.win32: drives, shares and two separators. Made from the parts of path.js when first used.
const process = require('process');
const { string } = require('internal/errors');

const isSep = (char) => char === '/' || char === '\\';
const SEPARATORS = /[\\/]+/;
const RESERVED = /^(?:con|prn|aux|nul|(?:com|lpt)[1-9\u00b9\u00b2\u00b3])$/i;
const isDrive = (path) => /^[a-z]:/i.test(path);
const isReserved = (path, colon) => RESERVED.test(path.slice(0, colon));

// The share that a path begins with: `\\server\share`. `end` is behind its name.
function shareOf(path) {
  const found = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)/.exec(path);
  return found && { server: found[1], share: found[2], end: found[0].length };
}

// What a path stands on: a drive, a share, a device or nothing; `end` is behind it.
function rootOf(path) {
  if (isSep(path[0])) {
    const share = isSep(path[1]) ? shareOf(path) : null;
    if (!share) return { device: '', absolute: true, end: 1 };
    if (share.server === '.' || share.server === '?') return { device: `\\\\${share.server}`, absolute: true, end: 4 };
    return { device: `\\\\${share.server}\\${share.share}`, absolute: true, end: share.end, share };
  }
  if (isDrive(path)) {
    const absolute = path.length > 2 && isSep(path[2]);
    return { device: path.slice(0, 2), absolute, end: absolute ? 3 : 2 };
  }
  return { device: '', absolute: false, end: 0 };
}

module.exports = ({ reduce, lastPart, withoutSuffix, extension, described, formatter }) => {
  const reduced = (path, absolute) => reduce(path, absolute, SEPARATORS, '\\');

  function normalize(path) {
    string(path, 'path');
    if (path === '') return '.';
    if (path.length === 1) return path === '/' ? '\\' : path;
    let { device, absolute, end, share } = rootOf(path);
    if (share?.end === path.length) return `${device}\\`;
    if (device === '\\\\.' || device === '\\\\?') {
      // `\\?\COM1:` is a name and not a folder.
      const name = path.slice(4, path.indexOf(':') + 1);
      if (isReserved(name, name.length - 1)) {
        device = `\\\\?\\${name}`;
        end = 4 + name.length;
      }
    }
    let tail = end < path.length ? reduced(path.slice(end), absolute) : '';
    if (tail === '' && !absolute) tail = '.';
    if (tail !== '' && isSep(path.at(-1))) tail += '\\';
    // What was no drive must not become one.
    if (!absolute && device === '' && path.includes(':') && (isDrive(tail) || /:(?:[\\/]|$)/.test(path))) return `.\\${tail}`;
    if (isReserved(path, path.indexOf(':'))) return `.\\${device}${tail}`;
    return absolute ? `${device}\\${tail}` : device + tail;
  }

  function join(...paths) {
    let joined;
    let first;
    for (const path of paths) {
      string(path, 'path');
      if (path === '') continue;
      if (joined === undefined) joined = first = path;
      else joined += `\\${path}`;
    }
    if (joined === undefined) return '.';
    // Two separators in front mean a share only when the first path alone says so.
    if (!/^[\\/]{2}[^\\/]/.test(first)) joined = joined.replace(/^[\\/]{2,}/, '\\');
    const named = joined.split(/\\+/).some((part) => part !== '' && isReserved(part, part.indexOf(':')));
    return named ? joined.replaceAll('/', '\\') : normalize(joined);
  }

  function resolve(...paths) {
    let device = '';
    let tail = '';
    let absolute = false;
    for (let at = paths.length - 1; at >= -1 && !(absolute && device !== ''); at--) {
      let path;
      if (at >= 0) {
        path = paths[at];
        string(path, `paths[${at}]`);
        if (path === '') continue;
      } else if (device === '') {
        path = process.cwd();
      } else {
        // Every drive has a present folder of its own.
        path = process.env[`=${device}`] || process.cwd();
        if (path.slice(0, 2).toLowerCase() !== device.toLowerCase() && path[2] === '\\') path = `${device}\\`;
      }
      const root = rootOf(path);
      if (root.device !== '') {
        if (device !== '' && root.device.toLowerCase() !== device.toLowerCase()) continue;
        if (device === '') device = root.device;
      }
      if (absolute) continue;
      tail = `${path.slice(root.end)}\\${tail}`;
      absolute = root.absolute;
    }
    tail = reduced(tail, absolute);
    return absolute ? `${device}\\${tail}` : device + tail || '.';
  }

  function relative(from, to) {
    string(from, 'from');
    string(to, 'to');
    if (from === to) return '';
    const [source, target] = [resolve(from), resolve(to)];
    const [left, right] = [source, target].map((path) => path.split('\\').filter(Boolean));
    let common = 0;
    while (common < left.length && common < right.length && left[common].toLowerCase() === right[common].toLowerCase()) common++;
    if (common === 0 && left.length > 0 && right.length > 0) return target;
    return [...left.slice(common).map(() => '..'), ...right.slice(common)].join('\\');
  }

  // Behind the drive or the share, with the separator that follows.
  function rootEnd(path) {
    if (isDrive(path)) return path.length > 2 && isSep(path[2]) ? 3 : 2;
    if (!isSep(path[0])) return 0;
    const share = isSep(path[1]) ? shareOf(path) : null;
    if (!share) return 1;
    return share.end === path.length ? share.end : share.end + 1;
  }
  const nameStart = (path) => (isDrive(path) ? 2 : 0);

  function dirname(path) {
    string(path, 'path');
    if (path === '') return '.';
    const root = rootEnd(path);
    const { begin } = lastPart(path, root, isSep);
    if (begin > root) return path.slice(0, begin - 1);
    return root === 0 ? '.' : path.slice(0, root);
  }

  function parse(path) {
    string(path, 'path');
    if (path === '') return described('', '', '');
    const root = path.slice(0, rootEnd(path));
    const { begin, end } = lastPart(path, root.length, isSep);
    return described(root, begin > root.length ? path.slice(0, begin - 1) : root, path.slice(begin, end));
  }

  function toNamespacedPath(path) {
    if (typeof path !== 'string' || path === '') return path;
    const resolved = resolve(path);
    if (resolved.length <= 2) return path;
    if (resolved.startsWith('\\\\')) return /[?.]/.test(resolved[2]) ? resolved : `\\\\?\\UNC\\${resolved.slice(2)}`;
    return isDrive(resolved) && resolved[2] === '\\' ? `\\\\?\\${resolved}` : resolved;
  }

  return {
    resolve, normalize,
    isAbsolute(path) {
      string(path, 'path');
      return isSep(path[0]) || (isDrive(path) && isSep(path[2]));
    },
    join, relative, toNamespacedPath, dirname,
    basename(path, suffix) {
      if (suffix !== undefined) string(suffix, 'suffix');
      string(path, 'path');
      return withoutSuffix(path, suffix, lastPart(path, nameStart(path), isSep));
    },
    extname(path) {
      string(path, 'path');
      const { begin, end } = lastPart(path, nameStart(path), isSep);
      return extension(path.slice(begin, end));
    },
    format: formatter('\\'),
    parse,
    sep: '\\',
    delimiter: ';',
    _makeLong: toNamespacedPath,
    matchesGlob: (path, pattern) => require('internal/glob').matches(path, pattern, 'win32'),
  };
};
