// A tool's life in the real window: out of a zip archive that the dialog of the system chose, with what it
// asks for; a secret in the system's keychain, a run, an update that breaks it and is taken back by itself,
// its removal, and the way back.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { counter } from '../browser/counter.mjs';
import { entries } from './keychain.mjs';
import { KEY, until } from './page.mjs';
import { word } from './words.mjs';

const TOOL = 'counter';
/** Its row of the list, which begins with its state. */
const ROW = new RegExp(TOOL);
const SECRET = 'said-to-nobody';
const COMING = `section[aria-label="${word('en', 'tools.add.what')}"]`;
const CHECKBOX = '[role=checkbox]';

/** The words with what stands in them. */
function en(path, values = {}) {
  const fill = (text, [name, value]) => text.replace(`{${name}}`, value);
  return Object.entries(values).reduce(fill, word('en', path));
}

/** The same as a pattern for texts that have it somewhere. */
const says = (...args) => new RegExp(en(...args).replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));

const archive = (world) => join(world.documents, `${TOOL}.zip`);
const folder = (world) => join(world.home, 'toolbox', TOOL);

async function look(world, version) {
  const { page } = world;
  await page.click('button', en('tools.add.look'));
  await until(`${version} in the preview`, async () => {
    const [coming] = await page.all(COMING);
    return coming && (await page.script('return arguments[0].innerText', coming)).includes(version);
  });
}

async function run(world, expected) {
  const { page } = world;
  await page.go(`/tools/${TOOL}/run`);
  await page.click('button', en('runs.run'));
  await until(expected, async () => {
    const [section] = await page.all(`section[aria-label="${en('runs.thisRun')}"]`);
    const text = section && (await page.script('return arguments[0].innerText', section));
    return text?.includes(expected);
  });
}

async function choose(world, item) {
  const { page } = world;
  await page.click('button', en('common.more'), 'article');
  await page.click('menuitem', en(item));
}

/** Files of the data home that hold a text. */
function holders(path, text) {
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const at = join(path, entry.name);
    if (entry.isDirectory()) return holders(at, text);
    return entry.isFile() && readFileSync(at).includes(text) ? [at] : [];
  });
}

export const toolSteps = [
  [
    'a tool in an archive is looked at, and nothing has come',
    async (world) => {
      const { page } = world;
      writeFileSync(archive(world), counter('1.0.0'));
      await page.go('/tools');
      await page.click('button', en('tools.add.open'));
      await page.fill('textbox', en('tools.add.source'), archive(world));
      await look(world, '1.0.0');
      await page.see(CHECKBOX, en('tools.add.asks.network', { what: 'example.com' }), COMING);
      assert.equal(existsSync(folder(world)), false);
    },
  ],
  [
    'it is installed without a right that it asks for, and runs',
    async (world) => {
      const { page } = world;
      await page.click(CHECKBOX, en('tools.add.asks.processes'), COMING);
      await page.click('button', en('tools.add.do'));
      await page.says(says('tools.add.done', { tool: TOOL, version: '1.0.0' }));
      await page.go(`/tools/${TOOL}/configure`);
      await page.see('button', en('tools.rights.revokeWhat', { what: 'example.com' }));
      await page.see('button', en('tools.rights.grantWhat', { what: en('tools.programs.what') }));
      await run(world, '1.0.0 ran 1');
    },
  ],
  [
    'its secret goes to the keychain, and stands in no file',
    async (world) => {
      const { page } = world;
      const before = await entries(world.env);
      await page.go(`/tools/${TOOL}/configure`);
      await page.fill('input[type=password]', null, SECRET, 'li[aria-label="COUNTER_TOKEN"]');
      await page.keys(`${KEY.enter}`);
      await page.says(says('tools.configure.saved', { name: 'COUNTER_TOKEN' }));
      assert.equal(await entries(world.env), before + 1);
      assert.match(
        readFileSync(join(folder(world), '.env'), 'utf8'),
        /^COUNTER_TOKEN=pm-secret:keychain\//m,
      );
      await until('no value in the field', async () => {
        return page.script(
          `return [...document.querySelectorAll('li[aria-label="COUNTER_TOKEN"] input')]
            .every(({ value }) => !value.includes(arguments[0]))`,
          SECRET,
        );
      });
    },
  ],
  [
    'a run that failed for a moment is tried again, with the secret',
    async (world) => {
      await run(world, en('runs.worthAgain'));
      await world.page.click(
        'button',
        en('common.retry'),
        `section[aria-label="${en('runs.thisRun')}"]`,
      );
      await world.page.says(new RegExp(`1\\.0\\.0 ran 2 for ${SECRET.length}`));
      assert.deepEqual(holders(world.home, SECRET), []);
    },
  ],
  [
    'an update that does not work is taken back by itself',
    async (world) => {
      const { page } = world;
      writeFileSync(archive(world), counter('2.0.0', { stumbles: true }));
      await choose(world, 'tools.update.open');
      await look(world, '2.0.0');
      await page.click('button', en('tools.add.replace'));
      await page.see('alert', /2\.0\.0/);
      assert.match(
        readFileSync(join(folder(world), `${TOOL}.tool.js`), 'utf8'),
        /version: '1\.0\.0'/,
      );
      await page.keys(KEY.escape);
      await page.miss('dialog');
      await run(world, '1.0.0 ran 3');
    },
  ],
  [
    'removed, it is gone, and undone it is as it was',
    async (world) => {
      const { page } = world;
      await page.see('option', ROW);
      await choose(world, 'tools.remove.do');
      await page.says(says('tools.remove.done', { tool: TOOL }));
      await page.miss('option', ROW);
      assert.equal(existsSync(folder(world)), false);
      await page.click('button', en('common.undo'));
      await page.see('option', ROW);
      await run(world, `1.0.0 ran 4 for ${SECRET.length}`);
    },
  ],
];
