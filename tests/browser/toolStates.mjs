// What pages of tools and of their servers show besides their rest: how a tool stands to what comes with the
// program, what came from elsewhere, secrets that lie open, servers in every state.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { counter } from './counter.mjs';
import { button, escape, instead, json } from './stateParts.mjs';
import { settled } from './walk.mjs';

/** What the server would say of a tool that came with another program, or from a checkout. */
const shipped = (more) => ({
  act: async ({ page }) => {
    const answer = { tool: 'filesystem', standing: 'built_in', edits: [], ...more };
    await instead(page, ['tool.shipped'], (route) => json(route, 200, answer));
    await page.locator('.notice-line').first().waitFor();
  },
  undo: ({ page }) => page.unrouteAll({ behavior: 'ignoreErrors' }),
});

/** A server in a state that it passes through faster than anybody looks. */
const serverIs = (state, enabled = true) => ({
  act: async ({ page }) => {
    const changed = (row) => (row.name === 'fixture' ? { ...row, state, enabled } : row);
    await instead(page, ['external.list', 'external.show'], async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      if (body.servers) body.servers = body.servers.map(changed);
      if (body.server) body.server = changed(body.server);
      await route.fulfill({ response, json: body });
    });
    await settled(page);
  },
  undo: ({ page }) => page.unrouteAll({ behavior: 'ignoreErrors' }),
});

/** An archive is looked at. */
const looked = {
  act: async ({ page, notes, w }) => {
    const source = join(notes, 'counter.zip');
    writeFileSync(source, counter('1.0.0'));
    await button(page, w('tools.add.open')).first().click();
    await page.getByRole('textbox', { name: w('tools.add.source') }).fill(source);
    await button(page, w('tools.add.look')).click();
    await page.getByRole('region', { name: w('tools.add.what') }).waitFor();
  },
  undo: ({ page }) => page.keyboard.press('Escape'),
};

export const TOOL_STATES = [
  {
    name: 'edits-notice',
    hash: '/tools/thinking',
    act: ({ page, w }) => button(page, w('tools.shipped.compare')).waitFor(),
  },
  {
    name: 'edits-dialog',
    hash: '/tools/thinking',
    act: async ({ page, w }) => {
      await button(page, w('tools.shipped.compare')).click();
      await page.getByRole('tab', { name: w('tools.shipped.sides.difference') }).click();
      await page.getByRole('dialog').getByRole('row').first().waitFor();
    },
    ...escape,
  },
  { name: 'shipped-newer', hash: '/tools/filesystem', ...shipped({ standing: 'newer', program: '2.4.0' }) },
  { name: 'shipped-retired', hash: '/tools/filesystem', ...shipped({ standing: 'retired' }) },
  {
    name: 'shipped-checkout',
    hash: '/tools/filesystem',
    ...shipped({ checkout: '/home/ada/src/prompt-manager/resources/tools' }),
  },
  {
    name: 'old-notice',
    hash: '/tools',
    act: ({ page, w }) => button(page, w('tools.old.show')).waitFor(),
  },
  {
    name: 'old-dialog',
    hash: '/settings/data',
    act: async ({ page, w }) => {
      await button(page, w('tools.old.show')).click();
      await page.getByRole('dialog').waitFor();
    },
    ...escape,
  },
  {
    name: 'secrets-plain',
    hash: '/tools/weather/configure',
    act: async ({ page, home, w }) => {
      writeFileSync(join(home, 'toolbox/weather/.env'), 'WEATHER_API_KEY=wx-12345678\n');
      await page.reload();
      await button(page, w('tools.secrets.move.file')).waitFor();
    },
    undo: ({ home }) => rmSync(join(home, 'toolbox/weather/.env')),
  },
  { name: 'tool-preview', hash: '/tools', ...looked },
  {
    name: 'tool-refused',
    hash: '/tools',
    act: async ({ page, notes, w }) => {
      await button(page, w('tools.add.open')).first().click();
      const place = join(notes, 'not-there.zip');
      await page.getByRole('textbox', { name: w('tools.add.source') }).fill(place);
      await button(page, w('tools.add.look')).click();
      await page.getByRole('alert').waitFor();
    },
    ...escape,
  },
  {
    name: 'tool-removed',
    hash: '/tools',
    act: async ({ page, w }) => {
      await button(page, w('tools.add.open')).first().click();
      await button(page, w('tools.removed.open')).click();
      await page.getByRole('dialog').getByText('keeper').waitFor();
    },
    ...escape,
  },
  { name: 'server-starting', hash: '/tools/@servers/fixture', ...serverIs('starting') },
  { name: 'server-off', hash: '/tools/@servers/fixture', ...serverIs('off', false) },
  {
    name: 'server-failed',
    hash: '/tools/@servers/search',
    act: ({ page }) => page.getByRole('alert').first().waitFor(),
  },
  {
    name: 'server-remote',
    hash: '/tools/@servers/search/rights',
    act: ({ page }) => settled(page),
  },
  {
    name: 'server-add',
    hash: '/tools/@servers',
    act: async ({ page, w }) => {
      await button(page, w('servers.add.open')).first().click();
      await page.getByRole('dialog').waitFor();
    },
    ...escape,
  },
  {
    name: 'server-remove',
    hash: '/tools/@servers/search',
    act: async ({ page, w }) => {
      await page.getByRole('article').getByRole('button', { name: w('common.more') }).click();
      await page.getByRole('menuitem', { name: w('servers.remove.do') }).click();
      await page.getByRole('dialog').waitFor();
    },
    ...escape,
  },
  {
    name: 'servers-nothing',
    hash: '/tools/@servers',
    act: ({ page, w }) => page.getByRole('searchbox', { name: w('servers.search') }).fill('qqqq'),
  },
];
