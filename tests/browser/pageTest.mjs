// Pages with the assistant's script in them, in Chromium; apps of frameworks are built from npm.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { launch } from './browser.mjs';
import { oracle } from './oracle.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const ui = join(here, '../../ui');
const script = readFileSync(join(ui, 'dist-page/page.js'), 'utf8');
const browser = await launch();
let failed = 0;

export async function test(name, body) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
  // Before all else, so that it knows of every listener by itself.
  await context.addInitScript(oracle);
  await context.addInitScript(script);
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  try {
    await body(page);
    assert.deepEqual(errors, [], 'the script of the page throws nothing');
    console.log(`ok    ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}: ${error.stack ?? error}`);
  }
  await context.close();
}

export async function end(name) {
  await browser.close();
  console.log(failed === 0 ? `${name} holds` : `${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}

/** Shows a page and waits until it has been drawn: only then is known what `content-visibility` leaves out. */
export async function show(page, body) {
  const html = `<!doctype html><meta charset=utf-8><body>${body}`;
  await page.goto(`data:text/html;charset=utf-8,${encodeURIComponent(html)}`);
  await drawn(page);
}

/** The second of two frames comes when the first has been drawn. */
const drawn = (page) =>
  page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
  );

const { build } = await import(
  pathToFileURL(join(ui, 'node_modules/vite/dist/node/index.js')).href
);

/** A module, given as its text, in one script: with what it imports from npm. */
export async function bundled(source) {
  const folder = mkdtempSync(join(here, '../../target/app-'));
  try {
    const entry = join(folder, 'app.js');
    writeFileSync(entry, source);
    const built = await build({
      configFile: false,
      root: folder,
      logLevel: 'error',
      define: { 'process.env.NODE_ENV': '"production"' },
      resolve: {
        alias: {
          vue: join(ui, 'node_modules/vue'),
          'react-dom': join(here, 'node_modules/react-dom'),
          react: join(here, 'node_modules/react'),
          '@page-agent': join(here, 'node_modules/@page-agent'),
        },
      },
      build: { write: false, lib: { entry, formats: ['iife'], name: 'app' } },
    });
    const [{ output }] = [built].flat();
    return output[0].code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Shows an app of Vue or React, given as the text of its module. */
export async function showApp(page, source) {
  const content = await bundled(source);
  await show(page, '<div id="app" n></div>');
  await page.addScriptTag({ content });
  await page.locator('#app > *').first().waitFor();
}
