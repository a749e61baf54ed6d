// Runs one script in Node and in `pm conformance`, where neither node nor npm can be found.
//
// PM_PROGRAMS is the folder of pm, PM_PATH a PATH without node (xtask gives both); the Node that is
// asked is the one of package.json here, whatever this script runs in.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const here = import.meta.dirname;
const inside = join(here, `node_modules/node/node_modules/node-${process.platform}-${process.arch}/bin/node`);
const beside = join(here, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
export const NODE = [inside, beside].find(existsSync) ?? join(here, 'node_modules/.bin/node');
const PM = join(process.env.PM_PROGRAMS ?? join(here, '../../target/debug'), 'pm');
const LIMITS = { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024, timeout: 300_000 };

function ended({ error, status, signal, stdout, stderr }) {
  return { ok: status === 0, how: error?.message ?? signal ?? status, stdout: stdout ?? '', stderr: stderr ?? '' };
}
/** Both run in the script's folder. */
export const inNode = (script) => ended(spawnSync(NODE, [basename(script)], { ...LIMITS, cwd: dirname(script) }));
export const inOurs = (script) => ended(spawnSync(PM, ['conformance', basename(script)], { ...LIMITS, cwd: dirname(script), env: { ...process.env, PATH: process.env.PM_PATH ?? process.env.PATH, LANG: 'en_US.UTF-8' } }));
