// The browser of these tests: Debian's Chromium, driven by playwright-core.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { CHROMIUM, FLAGS } from './chromium.mjs';
import { Owner } from './owner.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** Where what was seen is left when a test fails. */
export const seenFolder = (name) => join(root, 'target/browser', name);

/** Longest wait for anything to appear; a slow machine is no failure. */
const PATIENCE = 30_000;

export const WINDOW = { width: 1200, height: 800 };
export const NARROW = { width: 400, height: 800 };

export async function launch() {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: FLAGS,
  });
}

/**
 * A page of its own: language, theme, size. Everything it complains of is collected in
 * `page.complaints`; a test that expects a complaint takes it out of there.
 */
export async function openPage(browser, { language = 'en', theme = 'light', size = WINDOW } = {}) {
  const context = await browser.newContext({
    viewport: size,
    locale: language,
    colorScheme: theme,
    reducedMotion: 'reduce',
    timezoneId: 'Europe/Berlin',
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.complaints = [];
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    const { url, lineNumber } = message.location();
    page.complaints.push(`${message.type()}: ${message.text()} (${url}:${lineNumber})`);
  });
  page.on('pageerror', (error) => page.complaints.push(`uncaught: ${error.stack ?? error}`));
  return page;
}

/** Resolves when two frames were painted: what is asked for is on the screen. */
export const painted = (page) =>
  page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
  );

/**
 * Runs a test with an owner and a browser, names its steps, and leaves behind what was seen when
 * it fails.
 */
export async function test(name, body) {
  const begun = performance.now();
  const folder = seenFolder(name);
  rmSync(folder, { recursive: true, force: true });
  const owners = [];
  const pages = [];
  let at = 'the start';
  const step = (text) => {
    at = text;
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    console.log(`${seconds.padStart(6)} s  ${name}: ${text}`);
  };
  const browser = await launch();
  try {
    await body({
      browser,
      step,
      owner: async (home) => {
        const owner = new Owner(home);
        owners.push(owner);
        return owner.start();
      },
      page: async (options) => {
        const page = await openPage(browser, options);
        pages.push(page);
        return page;
      },
    });
    console.log(`${name} holds`);
  } catch (error) {
    process.exitCode = 1;
    console.error(`\n${name} failed while: ${at}\n`, error);
    await leave(folder, pages, owners);
    console.error(`what was seen: ${folder}`);
  } finally {
    await browser.close();
    for (const owner of owners) await owner.close();
  }
}

async function leave(folder, pages, owners) {
  mkdirSync(folder, { recursive: true });
  for (const [number, page] of pages.entries()) {
    for (const complaint of page.complaints) console.error(complaint);
    // The page may be what broke; the rest is still worth having.
    await page
      .screenshot({ path: join(folder, `${number}.png`) })
      .catch((error) => console.error(`no picture of page ${number}: ${error.message}`));
    await page.content().then(
      (html) => writeFileSync(join(folder, `${number}.html`), html),
      (error) => console.error(`no source of page ${number}: ${error.message}`),
    );
  }
  for (const [number, owner] of owners.entries()) {
    writeFileSync(join(folder, `server-${number}.log`), owner.said);
  }
}

/** Opens the palette and types; with `option`, until that is what Enter would choose. */
export async function typedInPalette(window, words, option) {
  await window.keyboard.press('Control+K');
  // What is typed before the field has the focus is lost.
  await window.locator('[role=dialog] [role=combobox]:focus').waitFor();
  await window.keyboard.type(words);
  if (option) await window.getByRole('option', { name: option, selected: true }).waitFor();
}
