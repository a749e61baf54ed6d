// GNOME's keychain on the session bus of a test, in its folders, as a person's session has it after a login.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Asks the bus and what is on it, by a program of the system. */
export async function bus(env, ...args) {
  const { stdout } = await run('dbus-send', ['--session', '--print-reply', ...args], { env });
  return stdout;
}

/** Resolves when somebody, or nobody, answers for secrets on the bus. */
export async function answered(env, there) {
  const ask = ['--dest=org.freedesktop.DBus', '/', 'org.freedesktop.DBus.NameHasOwner'];
  for (;;) {
    const said = await bus(env, ...ask, 'string:org.freedesktop.secrets');
    if (said.includes(`boolean ${there}`)) return;
  }
}

/** Resolves, when it is unlocked, with what ends it. */
export async function unlocked(folder, env) {
  const daemon = spawn(
    'gnome-keyring-daemon',
    [
      '--foreground',
      '--unlock',
      '--components=secrets',
      `--control-directory=${join(folder, 'control')}`,
    ],
    { env, stdio: ['pipe', 'ignore', 'ignore'] },
  );
  daemon.stdin.end('a password');
  const gone = once(daemon, 'exit');
  const early = gone.then(([code]) => {
    throw new Error(`gnome-keyring-daemon ended with ${code}`);
  });
  // Only the first of the two is waited for.
  early.catch(() => undefined);
  await Promise.race([answered(env, true), early]);
  return async () => {
    if (daemon.exitCode === null) daemon.kill();
    await gone;
  };
}

/** How many entries of ours it has. */
export async function entries(env) {
  const said = await bus(
    env,
    '--dest=org.freedesktop.secrets',
    '/org/freedesktop/secrets',
    'org.freedesktop.Secret.Service.SearchItems',
    'dict:string:string:service,Prompt Manager',
  );
  return (said.match(/object path/g) ?? []).length;
}
