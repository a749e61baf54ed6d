// The pages with what only the window has behind them: a picker of the system, pictures by the
// shell's own scheme. What a browser can see as well is tests/browser's.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KEY, until } from './page.mjs';
import { TRAY, word } from './words.mjs';

const en = (path) => word('en', path);

const TOOL = 'filesystem';
const NOTE = 'note.txt';
const TEXT = 'written in the window 窗口里写的';
/** A script whose picture has one colour that nobody guesses. */
const SCRIPT =
  "const c = getCanvas(320, 200).getContext('2d'); c.fillStyle = '#c2410c'; c.fillRect(0, 0, 320, 200); return 'drawn';";

const runs = (world) => world.page.count('button', /ms|s$/, 'section[aria-label="Earlier runs"]');

/** Fills in the form and waits for its end. */
async function run(world, action, fields) {
  const { page } = world;
  const before = await runs(world);
  await page.choose(/^action/, action);
  for (const [name, value] of Object.entries(fields)) {
    await page.fill('textbox', new RegExp(`^${name}`), value);
  }
  await page.click('button', en('runs.run'));
  await until('the end of the run', async () => (await runs(world)) === before + 1);
  assert.ok((await thisRun(page)).includes(en('runs.done')), await thisRun(page));
}

/** What stands about the run that was started last. */
async function thisRun(page) {
  return page.script(
    'return document.querySelector(`section[aria-label="${arguments[0]}"]`)?.innerText ?? ""',
    en('runs.thisRun'),
  );
}

export const pageSteps = [
  [
    'a folder is chosen in the dialog of the system',
    async (world) => {
      const { page, desk } = world;
      const folder = join(world.documents, 'chosen');
      mkdirSync(folder);
      await page.go(`/tools/${TOOL}/configure`);
      await until('the name of the page on the window', async () => {
        const window = await world.window();
        return window?.title.includes(TOOL) && window.title !== 'Prompt Manager';
      });
      await page.click('button', en('tools.folders.add'));
      await world.dialog(/^Choose a folder$/);
      await desk.ask('type', { text: folder });
      await desk.ask('press', { keys: 'Return' });
      await until('the end of the dialog', async () => {
        return !(await world.window(/^Choose a folder$/))?.shown;
      });
      await page.see('button', en('tools.rights.revokeWhat').replace('{what}', folder));
      await page.see('row', new RegExp(`^${folder}.*${en('tools.rights.state.used')}`));
    },
  ],
  [
    'a dialog that is closed changes nothing',
    async (world) => {
      const { page, desk } = world;
      const revoke = new RegExp(`^${en('tools.rights.revokeWhat').replace('{what}', '')}`);
      const before = await page.count('button', revoke);
      await page.click('button', en('tools.folders.add'));
      await world.dialog(/^Choose a folder$/);
      await desk.ask('press', { keys: 'Escape' });
      await page.see('button', en('tools.folders.add'));
      assert.equal(await page.count('button', revoke), before);
      await page.miss('alert');
    },
  ],
  [
    'a file is written and read through the form',
    async (world) => {
      const { page } = world;
      const file = join(world.documents, 'chosen', NOTE);
      await page.go(`/tools/${TOOL}/run`);
      await run(world, 'write', { path: file, content: TEXT });
      assert.equal(readFileSync(file, 'utf8'), TEXT);
      await run(world, 'read', { path: file });
      await until('what was read', async () => (await thisRun(page)).includes(TEXT));
    },
  ],
  [
    'both runs are in the log',
    async (world) => {
      const { page } = world;
      await page.go(`/tools/${TOOL}/log`);
      await until('two runs in the log', async () => {
        const text = await page.text();
        return text.split('执行完成').length - 1 === 2;
      });
    },
  ],
  [
    'a script draws a picture, which the window shows',
    async (world) => {
      const { page } = world;
      await page.go('/canvas/scratchpad');
      await page.fill('textbox', en('canvas.script'), SCRIPT);
      await page.keys(`${KEY.ctrl}${KEY.enter}${KEY.none}`);
      await page.see('link', en('canvas.showInGallery'));
      await page.click('link', en('canvas.showInGallery'));
      world.picture = await until('the address of the picture', async () => {
        const hash = await page.script('return location.hash');
        return /^#(\/canvas\/[0-9a-f-]{36})$/.exec(hash)?.[1];
      });
      await pictureIsThere(page);
    },
  ],
  [
    'the tray has it, and leads back to it',
    async (world) => {
      const { page, desk } = world;
      const entry = await until('the picture in the tray', async () => {
        const menu = await desk.menu();
        return menu.find(({ text }) => text === TRAY.en.pictures)?.below[0];
      });
      await page.go('/tools');
      await desk.choose(entry.text);
      await until('the picture again', async () => {
        return (await page.script('return location.hash')) === `#${world.picture}`;
      });
      await pictureIsThere(page);
    },
  ],
  [
    'it is zoomed into, and its pixels are read',
    async (world) => {
      const { page } = world;
      const fitted = await percent(page);
      await page.click('button', new RegExp(`^${literal(en('canvas.zoom.in'))}`));
      await until('a larger picture', async () => (await percent(page)) > fitted);
      await page.click('button', new RegExp(`^${literal(en('canvas.zoom.fit'))}`));
      await until('the picture as before', async () => (await percent(page)) === fitted);
      await page.hover('img', null, '.picture-stage');
      await page.says(/#c2410c/i);
    },
  ],
  [
    'it is copied',
    async (world) => {
      await world.page.click('button', new RegExp(`^${literal(en('canvas.copy'))}`));
      const size = await until('a picture in the clipboard', () => {
        return world.desk.ask('clipboard-picture');
      });
      assert.deepEqual(size, [320, 200]);
    },
  ],
  [
    'it is saved where the dialog of the system says',
    async (world) => {
      const { page, desk } = world;
      const file = join(world.documents, 'picture.png');
      await page.click('button', new RegExp(`^${literal(en('canvas.save'))}`));
      await world.dialog(/^Save as$/);
      await desk.ask('press', { keys: 'ctrl+a' });
      await desk.ask('type', { text: file });
      await desk.ask('press', { keys: 'Return' });
      await until('the file', () => existsSync(file));
      assert.equal(readFileSync(file).subarray(1, 4).toString(), 'PNG');
      // What later steps look for after losses.
      world.checkRecords = checkRecords;
    },
  ],
];

/** The two runs, the picture, the folder: nothing of it may be lost. */
async function checkRecords(world) {
  const { page } = world;
  await page.go(`/tools/${TOOL}/run`);
  await until('both runs', async () => (await runs(world)) === 2);
  await page.go(`/tools/${TOOL}/log`);
  await until('two runs in the log', async () => {
    return (await page.text()).split('执行完成').length - 1 === 2;
  });
  await page.go(world.picture);
  await pictureIsThere(page);
  assert.equal(readFileSync(join(world.documents, 'chosen', NOTE), 'utf8'), TEXT);
}

/** Shown by the shell's scheme, and decoded. */
async function pictureIsThere(page) {
  await until('the picture', () =>
    page.script(`
      return [...document.images].some((image) =>
        image.src.startsWith('artifact://') && image.complete && image.naturalWidth === 320)`),
  );
}

async function percent(page) {
  const text = await page.script(`
    return document.querySelector('.stage-bar .percent')?.textContent ?? ''`);
  const number = Number.parseFloat(text);
  assert.ok(number > 0, `a percentage: ${text}`);
  return number;
}

const literal = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
