// No page has a serious finding of axe, is wider than the window or draws text and controls over each other: furnished and empty, light and
// dark, both languages, 400 px to 4K, and the pages without a session or a server.

import assert from 'node:assert/strict';
import { NARROW, test, WINDOW } from './browser.mjs';
import { covered } from './covered.mjs';
import { findings } from './findings.mjs';
import { furnish, leaveTools, writeSettings } from './furnish.mjs';
import { temporaryFolder } from './owner.mjs';
import { word } from '../window/words.mjs';
import { EMPTY, FULL, go, settled } from './walk.mjs';

// Each of language, theme and size meets each other at least once.
const LOOKS = [
  { theme: 'light', language: 'en', size: WINDOW },
  { theme: 'dark', language: 'zh-CN', size: WINDOW },
  { theme: 'light', language: 'zh-CN', size: NARROW },
  { theme: 'dark', language: 'en', size: NARROW },
  { theme: 'light', language: 'en', size: { width: 3840, height: 2160 } },
];

const described = ({ theme, language, size }) => `${theme}, ${language}, ${size.width} px`;

await test('axe', async ({ owner, page, step }) => {
  let looked = 0;
  const found = [];
  const look = async (window, name, about) => {
    looked += 1;
    for (const finding of await findings(window)) found.push(`${name} (${about}): ${finding}`);
    const beyond = await window.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    for (const text of await covered(window)) found.push(`${name} (${about}): ${text}`);
    if (beyond > 0) found.push(`${name} (${about}): ${beyond} px beyond the window`);
  };

  for (const [kind, pages, looks] of [
    ['full', FULL, LOOKS],
    ['empty', EMPTY, LOOKS.slice(0, 2)],
  ]) {
    for (const options of looks) {
      const home = temporaryFolder(`axe-${kind}`);
      writeSettings(home, { language: options.language });
      if (kind === 'full') leaveTools(home);
      const server = await owner(home);
      const call = kind === 'full' ? await furnish(server) : undefined;
      step(`${kind} home, ${described(options)}`);
      const window = await page(options);
      const link = call ? (await call('server.link')).url : server.link;
      await window.goto(link);
      await settled(window);
      for (const one of pages) {
        await go(window, one);
        await look(window, one.name, described(options));
      }
      if (call) {
        const { artifacts } = await call('artifact.list', { limit: 1 });
        await go(window, { hash: `/canvas/${artifacts[0].id}` });
        await look(window, 'picture', described(options));
        const { tasks } = await call('society.list', {});
        for (const [nth, tab] of ['', '/team', '/kept', '/steps'].entries()) {
          await go(window, { hash: `/agents/${tasks[nth % tasks.length].id}${tab}` });
          await look(window, `task${tab}`, described(options));
        }
      }
      await server.close();
      await window.getByText(word(options.language, 'app.link.away')).waitFor();
      await look(window, 'server away', described(options));
      await window.context().close();
    }
  }

  step('a page without a session');
  const server = await owner();
  const stranger = await page({ theme: 'dark' });
  await stranger.goto(server.url);
  await settled(stranger);
  await look(stranger, 'no session', 'dark');

  step('axe itself finds what is wrong');
  await stranger.evaluate(() => {
    const nameless = document.createElement('button');
    document.querySelector('main, body').append(nameless);
  });
  assert.ok((await findings(stranger)).some((finding) => finding.startsWith('button-name')));

  step('text and a control over each other are found');
  assert.deepEqual(await covered(stranger), []);
  await stranger.evaluate(() => {
    const text = document.querySelector('main p, p');
    const over = document.createElement('button');
    Object.assign(over.style, { position: 'fixed', width: '60px', height: '30px' });
    const { left, top } = text.getBoundingClientRect();
    Object.assign(over.style, { left: `${left}px`, top: `${top}px`, zIndex: 99 });
    over.textContent = 'Over';
    text.parentElement.append(over);
  });
  assert.match((await covered(stranger)).join(), /and "Over" are drawn over each other/);

  console.log(`${looked} pages looked at`);
  assert.deepEqual(found, []);
});
