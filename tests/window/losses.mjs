// What is lost on the way, and that nothing is: closed windows, killed servers, a new start.

import assert from 'node:assert/strict';
import { until } from './page.mjs';
import { TRAY, word } from './words.mjs';

const { open, quit, running } = TRAY.en;

/** Everything ends that belongs to the program. */
async function ended(world) {
  await until('the end of the program', () => world.processes('prompt-manager').length === 0);
  await until('the end of its server', () => world.processes('pm').length === 0, 10_000);
}

export const lossSteps = [
  [
    'closing hides the window in the tray and says so the first time',
    async (world) => {
      await world.closeWindow();
      await world.shows(false);
      const [note, ...more] = await until('a notification', async () => {
        const notes = await world.desk.ask('notes');
        return notes.length > 0 && notes;
      });
      assert.equal(more.length, 0);
      assert.equal(note.title, 'Prompt Manager is still running');
      assert.equal(world.processes('pm').length, 1);
    },
  ],
  [
    '“open” in the tray brings it back as it was',
    async (world) => {
      await world.desk.choose(open);
      await world.shows(true);
      assert.equal(await world.page.visible(), true);
    },
  ],
  [
    'a second launch shows the first and ends',
    async (world) => {
      await world.closeWindow();
      await world.shows(false);
      assert.equal(await world.launchAgain(), 0);
      await world.shows(true);
      assert.equal(world.processes('prompt-manager').length, 1);
      assert.equal((await world.desk.ask('notes')).length, 1, 'told only once');
      await until('the focus', async () => {
        return world.page.script('return document.hasFocus()');
      });
    },
  ],
  [
    'a killed server is said to be away and comes back by itself',
    async (world) => {
      await world.page.go('/activity');
      const killed = new Set();
      // A single loss is over sooner than the page thinks it worth a word.
      await until('the word of an absence', async () => {
        for (const pid of world.processes('pm')) {
          killed.add(pid);
          process.kill(pid, 'SIGKILL');
        }
        return (await world.page.text()).includes(word('en', 'app.link.away'));
      });
      await world.desk.trayReads(running);
      await until('another server', () => {
        const [now] = world.processes('pm');
        return now !== undefined && !killed.has(now);
      });
      await until('no word of an absence', async () => {
        return !(await world.page.text()).includes(word('en', 'app.link.away'));
      });
      await world.checkRecords(world);
    },
  ],
  [
    'after “quit” and another start all is still there',
    async (world) => {
      await world.page.resize(1010, 710);
      const size = 'return [innerWidth, innerHeight]';
      await until('another size', async () => (await world.page.script(size))[0] === 1010);
      const left = await world.page.script(size);
      await world.desk.choose(quit);
      await ended(world);
      await world.page.leave();
      world.page = await world.openWindow();
      await world.page.see('heading');
      assert.deepEqual(await world.page.script(size), left);
      await world.desk.trayReads(running);
      await world.checkRecords(world);
    },
  ],
  [
    'a second launch at login shows nothing',
    async (world) => {
      await world.closeWindow();
      await world.shows(false);
      assert.equal(await world.launchAgain('--minimized'), 0);
      assert.equal((await world.window())?.shown ?? false, false);
    },
  ],
  [
    'SIGTERM ends it, and its server',
    async (world) => {
      const [program] = world.processes('prompt-manager');
      process.kill(program, 'SIGTERM');
      await ended(world);
      await world.page.leave();
    },
  ],
  [
    'started at login it waits in the tray',
    async (world) => {
      world.page = await world.openWindow('--minimized');
      await world.desk.trayReads(running);
      await world.shows(false);
      await world.desk.choose(open);
      await world.shows(true);
      await world.page.see('heading');
    },
  ],
  [
    'where nobody shows a tray, closing ends the program',
    async (world) => {
      await world.desk.ask('hide-tray');
      await world.closeWindow();
      await ended(world);
    },
  ],
];
