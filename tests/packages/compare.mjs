// Our trees beside npm's, set by set: paths and versions the same, `npm ls` clean on ours, `npm ci`
// content with our lock, and npm's lock installed by us to the letter; and what Node can load from
// npm's tree it can load from ours, and so can our runtime. Started by `cargo xtask test`; asks the
// registry that npm is configured with. `compare.mjs INSTALL PM [NAME…]`
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const FEWEST = 40;
const AT_A_TIME = 2;
const run = promisify(execFile);
const [install, pm, ...only] = process.argv.slice(2);
const own = async (name) => JSON.parse(await readFile(new URL(name, import.meta.url), 'utf8'));
const [sets, unloadable] = [await own('sets.json'), await own('unloadable.json')];
const root = await mkdtemp(path.join(tmpdir(), 'pm-packages-'));
const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
// Both pick by the same Node.
const env = { ...process.env, PM_NODE: process.versions.node };

const npm = async (cwd, ...words) => run(await oracle, words, { cwd, env, maxBuffer: 1 << 26 });
const oracle = npmOf('11.19.1');
const ours = (cwd, ...words) =>
  run(install, ['.', path.join(root, 'store'), '--quiet', ...words], { cwd, env });

/** Other generations make other trees: the machine's is taken only when it is this one. */
async function npmOf(version) {
  const { stdout } = await run('npm', ['--version']);
  if (stdout.trim() === version) return 'npm';
  const at = path.join(root, 'npm');
  await run('npm', ['install', '--prefix', at, ...quiet, `npm@${version}`], { maxBuffer: 1 << 26 });
  return path.join(at, 'node_modules/.bin/npm');
}

async function tree(folder, at = 'node_modules', found = {}) {
  const names = await readdir(path.join(folder, at), { withFileTypes: true }).catch(() => []);
  for (const entry of names.filter((one) => one.isDirectory() && !one.name.startsWith('.'))) {
    const place = `${at}/${entry.name}`;
    if (entry.name.startsWith('@')) {
      await tree(folder, place, found);
      continue;
    }
    const text = await readFile(path.join(folder, place, 'package.json'), 'utf8').catch(() => '');
    if (text) found[place] = JSON.parse(text.replace(/^\ufeff/, '')).version;
    await tree(folder, `${place}/node_modules`, found);
  }
  return found;
}

function differences(a, b) {
  const places = new Set([...Object.keys(a), ...Object.keys(b)]);
  const words = [];
  for (const place of places) {
    if (a[place] !== b[place]) words.push(`${place}: ours ${a[place] ?? '-'}, npm ${b[place] ?? '-'}`);
  }
  return words;
}

/** What becomes of the import of each package that a set names: `ok` or why not. */
async function loaded(folder, manifest, program, ...words) {
  const names = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.devDependencies });
  // Tools have no document, which some packages take for a browser's.
  const script = `delete globalThis.document;
  for (const name of ${JSON.stringify(names)}) {
    const said = await import(name).then(() => 'ok', (error) => error.code ?? error.message);
    console.log(JSON.stringify([name, said]));
  }
  process.exit(0);`;
  await writeFile(path.join(folder, 'load.mjs'), script);
  const { stdout } = await run(program, [...words, 'load.mjs'], { cwd: folder, env, maxBuffer: 1 << 26 });
  const lines = stdout.split('\n').filter((line) => line.startsWith('["'));
  return Object.fromEntries(lines.map((line) => JSON.parse(line)));
}

async function compare(name, manifest) {
  const at = path.join(root, name.replace(/\W+/g, '-'));
  const folder = async (what) => {
    // The folder's name stands in the lock.
    const made = path.join(at, what, 'set');
    await mkdir(made, { recursive: true });
    const own = { name: 'set', version: '1.0.0', ...manifest };
    await writeFile(path.join(made, 'package.json'), JSON.stringify(own, null, 2));
    return made;
  };
  const [mine, theirs, locked, ci] = await Promise.all(['ours', 'npm', 'locked', 'ci'].map(folder));
  const wrong = [];
  const attempt = async (what, work) => {
    try {
      return await work();
    } catch (error) {
      wrong.push(`${what}: ${(error.stderr || error.stdout || error.message).trim().slice(0, 600)}`);
      return undefined;
    }
  };
  try {
    await npm(theirs, 'install', ...quiet);
  } catch (error) {
    return { name, skipped: (error.stderr || error.message).trim().split('\n')[0] };
  }
  await attempt('our install', () => ours(mine));
  const [first, second] = [await tree(mine), await tree(theirs)];
  wrong.push(...differences(first, second));
  await attempt('npm ls', () => npm(mine, 'ls', '--all'));
  const read = (folder) => readFile(path.join(folder, 'package-lock.json'), 'utf8').catch(() => '');
  const same = (await read(mine)) === (await read(theirs));
  // What npm wrote itself it need not be asked about; of some sets it refuses its own.
  if (!same) {
    await cp(path.join(mine, 'package-lock.json'), path.join(ci, 'package-lock.json'));
    await attempt('npm ci', () => npm(ci, 'ci', '--dry-run', ...quiet));
  }
  await cp(path.join(theirs, 'package-lock.json'), path.join(locked, 'package-lock.json'));
  await attempt("npm's lock", () => ours(locked, '--frozen'));
  wrong.push(...differences(await tree(locked), second).map((one) => `npm's lock: ${one}`));
  const [byNode, theirsByNode, byUs] = [
    await attempt('node in our tree', () => loaded(mine, manifest, process.execPath)),
    await attempt("node in npm's tree", () => loaded(theirs, manifest, process.execPath)),
    await attempt('our runtime in our tree', () => loaded(mine, manifest, pm, 'conformance')),
  ];
  for (const [one, said] of Object.entries(theirsByNode ?? {})) {
    if (byNode?.[one] !== said) wrong.push(`${one} in node: ${byNode?.[one]}, in npm's tree ${said}`);
    const excused = unloadable[one] !== undefined;
    if (said === 'ok' && (byUs?.[one] === 'ok') === excused) wrong.push(`${one} in our runtime: ${byUs?.[one]}`);
  }
  await rm(at, { recursive: true });
  return { name, wrong, same, count: Object.keys(second).length };
}

const names = Object.keys(sets).filter((name) => only.length === 0 || only.includes(name));
const results = [];
const waiting = [...names];
const work = async () => {
  for (let name = waiting.shift(); name; name = waiting.shift()) {
    const result = await compare(name, sets[name]);
    results.push(result);
    const { skipped, wrong, same, count } = result;
    if (skipped) console.log(`${name}: npm cannot install it here: ${skipped}`);
    else console.log(`${name}: ${count} packages, lock ${same ? 'the same' : 'other bytes'}, ${wrong.length} differences`);
    for (const line of (wrong ?? []).slice(0, 12)) console.log(`    ${line}`);
  }
};
try {
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
} finally {
  await rm(root, { recursive: true, force: true });
}
const done = results.filter(({ skipped }) => !skipped);
const bad = done.filter(({ wrong }) => wrong.length > 0);
const packages = done.reduce((sum, { count }) => sum + count, 0);
console.log(
  `${done.length} sets, ${packages} packages beside npm: ${done.length - bad.length} the same, ` +
    `${done.filter(({ same }) => same).length} locks byte for byte, ${results.length - done.length} that npm cannot install here`,
);
if (bad.length > 0 || (only.length === 0 && done.length < FEWEST)) process.exitCode = 1;
