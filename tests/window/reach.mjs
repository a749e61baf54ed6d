// What leads into the window from outside it: favourite tools and prompts in the tray, keys of the
// whole desktop, another launch.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KEY, until } from './page.mjs';
import { TRAY, word } from './words.mjs';

const en = (path) => word('en', path);

const TOOL = 'filesystem';

async function entry(world, text) {
  return (await world.desk.menu()).find((one) => one.text === text);
}

/** The search for prompts is open, with nothing typed. */
async function asksForPrompt(page) {
  await page.see('combobox', en('palette.prompts.name'));
}

async function leaveSearch(page) {
  await page.keys(KEY.escape);
  await page.miss('combobox', en('palette.prompts.name'));
}

export const reachSteps = [
  [
    'a favourite tool is first in the list, and in the tray, which leads to its form',
    async (world) => {
      const { page } = world;
      assert.equal((await entry(world, TRAY.en.tools)).enabled, false);
      await page.go(`/tools/${TOOL}/manual`);
      await page.click('button', en('tools.favourite.name'));
      const offered = await until('the tool in the tray', async () => {
        return (await entry(world, TRAY.en.tools)).below[0];
      });
      assert.equal(offered.text, TOOL);
      const first = 'return document.querySelector("[role=option]").innerText';
      await until('the first of the list', async () => (await page.script(first)).includes(TOOL));
      await page.go('/activity');
      await world.desk.choose(TOOL);
      await until('its form', async () => {
        return (await page.script('return location.hash')) === `#/tools/${TOOL}/run`;
      });
      await page.see('button', en('runs.run'));
    },
  ],
  [
    'the tray asks for a prompt wherever the page is',
    async (world) => {
      const { page } = world;
      await page.go('/activity');
      await world.desk.choose(TRAY.en.find);
      await asksForPrompt(page);
      assert.equal(await page.script('return location.hash'), '#/activity');
      await leaveSearch(page);
    },
  ],
  [
    'so do keys that the person chose, when the window is closed as well',
    async (world) => {
      const { page, desk } = world;
      await page.go('/settings/general');
      await page.click('button', en('settings.general.shortcut.choose'));
      await page.keys(`${KEY.ctrl}${KEY.alt}p${KEY.none}`);
      await page.see('button', en('settings.general.shortcut.clear'));
      assert.equal(readFileSync(join(world.home, 'window/shortcut'), 'utf8'), 'ctrl+alt+p');
      await world.closeWindow();
      await world.shows(false);
      await desk.ask('press', { keys: 'ctrl+alt+p' });
      await world.shows(true);
      await asksForPrompt(page);
      await leaveSearch(page);
    },
  ],
  [
    'keys that another program has are refused, and the old ones stay',
    async (world) => {
      const { page, desk } = world;
      await desk.ask('grab', { keys: 'ctrl+alt+o' });
      await page.click('button', new RegExp(`^${en('settings.general.shortcut.choose')}`));
      await page.keys(`${KEY.ctrl}${KEY.alt}o${KEY.none}`);
      await page.says(new RegExp(en('errors.shortcut_taken.message')));
      assert.equal(readFileSync(join(world.home, 'window/shortcut'), 'utf8'), 'ctrl+alt+p');
      await desk.ask('press', { keys: 'ctrl+alt+p' });
      await asksForPrompt(page);
      await leaveSearch(page);
      await page.click('button', en('settings.general.shortcut.clear'));
      await until('no keys', () => !existsSync(join(world.home, 'window/shortcut')));
    },
  ],
  [
    'and another launch that says so',
    async (world) => {
      await world.page.go('/activity');
      assert.equal(await world.launchAgain('--find'), 0);
      await asksForPrompt(world.page);
      await leaveSearch(world.page);
    },
  ],
  [
    'a folder that falls on the window is asked about, and becomes a workspace',
    async (world) => {
      const { page, desk } = world;
      const folder = join(world.folder, 'fallen here');
      mkdirSync(folder);
      writeFileSync(join(folder, 'note.txt'), 'fell with it');
      await page.go('/activity');
      const { window } = await world.window();
      const over = { window, paths: [folder], to: [700, 500] };
      assert.equal(await desk.ask('drag', over), true);
      await page.see('dialog', en('dropped.title').replace('{name}', 'fallen here'));
      assert.equal(await page.script('return location.hash'), '#/activity', 'nothing else is done');
      await page.click('button', new RegExp(en('dropped.use.workspace.name')));
      await page.fill('textbox', en('workspaces.bind.task'), 'fallen');
      await page.click('button', en('workspaces.bind.do'));
      await until('its files', async () => {
        return (await page.script('return location.hash')).startsWith('#/workspaces/fallen');
      });
      await page.says(/note\.txt/);
    },
  ],
];
