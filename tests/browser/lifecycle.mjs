// A tool's life in Chromium, against a real server: looked at in a zip archive, installed with what it asks
// for, given a secret, run, run again after an error that can be, broken by an update that is taken back by
// itself, updated, brought back to the version before, removed, and there again; an edited built-in tool; a tool
// of the old layout; and the dialogs as axe sees them, at 1200 and at 400 px.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NARROW, test } from './browser.mjs';
import { counter } from './counter.mjs';
import { findings } from './findings.mjs';
import { person, writeSettings } from './furnish.mjs';
import { temporaryFolder } from './owner.mjs';
import { go, settled } from './walk.mjs';

const TOOL = { hash: '/tools/counter' };

const EDITED = `export default {
  getMetadata: () => ({ name: 'Todo', version: '0.0.1', description: 'Mine' }),
  execute: () => 'mine',
};
`;

async function look(window, name) {
  await settled(window);
  assert.deepEqual(await findings(window), [], name);
  const beyond = await window.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  assert.equal(beyond, 0, `${name} fits`);
}

const press = (window, name) => window.getByRole('button', { name, exact: true }).click();

async function choose(window, item) {
  await window.getByRole('article').getByRole('button', { name: 'More', exact: true }).click();
  // What lies below it must not show through.
  const background = await window
    .getByRole('menu')
    .evaluate((menu) => getComputedStyle(menu).backgroundColor);
  assert.doesNotMatch(background, /transparent|, 0\)|\/ 0\)/);
  await window.getByRole('menuitem', { name: item, exact: true }).click();
}

async function run(window, expected) {
  await window.getByRole('tab', { name: 'Run' }).click();
  await window.getByRole('button', { name: 'Run', exact: true }).click();
  await window.getByRole('region', { name: 'This run' }).getByText(expected).waitFor();
}

await test('lifecycle', async ({ owner, page, step }) => {
  const home = temporaryFolder('lifecycle');
  writeSettings(home, { language: 'en' });
  // Somebody edited a built-in tool; when the program begins again, it puts its own back.
  const builtIn = join(home, 'toolbox/todolist/todolist.tool.js');
  await (await owner(home)).stop();
  writeFileSync(builtIn, EDITED);
  // And an earlier program kept a tool where tools lie no more.
  const old = join(home, 'tools/clock');
  mkdirSync(old, { recursive: true });
  writeFileSync(join(old, 'clock.tool.js'), EDITED);
  const server = await owner(home);
  const call = await person(server);
  const archive = join(server.notes, 'counter.zip');
  const pack = (version, how) => writeFileSync(archive, counter(version, how));
  const window = await page();
  await window.goto((await call('server.link')).url);
  await settled(window);

  step('it is looked at, with what it asks for, and nothing has come');
  pack('1.0.0');
  await press(window, 'Add a tool');
  await window.getByRole('textbox', { name: 'Where from' }).fill(archive);
  await press(window, 'Look at it');
  const coming = window.getByRole('region', { name: 'What would come' });
  await coming.getByText('1.0.0').waitFor();
  const programs = coming.getByRole('checkbox', { name: 'Start programs of this machine' });
  assert.ok(await coming.getByRole('checkbox', { name: /example\.com/ }).isChecked());
  await look(window, 'preview');
  assert.ok(!(await call('tool.list')).tools.some(({ name }) => name === 'counter'));

  step('it is installed with one of two rights, and runs');
  await programs.click();
  await press(window, 'Install');
  await window.getByText('counter 1.0.0 is installed').waitFor();
  const grants = await call('tool.grants', { tool: 'counter' });
  assert.deepEqual(grants.network.effective, ['example.com']);
  assert.equal(grants.processes.effective, false);
  await run(window, '1.0.0 ran 1');

  step('it is given a secret, which nothing shows, and what failed for a moment is run again');
  await window.getByRole('tab', { name: 'Configure' }).click();
  const token = window.getByRole('listitem', { name: 'COUNTER_TOKEN' }).locator('input');
  await token.fill('word-of-the-day');
  await token.press('Enter');
  await window.getByText('COUNTER_TOKEN saved').first().waitFor();
  const { variables } = await call('tool.variables', { tool: 'counter' });
  assert.deepEqual([variables[0].source, variables[0].value.includes('word')], ['file', false]);
  await run(window, 'may help');
  await look(window, 'can be tried again');
  await window.getByRole('region', { name: 'This run' }).getByRole('button', { name: 'Try again' }).click();
  await window.getByRole('region', { name: 'This run' }).getByText('1.0.0 ran 2 for 15').waitFor();
  assert.ok(!(await call('tool.log', { tool: 'counter' })).text.includes('word-of-the-day'));

  step('an update that does not work is taken back by itself');
  pack('2.0.0', { stumbles: true });
  await choose(window, 'Update…');
  assert.equal(await window.getByRole('textbox', { name: 'Where from' }).inputValue(), archive);
  await press(window, 'Look at it');
  await coming.getByText('2.0.0').waitFor();
  await coming.getByText('given already').waitFor();
  await look(window, 'update');
  await press(window, 'Install this version');
  await window.getByText('counter 2.0.0 does not work and was taken back').waitFor();
  await look(window, 'taken back');
  await window.keyboard.press('Escape');
  await run(window, '1.0.0 ran 3');

  step('one that works takes its place, and the one before comes back');
  pack('2.1.0');
  await choose(window, 'Update…');
  await press(window, 'Look at it');
  await coming.getByText('2.1.0').waitFor();
  await press(window, 'Install this version');
  await window.getByText('counter 2.1.0 is installed').waitFor();
  await run(window, '2.1.0 ran 4');
  await choose(window, 'Earlier versions…');
  await window.getByRole('button', { name: 'Go back to 1.0.0' }).waitFor();
  await look(window, 'versions');
  await press(window, 'Go back to 1.0.0');
  await window.getByText('counter is at version 1.0.0 again').waitFor();
  await run(window, '1.0.0 ran 5');

  step('it is removed, and undone');
  await choose(window, 'Remove');
  await window.getByText('counter was removed').waitFor();
  await window.getByRole('option', { name: /counter/ }).waitFor({ state: 'detached' });
  await press(window, 'Undo');
  // Chosen when it is there: what is asked about it before has no answer.
  while (!(await call('tool.list')).tools.some(({ name }) => name === 'counter'));
  await window.getByRole('option', { name: /counter/ }).click();
  await run(window, '1.0.0 ran 6');

  step('an edited built-in tool is compared, kept, and given up');
  await go(window, { hash: '/tools/todolist' });
  await window.getByText('yours lies beside it').waitFor();
  await press(window, 'Compare…');
  await window.getByRole('tab', { name: 'Built in → yours' }).click();
  await window.getByRole('dialog').getByText("execute: () => 'mine',").waitFor();
  await look(window, 'edits');
  await press(window, 'Keep mine');
  await window.getByText('Your edit of this built-in tool runs.').waitFor();
  assert.equal(readFileSync(builtIn, 'utf8'), EDITED);
  await press(window, 'Compare…');
  await press(window, 'Take new');
  await window.getByText('Your edit of this built-in tool runs.').waitFor({ state: 'detached' });
  assert.notEqual(readFileSync(builtIn, 'utf8'), EDITED);

  step('a tool of the old layout was brought in; it is taken back, and brought in again');
  await go(window, { hash: '/tools' });
  const clock = window.getByRole('option', { name: /clock/ });
  await clock.waitFor();
  assert.equal(existsSync(old), false);
  await look(window, 'old layout');
  await press(window, 'Show…');
  const dialog = window.getByRole('dialog');
  await dialog.getByText('In the toolbox.', { exact: true }).waitFor();
  await look(window, 'old tools');
  await press(window, 'Take all back');
  await dialog.getByText('Back in tools/.', { exact: true }).waitFor();
  assert.equal(existsSync(join(old, 'clock.tool.js')), true);
  await press(window, 'Bring in what was left');
  await dialog.getByText('In the toolbox.', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await clock.waitFor();
  await press(window, 'Do not say this again');
  await window.reload();
  await settled(window);
  await clock.waitFor();
  assert.equal(await window.getByText('of the old layout').count(), 0);

  step('the same at 400 px');
  const narrow = await page({ size: NARROW, theme: 'dark' });
  await narrow.goto((await call('server.link')).url);
  await settled(narrow);
  await go(narrow, TOOL);
  await choose(narrow, 'Update…');
  await press(narrow, 'Look at it');
  await narrow.getByRole('region', { name: 'What would come' }).waitFor();
  await look(narrow, 'narrow update');
  // The update that does not work; and whatever asks about the tool just while it is in the trash.
  const refused = (text) =>
    /status of 422 .*\/api\/tool\.install|status of 404 .*\/api\/tool\.(show|shipped|manual)/.test(text);
  assert.deepEqual(window.complaints.filter((text) => !refused(text)), []);
  assert.deepEqual(narrow.complaints, []);
});
