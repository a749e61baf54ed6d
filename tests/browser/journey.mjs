// A person's way through the page, in Chromium, against a real server with real walls: choose a
// tool, allow a folder, write and read a file by the form, see both runs in the log, allow a tool a
// port of this machine and programs and take both back, draw, zoom, drop a picture, restart, lose the server and get
// it back; and the same at 400 px.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { NARROW, painted, test, typedInPalette } from './browser.mjs';
import { person, writeSettings, writeTool } from './furnish.mjs';
import { temporaryFolder } from './owner.mjs';
import { go, settled } from './walk.mjs';

const TEXT = 'milk\nbread\n';
/** Width and height of a picture that somebody drops. */
const NOISE = [1300, 1200];
const SCRIPT = `// Red on white
const c = getCanvas(64, 48), x = c.getContext('2d');
x.fillStyle = '#ffffff'; x.fillRect(0, 0, 64, 48);
x.fillStyle = '#ff0000'; x.fillRect(16, 12, 32, 24);
console.log('drawn by hand');
return { drawn: true };`;

async function chooseOption(window, name, option) {
  await window.getByRole('combobox', { name }).selectOption({ label: option });
}

/** Fills and runs the form of `filesystem`; gives the section of this run back. */
async function run(window, action, fields) {
  await chooseOption(window, /action/, action);
  for (const [name, value] of Object.entries(fields)) {
    await window.getByRole('textbox', { name: new RegExp(`^${name}\\b`) }).fill(value);
  }
  await window.getByRole('button', { name: 'Run', exact: true }).click();
  const section = window.getByRole('region', { name: 'This run' });
  await section.getByRole('status').filter({ hasText: 'Done' }).waitFor();
  return section;
}

/** Replaces what an editor holds. */
async function type(window, label, text) {
  const editor = window.getByRole('textbox', { name: label });
  await editor.click();
  // Emptied first: over a coloured selection Chromium's own editing puts a style attribute in, and
  // then complains about it.
  await window.keyboard.press('Control+A');
  await window.keyboard.press('Delete');
  await window.keyboard.insertText(text);
}

/** The colour in the middle of the picture that is shown, read from the screen. */
async function middle(window, image) {
  const box = await image.boundingBox();
  const png = await window.screenshot({
    clip: { x: box.x + box.width / 2, y: box.y + box.height / 2, width: 1, height: 1 },
  });
  return window.evaluate(async (bytes) => {
    const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(1, 1);
    const context = canvas.getContext('2d');
    context.drawImage(bitmap, 0, 0);
    return [...context.getImageData(0, 0, 1, 1).data];
  }, [...png]);
}

/** Asks for a port of this machine and for programs, and says how far it came with both. */
const visitor = (port) => `
import { execFileSync } from 'node:child_process';
const told = async (what) => { try { return await what(); } catch (error) { return 'refused'; } };
export default {
  getMetadata: () => ({ name: 'Visitor', version: '1.0.0', description: 'Goes out' }),
  getRuntimeConfig: () => ({ networkAccess: { loopback: [${port}] }, processes: true }),
  async execute() {
    const network = await told(async () => (await fetch('http://localhost:${port}/')).text());
    const program = await told(() => execFileSync('echo', ['said']).toString().trim());
    return \`network: \${network}, program: \${program}\`;
  },
};
`;

async function visit(window, expected) {
  await window.getByRole('tab', { name: 'Run' }).click();
  await window.getByRole('button', { name: 'Run', exact: true }).click();
  await window.getByRole('region', { name: 'This run' }).getByText(expected).waitFor();
  await window.getByRole('tab', { name: 'Configure' }).click();
}

/** A server of this machine, outside of every wall. */
async function greeter() {
  const server = createServer((_, answer) => answer.end('hello'));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: server.address().port, close: () => server.close() };
}

async function logShows(window, texts) {
  const log = window.getByRole('log');
  for (const text of texts) await log.getByRole('option').filter({ hasText: text }).first().waitFor();
}

await test('journey', async ({ owner, page, step }) => {
  const home = temporaryFolder('journey');
  writeSettings(home, { language: 'en' });
  const outside = await greeter();
  writeTool(home, 'visitor', visitor(outside.port));
  const server = await owner(home);
  const folder = server.notes;
  const window = await page();

  step('the page opens by its link, once');
  await window.goto(server.link);
  await settled(window);
  assert.ok(!window.url().includes('code='));
  const second = await page();
  await second.goto(server.link);
  await settled(second);
  assert.equal(await second.getByRole('heading', { name: 'Tools', level: 1 }).count(), 0);
  await second.context().close();
  await window.getByRole('heading', { name: 'Tools', level: 1 }).waitFor();

  step('who is new is led to a folder, a client and a picture');
  const first = window.getByRole('region', { name: 'First steps' });
  assert.equal(await first.getByRole('link').count(), 3);
  await first.getByRole('link', { name: /Allow a folder/ }).click();
  await window.getByRole('tab', { name: 'Configure', selected: true }).waitFor();
  await go(window, { hash: '/tools' });

  step('filesystem is chosen');
  await window.getByRole('option', { name: /filesystem/ }).click();
  await window.getByRole('tab', { name: 'Manual', selected: true }).waitFor();

  step('a folder is allowed');
  await window.getByRole('tab', { name: 'Configure' }).click();
  await window.getByRole('textbox', { name: 'Folder', exact: true }).fill(folder);
  await window.getByRole('button', { name: 'Grant folder' }).click();
  await window.getByRole('list', { name: 'Folders of the tool' }).getByText(folder).waitFor();

  step('a file is written by the form');
  await window.getByRole('tab', { name: 'Run' }).click();
  // A required choice that is not made is said, and nothing runs.
  await window.getByRole('button', { name: 'Run', exact: true }).click();
  await window.getByText('This is required.').first().waitFor();
  await run(window, 'write', { path: join(folder, 'list.txt'), content: TEXT });
  assert.equal(readFileSync(join(folder, 'list.txt'), 'utf8'), TEXT);

  step('and read');
  const read = await run(window, 'read', { path: join(folder, 'list.txt') });
  await read.getByText('milk').first().waitFor();

  step('a file outside is refused, with help');
  await window.getByRole('textbox', { name: /^path\b/ }).fill('/etc/shadow');
  await window.getByRole('button', { name: 'Run', exact: true }).click();
  const refused = window.getByRole('region', { name: 'This run' });
  await refused.getByRole('status').filter({ hasText: 'Failed' }).waitFor();
  await refused.getByText(/路径越权|outside/).first().waitFor();

  step('all runs are in the log');
  await window.getByRole('tab', { name: 'Log' }).click();
  await logShows(window, ['"action":"write"', '"action":"read"', '执行失败']);

  step('a new run appears in the open log by itself');
  const call = await person({ url: server.url, link: (await furtherLink(server, window)).url });
  await call('tool.run', { tool: 'filesystem', parameters: { action: 'stat', path: join(folder, 'list.txt') } });
  await logShows(window, ['"action":"stat"']);

  step('a port and programs are asked for, granted and taken back');
  await go(window, { hash: '/tools/visitor/run' });
  await visit(window, 'network: refused, program: refused');
  const what = `port ${outside.port} of this machine`;
  await window.getByRole('button', { name: `Grant ${what}` }).click();
  await window.getByRole('button', { name: `Revoke the grant for ${what}` }).waitFor();
  await visit(window, 'network: hello, program: refused');
  await window.getByRole('button', { name: 'Grant starting programs' }).click();
  await window.getByRole('button', { name: 'Revoke the grant for starting programs' }).click();
  await window.getByRole('button', { name: 'Undo' }).click();
  await window.getByRole('button', { name: 'Revoke the grant for starting programs' }).waitFor();
  await window.getByRole('button', { name: `Revoke the grant for ${what}` }).click();
  await window.getByRole('button', { name: `Grant ${what}` }).waitFor();
  await visit(window, 'network: refused, program: said');
  await window.getByRole('button', { name: 'Undo' }).click();
  await visit(window, 'network: hello, program: said');
  outside.close();

  step('a script draws');
  await go(window, { hash: '/canvas/scratchpad' });
  await type(window, 'Script', SCRIPT);
  await window.keyboard.press('Control+Enter');
  await window.getByText('drawn by hand').waitFor();
  const drawn = window.getByRole('img').first();
  await drawn.waitFor();

  step('an error marks its line');
  await type(window, 'Script', 'const a = 1;\nnope();');
  await window.keyboard.press('Control+Enter');
  await window.getByText(/nope is not defined/).first().waitFor();
  await window.getByRole('button', { name: 'Go to line 2' }).waitFor();

  step('the picture is in the gallery, is opened and zoomed');
  await go(window, { hash: '/canvas' });
  await window.getByRole('link', { name: /Red on white/ }).click();
  const image = window.getByRole('img', { name: /Red on white/ }).last();
  await image.waitFor();
  await window.getByRole('button', { name: /click for actual size/ }).click();
  await painted(window);
  assert.equal(Math.round((await image.boundingBox()).width), 64);
  await window.getByRole('button', { name: 'Zoom in' }).click();
  await painted(window);
  assert.ok((await image.boundingBox()).width > 64);
  assert.deepEqual(await middle(window, image), [255, 0, 0, 255]);

  step('deleted and brought back');
  await window.getByRole('button', { name: 'Delete' }).click();
  await window.getByText(/“Red on white” deleted/).waitFor();
  await window.getByRole('button', { name: 'Undo' }).click();
  await go(window, { hash: '/canvas' });
  await window.getByRole('link', { name: /Red on white/ }).waitFor();

  step('a picture of megabytes falls on the page, and is kept when she says so');
  const dropped = await window.evaluateHandle(async ([width, height]) => {
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d');
    const noise = context.createImageData(width, height);
    // Bytes that do not compress: the picture is as large in a file.
    for (let at = 0; at < noise.data.length; at += 65_536) {
      crypto.getRandomValues(noise.data.subarray(at, at + 65_536));
    }
    for (let at = 3; at < noise.data.length; at += 4) noise.data[at] = 255;
    context.putImageData(noise, 0, 0);
    const content = await canvas.convertToBlob({ type: 'image/png' });
    const files = new DataTransfer();
    files.items.add(new File([content], 'noise.png', { type: 'image/png' }));
    return files;
  }, NOISE);
  assert.ok(await dropped.evaluate(({ files }) => files[0].size > 4 << 20));
  for (const kind of ['dragenter', 'dragover', 'drop']) {
    await window.dispatchEvent('main', kind, { dataTransfer: dropped });
  }
  await window.getByRole('dialog', { name: /noise\.png/ }).waitFor();
  await window.getByRole('button', { name: /Keep in the gallery/ }).click();
  const kept = window.getByRole('img', { name: /noise\.png/ }).last();
  await kept.waitFor();
  assert.deepEqual(
    await kept.evaluate(async (image) => {
      await image.decode();
      return [image.naturalWidth, image.naturalHeight];
    }),
    NOISE,
  );
  assert.match(window.url(), /#\/canvas\/[0-9a-f-]{36}$/);

  step('two of the first steps are done; they are put away, and the settings bring them back');
  await go(window, { hash: '/tools' });
  await first.getByRole('link', { name: /^Allow a folder done/ }).waitFor();
  await first.getByRole('link', { name: /^Draw a picture done/ }).waitFor();
  await first.getByRole('link', { name: /^Connect a client Give/ }).waitFor();
  await first.getByRole('button', { name: 'Dismiss' }).click();
  await first.waitFor({ state: 'detached' });
  await go(window, { hash: '/settings/general' });
  await window.getByRole('button', { name: 'Show again' }).click();
  await first.waitFor();

  step('the palette begins something new');
  await typedInPalette(window, 'add a tool', /Add a tool/);
  await window.keyboard.press('Enter');
  await window.getByRole('dialog', { name: 'Add a tool' }).waitFor();
  assert.ok(!window.url().includes('add='));
  await window.keyboard.press('Escape');

  step('a skill is made, given to a client, and what is changed there is taken over');
  await window.getByRole('link', { name: 'Prompts' }).click();
  await window.getByRole('radio', { name: 'Skills' }).check({ force: true });
  await window.getByRole('button', { name: 'New skill' }).first().click();
  const form = window.getByRole('dialog');
  await form.getByRole('textbox', { name: 'Name' }).fill('pdf-tools');
  await form.getByRole('textbox', { name: 'What it does' }).fill('Reads PDF files');
  await form.getByRole('button', { name: 'Create' }).click();
  await window.getByRole('tab', { name: 'Clients' }).click();
  await window.getByRole('button', { name: 'Clients…' }).first().click();
  await window.getByRole('dialog').getByRole('combobox', { name: 'Cursor' }).selectOption({ label: 'Copy' });
  await window.keyboard.press('Escape');
  await window.getByText('copied, up to date').waitFor();
  const theirs = join(server.home, '.cursor/skills/pdf-tools/SKILL.md');
  writeFileSync(theirs, readFileSync(theirs, 'utf8').replace('# pdf-tools', '# Changed there'));
  await window.getByText('changed there', { exact: true }).waitFor();
  await window.getByRole('button', { name: 'Compare…' }).click();
  await window.getByRole('cell', { name: '# Changed there' }).waitFor();
  await window.getByRole('button', { name: 'Take theirs' }).click();
  await window.getByText('copied, up to date').waitFor();
  await window.getByRole('tab', { name: 'Text' }).click();
  await window.getByRole('heading', { name: 'Changed there' }).waitFor();

  step('the language is switched, live');
  await go(window, { hash: '/settings/general' });
  await window.getByRole('radio', { name: '简体中文' }).check();
  await window.getByRole('heading', { name: '通用', level: 1 }).waitFor();
  await window.getByRole('radio', { name: 'English' }).check();
  await window.getByRole('heading', { name: 'General', level: 1 }).waitFor();
  assert.deepEqual(window.complaints, []);

  step('the server is killed under the open page: it says so');
  await go(window, { hash: '/tools/filesystem/log' });
  await server.kill();
  await window.getByText('The server is away.').waitFor();

  step('it comes back, and so does the page, by itself');
  await server.start();
  await window.getByText('The server is away.').waitFor({ state: 'detached' });
  // What failed on the way is the browser's own report of a server that was away.
  window.complaints.length = 0;
  await logShows(window, ['"action":"write"', '"action":"stat"']);

  step('nothing is lost');
  await go(window, { hash: '/canvas' });
  await window.getByRole('link', { name: /Red on white/ }).waitFor();
  await go(window, { hash: '/tools/filesystem/configure' });
  await window.getByRole('list', { name: 'Folders of the tool' }).getByText(folder).waitFor();
  await go(window, { hash: '/tools/filesystem/run' });
  await run(window, 'read', { path: join(folder, 'list.txt') });
  await go(window, { hash: '/activity' });
  await window.getByText('run_javascript').filter({ visible: true }).first().waitFor();
  assert.deepEqual(window.complaints, []);

  const narrow = await page({ size: NARROW, theme: 'dark' });
  step('400 px: list and detail are pages');
  const again = await furtherLink(server, window);
  await narrow.goto(again.url);
  await settled(narrow);
  await narrow.getByRole('option', { name: /filesystem/ }).click();
  await narrow.getByRole('heading', { level: 1 }).filter({ hasText: /文件|filesystem/i }).waitFor();
  assert.equal(await narrow.getByRole('option', { name: /todolist/ }).count(), 0);
  await narrow.getByRole('button', { name: 'Back to the list' }).click();
  await narrow.getByRole('option', { name: /todolist/ }).waitFor();

  step('400 px: the form, its result and the log');
  await go(narrow, { hash: '/tools/filesystem/run' });
  await run(narrow, 'read', { path: join(folder, 'list.txt') });
  await go(narrow, { hash: '/tools/filesystem/log' });
  await logShows(narrow, ['执行完成']);

  step('400 px: script and picture');
  await go(narrow, { hash: '/canvas/scratchpad' });
  await type(narrow, 'Script', SCRIPT);
  await narrow.getByRole('button', { name: 'Run', exact: true }).click();
  await narrow.getByText('drawn by hand').waitFor();
  for (const hash of ['/tools', '/canvas', '/activity', '/settings/general']) {
    await go(narrow, { hash });
    const beyond = await narrow.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    assert.equal(beyond, 0, `${hash} fits into 400 px`);
  }
  assert.deepEqual(narrow.complaints, []);
});

/** A further one-time link, asked for by the page that is open. */
async function furtherLink(server, window) {
  const token = await window.evaluate(() => sessionStorage.getItem('pm.session'));
  const answer = await fetch(`${server.url}/api/server.link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: '{}',
  });
  return answer.json();
}
