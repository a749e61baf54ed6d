// The built-in tools that have packages of npm, case by case (../tools/TOOL.json), in a data home of
// their own: what the first use installs is installed here. The others are tried where there is no
// npm (crates/cli/tests/built_in_tools.rs).
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const cases = join(import.meta.dirname, '../tools');
const root = mkdtempSync(join(tmpdir(), 'pm-tools-'));
const home = join(root, 'home');
const folder = join(root, 'files');

function pm(...args) {
  // Cargo adds its own folders for those that it starts; no sandbox takes that variable.
  const { LD_LIBRARY_PATH: _, ...given } = process.env;
  const env = { ...given, PATH: process.env.PM_PATH };
  const options = { encoding: 'utf8', env, maxBuffer: 64 << 20 };
  return spawnSync(join(process.env.PM_PROGRAMS, 'pm'), ['--home', home, ...args], options);
}

/** Arrays have the same length; objects hold at least what is expected. */
function fits(expected, found) {
  if (Array.isArray(expected)) return Array.isArray(found) && expected.length === found.length && expected.every((one, i) => fits(one, found[i]));
  if (expected === null || typeof expected !== 'object') return expected === found;
  return found !== null && typeof found === 'object' && Object.entries(expected).every(([key, value]) => fits(value, found[key]));
}

function walk(tool, atLeast) {
  const all = JSON.parse(readFileSync(join(cases, `${tool}.json`), 'utf8'));
  assert.ok(all.length >= atLeast);
  for (const { name, parameters, expect, error } of all) {
    const { status, stdout, stderr } = pm('tool', 'run', tool, '--json', '--params', JSON.stringify(parameters));
    const said = `${tool}: ${name}: ${stdout}${stderr}`;
    if (error !== undefined) {
      assert.equal(status, 1, said);
      assert.ok(said.includes(error), said);
    } else {
      assert.equal(status, 0, said);
      assert.ok(fits(expect, JSON.parse(stdout).result), `${said}\nis not ${JSON.stringify(expect)}`);
    }
  }
  return all.length;
}

/** A person names the folder with the tool's files: that is the grant. */
function allow(tool, files) {
  cpSync(join(cases, files), folder, { recursive: true });
  const allowed = pm('tool', 'configure', tool, `ALLOWED_DIRECTORIES=${JSON.stringify([folder])}`);
  assert.equal(allowed.status, 0, allowed.stderr);
}

try {
  allow('sqlite-query', 'databases');
  allow('pdf-reader', 'pdfs');
  const tried = walk('sqlite-query', 30) + walk('pdf-reader', 20);
  const left = readdirSync(folder).filter((name) => name.endsWith('.tmp'));
  assert.deepEqual(left, [], 'nothing half-written is left');
  assert.ok(!existsSync(join(folder, 'none.db')), 'a query makes no file');
  console.log(`tools with packages: ${tried} cases`);
} finally {
  rmSync(root, { recursive: true, force: true });
}
