// Everything around the window: a screen, the desktop's services (desk.py), the driver, folders
// that go with the test. The session bus is there already: xtask starts this under
// dbus-run-session.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { unlocked } from './keychain.mjs';
import { Page, until } from './page.mjs';
import { firstLine, freePorts } from './processes.mjs';
import { FIRST } from './words.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');

/** xtask says where its builds are. */
const programs = process.env.PM_PROGRAMS ?? join(root, 'target/debug');
export const PROGRAM = join(programs, 'prompt-manager');
/** What was seen, when something failed. */
export const EVIDENCE = process.env.PM_EVIDENCE ?? join(root, 'target/window');

/** WebKit's own: the window is a browser that it starts. */
const DRIVER = 'WebKitWebDriver';
const SIZE = '1280x900x24';

export class World {
  #ending = [];
  #log;
  #driver = '';

  /** `driven`: with the driver that windows are driven through. `env`: more for all that is started. */
  static async open({ driven = true, env = {} } = {}) {
    const world = new World();
    try {
      await world.#begin(driven, env);
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  }

  async #begin(driven, env) {
    rmSync(EVIDENCE, { recursive: true, force: true });
    mkdirSync(EVIDENCE, { recursive: true });
    this.#log = createWriteStream(join(EVIDENCE, 'programs.log'));
    // Short: the paths of sockets may have 107 bytes.
    this.folder = mkdtempSync(join(tmpdir(), 'pm-window-'));
    // Processes of the window that are just ending may still write into it.
    const remove = () => rmSync(this.folder, { recursive: true, force: true });
    this.#ending.push(() => until('the end of the folder', () => (remove(), true), 10_000));
    // Before the folder goes: they would write into it again.
    this.#ending.push(() => this.#endPrograms());
    this.home = join(this.folder, 'home');
    // Chosen, so that the machine's own language says nothing here; a first start would follow it.
    mkdirSync(this.home, { mode: 0o700 });
    writeFileSync(join(this.home, 'settings.json'), JSON.stringify({ language: FIRST }));
    // A folder that the person would allow a tool to use.
    this.documents = join(this.folder, 'documents');
    mkdirSync(this.documents);
    this.#writeBrowser();
    process.env.DISPLAY = await this.#screen();
    this.env = {
      ...process.env,
      HOME: this.folder,
      PATH: `${join(this.folder, 'bin')}:${process.env.PATH}`,
      XDG_CONFIG_HOME: join(this.folder, '.config'),
      XDG_DATA_HOME: join(this.folder, 'data'),
      XDG_CACHE_HOME: join(this.folder, 'cache'),
      XDG_RUNTIME_DIR: this.folder,
      PROMPT_MANAGER_HOME: this.home,
      LANG: 'C.UTF-8',
      GDK_BACKEND: 'x11',
      // There is no graphics card, and no screen reader on the bus.
      LIBGL_ALWAYS_SOFTWARE: '1',
      MESA_SHADER_CACHE_DISABLE: 'true',
      NO_AT_BRIDGE: '1',
      GTK_A11Y: 'none',
      GSETTINGS_BACKEND: 'memory',
      // A proxy has no way to this machine's own addresses.
      no_proxy: '127.0.0.1',
      NO_PROXY: '127.0.0.1',
      ...env,
    };
    // Before anything asks for one: the bus would start the person's own.
    this.#ending.push(await unlocked(this.folder, this.env));
    this.desk = await this.#startDesk();
    if (driven) await this.#startDriver();
  }

  /** The person's browser: it writes down what it is opened with. */
  #writeBrowser() {
    const bin = join(this.folder, 'bin');
    mkdirSync(bin);
    this.opened = join(this.folder, 'opened');
    writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\nprintf '%s\\n' "$@" >> '${this.opened}'\n`, {
      mode: 0o755,
    });
  }

  /** A `pm` of the person's terminal, to its end. */
  async pm(...args) {
    const child = spawn(join(programs, 'pm'), args, {
      env: this.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => this.#log.write(text));
    const [code] = await once(child, 'exit');
    return code;
  }

  /** A screen of our own. */
  async #screen() {
    const child = this.#start(
      'Xvfb',
      ['-displayfd', '3', '-screen', '0', SIZE, '-nolisten', 'tcp'],
      {
        stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
        env: process.env,
      },
    );
    const number = await firstLine(child, child.stdio[3], 'Xvfb');
    return `:${number}`;
  }

  async #startDesk() {
    // Debian's own Python: gi is a package of the system.
    const child = this.#start('/usr/bin/python3', [join(here, 'desk.py')], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...this.env, PYTHONDONTWRITEBYTECODE: '1' },
      quiet: true,
    });
    return Desk.over(child);
  }

  async #startDriver() {
    const [port] = await freePorts(1);
    const child = this.#start(DRIVER, [`--port=${port}`], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Where tauri lets its window be driven.
      env: { ...this.env, TAURI_WEBVIEW_AUTOMATION: 'true' },
    });
    this.#driver = `http://127.0.0.1:${port}`;
    const early = once(child, 'exit').then(() => {
      throw new Error(`${DRIVER} ended`);
    });
    // Only the first of the two is waited for.
    early.catch(() => undefined);
    const ready = until('the driver', async () => (await fetch(`${this.#driver}/status`)).ok);
    await Promise.race([ready, early]);
  }

  #start(program, args, { quiet = false, ...options }) {
    const child = spawn(program, args, options);
    child.on('error', (error) => this.#log.write(`${program}: ${error.message}\n`));
    for (const stream of quiet ? [child.stderr] : [child.stdout, child.stderr]) {
      stream.on('data', (text) => this.#log.write(text));
    }
    this.#ending.push(() => end(child));
    return child;
  }

  /** Starts the program as a person would, and takes hold of its window. */
  async openWindow(...args) {
    return Page.open(this.#driver, PROGRAM, args);
  }

  /** Starts a program, in the folders of this test; it ends with it. */
  launch(program, env = {}) {
    return this.#start(program, [], {
      env: { ...this.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /** As the window's own close button does. */
  async closeWindow() {
    const { window } = await this.window();
    await this.desk.ask('close', { window });
  }

  /** Until the window is on the screen, or is not. */
  async shows(wanted) {
    await until(`the window ${wanted ? 'on' : 'off'} the screen`, async () => {
      return ((await this.window())?.shown ?? false) === wanted;
    });
  }

  /** Starts it once more beside the first; resolves with its exit code. */
  async launchAgain(...args) {
    const child = spawn(PROGRAM, args, { env: this.env, stdio: 'ignore' });
    const [code] = await once(child, 'exit');
    return code;
  }

  /** Processes of this test by the name of their program: the kernel's own list. */
  processes(name) {
    return readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .map(Number)
      .filter((pid) => {
        try {
          const program = readlinkSync(`/proc/${pid}/exe`);
          const env = readFileSync(`/proc/${pid}/environ`, 'utf8');
          return (
            program === join(programs, name) && env.includes(`PROMPT_MANAGER_HOME=${this.home}\0`)
          );
        } catch {
          // It has ended meanwhile, or it is a thread of the kernel.
          return false;
        }
      });
  }

  /** The window on the screen, by its title. */
  async window(title = /Prompt Manager$/) {
    const windows = (await this.desk.ask('windows')).filter((window) => title.test(window.title));
    // A dialog that was closed may leave an unseen window behind.
    return windows.find((window) => window.shown) ?? windows[0];
  }

  /** A dialog of the system, when it takes keys. */
  async dialog(title) {
    const { window } = await until(`the dialog ${title}`, async () => {
      const found = await this.window(title);
      return found?.shown && found;
    });
    await until(`the focus on ${title}`, async () => {
      await this.desk.ask('focus', { window });
      return (await this.desk.ask('focused')) === window;
    });
  }

  /** What a failed step left running. */
  async #endPrograms() {
    const left = () => ['prompt-manager', 'pm'].flatMap((name) => this.processes(name));
    await until('the end of what was started', () => left().length === 0, 5_000).catch(() => {
      for (const pid of left()) process.kill(pid, 'SIGKILL');
    });
  }

  log(text) {
    this.#log?.write(`--- ${text}\n`);
  }

  async close() {
    for (const end of this.#ending.reverse()) await end();
    this.#ending = [];
  }
}

/** Requests to desk.py, one after the other. */
class Desk {
  #child;
  #waiting = new Map();
  #number = 0;
  #turn = Promise.resolve();

  static async over(child) {
    const desk = new Desk();
    desk.#child = child;
    const ready = desk.#answer(0);
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { id, answer, error } = JSON.parse(line);
      const { resolve, reject } = desk.#waiting.get(id);
      desk.#waiting.delete(id);
      if (error === undefined) resolve(answer);
      else reject(new Error(error));
    });
    child.once('exit', () => {
      for (const { reject } of desk.#waiting.values()) reject(new Error('desk.py ended'));
    });
    await ready;
    return desk;
  }

  ask(what, more = {}) {
    const asked = this.#turn.then(() => {
      this.#number += 1;
      const answer = this.#answer(this.#number);
      this.#child.stdin.write(`${JSON.stringify({ id: this.#number, do: what, ...more })}\n`);
      return answer;
    });
    this.#turn = asked.catch(() => undefined);
    return asked;
  }

  #answer(id) {
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  /** What the tray's menu says, in its order. */
  async menu() {
    const entries = await this.ask('menu');
    return entries.filter(({ separator }) => !separator);
  }

  /** Chooses an entry when it is there to be chosen. */
  async choose(text) {
    await until(`the tray's entry ${text}`, async () => {
      await this.ask('choose', { text });
      return true;
    });
  }

  async trayReads(pattern) {
    return until(`the tray's status ${pattern}`, async () =>
      pattern.test((await this.menu())[0].text),
    );
  }
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
