// Secrets in a real keychain: GNOME's, on a session bus whose services know no other folder than the
// test's. What the product keeps in it, what a start finds again, and what happens when it is locked: the bus
// starts a new one then, which nobody has unlocked and for which nobody can be asked.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { answered, entries, unlocked } from "./keychain.mjs";

const run = promisify(execFile);
const programs =
  process.env.PM_PROGRAMS ??
  join(dirname(fileURLToPath(import.meta.url)), "../../target/debug");
const PM = join(programs, "pm");
const VALUE = "sk-live-keychain-71c0";
const TOOL = `export default {
  getMetadata: () => ({ name: 'keeper', version: '1.0.0', description: 'has a key' }),
  async execute() { return this.api.environment.get('API_KEY').length; },
};`;

/** The same on a bus of its own. */
if (process.argv[2] === undefined) {
  const folder = mkdtempSync(join(tmpdir(), "pm-keys-"));
  const env = {
    ...process.env,
    HOME: folder,
    XDG_DATA_HOME: join(folder, "data"),
  };
  const others = [
    "XDG_RUNTIME_DIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "DISPLAY",
    "WAYLAND_DISPLAY",
  ];
  for (const name of [...others, "GNOME_KEYRING_CONTROL", "SSH_AUTH_SOCK"])
    delete env[name];
  const words = [
    "--",
    process.execPath,
    fileURLToPath(import.meta.url),
    folder,
  ];
  const child = spawn("dbus-run-session", words, { env, stdio: "inherit" });
  const [code] = await once(child, "exit");
  rmSync(folder, { recursive: true, force: true });
  process.exit(code ?? 1);
}

const folder = process.argv[2];
const home = join(folder, "home");
const { env } = process;
const ending = [];

/** What a verb says with `--json`, and how it ended. */
async function pm(...args) {
  const told = await run(PM, ["--home", home, "--json", ...args], {
    env,
  }).catch((error) => error);
  return {
    code: told.code ?? 0,
    said: told.stdout ? JSON.parse(told.stdout) : undefined,
  };
}

/** As it is after a login; it ends with the test, if not before. */
async function keychain() {
  const end = await unlocked(folder, env);
  ending.push(end);
  return end;
}

async function server() {
  const child = spawn(PM, ["--home", home, "serve", "--port", "0", "--json"], {
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const gone = once(child, "exit");
  await once(child.stdout, "data");
  const end = async () => {
    if (child.exitCode === null) child.kill();
    await gone;
  };
  ending.push(end);
  return end;
}

function holders(path = home) {
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const at = join(path, entry.name);
    if (entry.isDirectory()) return holders(at);
    return entry.isFile() && readFileSync(at).includes(VALUE) ? [at] : [];
  });
}

const file = join(home, "toolbox/keeper/.env");
try {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(join(dirname(file), "keeper.tool.js"), TOOL);
  const lock = await keychain();
  let end = await server();

  assert.equal(
    (await pm("tool", "configure", "keeper", `API_KEY=${VALUE}`)).code,
    0,
  );
  assert.match(
    readFileSync(file, "utf8"),
    /^API_KEY=pm-secret:keychain\/[0-9a-f]{32}$/m,
  );
  assert.equal(await entries(env), 1);
  assert.equal((await pm("tool", "run", "keeper")).said.result, VALUE.length);
  console.log("ok  a secret goes to the keychain");

  await pm("tool", "configure", "keeper", "-API_KEY");
  assert.equal(await entries(env), 0);
  await pm("tool", "configure", "keeper", "API_KEY=another-value");
  await pm("tool", "configure", "keeper", `API_KEY=${VALUE}`);
  assert.equal(await entries(env), 1);
  await end();
  end = await server();
  assert.equal((await pm("tool", "run", "keeper")).said.result, VALUE.length);
  assert.deepEqual(holders(), []);
  console.log(
    "ok  a start finds it again, what it replaced is gone, and no file holds it",
  );

  await end();
  await lock();
  await answered(env, false);
  end = await server();
  const lost = await pm("tool", "run", "keeper");
  assert.equal(lost.said.error.code, "secret_unavailable");
  await pm("tool", "configure", "keeper", "OTHER_KEY=kept-elsewhere");
  assert.match(readFileSync(file, "utf8"), /^OTHER_KEY=pm-secret:file\//m);
  await end();
  console.log(
    "ok  locked, a run fails with words, and what is given goes to the file",
  );
} finally {
  for (const end of ending.reverse()) await end();
}
