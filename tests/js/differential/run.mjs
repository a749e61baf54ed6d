// The differential test: each script in Node and in ours, compared line by line.
//
// `node run.mjs [NAME…]`. What differs on purpose is in exceptions.mjs with its reason; an exception
// that no longer happens fails the test, too.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inNode, inOurs } from '../run-both.mjs';
import { EXCEPTIONS } from './exceptions.mjs';

const SCRIPTS = [
  'path', 'url', 'querystring', 'util', 'clone', 'buffer', 'zlib', 'crypto', 'events', 'async', 'string_decoder',
  'fs', 'intl', 'vm', 'child_process', 'tools', 'wasm',
];
const SHOWN = 10;
const LEAST = 3000;
const asked = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'pm-differential-'));
let cases = 0;
let failed = false;
try {
  for (const name of SCRIPTS.filter((name) => asked.length === 0 || asked.includes(name))) {
    // Each has the folder for itself, at the same place: both write there, and results name it.
    const [left, right] = [inNode, inOurs].map((run) => {
      const at = join(folder, 'work');
      rmSync(at, { recursive: true, force: true });
      cpSync(import.meta.dirname, at, { recursive: true });
      return run(join(at, `${name}.mjs`));
    });
    const [wanted, came] = [left, right].map(({ stdout }) => stdout.split('\n'));
    const allowed = EXCEPTIONS.filter(({ script }) => script === name);
    const used = new Set();
    const differences = [];
    for (let at = 0; at < Math.max(wanted.length, came.length); at++) {
      if (wanted[at] === came[at]) continue;
      const exception = allowed.find(({ cases }) => cases.test(wanted[at] ?? ''));
      if (exception) used.add(exception);
      else differences.push([wanted[at], came[at]]);
    }
    const count = wanted.length - 1;
    cases += count;
    const stale = allowed.filter((exception) => !used.has(exception));
    const bad = differences.length > 0 || stale.length > 0 || !left.ok || !right.ok;
    failed ||= bad;
    console.log(`${bad ? 'FAILED' : 'ok    '} ${name.padEnd(15)} ${String(count).padStart(5)} cases, ${differences.length} differences, ${used.size} kinds of exceptions`);
    if (!left.ok) console.log(`  node ended with ${left.how}\n${left.stderr.slice(-2000)}`);
    if (!right.ok) console.log(`  pm ended with ${right.how}\n${right.stderr.slice(-2000)}`);
    for (const [node, pm] of differences.slice(0, SHOWN)) console.log(`  node ${node?.slice(0, 600)}\n  pm   ${pm?.slice(0, 600)}`);
    for (const { cases, reason } of stale) console.log(`  no longer an exception: ${cases} (${reason})`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${cases} cases`);
if (asked.length === 0 && cases < LEAST) {
  console.log(`at least ${LEAST} are wanted`);
  failed = true;
}
process.exitCode = failed ? 1 : 0;
