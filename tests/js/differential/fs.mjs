// fs: what it says when something goes wrong, in all three forms, and what it says otherwise.
import fs from 'node:fs';
import path from 'node:path';
import { check, checkLater, random, show } from './cases.mjs';

const rng = random(6);
const root = path.join(process.cwd(), 'scratch-fs');
fs.rmSync(root, { recursive: true, force: true });
fs.mkdirSync(`${root}/full/deep`, { recursive: true });
fs.mkdirSync(`${root}/empty`);
fs.writeFileSync(`${root}/file`, 'some text');
fs.writeFileSync(`${root}/full/inner`, 'x');
fs.symlinkSync('file', `${root}/link`);
fs.symlinkSync('nowhere', `${root}/broken`);
fs.symlinkSync('loop', `${root}/loop`);
const placed = (text) => text.replaceAll(root, '<root>').replaceAll(/[A-Za-z0-9]{6}(?=')/g, (x) => x);
const say = (name, work) => check(name, () => placed(show(attempt(work))));
function attempt(work) {
  try {
    return work();
  } catch (error) {
    if (error.code === undefined) return error.name;
    return [error.name, error.code, error.errno, error.syscall, error.path, error.dest, error.message];
  }
}
const WHERE = ['file', 'missing', 'full', 'empty', 'link', 'broken', 'loop', 'file/below', 'missing/below', 'full/inner', 'x'.repeat(300), 'full/../file', 'empty/.', 'file/'];
const SAME = {
  readFile: [['utf8']], stat: [[]], lstat: [[]], readdir: [[], [{ withFileTypes: true }], [{ recursive: true }]], readlink: [[]], realpath: [[]], access: [[], [fs.constants.W_OK]], opendir: [[]],
  open: [['r'], ['w'], ['wx'], ['r+'], ['ax'], ['bad']], unlink: [[]], rmdir: [[]], mkdir: [[], [{ recursive: true }]], rm: [[], [{ recursive: true }], [{ force: true }]], truncate: [[3]], chmod: [[0o755]],
  utimes: [[1, 2]], writeFile: [['new'], ['new', { flag: 'wx' }], ['more', { flag: 'a' }]], appendFile: [['more']], statfs: [[]], lutimes: [[1, 2]],
};
const TWO = { rename: [[]], link: [[]], symlink: [[]], copyFile: [[], [fs.constants.COPYFILE_EXCL]], cp: [[], [{ recursive: true }]] };
const tell = (value) => {
  if (value === undefined || typeof value === 'string') return value;
  if (typeof value === 'number') return (fs.closeSync(value), 'a number');
  if (Array.isArray(value)) return value.map((one) => (typeof one === 'string' ? one : [one.name, one.isFile(), one.isDirectory(), one.isSymbolicLink()])).sort();
  if (value.closeSync) return (value.closeSync(), 'a folder');
  if (value.isFile) return [value.isFile(), value.isDirectory(), value.isSymbolicLink(), value.isFile() ? value.size : 'any size'];
  return value.constructor.name;
};
function restore() {
  fs.rmSync(root, { recursive: true, force: true });
  fs.mkdirSync(`${root}/full/deep`, { recursive: true });
  fs.mkdirSync(`${root}/empty`);
  fs.writeFileSync(`${root}/file`, 'some text');
  fs.writeFileSync(`${root}/full/inner`, 'x');
  fs.symlinkSync('file', `${root}/link`);
  fs.symlinkSync('nowhere', `${root}/broken`);
  fs.symlinkSync('loop', `${root}/loop`);
}
const tree = () => fs.readdirSync(root, { recursive: true }).sort();
for (const [name, variants] of Object.entries(SAME)) {
  for (const more of variants) {
    for (const where of WHERE) {
      say(`${name}Sync ${where} ${show(more)}`, () => tell(fs[`${name}Sync`](`${root}/${where}`, ...more)));
      if (!['stat', 'lstat', 'access', 'readFile', 'readlink', 'realpath', 'readdir', 'opendir', 'statfs'].includes(name)) {
        say('leaves', tree);
        restore();
      }
    }
  }
}
for (const [name, variants] of Object.entries(TWO)) {
  for (const more of variants) {
    for (let n = 0; n < 22; n++) {
      // Node itself ends at a loop of links when it copies.
      const places = name === 'cp' ? WHERE.filter((where) => where !== 'loop') : WHERE;
      const [from, to] = [rng.pick(places), rng.pick([...places, 'new', 'full/new'])];
      say(`${name}Sync ${from} ${to} ${show(more)}`, () => tell(fs[`${name}Sync`](`${root}/${from}`, `${root}/${to}`, ...more)));
      say('leaves', tree);
      restore();
    }
  }
}
for (const [name, variants] of Object.entries(SAME)) {
  for (const where of ['missing', 'file/below', 'loop']) {
    if (!fs.promises[name]) continue;
    await checkLater(`promises.${name} ${where}`, () => fs.promises[name](`${root}/${where}`, ...variants[0]).then(async (value) => (value?.close ? (await value.close(), 'open') : placed(show(tell(value)))), (error) => placed(show([error.name, error.code, error.errno, error.syscall, error.path, error.message]))));
    await checkLater(`${name} ${where}`, () => new Promise((resolve) => fs[name](`${root}/${where}`, ...variants[0], (error, value) => {
      if (typeof value === 'number') fs.closeSync(value);
      else if (value?.closeSync) value.closeSync();
      resolve(error ? placed(show([error.name, error.code, error.errno, error.syscall, error.path, error.message])) : 'well');
    })));
  }
}
restore();
for (const odd of [undefined, null, 1.5, true, {}, [], Symbol('s'), 'a\0b', -1, NaN]) {
  for (const name of ['readFile', 'stat', 'readdir', 'unlink', 'open', 'exists', 'mkdir', 'readlink', 'access', 'rm', 'mkdtemp']) {
    if (name !== 'readFile' || typeof odd !== 'number') say(`${name}Sync(${show(odd)})`, () => fs[`${name}Sync`](odd));
  }
  say(`writeFileSync data ${show(odd)}`, () => fs.writeFileSync(`${root}/out`, odd));
  say(`closeSync(${show(odd)})`, () => fs.closeSync(odd));
  say(`readSync(${show(odd)})`, () => fs.readSync(odd, Buffer.alloc(1)));
  say(`fstatSync(${show(odd)})`, () => fs.fstatSync(odd));
  say(`readFile without a function ${show(odd)}`, () => fs.readFile(`${root}/file`, odd));
}
for (const encoding of ['utf8', 'hex', 'base64', 'latin1', 'buffer', 'nothing', undefined, null, 5]) say(`readFileSync with ${show(encoding)}`, () => fs.readFileSync(`${root}/file`, encoding));
for (const flag of ['r', 'rs', 'r+', 'w', 'wx', 'w+', 'wx+', 'a', 'ax', 'a+', 'ax+', 'xw', 'zz', '', 0, 1, 2, fs.constants.O_CREAT | fs.constants.O_WRONLY, null, {}]) {
  for (const where of ['file', 'fresh']) {
    say(`openSync ${where} ${show(flag)}`, () => {
      const fd = fs.openSync(`${root}/${where}`, flag);
      const came = [attempt(() => fs.writeSync(fd, 'WRITE')), attempt(() => fs.readSync(fd, Buffer.alloc(4), 0, 4, 0))];
      fs.closeSync(fd);
      return [came, fs.readFileSync(`${root}/${where}`, 'utf8')];
    });
    restore();
  }
}
for (let n = 0; n < 150; n++) {
  const steps = rng.times(rng.int(1, 6), () => rng.pick([
    ['writeSync', rng.text(5).toWellFormed(), rng.pick([undefined, null, rng.int(0, 12)])],
    ['readSync', rng.int(0, 6), rng.pick([null, rng.int(0, 12), undefined])],
    ['ftruncateSync', rng.int(0, 12)],
    ['fstatSync'],
  ]));
  const flag = rng.pick(['r+', 'w+', 'a+', 'r', 'w', 'a']);
  say(`${flag} ${show(steps)}`, () => {
    fs.writeFileSync(`${root}/work`, '0123456789');
    const fd = fs.openSync(`${root}/work`, flag);
    const came = steps.map(([step, ...given]) => attempt(() => {
      if (step === 'writeSync') return fs.writeSync(fd, given[0], given[1]);
      if (step === 'fstatSync') return fs.fstatSync(fd).size;
      if (step === 'ftruncateSync') return fs.ftruncateSync(fd, given[0]);
      const into = Buffer.alloc(8, '.');
      return [fs.readSync(fd, into, 1, given[0], given[1]), into.toString()];
    }));
    fs.closeSync(fd);
    return [came, fs.readFileSync(`${root}/work`)];
  });
}
say('a closed number', () => {
  const fd = fs.openSync(`${root}/file`);
  fs.closeSync(fd);
  return attempt(() => fs.readSync(fd, Buffer.alloc(1)));
});
const PAIRS = [[1, 2], [1.5, 2.25], ['3', new Date(4000)], [1700000000.123, 0]];
for (const [atime, mtime] of PAIRS) {
  const told = (fd) => { const { atimeMs, mtimeMs } = fs.fstatSync(fd); return [Math.round(atimeMs), Math.round(mtimeMs)]; };
  say(`futimesSync ${show([atime, mtime])}`, () => {
    const fd = fs.openSync(`${root}/file`, 'r+');
    const gave = fs.futimesSync(fd, atime, mtime);
    const came = told(fd);
    fs.closeSync(fd);
    return [gave, came];
  });
  await checkLater(`futimes ${show([atime, mtime])}`, async () => {
    const file = await fs.promises.open(`${root}/full/inner`, 'r+');
    await file.utimes(atime, mtime);
    const first = told(file.fd);
    await new Promise((resolve, reject) => fs.futimes(file.fd, 7, 8, (error) => (error ? reject(error) : resolve())));
    const second = told(file.fd);
    await file.close();
    return show([first, second]);
  });
}
for (const fd of [987, -1, 1.5, 'x', undefined]) say(`futimesSync of ${show(fd)}`, () => fs.futimesSync(fd, 1, 2));
say('existsSync', () => WHERE.map((where) => fs.existsSync(`${root}/${where}`)));
say('stat without throwing', () => [fs.statSync(`${root}/missing`, { throwIfNoEntry: false }), attempt(() => fs.lstatSync(`${root}/file/x`, { throwIfNoEntry: false }))]);
say('bigint', () => {
  const stats = fs.statSync(`${root}/file`, { bigint: true });
  return [typeof stats.mtimeNs, typeof stats.size, stats.size, Object.keys(stats)];
});
say('keys of stat', () => Object.keys(fs.statSync(`${root}/file`)));
say('mkdir recursive gives the first', () => [fs.mkdirSync(`${root}/p/q/r`, { recursive: true }), fs.mkdirSync(`${root}/p/q/r`, { recursive: true }), fs.mkdirSync(`${root}/p/s`)]);
say('mkdtemp', () => fs.mkdtempSync(`${root}/tmp-`).length - root.length);
say('constants', () => fs.constants);
say('members', () => Object.keys(fs).filter((name) => !/^_|Sync$/.test(name)).sort());
say('members of promises', () => Object.keys(fs.promises).sort());
say('sync members', () => Object.keys(fs).filter((name) => /Sync$/.test(name)).sort());
fs.rmSync(root, { recursive: true, force: true });
