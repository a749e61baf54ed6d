// A real `pm serve` for a browser test: its own data home, its own port, ended with the test.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../window/processes.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** The program under test; `PM_PROFILE=release` for measurements. */
export const pm = join(root, 'target', process.env.PM_PROFILE ?? 'debug', 'pm');

/** A folder that goes with the test. */
export function temporaryFolder(name) {
  return mkdtempSync(join(tmpdir(), `pm-browser-${name}-`));
}

export class Owner {
  #child;
  #said = [];
  /** The port of the first start; later starts take it again, as a person's server would. */
  port = 0;
  url = '';
  /** Opens the page once, with its own session. */
  link = '';

  constructor(home = temporaryFolder('home')) {
    if (!existsSync(pm)) throw new Error(`${pm} is missing: cargo build -p cli -p runtime`);
    this.home = home;
    // Beside the data home, where tools may be granted folders; in it they may not.
    this.notes = `${realpathSync(home)}-notes`;
    mkdirSync(this.notes, { recursive: true });
  }

  /** What it printed, for reports of failures. */
  get said() {
    return this.#said.join('\n');
  }

  get pid() {
    return this.#child?.pid;
  }

  async start() {
    if (this.port === 0) [this.port] = await freePorts(1);
    const { PROMPT_MANAGER_HOME: _, ...env } = process.env;
    this.#child = spawn(pm, ['--home', this.home, 'serve', '--port', String(this.port)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Nothing of the person's own machine: her home is the test's, and her keychain is not asked.
      env: { ...env, HOME: this.home, DBUS_SESSION_BUS_ADDRESS: 'disabled:' },
    });
    const child = this.#child;
    child.stderr.setEncoding('utf8').on('data', (text) => this.#said.push(text.trimEnd()));
    const lines = createInterface({ input: child.stdout });
    await new Promise((resolve, reject) => {
      const ended = (code, signal) =>
        reject(new Error(`pm serve ended: ${code ?? signal}\n${this.said}`));
      child.once('exit', ended);
      lines.on('line', (line) => {
        this.#said.push(line);
        const link = line.match(/(http:\/\/127\.0\.0\.1:(\d+))\/#code=\S+/);
        if (!link) return;
        [this.link, this.url] = link;
        this.port = Number(link[2]);
        child.off('exit', ended);
        resolve();
      });
    });
    return this;
  }

  /** Ends it the polite way. */
  async stop() {
    await this.#end('SIGTERM');
  }

  /** As a crash would. */
  async kill() {
    await this.#end('SIGKILL');
  }

  async #end(signal) {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }

  async close() {
    await this.kill();
    for (const folder of [this.home, this.notes]) rmSync(folder, { recursive: true, force: true });
  }
}
