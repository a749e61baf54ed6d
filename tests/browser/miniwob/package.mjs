// The pages of MiniWoB++ (Farama Foundation, MIT): from PyPI, once, into target/; nothing of them is kept here.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unzip } from '../zip.mjs';

const VERSION = '1.1.0';
const SHA256 = '297006e84219d56ad037e843527ed773a4a82509dc43b6031ec4a3ad3e3e61d9';
/** One that has pip. */
const PYTHON = process.env.PM_TEST_PYTHON ?? 'python3';
const target = join(dirname(fileURLToPath(import.meta.url)), '../../../target');

/** The folder of the tasks' pages. */
export function pagesFolder() {
  const home = join(target, `miniwob-${VERSION}`);
  // It appears whole: it is renamed to this name when all is in it.
  if (!existsSync(home)) unpack(home);
  return join(home, 'miniwob/html/miniwob');
}

function unpack(home) {
  mkdirSync(target, { recursive: true });
  const folder = mkdtempSync(join(target, 'miniwob-new-'));
  try {
    const wheel = downloaded(folder);
    const sum = createHash('sha256').update(wheel).digest('hex');
    if (sum !== SHA256) throw new Error(`miniwob ${VERSION} is another file than before: ${sum}`);
    const inner = join(folder, 'unpacked');
    for (const [path, content] of unzip(wheel)) {
      const to = join(inner, path);
      if (!to.startsWith(join(inner, '/'))) throw new Error(`the wheel leaves its folder: ${path}`);
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, content);
    }
    renameSync(inner, home);
  } catch (error) {
    // Somebody else was first.
    if (!existsSync(home)) throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function downloaded(folder) {
  const pip = ['-m', 'pip', 'download', `miniwob==${VERSION}`, '--no-deps', '--quiet'];
  try {
    execFileSync(PYTHON, [...pip, '--only-binary=:all:', '--dest', folder], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (error) {
    const said = String(error.stderr ?? error.message).trim();
    throw new Error(`the pages of miniwob ${VERSION} cannot be had from PyPI:\n${said}`);
  }
  return readFileSync(join(folder, `miniwob-${VERSION}-py3-none-any.whl`));
}
