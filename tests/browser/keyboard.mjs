// The journey by keyboard alone: nothing in here moves or clicks a mouse.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { painted, test, typedInPalette } from './browser.mjs';
import { furnishCells, furnishPrompts, furnishServers, furnishSkills, person, writeSettings } from './furnish.mjs';
import { temporaryFolder } from './owner.mjs';
import { FULL, settled } from './walk.mjs';

/** More stops than any page has between two things that belong to one step. */
const STOPS = 80;

/** Who has the focus: role, accessible name, and whether it can be seen to have it. */
async function focused(window) {
  return window.evaluate(() => {
    const element = document.activeElement;
    const by = (ids) =>
      (ids ?? '')
        .split(/\s+/)
        .map((id) => document.getElementById(id)?.textContent ?? '')
        .join(' ');
    const name =
      by(element.getAttribute('aria-labelledby')) ||
      element.getAttribute('aria-label') ||
      [...(element.labels ?? [])].map((label) => label.textContent).join(' ') ||
      element.textContent ||
      element.title;
    const style = getComputedStyle(element);
    // The ring is drawn by the element, its label, or the box that it fills.
    const boxes = [element, ...(element.labels ?? [])];
    for (let box = element.parentElement, i = 0; box && i < 4; box = box.parentElement, i += 1) {
      if (box.matches(':focus-within')) boxes.push(box);
    }
    const ringed = boxes.some((box) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(box);
      return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1;
    });
    return {
      tag: element.tagName.toLowerCase(),
      role: element.getAttribute('role') ?? '',
      // Keeps Tab for itself until Escape.
      editor: element.classList.contains('cm-content'),
      name: name.replace(/\s+/g, ' ').trim(),
      seen: ringed && style.visibility !== 'hidden',
    };
  });
}

async function walkTo(window, what, holds, key = 'Tab') {
  const met = [];
  for (let i = 0; i < STOPS; i += 1) {
    const now = await focused(window);
    if (holds(now)) {
      assert.ok(now.seen, `the focus on ${now.name} can be seen`);
      return now;
    }
    met.push(`${now.role || now.tag} "${now.name.slice(0, 40)}"`);
    if (now.editor) await window.keyboard.press('Escape');
    await window.keyboard.press(key);
  }
  throw new Error(`no ${what} by ${key} among\n${met.join('\n')}`);
}

const named = (name, kinds) => (now) =>
  (name instanceof RegExp ? name.test(now.name) : now.name === name) &&
  (kinds === undefined || kinds.includes(now.role) || kinds.includes(now.tag));
const BUTTON = ['button'];
const FIELD = ['input', 'textarea', 'textbox'];

async function press(window, ...keys) {
  for (const key of keys) await window.keyboard.press(key);
}

async function fill(window, name, text) {
  await walkTo(window, `field ${name}`, named(name, FIELD));
  await press(window, 'Control+A');
  await window.keyboard.insertText(text);
}

/** Chooses a tab of the tool by the arrows of the tab list. */
async function tab(window, name) {
  await walkTo(window, 'tabs of the tool', (now) => now.role === 'tab', 'Shift+Tab');
  await walkTo(window, `tab ${name}`, named(name, ['tab']), 'ArrowRight');
  await press(window, 'Enter');
  await window.getByRole('tab', { name, selected: true }).waitFor();
}

/** Chooses in a list by its first letters, as lists of the system have it. */
async function choose(window, name, option) {
  await walkTo(window, `choice ${name}`, (now) => now.tag === 'select' && name.test(now.name));
  await window.keyboard.type(option);
  const chosen = await window.evaluate(() => document.activeElement.selectedOptions[0].textContent);
  assert.equal(chosen.trim(), option);
}

async function palette(window, words, option) {
  await typedInPalette(window, words, option);
  await press(window, 'Enter');
  await window.getByRole('dialog').waitFor({ state: 'detached' });
}

await test('keyboard', async ({ owner, page, step }) => {
  const home = temporaryFolder('keyboard');
  writeSettings(home, { language: 'en' });
  const server = await owner(home);
  const folder = server.notes;
  const call = await person(server);
  await furnishPrompts(call);
  await furnishSkills(server, call);
  await furnishServers(server, call);
  await furnishCells(call);
  const window = await page();
  await window.goto((await call('server.link')).url);
  await settled(window);

  step('the first stop skips the rail');
  await press(window, 'Tab');
  assert.equal((await focused(window)).name, 'Skip to content');
  await press(window, 'Enter');

  step('a tool is found by its search and chosen by an arrow');
  await press(window, '/');
  await window.keyboard.type('files');
  await window.keyboard.press('Control+A');
  await window.keyboard.type('filesystem');
  await press(window, 'ArrowDown', 'Enter');
  await window.getByRole('tab', { name: 'Manual', selected: true }).waitFor();

  step('a folder is allowed');
  await walkTo(window, 'tabs', (now) => now.role === 'tab');
  await walkTo(window, 'tab Configure', named('Configure', ['tab']), 'ArrowRight');
  await press(window, 'Enter');
  await fill(window, 'Folder', folder);
  await press(window, 'Enter');
  await window.getByRole('list', { name: 'Folders of the tool' }).getByText(folder).waitFor();

  step('the form: a file is written');
  await tab(window, 'Run');
  await choose(window, /^action/, 'write');
  await fill(window, /^path\b/, join(folder, 'keys.txt'));
  await fill(window, /^content\b/, 'typed');
  await press(window, 'Control+Enter');
  await window
    .getByRole('region', { name: 'This run' })
    .getByRole('status')
    .filter({ hasText: 'Done' })
    .waitFor();
  assert.equal(readFileSync(join(folder, 'keys.txt'), 'utf8'), 'typed');

  step('its history, and the log');
  await walkTo(window, 'a run of the history', (now) => now.tag === 'button' && /pm|web|page/i.test(now.name) && / ms| s/.test(now.name));
  await press(window, 'Enter');
  await window.getByRole('button', { name: 'Run again' }).first().waitFor();
  await tab(window, 'Log');
  await walkTo(window, 'the records', named('Records', ['listbox']));
  await press(window, 'Home', 'ArrowDown');
  assert.ok(
    await window.evaluate(() => document.activeElement.getAttribute('aria-activedescendant')),
    'an arrow moves in the log',
  );

  step('the palette leads to the scratchpad');
  await palette(window, 'New script', /New script/);
  await settled(window);

  step('the editor is no trap: Escape, then Tab');
  await walkTo(window, 'the editor', named('Script', ['textbox', 'div']));
  await press(window, 'Escape', 'Tab');
  assert.notEqual((await focused(window)).name, 'Script');

  step('a script is written and run');
  await walkTo(window, 'the editor', named('Script', ['textbox', 'div']), 'Shift+Tab');
  await press(window, 'Control+A', 'Delete');
  await window.keyboard.insertText(
    "// By keys\nconst x = getCanvas(40, 30).getContext('2d'); x.fillRect(0, 0, 40, 30); console.log('drawn'); return 1;",
  );
  await press(window, 'Control+Enter');
  await window.getByText('drawn', { exact: true }).waitFor();

  step('the picture is zoomed');
  await palette(window, 'By keys', /By keys/);
  await settled(window);
  const image = window.getByRole('img', { name: /By keys/ }).last();
  await image.waitFor();
  await walkTo(window, 'Zoom in', named('Zoom in', BUTTON));
  const before = (await image.boundingBox()).width;
  await press(window, 'Enter');
  await painted(window);
  assert.ok((await image.boundingBox()).width > before);

  step('it is deleted and brought back');
  await walkTo(window, 'Delete', named('Delete', BUTTON), 'Shift+Tab');
  await press(window, 'Enter');
  await window.getByText(/“By keys” deleted/).waitFor();
  await walkTo(window, 'Undo', named('Undo', BUTTON));
  await press(window, 'Enter');
  await palette(window, 'Canvas', /Canvas/);
  await window.getByRole('link', { name: /By keys/ }).waitFor();

  step('a folder is bound, a command runs, a terminal is left');
  await typedInPalette(window, 'Bind a folder', /Bind a folder/);
  await press(window, 'Enter');
  await window.getByRole('dialog', { name: 'Bind a folder to a task' }).waitFor();
  await fill(window, 'Folder', join(folder, 'keys'));
  await press(window, 'Enter');
  await window.getByRole('heading', { name: 'keys', level: 2 }).waitFor();
  await walkTo(window, 'tabs', (now) => now.role === 'tab');
  await walkTo(window, 'tab Commands', named('Commands', ['tab']), 'ArrowRight');
  await fill(window, 'Command', 'echo by keys');
  await press(window, 'Enter');
  await window.locator('.state-mark').filter({ hasText: 'Done' }).first().waitFor();
  await palette(window, 'New terminal', /New terminal: keys/);
  await window.locator('.xterm-rows').waitFor();
  await window.waitForFunction(() => document.activeElement.closest('.xterm') !== null);
  await press(window, 'F6');
  await walkTo(window, 'Close', named('Close Terminal 1', BUTTON));
  await press(window, 'Enter');
  await window.getByText('No terminal is open').waitFor();

  step('every page from its first to its last stop');
  for (const { name, hash } of FULL.filter((one) => !/weather|inventory|plotter|broken/.test(one.hash))) {
    await window.evaluate((to) => {
      document.activeElement?.blur();
      location.hash = to;
    }, `#${hash}`);
    await settled(window);
    const met = new Set();
    let stops = 0;
    for (; stops < 200; stops += 1) {
      await press(window, 'Tab');
      if (await window.evaluate(() => document.activeElement === document.body)) break;
      const now = await focused(window);
      if (now.editor) await press(window, 'Escape');
      assert.ok(now.seen, `${name}: the focus on ${now.role || now.tag} "${now.name}" can be seen`);
      assert.notEqual(now.name, '', `${name}: ${now.tag} ${now.role} has a name`);
      met.add(`${now.tag} ${now.name}`);
    }
    assert.ok(stops < 200 && met.size > 4, `${name}: the focus leaves the page: ${[...met].slice(-5)}`);
  }
  assert.deepEqual(window.complaints, []);
});
