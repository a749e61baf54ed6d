// fs.glob and path.matchesGlob: patterns are the package minimatch's, as in Node.
const fs = require('fs');
const path = require('path');
const { invalidArgType, string } = require('internal/errors');
const { Minimatch, minimatch } = require('internal/minimatch');
const OPTIONS = { windowsPathsNoEscape: true, nonegate: true, nocomment: true, optimizationLevel: 2, platform: 'linux', nocaseMagicOnly: true };

exports.matches = (name, pattern, platform = 'linux') => {
  string(name, 'path');
  string(pattern, 'pattern');
  return minimatch(name, pattern, { ...OPTIONS, platform });
};

function* walk(cwd, wanted, refused, at) {
  let entries;
  try {
    entries = fs.readdirSync(path.join(cwd, at), { withFileTypes: true });
  } catch (error) {
    // What cannot be read, or is gone by now, holds nothing.
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP'].includes(error.code)) return;
    throw error;
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = at === '' ? entry.name : `${at}/${entry.name}`;
    if (refused(name, entry)) continue;
    if (wanted.some((one) => one.match(name))) yield [name, entry];
    if (entry.isDirectory() && wanted.some((one) => one.match(name, true))) yield* walk(cwd, wanted, refused, name);
  }
}

exports.found = function* found(pattern, options = {}) {
  const patterns = [pattern].flat();
  for (const one of patterns) string(one, 'patterns');
  const cwd = options.cwd === undefined ? process.cwd() : path.resolve(options.cwd instanceof URL ? require('url').fileURLToPath(options.cwd) : options.cwd);
  const { exclude, withFileTypes = false } = options;
  if (exclude !== undefined && typeof exclude !== 'function' && !Array.isArray(exclude)) throw invalidArgType('options.exclude', ['function', 'Array'], exclude);
  const out = Array.isArray(exclude) ? exclude.map((one) => new Minimatch(one, OPTIONS)) : [];
  const refused = (name, entry) => out.some((one) => one.match(name)) || (typeof exclude === 'function' && exclude(withFileTypes ? entry : entry.name));
  const seen = new Set();
  for (const given of patterns) {
    // What ends in a slash is a folder.
    const onlyFolders = /.\/$/.test(given);
    const one = onlyFolders ? given.replace(/\/+$/, '') : given;
    // From the root, from above, or from here: what has no magic in it is where the walk begins.
    const [, base, rest] = /^((?:\/|(?:\.\.?\/)*)(?:[^*?[\]{}()!+@/]+\/)*)(.*)$/.exec(one);
    const root = path.resolve(cwd, base);
    const wanted = [new Minimatch(rest, OPTIONS)];
    const prefix = base.replace(/^(\.\/)+/, '');
    if (rest === '' || rest === '.') {
      const stats = fs.statSync(root, { throwIfNoEntry: false });
      if (stats && (!onlyFolders || stats.isDirectory()) && !seen.has(one)) seen.add(one), yield one;
      continue;
    }
    const give = (name, entry) => {
      if (onlyFolders && !entry.isDirectory()) return undefined;
      const whole = path.normalize(prefix + name);
      if (seen.has(whole)) return undefined;
      seen.add(whole);
      return withFileTypes ? entry : whole;
    };
    if (/^\*\*(\/|$)/.test(rest) && /^(\*\*\/?)+$/.test(rest)) {
      const own = fs.statSync(root, { throwIfNoEntry: false });
      if (own && !withFileTypes && !seen.has(prefix || '.')) seen.add(prefix || '.'), yield path.normalize(prefix || '.').replace(/(.)\/$/, '$1');
    }
    for (const [name, entry] of walk(root, wanted, (inner, entry) => refused(prefix + inner, entry), '')) {
      const came = give(name, entry);
      if (came !== undefined) yield came;
    }
  }
};
