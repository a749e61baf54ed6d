// A person's way through a workspace, in Chromium, against a real server with real walls: bind a
// folder, look at files, run commands and watch, cancel, be refused, be asked; a terminal; history,
// trash; by mouse and by keys; and the page as axe sees it, at 1200 and at 400 px.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findings } from './findings.mjs';
import { NARROW, painted, test, typedInPalette } from './browser.mjs';
import { person, writeSettings } from './furnish.mjs';
import { temporaryFolder } from './owner.mjs';
import { png } from './png.mjs';
import { go, settled } from './walk.mjs';

const MANY = 3000;
/** What the rules want to know of. */
const ASKS = 'mkdir -m 777 box';

/** A folder with what people have in theirs. */
function fill(folder) {
  mkdirSync(join(folder, 'src/deep'), { recursive: true });
  mkdirSync(join(folder, 'many'));
  writeFileSync(join(folder, 'README.md'), '# Site\n\nA *small* site.\n');
  writeFileSync(join(folder, 'src/main.js'), 'export const answer = 42;\n');
  writeFileSync(join(folder, 'src/deep/low.txt'), 'deep down\n');
  writeFileSync(join(folder, 'picture.png'), png(3, 64, 48));
  writeFileSync(join(folder, 'data.bin'), Buffer.from([0, 1, 2, 255, 254, 0, 7, 0]));
  // 工作空间和终端 … in GB 18030.
  const words = 'b9a4d7f7bfd5bce4bacdd6d5b6cbcac7b3ccd0f2d4b1d7eec9cfcad6b5c4b5d8b7bd';
  writeFileSync(join(folder, 'gb.txt'), Buffer.from(words.repeat(4), 'hex'));
  for (let i = 0; i < MANY; i += 1) writeFileSync(join(folder, 'many', `file-${i}.txt`), `${i}\n`);
}

const item = (window, name) => window.getByRole('treeitem', { name, exact: false });
const tab = (window, name) => window.getByRole('tab', { name, exact: true }).click();
const screen = (window) => window.locator('.xterm-rows');

/** Waits until a screen shows the text; a line may be several elements. */
async function shows(window, text) {
  await window.waitForFunction(
    (wanted) =>
      [...document.querySelectorAll('.xterm-rows')].some((rows) => rows.innerText.includes(wanted)),
    text,
  );
}

async function run(window, command) {
  await window.getByRole('textbox', { name: 'Command' }).fill(command);
  await window.keyboard.press('Enter');
  const detail = window.getByRole('region', { name: command, exact: true });
  await detail.waitFor();
  return detail;
}

const state = (detail, text) => detail.locator('.state-mark').filter({ hasText: text }).waitFor();

async function look(window, name) {
  await settled(window);
  assert.deepEqual(await findings(window), [], name);
  const beyond = await window.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  assert.equal(beyond, 0, `${name} fits`);
}

/** What the page complains of, apart from the browser's own report of each refusal. */
const complaints = (window) =>
  window.complaints.filter((text) => !/status of 422 .*\/api\/(workspace\.|terminal\.resize)/.test(text));

await test('workspaces', async ({ owner, page, step }) => {
  const home = temporaryFolder('workspaces');
  writeSettings(home, { language: 'en' });
  const server = await owner(home);
  const folder = join(server.notes, 'site');
  mkdirSync(folder);
  fill(folder);
  const call = await person(server);
  const window = await page();
  await window.goto((await call('server.link')).url);
  await settled(window);

  step('an empty page offers to bind a folder');
  await go(window, { hash: '/workspaces' });
  await look(window, 'empty');
  await window.getByRole('button', { name: 'Bind a folder' }).click();

  step('a folder that may not be bound is refused with words');
  await window.getByRole('textbox', { name: 'Folder' }).fill('/');
  await window.getByRole('textbox', { name: 'Task' }).fill('root');
  await window.getByRole('button', { name: 'Bind', exact: true }).click();
  await window.getByRole('alert').filter({ hasText: 'invalid_workspace_path' }).waitFor();
  await window.getByRole('button', { name: 'Cancel' }).click();

  step('a folder is bound, named after itself');
  await window.getByRole('button', { name: 'Bind a folder' }).click();
  await window.getByRole('textbox', { name: 'Folder' }).fill(folder);
  await window.getByRole('button', { name: 'Bind', exact: true }).click();
  await window.getByRole('heading', { name: 'site', level: 2 }).waitFor();

  step('tree: lazy, and a big folder is drawn in part');
  await item(window, 'README.md').waitFor();
  assert.equal(await item(window, 'main.js').count(), 0);
  await item(window, 'many').click();
  await item(window, 'file-0.txt').waitFor();
  assert.ok((await window.getByRole('treeitem').count()) < 100, 'only what is seen is drawn');
  await item(window, 'many').click();
  await item(window, 'file-0.txt').waitFor({ state: 'detached' });

  step('preview: text, picture, binary, another encoding');
  await item(window, 'src').click();
  await item(window, 'main.js').click();
  await window.getByRole('textbox', { name: 'src/main.js' }).getByText('answer').first().waitFor();
  await item(window, 'picture.png').click();
  await window.getByText('64 × 48').waitFor();
  await item(window, 'data.bin').click();
  await window.getByText('The file holds binary data').waitFor();
  await item(window, 'gb.txt').click();
  await window.getByText('This text is not UTF-8').waitFor();
  await window.getByRole('button', { name: /^Read it as/ }).click();
  await window.getByText('工作空间和终端', { exact: false }).first().waitFor();
  await look(window, 'files');

  step('the tree by keys: Left, Right, Enter');
  await item(window, 'README.md').click();
  await window.keyboard.press('Home');
  await window.keyboard.press('ArrowDown');
  const expanded = () =>
    window.evaluate(() => document.activeElement.getAttribute('aria-expanded'));
  assert.equal(await expanded(), 'true');
  await window.keyboard.press('ArrowLeft');
  assert.equal(await expanded(), 'false');
  await window.keyboard.press('ArrowRight');
  await window.keyboard.press('ArrowRight');
  assert.match(await window.evaluate(() => document.activeElement.textContent), /deep/);
  await window.keyboard.press('ArrowDown');
  await window.keyboard.press('Enter');
  await window.getByRole('region', { name: 'src/main.js' }).waitFor();

  step('a command: its output is seen before its end');
  await tab(window, 'Commands');
  const live = await run(window, 'echo first; until [ -e go-on ]; do sleep 0.05; done; echo second >&2; exit 3');
  await shows(window, 'first');
  await state(live, 'Running');
  writeFileSync(join(folder, 'go-on'), '');
  await state(live, 'Failed');
  await live.getByText('exit code 3').waitFor();
  await shows(window, 'second');
  await live.getByText('Full', { exact: true }).or(live.getByText('Reduced', { exact: true })).waitFor();

  step('the same from the records');
  await tab(window, 'Files');
  await tab(window, 'Commands');
  await window.getByRole('option', { name: /echo first/ }).click();
  await shows(window, 'first');
  await shows(window, 'second');

  step('one is cancelled');
  const long = await run(window, 'echo begun; sleep 300');
  await shows(window, 'begun');
  await long.getByRole('button', { name: 'Cancel' }).click();
  await state(long, 'Cancelled');

  step('a blocked one says why, before and after');
  await window.getByRole('textbox', { name: 'Command' }).fill('sudo ls');
  await window.getByRole('status').filter({ hasText: 'Will be blocked' }).waitFor();
  const blocked = await run(window, 'sudo ls');
  await state(blocked, 'Blocked');
  await blocked.getByRole('alert').filter({ hasText: 'sudo' }).waitFor();
  await blocked.getByText('Rule:').waitFor();

  step('one that must be asked about waits; Allow once lets it run');
  const asked = await run(window, ASKS);
  await state(asked, 'Waits for your answer');
  await look(window, 'a question');
  await window.getByRole('button', { name: 'Allow once' }).click();
  await state(asked, /Done|Failed/);

  step('the question finds the person elsewhere, and can be denied');
  await go(window, { hash: '/settings/about' });
  const refused = call('workspace.run', { taskId: 'site', command: ASKS }).then(
    () => 'ran',
    (error) => error.message,
  );
  await window.getByRole('button', { name: 'Deny' }).click();
  assert.match(await refused, /approval_denied/);
  await window.getByRole('button', { name: 'Deny' }).waitFor({ state: 'detached' });

  step('allowed for the task it is a right, which can be taken back');
  const granted = call('workspace.run', { taskId: 'site', command: ASKS });
  await window.getByRole('button', { name: 'Allow for this task' }).click();
  await granted;
  await go(window, { hash: '/workspaces/site/access' });
  const rights = window.getByRole('list', { name: 'Rights given' });
  await rights.getByText(ASKS).waitFor();
  await look(window, 'access');
  await rights.getByRole('button', { name: /Take back/ }).click();
  await window.getByText('None yet.').waitFor();

  step('the badge says what is weaker');
  await window.getByRole('button', { name: /^Isolation:/ }).click();
  await window.getByText(/No network\.|Full network access\./).first().waitFor();
  assert.ok((await window.locator('.isolation-more').boundingBox()).width < 400, 'it has its looks');
  await look(window, 'isolation');
  await window.keyboard.press('Escape');

  step('a terminal echoes, has its size, obeys Ctrl+C');
  await tab(window, 'Terminal');
  await window.getByRole('button', { name: 'New terminal' }).click();
  await screen(window).waitFor();
  await window.keyboard.type('echo $((6*7))-echoed\n');
  await shows(window, '42-echoed');
  await window.keyboard.type('stty size; printf "\\033[31mred\\033[0m \\033[38;2;10;200;30mtrue\\033[0m\\n"\n');
  // A colour of the sixteen, and one that only a style can say.
  await window.locator('.xterm-rows span').getByText('red', { exact: true }).waitFor();
  const colour = (text) =>
    window
      .locator('.xterm-rows span')
      .getByText(text, { exact: true })
      .evaluate((one) => getComputedStyle(one).color);
  assert.notEqual(await colour('red'), await colour('true'));
  const screenText = await screen(window).innerText();
  assert.match(screenText, /[1-9]\d* [1-9]\d*/);
  // What is typed ahead of Ctrl+C is lost, in every terminal: it comes when the command runs.
  await window.keyboard.type('echo begun-$((3+4)); sleep 300\n');
  await shows(window, 'begun-7');
  await window.keyboard.press('Control+c');
  await shows(window, '^C');
  await window.keyboard.type('echo after-$((1+1))\n');
  await shows(window, 'after-2');
  assert.deepEqual(complaints(window), []);
  await look(window, 'terminal');

  step('paste, and F6 leaves it');
  await window.evaluate(() => navigator.clipboard.writeText('echo pasted-$((2+3))\n'));
  await window.locator('.xterm').click();
  await window.keyboard.press('Control+v');
  await window.keyboard.press('Enter');
  await shows(window, 'pasted-5');
  await window.keyboard.press('F6');
  assert.equal(await window.evaluate(() => document.activeElement.getAttribute('role')), 'tab');

  step('a second terminal; the first is as it was');
  await window.getByRole('button', { name: 'New terminal' }).click();
  await window.getByRole('tab', { name: 'Terminal 2', selected: true }).waitFor();
  await window.getByRole('tab', { name: 'Terminal 1', exact: true }).click();
  await shows(window, 'pasted-5');
  await window.getByRole('button', { name: 'Close Terminal 1' }).click();
  await window.getByRole('tab', { name: 'Terminal 2' }).waitFor({ state: 'detached' });

  step('history: what an agent wrote, its difference, restored');
  await call('workspace.write', { taskId: 'site', path: 'notes.txt', content: 'one\ntwo\n' });
  await call('workspace.write', { taskId: 'site', path: 'notes.txt', content: 'one\nzwei\n' });
  await tab(window, 'History');
  await window.getByRole('option', { name: /notes\.txt/ }).first().click();
  await window.getByRole('row', { name: /removed.*two/ }).waitFor();
  await window.getByRole('row', { name: /added.*zwei/ }).waitFor();
  await look(window, 'history');
  await window.getByRole('button', { name: 'Restore what was before' }).click();
  await window.getByText('notes.txt is restored').waitFor();
  assert.equal(readFileSync(join(folder, 'notes.txt'), 'utf8'), 'one\ntwo\n');

  step('a file is deleted and brought back at once');
  await tab(window, 'Files');
  await item(window, 'notes.txt').click();
  await window.getByRole('region', { name: 'notes.txt' }).getByRole('button', { name: 'Delete' }).click();
  await window.getByText('notes.txt is in the trash').waitFor();
  assert.ok(!existsSync(join(folder, 'notes.txt')));
  await window.getByRole('button', { name: 'Undo' }).last().click();
  await item(window, 'notes.txt').waitFor();

  step('and by the key, and out of the trash');
  await item(window, 'notes.txt').click();
  await window.keyboard.press('Delete');
  await item(window, 'notes.txt').waitFor({ state: 'detached' });
  await tab(window, 'Trash');
  await window.getByRole('button', { name: 'Bring back notes.txt' }).click();
  await window.getByText('The trash is empty').waitFor();
  assert.equal(readFileSync(join(folder, 'notes.txt'), 'utf8'), 'one\ntwo\n');

  step('search, and nothing found');
  await call('workspace.bind', { taskId: 'other', workspacePath: join(server.notes, 'other') });
  await window.keyboard.press('/');
  await window.keyboard.type('oth');
  await window.getByRole('option', { name: /site/ }).waitFor({ state: 'detached' });
  await window.keyboard.type('nothing');
  await window.getByRole('button', { name: 'Clear filter' }).click();
  await window.getByRole('option', { name: /site/ }).waitFor();

  step('the palette opens a terminal');
  await typedInPalette(window, 'New terminal: other', /New terminal: other/);
  await window.keyboard.press('Enter');
  await screen(window).waitFor();
  assert.deepEqual(complaints(window), []);

  step('400 px, dark: list and detail are pages');
  const narrow = await page({ size: NARROW, theme: 'dark' });
  await narrow.goto((await call('server.link')).url);
  await settled(narrow);
  await go(narrow, { hash: '/workspaces' });
  await narrow.getByRole('option', { name: /site/ }).click();
  await narrow.getByRole('heading', { name: 'site', level: 1 }).waitFor();
  for (const part of ['commands', 'terminal', 'history', 'trash', 'access', 'files']) {
    await go(narrow, { hash: part === 'files' ? '/workspaces/site' : `/workspaces/site/${part}` });
    await look(narrow, `400 px ${part}`);
  }
  await item(narrow, 'README.md').click();
  await narrow.getByRole('button', { name: 'Back to the files' }).click();
  await item(narrow, 'README.md').waitFor();
  await painted(narrow);
  assert.deepEqual(complaints(narrow), []);
});
