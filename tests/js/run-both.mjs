// Runs one script in Node and in `pm conformance`, where neither node nor npm can be found; and in the
// two other engines that run npm's packages.
//
// PM_PROGRAMS is the folder of pm, PM_PATH a PATH without node (xtask gives both); the Node that is
// asked is the one of package.json here, whatever this script runs in.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const here = import.meta.dirname;
/** The package has a program for each system; what npm links to depends on who was installed last. */
const nodeOf = (name) => join(here, `node_modules/${name}/bin/node`);
export const NODE = nodeOf('node');
const PM = join(process.env.PM_PROGRAMS ?? join(here, '../../target/debug'), 'pm');
const LIMITS = { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024, timeout: 300_000 };

// Cargo adds its own folders for those that it starts; no sandbox takes that variable.
const ENV = { ...process.env };
delete ENV.LD_LIBRARY_PATH;

function ended({ error, status, signal, stdout, stderr }) {
  return { ok: status === 0, how: error?.message ?? signal ?? status, stdout: stdout ?? '', stderr: stderr ?? '' };
}
/** All run in the script's folder. */
const started = (program, args, script, more) => ended(spawnSync(program, [...args, basename(script)], { ...LIMITS, cwd: dirname(script), env: ENV, ...more }));
export const inNode = (script) => started(NODE, [], script);
export const inOurs = (script) => started(PM, ['conformance'], script, { env: { ...ENV, PATH: process.env.PM_PATH ?? process.env.PATH, LANG: 'en_US.UTF-8' } });

// What does not end is no better than what fails.
const SOON = { timeout: 30_000, killSignal: 'SIGKILL' };
// Objects look otherwise in their consoles, which says nothing about packages.
const CONSOLE = ['--preload', './local/console.mjs'];
export const inBun = (script) => started(join(here, 'node_modules/.bin/bun'), CONSOLE, script, { ...SOON, env: { ...ENV, BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0' } });
/** The oldest Node that tools may be run in. */
export const inNode20 = (script) => started(nodeOf('node20'), [], script, SOON);
export function inDeno(script) {
  const cache = mkdtempSync(join(tmpdir(), 'pm-js-'));
  try {
    const args = ['run', '-A', '--quiet', '--no-lock', '--node-modules-dir=manual', ...CONSOLE];
    return started(join(here, 'node_modules/.bin/deno'), args, script, { ...SOON, env: { ...ENV, DENO_DIR: cache, DENO_NO_UPDATE_CHECK: '1' } });
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}
