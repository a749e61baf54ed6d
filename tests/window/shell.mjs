// What only the shell has: the tray, its menu, the server that it keeps, its words.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './page.mjs';
import { FIRST, TRAY, word } from './words.mjs';

export const shellSteps = [
  [
    'the window opens and can be used',
    async (world) => {
      world.page = await world.openWindow();
      await world.page.see('heading');
      await until('the window on the screen', async () => (await world.window())?.shown);
      assert.equal(await world.page.visible(), true);
    },
  ],
  [
    'its server runs, and the page and the tray say so',
    async (world) => {
      await world.desk.trayReads(TRAY[FIRST].running);
      await world.page.see('any', word(FIRST, 'app.link.open'));
      assert.equal(world.processes('pm').length, 1);
    },
  ],
  [
    'the tray has one icon with every entry',
    async (world) => {
      assert.equal(await world.desk.ask('icons'), 1);
      const { stop, copy, open, tools, find, pictures, update, about, quit } = TRAY[FIRST];
      const [status, ...entries] = await world.desk.menu();
      assert.equal(status.enabled, false);
      assert.deepEqual(
        entries.map(({ text }) => text),
        [stop, copy, open, tools, find, pictures, update, about, quit],
      );
      // Nothing was drawn or chosen yet, and no channel is set.
      const missing = [tools, pictures, update];
      assert.ok(entries.every(({ text, enabled }) => enabled === !missing.includes(text)));
    },
  ],
  [
    'the MCP address is copied, and answers',
    async (world) => {
      const { copy } = TRAY[FIRST];
      await world.desk.choose(copy);
      const address = await until('an address in the clipboard', () => world.desk.ask('clipboard'));
      assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
      // Without a token it is refused, by us and nobody else.
      const answer = await fetch(address, { method: 'POST', body: '{}' });
      assert.equal(answer.status, 401);
    },
  ],
  [
    'stopped in the tray, the server is away until it is started there',
    async (world) => {
      const { stop, start, stopped, running, copy } = TRAY[FIRST];
      await world.desk.choose(stop);
      await world.desk.trayReads(stopped);
      await world.page.says(new RegExp(word(FIRST, 'app.link.away')));
      await until('no server', () => world.processes('pm').length === 0);
      const entries = await world.desk.menu();
      assert.equal(entries.find(({ text }) => text === copy).enabled, false);
      await world.desk.choose(start);
      await world.desk.trayReads(running);
      await world.page.see('any', word(FIRST, 'app.link.open'));
      await until('no word of an absence', async () => {
        return !(await world.page.text()).includes(word(FIRST, 'app.link.away'));
      });
    },
  ],
  [
    'another language in the settings is the tray’s language at once',
    async (world) => {
      await world.page.go('/settings/general');
      await world.page.click('any', 'English');
      await world.page.see('heading', word('en', 'settings.section.general'));
      await world.desk.trayReads(TRAY.en.running);
      const menu = await world.desk.menu();
      assert.ok(menu.some(({ text }) => text === TRAY.en.quit));
    },
  ],
  [
    '“about” in the tray leads to it in the page',
    async (world) => {
      await world.desk.choose(TRAY.en.about);
      await world.page.see('any', word('en', 'settings.about.text'));
    },
  ],
  [
    'starting at login is a switch, and starts in the tray',
    async (world) => {
      const { page } = world;
      const entry = join(world.folder, '.config/autostart/Prompt Manager.desktop');
      await page.go('/settings/general');
      await page.click('switch', word('en', 'settings.general.login.name'));
      await until('the entry', () => existsSync(entry));
      assert.match(readFileSync(entry, 'utf8'), /^Exec=.*prompt-manager --minimized$/m);
      await page.click('switch', word('en', 'settings.general.login.name'));
      await until('no entry', () => !existsSync(entry));
    },
  ],
  [
    'what happens elsewhere is seen at once',
    async (world) => {
      const { page } = world;
      await page.go('/activity');
      await page.miss('option', /^.*todolist/);
      assert.equal(await world.pm('tool', 'run', 'todolist', '--params', '{"action":"query"}'), 0);
      await page.see('option', /^.*todolist/);
    },
  ],
  [
    'the page can do nothing but what it is given',
    async (world) => {
      const { page } = world;
      const invoke = (command, body) =>
        page.outcome(
          'window.__TAURI_INTERNALS__.invoke(arguments[0], arguments[1])',
          command,
          body,
        );
      for (const [command, body] of [
        ['plugin:shell|execute', { program: 'pm', args: [], options: {} }],
        ['plugin:shell|open', { path: 'https://example.org' }],
        ['plugin:dialog|open', { options: {} }],
        ['plugin:opener|open_url', { url: 'https://example.org' }],
        ['plugin:autostart|enable', {}],
        ['plugin:window|destroy', {}],
        ['plugin:event|listen', { event: 'x', target: { kind: 'Any' }, handler: 1 }],
      ]) {
        const { refused } = await invoke(command, body);
        assert.match(refused ?? 'done', /not allowed|not found/, command);
      }
      // Neither its own server's port, nor anything that is no picture, nor code from a text.
      const address = (await invoke('call', { id: 'x', name: 'server.hello', params: {} })).value
        .address;
      for (const expression of [
        `fetch('${address}/health')`,
        "fetch('artifact://localhost/api/server.token').then((answer) => answer.ok || Promise.reject('refused'))",
        "import('data:text/javascript,1')",
        "new Function('return 1')()",
      ]) {
        const { refused } = await page.outcome(expression);
        assert.ok(refused, expression);
      }
      assert.equal(await page.script('return typeof window.__TAURI__'), 'undefined');
    },
  ],
  [
    'only addresses of the web leave the window, for the browser',
    async (world) => {
      const { page } = world;
      const open = (url) =>
        page.outcome(
          "window.__TAURI_INTERNALS__.invoke('open_external', { url: arguments[0] })",
          url,
        );
      assert.equal((await open('file:///etc/passwd')).refused, 'address_not_opened');
      const opened = (url) =>
        until(`${url} in the browser`, () => {
          return readFileSync(world.opened, 'utf8').split('\n').includes(url);
        });
      assert.deepEqual(await open('https://example.org/asked?b=1'), { value: null });
      await opened('https://example.org/asked?b=1');
      await page.script("location.href = 'https://example.org/gone-to'");
      await opened('https://example.org/gone-to');
      assert.match(await page.script('return location.href'), /^tauri:/);
    },
  ],
];
