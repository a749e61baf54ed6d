// A contact sheet of every page: both themes, both languages, three widths and 4K, empty, full, and
// in every state that it can be brought into.
// `node shots.mjs [PAGE…]` takes only pages and states whose name contains one of the words.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { launch, openPage, painted } from './browser.mjs';
import { furnish, leaveTools, person, writeSettings } from './furnish.mjs';
import { Owner, temporaryFolder } from './owner.mjs';
import { STATES, wordsOf } from './states.mjs';
import { EMPTY, FULL, go, settled } from './walk.mjs';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../target/shots');
const words = process.argv.slice(2);
const wanted = ({ name }) => words.length === 0 || words.some((word) => name.includes(word));

const SIZES = [
  { width: 400, height: 800 },
  { width: 1200, height: 800 },
  { width: 1920, height: 1080 },
];
/** 4K without scaling: in one language and theme, since it is about room alone. */
const LARGEST = { width: 3840, height: 2160 };

/** A state that has not come by then does not come. */
const STATE_MS = 8000;
/** More than a thousand pictures in one. */
const SHEET_MS = 300_000;

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const browser = await launch();
const taken = [];
/** States that could not be brought about. */
const missed = [];

async function take(page, kind, name, look) {
  const { language, theme, size } = look;
  const file = join(folder, kind, name, `${size.width}-${theme}-${language}.png`);
  mkdirSync(dirname(file), { recursive: true });
  await painted(page);
  await page.screenshot({ path: file });
  taken.push({ kind, name, file, ...look });
}

async function walk(kind, pages, link, picture) {
  for (const language of ['en', 'zh-CN']) {
    await link.language(language);
    for (const theme of ['light', 'dark']) {
      const page = await openPage(browser, { language, theme, size: SIZES[0] });
      await page.goto(await link.url());
      await settled(page);
      for (const size of language === 'en' && theme === 'light' ? [...SIZES, LARGEST] : SIZES) {
        await page.setViewportSize(size);
        for (const one of [...pages, ...(picture ? [picture] : [])].filter(wanted)) {
          await go(page, one);
          await take(page, kind, one.name, { language, theme, size });
        }
      }
      await page.context().close();
    }
  }
}

async function walkStates(link, { call, notes, home }) {
  for (const language of ['en', 'zh-CN']) {
    await link.language(language);
    const w = wordsOf(language);
    for (const theme of ['light', 'dark']) {
      for (const size of SIZES.slice(0, 2)) {
        const page = await openPage(browser, { language, theme, size });
        page.setDefaultTimeout(STATE_MS);
        await page.goto(await link.url());
        await settled(page);
        for (const { name, hash, act, undo } of STATES.filter(wanted)) {
          const world = { page, call, notes, home, w };
          try {
            // From elsewhere, so that it begins as it is left by nobody.
            await go(page, { hash: '/settings/about' });
            await go(page, { hash });
            await act(world);
            await take(page, 'state', name, { language, theme, size });
            await undo?.(world);
          } catch (error) {
            missed.push(
              `${name} (${language}, ${theme}, ${size.width}): ${error.message.split('\n')[0]}`,
            );
            await take(page, 'missed', name, { language, theme, size });
            await page.unrouteAll({ behavior: 'ignoreErrors' });
            await page.keyboard.press('Escape');
            await page.reload();
          }
        }
        await page.context().close();
      }
    }
  }
}

/** The last of all: the server is killed under pages that stand. */
async function walkAway(owner, call) {
  const looks = ['light', 'dark'].flatMap((theme) =>
    SIZES.slice(0, 2).map((size) => ({ theme, size })),
  );
  for (const language of ['en', 'zh-CN']) {
    const link = links(call);
    await link.language(language);
    const pages = [];
    for (const look of looks) {
      const page = await openPage(browser, { language, ...look });
      await page.goto(await link.url());
      await settled(page);
      pages.push(page);
    }
    await owner.kill();
    for (const [index, page] of pages.entries()) {
      await page.getByText(wordsOf(language)('app.link.away')).waitFor();
      await take(page, 'state', 'server-away', { language, ...looks[index] });
      await page.context().close();
    }
    await owner.start();
    call = await person(owner);
  }
}

function links(call) {
  return {
    language: (language) => call('settings.change', { language }),
    url: async () => (await call('server.link')).url,
  };
}

for (const [kind, pages] of [
  ['full', FULL],
  ['empty', EMPTY],
]) {
  const home = temporaryFolder('shots');
  writeSettings(home, { language: 'en' });
  if (kind === 'full') leaveTools(home);
  const owner = await new Owner(home).start();
  try {
    const call = kind === 'full' ? await furnish(owner) : await person(owner);
    const { artifacts } = await call('artifact.list', { limit: 2 });
    const picture = artifacts[1] && {
      name: 'picture',
      hash: `/canvas/${artifacts[1].id}`,
    };
    await walk(kind, pages, links(call), picture);
    if (kind === 'full') await walkStates(links(call), { call, notes: owner.notes, home });
    if (kind === 'full' && wanted({ name: 'server-away' })) await walkAway(owner, call);
  } finally {
    await owner.close();
  }
}

// The sheet is a page of its own: one row a page and look, small pictures beside each other.
const names = [...new Set(taken.map(({ kind, name }) => `${kind} ${name}`))];
const rows = names.map((row) => {
  const cells = taken
    .filter(({ kind, name }) => `${kind} ${name}` === row)
    .sort((a, b) => a.size.width - b.size.width)
    .map(
      ({ file, language, theme, size }) =>
        `<figure><img src="${relative(folder, file)}" height="260"><figcaption>${size.width} ${theme} ${language}</figcaption></figure>`,
    );
  return `<h2>${row}</h2><div>${cells.join('')}</div>`;
});
const sheet = join(folder, 'index.html');
writeFileSync(
  sheet,
  `<!doctype html><meta charset="utf-8"><title>Contact sheet</title><style>
body { font: 12px sans-serif; margin: 16px; background: #777; color: #fff }
div { display: flex; flex-wrap: wrap; gap: 8px } figure { margin: 0 } h2 { font-size: 14px; margin: 16px 0 4px }
</style>${rows.join('\n')}`,
);
const page = await browser.newPage({ viewport: { width: 4000, height: 1000 } });
await page.goto(pathToFileURL(sheet).href);
await page.screenshot({ path: join(folder, 'sheet.png'), fullPage: true, timeout: SHEET_MS });
await browser.close();
for (const one of missed) console.error(`missed: ${one}`);
if (missed.length > 0) process.exitCode = 1;
console.log(`${taken.length} pictures; ${sheet} and sheet.png show them all`);
