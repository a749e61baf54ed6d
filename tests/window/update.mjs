// Newer versions: told when asked, installed when their signature is of the channel's key and for their version, else
// not. The program runs as an AppImage would, whose file is replaced.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KEY, until } from './page.mjs';
import { Signer } from './signed.mjs';
import { FIRST, TRAY, word } from './words.mjs';
import { World } from './world.mjs';

const VERSION = '999.0.0';
const say = (path) => word(FIRST, path);
/** Another program, which leaves a mark beside itself when it is started. */
const SOURCE = `#include <stdio.h>
int main(int count, char **words) {
  char mark[4096];
  snprintf(mark, sizeof mark, "%s.ran", words[0]);
  FILE *file = fopen(mark, "w");
  return file ? fclose(file) : 1;
}`;
const PACKAGE = compiled(SOURCE);
const signer = new Signer();

function compiled(source) {
  const folder = mkdtempSync(join(tmpdir(), 'pm-update-'));
  try {
    const program = join(folder, 'program');
    execFileSync('cc', ['-x', 'c', '-o', program, '-'], { input: source });
    return readFileSync(program);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What the channel offers. */
let offer = { bytes: PACKAGE, signature: signer.sign(PACKAGE, VERSION) };
const asked = [];
const channel = createServer((request, response) => {
  asked.push(request.url);
  if (request.url === '/package') {
    if (!offer.held) return response.end(offer.bytes);
    response.writeHead(200, { 'content-length': offer.bytes.length });
    response.on('close', () => (offer.left = true));
    return response.write(offer.bytes.subarray(0, offer.bytes.length / 2));
  }
  const url = `http://127.0.0.1:${channel.address().port}/package`;
  const release = { url, signature: offer.signature };
  const platforms = { 'linux-x86_64': release, 'linux-aarch64': release };
  return response.end(JSON.stringify({ version: VERSION, notes: 'All is **better**.', platforms }));
});
await new Promise((done) => channel.listen(0, '127.0.0.1', done));

const place = mkdtempSync(join(tmpdir(), 'pm-update-'));
const installed = join(place, 'app.AppImage');
writeFileSync(installed, 'the old program', { mode: 0o755 });
// Known to all that is started from the beginning: it is this file that is replaced, and not the program that is tested.
const world = await World.open({ env: { APPIMAGE: installed } });
try {
  const page = await world.openWindow('--find');
  world.page = page;
  await page.see('combobox', say('palette.prompts.name'));
  await page.keys(KEY.escape);
  await page.miss('combobox', say('palette.prompts.name'));
  console.log('ok  started by the desktop’s own key it looks for prompts');
  const entry = async () =>
    (await world.desk.menu()).find(({ text }) => text === TRAY[FIRST].update);
  await world.desk.trayReads(TRAY[FIRST].running);
  assert.equal((await entry()).enabled, false, 'no channel is set');
  await page.go('/settings/about');
  await page.says(new RegExp(say('settings.update.none')));
  assert.deepEqual(asked, [], 'nobody is asked');

  const file = join(world.home, 'settings.json');
  const settings = JSON.parse(readFileSync(file, 'utf8'));
  const endpoints = [`http://127.0.0.1:${channel.address().port}/manifest.json`];
  settings.updates = { endpoints, publicKey: signer.publicKey };
  writeFileSync(file, JSON.stringify(settings));
  // The page looks at it anew, and the tray follows.
  await page.go('/settings/data');
  await page.go('/settings/about');
  await page.see('button', say('settings.update.check'));
  await until('the entry', async () => (await entry()).enabled);
  console.log('ok  a channel in settings.json is in the tray, and nobody was asked before');

  const refused = async (what, code) => {
    await world.desk.choose(TRAY[FIRST].update);
    await page.says(/All is better\./);
    await page.click('button', say('settings.update.install'));
    await page.says(new RegExp(say(`errors.${code}.message`)));
    assert.equal(readFileSync(installed, 'utf8'), 'the old program', what);
    await page.click('button', say('settings.update.later'));
    await page.miss('dialog');
    console.log(`ok  ${what} is not installed`);
  };
  const other = Buffer.concat([PACKAGE, Buffer.from('.')]);
  offer = { bytes: other, signature: signer.sign(PACKAGE, VERSION) };
  await refused('a package that is not what was signed', 'update_not_signed');
  offer = { bytes: PACKAGE, signature: new Signer().sign(PACKAGE, VERSION) };
  await refused('a package that another key signed', 'update_not_signed');
  offer = { bytes: PACKAGE, signature: signer.sign(PACKAGE, '1.0.0') };
  await refused('a package that was signed as another version', 'update_not_signed');
  offer = { bytes: PACKAGE, signature: signer.sign(PACKAGE) };
  await refused('a package that was signed as no version', 'update_not_signed');
  // What is signed and no program is refused by who installs it.
  const text = Buffer.from('a text');
  offer = { bytes: text, signature: signer.sign(text, VERSION) };
  await refused('a package that is no program', 'update_not_installed');

  offer = { bytes: PACKAGE, signature: signer.sign(PACKAGE, VERSION), held: true };
  await world.desk.choose(TRAY[FIRST].update);
  await page.says(/All is better\./);
  await page.click('button', say('settings.update.install'));
  await page.see('[role=progressbar]', /\d/);
  await page.click('button', say('settings.update.giveUp'));
  await page.miss('[role=progressbar]');
  await until('the end of the connection', () => offer.left);
  assert.equal(readFileSync(installed, 'utf8'), 'the old program');
  await page.click('button', say('settings.update.later'));
  await page.miss('dialog');
  console.log('ok  what is being fetched is given up');

  offer = { bytes: PACKAGE, signature: signer.sign(PACKAGE, VERSION) };
  await world.desk.choose(TRAY[FIRST].update);
  await page.says(new RegExp(VERSION.replaceAll('.', '\\.')));
  await page.click('button', say('settings.update.install'));
  await until('the new program', () => readFileSync(installed).equals(PACKAGE));
  await until('its start', () => existsSync(`${installed}.ran`));
  await until('the end of the old one', () => world.processes('prompt-manager').length === 0);
  await until('the end of its server', () => world.processes('pm').length === 0);
  assert.deepEqual(new Set(asked), new Set(['/manifest.json', '/package']));
  console.log('ok  the same package with its signature is installed, and started in place of the old one');
} finally {
  await world.page?.leave();
  await world.close();
  channel.close();
  rmSync(place, { recursive: true });
}
