// path, as POSIX and as Windows have it.
import path from 'node:path';
import { args, check, random } from './cases.mjs';

const rng = random(1);
const PARTS = ['a', 'b', 'foo', 'Bar', 'C:', 'c:', 'D:', 'index.html', '.bashrc', '..foo', 'foo.', '.', '..', '...', '', 'a.b.c', '//', '\\\\', 'UNC', 'server', 'share', '?', '中文', 'con', 'file.tar.gz', ' ', 'a:b', '~', '1:', 'Z:\\', 'CON:', 'COM1', 'nul:'];
const SEPARATORS = ['/', '/', '\\', '\\', '', '//', '\\\\'];
const anyPath = () => {
  let made = rng.pick(['', '', '/', '//', '\\', '\\\\', 'C:', 'c:\\', 'C:/', 'd:', '\\\\server\\share\\', '//server/share', '\\\\?\\', '\\\\.\\', '/c:/']);
  for (let n = rng.int(0, 5); n > 0; n--) made += rng.pick(PARTS) + rng.pick(SEPARATORS);
  return made;
};
const wrong = () => rng.pick([undefined, null, 1, true, {}, [], Symbol('x'), () => 1, 1n]);
// The folder that the program runs in is not the same for both.
const here = process.cwd();
const placed = (value) => (typeof value === 'string' ? value.replaceAll(here, '<cwd>').replaceAll(here.replaceAll('/', '\\'), '<cwd>') : value);

for (const [kind, api] of Object.entries({ posix: path.posix, win32: path.win32 })) {
  const one = (name) => {
    const at = rng.chance(0.03) ? wrong() : anyPath();
    check(`${kind}.${name}(${args(at)})`, () => placed(api[name](at)));
  };
  for (let n = 0; n < 120; n++) for (const name of ['normalize', 'dirname', 'basename', 'extname', 'isAbsolute', 'parse', 'toNamespacedPath']) one(name);
  for (let n = 0; n < 150; n++) {
    const several = rng.times(rng.int(0, 4), () => (rng.chance(0.02) ? wrong() : anyPath()));
    check(`${kind}.join(${args(...several)})`, () => api.join(...several));
    check(`${kind}.resolve(${args(...several)})`, () => placed(api.resolve(...several)));
    const [from, to] = [anyPath(), anyPath()];
    // What is relative to the present folder depends on how deep that lies.
    if (api.isAbsolute(from) && api.isAbsolute(to)) check(`${kind}.relative(${args(from, to)})`, () => placed(api.relative(from, to)));
    const [whole, end] = [anyPath(), rng.pick([rng.pick(PARTS), '.html', 'x', '.', '', 'html', '/'])];
    check(`${kind}.basename(${args(whole, end)})`, () => api.basename(whole, end));
    check(`${kind}.parse and format(${args(whole)})`, () => api.format(api.parse(whole)));
    const parts = Object.fromEntries(rng.some([['root', '/'], ['root', 'C:\\'], ['dir', '/a'], ['dir', 'C:\\x'], ['dir', ''], ['base', 'b.c'], ['name', 'n'], ['ext', '.e'], ['ext', 'e'], ['ext', ''], ['base', '']], 0, 5));
    check(`${kind}.format(${args(parts)})`, () => api.format(parts));
    const base = rng.pick(['/a/b', '/a', '/', 'C:\\a\\b', 'c:\\A', 'D:\\', '\\\\server\\share\\x', '/a/b/c/']);
    const near = base + rng.pick(['', '/', '\\', '/c', '\\c\\d', '/../x', 'x', '\\..', '/./']);
    check(`${kind}.relative(${args(base, near)})`, () => placed(api.relative(base, near)));
  }
  check(`${kind} members`, () => Object.keys(api).sort());
  check(`${kind} separators`, () => [api.sep, api.delimiter]);
  for (const value of [undefined, null, 1, 'x', true, []]) check(`${kind}.format(${args(value)})`, () => api.format(value));
}
check('posix is itself', () => [path.posix === path, path.win32.posix === path.posix, path.posix.win32 === path.win32, path.win32.win32 === path.win32]);
