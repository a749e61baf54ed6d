// A person's way through a notebook, in Chromium, against a real server: cells that share what they make, ask and
// draw; an edit upstream; a cell that she does herself; a kill while one waits; and the page as axe sees it, at 1200
// and at 400 px.

import assert from 'node:assert/strict';
import { findings } from './findings.mjs';
import { NARROW, test } from './browser.mjs';
import { person, writeSettings } from './furnish.mjs';
import { temporaryFolder } from './owner.mjs';
import { go, settled } from './walk.mjs';

const button = (within, name) => within.getByRole('button', { name, exact: true });

async function look(window, name) {
  await settled(window);
  assert.deepEqual(await findings(window), [], name);
  const beyond = await window.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  assert.equal(beyond, 0, `${name} fits`);
}

const cell = (window, name) => window.locator(`[data-cell="${name}"]`);
const state = (window, name, text) =>
  cell(window, name).locator('.state-mark').filter({ hasText: text }).waitFor();

/** Writes a cell at the end and has it run by the keys. */
async function append(window, text, { needs } = {}) {
  const composer = window.getByRole('form', { name: 'New cell' });
  await composer.getByRole('combobox', { name: 'Run by' }).selectOption('javascript');
  if (needs !== undefined) await composer.getByRole('textbox', { name: 'Needs' }).fill(needs);
  const editor = composer.getByRole('textbox', { name: 'Text of the new cell' });
  await write(editor, text);
  await editor.press('Control+Enter');
}

/** Emptied first: what Chromium puts in place of coloured text brings its style along, which the page's policy blocks. */
async function write(editor, text) {
  await editor.press('Control+A');
  await editor.press('Delete');
  await editor.page().keyboard.insertText(text);
}

await test('cells', async ({ owner, page, step }) => {
  const home = temporaryFolder('cells');
  writeSettings(home, { language: 'en' });
  const server = await owner(home);
  const call = await person(server);
  const window = await page();
  await window.goto((await call('server.link')).url);
  await settled(window);

  step('an empty page offers a notebook');
  await go(window, { hash: '/cells' });
  await look(window, 'empty');
  await button(window, 'New notebook').click();
  await window.getByRole('textbox', { name: 'Title' }).fill('Circles');
  await button(window, 'Create').click();
  await window.getByRole('heading', { name: 'Circles', level: 2 }).waitFor();
  const { canvases } = await call('cells.list', { removed: false });
  const [{ id }] = canvases;

  step('cells share what they make');
  await append(window, 'const radius = 20;\nradius');
  await state(window, 'User:0', 'done');
  await cell(window, 'Arena:0').getByText('20', { exact: true }).waitFor();

  step('one asks, and is answered');
  await append(window, "const name = input('Who?');\nprint('hello ' + name)", { needs: '' });
  await state(window, 'User:1', 'waits for an answer');
  await look(window, 'a question');
  await window.getByRole('textbox', { name: 'Who?' }).fill('Ada');
  await window.keyboard.press('Enter');
  await window.getByText('hello Ada', { exact: true }).waitFor();
  await state(window, 'User:1', 'done');

  step('one draws, and needs the first');
  await append(
    window,
    "const ctx = getCanvas(60, 40).getContext('2d');\nctx.fillRect(0, 0, radius, radius);\nradius * 2",
    { needs: 'User:0' },
  );
  await state(window, 'User:3', 'done');
  const pictures = window.getByRole('img', { name: /^Picture of Arena:/ });
  await pictures.waitFor();
  const drawn = await pictures.evaluate((one) => [one.naturalWidth, one.naturalHeight]);
  assert.deepEqual(drawn, [60, 40]);
  await window.getByRole('navigation', { name: 'What needs what' }).getByText('User:3').waitFor();
  await look(window, 'a picture');

  step('an edit upstream makes it stale, and it is run again');
  await button(window, 'Edit User:0').click();
  const editor = cell(window, 'User:0').getByRole('textbox');
  await write(editor, 'const radius = 30;\nradius');
  await button(window, 'Save only').click();
  await state(window, 'User:3', 'out of date');
  await look(window, 'stale');
  await button(window, 'Run User:0 and what needs it').click();
  await window.getByText('60', { exact: true }).waitFor();
  await state(window, 'User:3', 'done');

  step('what a model delegates to the person as its shell comes by itself, and is done');
  const delegated = { targetCognitor: 'User', executionContext: 'local_bash_shell', text: 'ls' };
  const draft = { originator: 'Bot', type: 'EXEC', dependsOn: [], flags: [], ...delegated };
  await call('cells.append', { canvas: id, cell: draft });
  await window.getByRole('textbox', { name: 'User is to do this' }).fill('a.png\nb.png');
  await look(window, 'delegated');
  await button(window, 'Done').click();
  await state(window, 'Bot:0', 'done');
  await window.getByText('a.png').waitFor();

  step('killed while one waits, it waits still');
  await append(window, "const again = input('Again?');\nprint('yes ' + again + ' ' + radius)", { needs: '' });
  await window.getByRole('textbox', { name: 'Again?' }).waitFor();
  await server.kill();
  await server.start();
  const again = await person(server);
  const after = await page();
  await after.goto((await again('server.link')).url);
  await settled(after);
  await go(after, { hash: `/cells/${id}` });
  await after.getByRole('textbox', { name: 'Again?' }).fill('of course');
  await button(after, 'Answer').click();
  await after.getByText('yes of course 30', { exact: true }).waitFor();

  step('as a text it is put back, and what is wrong with it is said');
  await go(after, { hash: `/cells/${id}/source` });
  const source = after.getByRole('textbox', { name: 'Source of the notebook' });
  await source.waitFor();
  await button(after, 'Check').click();
  await after.getByText(/cells, nothing to mend/).waitFor();
  await look(after, 'source');

  step('it is removed, and undone');
  await go(after, { hash: `/cells/${id}` });
  await button(after.getByRole('article').first(), 'More').click();
  await after.getByRole('menuitem', { name: 'Remove', exact: true }).click();
  await button(after, 'Undo').click();
  await after.getByRole('option', { name: /Circles/ }).waitFor();

  step('at 400 px');
  const narrow = await page({ size: NARROW, theme: 'dark' });
  await narrow.goto((await again('server.link')).url);
  await settled(narrow);
  await go(narrow, { hash: `/cells/${id}` });
  await cell(narrow, 'User:3').waitFor();
  await look(narrow, 'narrow');
  assert.deepEqual([...window.complaints.filter((text) => !/api\/(events|cells\.(open|list))/.test(text)), ...narrow.complaints], []);
});
