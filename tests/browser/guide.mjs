// Pictures of the user guide, in both of its languages: those that docs/guide/*.md name, no others.

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, openPage, painted } from './browser.mjs';
import { furnish, leaveTools, writeSettings } from './furnish.mjs';
import { Owner, temporaryFolder } from './owner.mjs';
import { STATES, wordsOf } from './states.mjs';
import { FULL, go, settled } from './walk.mjs';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../docs/guide');
const home = temporaryFolder('guide');
writeSettings(home, { language: 'en' });
leaveTools(home);
const owner = await new Owner(home).start();
const browser = await launch();
try {
  const call = await furnish(owner);
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.png'))) {
    rmSync(join(folder, name));
  }
  for (const language of ['en', 'zh-CN']) {
    const text = readFileSync(join(folder, `guide.${language}.md`), 'utf8');
    await call('settings.change', { language });
    const page = await openPage(browser, { language });
    await page.goto((await call('server.link')).url);
    await settled(page);
    for (const [, file] of text.matchAll(/!\[[^\]]+\]\(([^)]+\.png)\)/g)) {
      const one = [...FULL, ...STATES].find(({ name }) => file === `${name}.${language}.png`);
      if (!one) throw new Error(`no page for ${file}`);
      await go(page, one);
      await one.act?.({ page, call, home, notes: owner.notes, w: wordsOf(language) });
      await painted(page);
      await page.screenshot({ path: join(folder, file) });
      console.log(file);
    }
    await page.context().close();
  }
} finally {
  await browser.close();
  await owner.close();
}
