// Journeys with the assistant in the desktop program's own page window: the same as in Chromium, with events that the
// page's script makes. On a screen of its own; `dbus-run-session` gives the bus.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { wish } from '../browser/assistant/ava.mjs';
import * as journeys from '../browser/assistant/journeys.mjs';
import { Model, act } from '../browser/assistant/scripted.mjs';
import { admin, evil, mail, shop } from '../browser/assistant/sites.mjs';
import { person } from '../browser/furnish.mjs';
import { until } from './page.mjs';
import { startScreen } from './screen.mjs';

const programs =
  process.env.PM_PROGRAMS ?? join(dirname(fileURLToPath(import.meta.url)), '../../target/debug');
const run = promisify(execFile);

const home = mkdtempSync(join(tmpdir(), 'pm-ava-'));
const model = await new Model().start();
const sites = { shop: shop(), mail: mail(), admin: admin(), evil: evil() };
for (const one of Object.values(sites)) await one.start();
mkdirSync(join(home, 'data'), { mode: 0o700 });
writeFileSync(
  join(home, 'data', 'settings.json'),
  JSON.stringify({
    language: 'en',
    server: { port: 0 },
    models: { services: [{ name: 'scripted', protocol: 'openai', baseUrl: model.url, model: 'm' }] },
  }),
);
const screen = await startScreen();
const env = {
  ...process.env,
  HOME: home,
  DISPLAY: screen.display,
  PROMPT_MANAGER_HOME: join(home, 'data'),
  // Root runs these tests too, where the engine's own walls do not stand.
  WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
};
const desktop = spawn(join(programs, 'prompt-manager'), [], { env, stdio: ['ignore', 'inherit', 'pipe'] });
const said = [];
desktop.stderr.setEncoding('utf8').on('data', (text) => said.push(text));
const begun = performance.now();
const step = (text) =>
  console.log(`${((performance.now() - begun) / 1000).toFixed(1).padStart(6)} s  ${text}`);

try {
  const link = await until('the server', async () => {
    // Before the program's own server is there, `pm link` would be the owner itself, and the window would stay with it.
    if (!existsSync(join(home, 'data/run/pm.sock'))) return undefined;
    const asked = run(join(programs, 'pm'), ['--home', join(home, 'data'), 'link'], { env });
    const { stdout } = await asked.catch(() => ({ stdout: '' }));
    return stdout.trim();
  });
  const server = { link, url: new URL(link).origin, said: '' };
  const call = await person(server);
  const refused = (code, promise) =>
    assert.rejects(promise, (error) => error.message.includes(`: ${code}: `), code);
  const session = { call, model, server, refused, real: false, ...sites };

  step('the desktop has a window for pages');
  await until('a desktop that takes orders', async () => (await call('assistant.show')).hasWindow);
  await journeys.buying(session, step);

  step('it gives no pictures, and says so');
  const look = await call('assistant.look', { picture: true });
  assert.equal(look.picture, undefined);
  assert.ok(look.width > 300 && look.height > 300);
  model.plays([act({ type: 'screenshot' }), { actions: [], message: 'no picture' }]);
  const drawn = await wish(call, 'Take a picture');
  model.check();
  assert.equal(drawn.steps[0].metadata.error.code, 'assistant_no_picture');

  await journeys.denied(session, step);
  await journeys.vanishing(session, step);
  await journeys.waiting(session, step);
  await journeys.another(session, step);
  // What a page asks there is the person's to answer: no mail is deleted.
  await journeys.writing(session, step);
  await journeys.signingIn(session, step);
  await journeys.malformed(session, step);
  await journeys.injected(session, step);
  assert.deepEqual(sites.evil.done, [], 'nobody was led away');

  step('what is in the window can call nothing of the product, and neither files nor our own pages are opened');
  for (const to of ['file:///etc/passwd', 'tauri://localhost/', 'artifact://localhost/x.png']) {
    await refused('assistant_bad_address', call('assistant.open', { to }));
  }
  await call('assistant.close');
  await refused('assistant_no_page', call('assistant.look'));
  console.log('the assistant in the window holds');
} catch (error) {
  process.exitCode = 1;
  console.error(error, `\n${said.join('')}`);
} finally {
  for (const one of [model, ...Object.values(sites)]) one.stop();
  const exit = once(desktop, 'exit');
  desktop.kill('SIGTERM');
  await exit;
  await screen.stop();
  rmSync(home, { recursive: true, force: true, maxRetries: 10 });
}
