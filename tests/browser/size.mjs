// How the window bears size: a 10 MB log that grows by 1,000 lines a second, 5,000 pictures,
// 1,000 tools, a chart in the scratchpad. For each page: time from asking for the page until its rows are painted, frames while
// scrolling, memory of the page after. The peer in the same run is a plain page of static rows,
// the least that any window could do. Prints one JSON object; `cargo xtask bench ui` words it.

import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, openPage, WINDOW } from './browser.mjs';
import { person, writeSettings, writeTool } from './furnish.mjs';
import { Owner, temporaryFolder } from './owner.mjs';
import { png } from './png.mjs';
import { drawings } from './scratchpad.mjs';
import { go, settled } from './walk.mjs';

const TOOLS = 1000;
const PICTURES = 5000;
const LOG_BYTES = 10 * 1024 * 1024;
const LINES_A_SECOND = 1000;
/** How far and how fast a list is scrolled: 3 s of a hand in a hurry. */
const SCROLL = { distance: 4500, speed: 1500 };
/** Openings of each page; the median counts. */
const OPENINGS = 7;

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

function tool(name, description) {
  return `export default {
  getMetadata: () => ({ name: '${name}', version: '1.0.0', author: 'Ada', description: '${description}' }),
  getSchema: () => ({ parameters: { type: 'object', properties: {} } }),
  async execute() { return 1; },
};`;
}

const flood = `export default {
  getMetadata: () => ({ name: 'flood', version: '1.0.0', description: 'Writes a thousand lines a second' }),
  getSchema: () => ({ parameters: { type: 'object', properties: { seconds: { type: 'integer' } } } }),
  getRuntimeConfig: () => ({ maxExecutionTime: 300 }),
  async execute({ seconds }) {
    let line = 0;
    const begun = Date.now();
    while (Date.now() - begun < seconds * 1000) {
      const due = ((Date.now() - begun) * ${LINES_A_SECOND}) / 1000;
      while (line < due) this.api.logger.info('line ' + ++line, { line, of: 'a flood' });
      await new Promise((next) => setTimeout(next, 20));
    }
    return line;
  },
};`;

function furnishLarge(home) {
  writeSettings(home, { language: 'en' });
  for (let i = 0; i < TOOLS; i += 1) {
    const name = `tool-${String(i).padStart(4, '0')}`;
    writeTool(home, name, tool(name, `The ${i}th of many tools`));
  }
  writeTool(home, 'flood', flood);
  mkdirSync(join(home, 'artifacts'), { recursive: true });
  for (let i = 0; i < PICTURES; i += 1) {
    const id = `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
    writeFileSync(join(home, 'artifacts', `${id}.png`), png(i));
  }
  const log = join(home, 'toolbox/flood/run.log');
  const levels = ['DEBUG', 'INFO', 'INFO', 'INFO', 'WARN', 'ERROR'];
  let lines = [];
  // Young enough that no rotation takes it away.
  let at = Date.now() - 3_600_000;
  let bytes = 0;
  for (let i = 0; bytes < LOG_BYTES; i += 1) {
    at += 20;
    const line = `[${new Date(at).toISOString()}] [${levels[i % 6]}] record ${i} {"i":${i},"of":"size"}\n`;
    bytes += line.length;
    lines.push(line);
    if (lines.length === 10_000) {
      appendFileSync(log, lines.join(''));
      lines = [];
    }
  }
  appendFileSync(log, lines.join(''));
}

/** Milliseconds from asking for a page until `row` is painted; the median of several openings. */
async function opening(page, hash, row, away) {
  const times = [];
  for (let i = 0; i < OPENINGS; i += 1) {
    await go(page, { hash: away });
    times.push(
      await page.evaluate(
        ([to, selector]) =>
          new Promise((done, failed) => {
            const begun = performance.now();
            const limit = setTimeout(() => failed(new Error(`no ${selector}`)), 30_000);
            const look = () => {
              if (!document.querySelector(selector)) return requestAnimationFrame(look);
              // The frame after the one that found it has it on the screen.
              requestAnimationFrame(() => {
                clearTimeout(limit);
                done(performance.now() - begun);
              });
            };
            location.hash = to;
            requestAnimationFrame(look);
          }),
        [`#${hash}`, row],
      ),
    );
  }
  return median(times);
}

/**
 * Scrolls as a wheel does, without waiting for the page, and reads from Chromium's own trace what
 * became of each frame.
 */
async function scroll(page, target, { up = false } = {}) {
  const box = await page.locator(target).first().boundingBox();
  assert.ok(box, `${target} is there to be scrolled`);
  const [x, y] = [Math.round(box.x + box.width / 2), WINDOW.height / 2];
  const underPointer = () =>
    page.evaluate(([left, top]) => {
      const element = document.elementFromPoint(left, top);
      return element?.closest('[data-index]')?.getAttribute('data-index') ?? element?.textContent;
    }, [x, y]);
  const before = await underPointer();
  const cdp = await page.context().newCDPSession(page);
  const events = [];
  cdp.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  await cdp.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['cc', 'benchmark', 'devtools.timeline.frame'] },
  });
  await cdp.send('Input.synthesizeScrollGesture', {
    x,
    // The first row may be one that is drawn in advance, above what is seen.
    y,
    yDistance: up ? SCROLL.distance : -SCROLL.distance,
    speed: SCROLL.speed,
    gestureSourceType: 'mouse',
    preventFling: true,
  });
  const complete = new Promise((done) => cdp.once('Tracing.tracingComplete', done));
  await cdp.send('Tracing.end');
  await complete;
  await cdp.detach();
  const frames = events.filter(({ name, args }) => name === 'PipelineReporter' && args?.frame_reporter);
  const states = frames.map(({ args }) => args.frame_reporter);
  const presented = states.filter(({ state }) => state === 'STATE_PRESENTED_ALL').length;
  const partial = states.filter(({ state }) => state === 'STATE_PRESENTED_PARTIAL').length;
  // Only those that a person could have seen: the others had nothing new to show.
  const dropped = states.filter(
    ({ state, affects_smoothness: seen }) => state === 'STATE_DROPPED' && seen,
  ).length;
  assert.notEqual(await underPointer(), before, `${target} has moved`);
  assert.ok(presented > 30, `frames were presented: ${presented}`);
  return { presented, partial, dropped };
}

async function heap(page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  const { nodes } = await cdp.send('Memory.getDOMCounters');
  await cdp.detach();
  return { bytes: usedSize, nodes };
}

/** Static rows in a scrolling box, in the same browser: what scrolling costs at least here. */
async function plain(browser) {
  const page = await openPage(browser);
  const rows = Array.from({ length: 1000 }, (_, i) => `<p>Row ${i} of a plain page</p>`).join('');
  await page.setContent(`<style>#box{height:700px;overflow:auto}p{margin:0;height:22px}</style><div id="box">${rows}</div>`);
  const frames = await scroll(page, '#box');
  const memory = await heap(page);
  await page.context().close();
  return { frames, memory };
}

const home = temporaryFolder('size');
furnishLarge(home);
const begun = performance.now();
const owner = await new Owner(home).start();
const browser = await launch();
try {
  const started = performance.now() - begun;
  const call = await person(owner);
  const listed = performance.now();
  const { tools } = await call('tool.list');
  const firstList = performance.now() - listed;
  assert.equal(tools.filter(({ name }) => name.startsWith('tool-')).length, TOOLS);
  const { total } = await call('artifact.list', { limit: 1 });
  assert.equal(total, PICTURES);
  // Every tool is known before it is measured how fast they are shown.
  for (let left = 1; left > 0; ) {
    const now = await call('tool.list');
    left = now.tools.filter(({ state }) => state === 'describing').length;
  }

  const page = await openPage(browser);
  await page.goto((await call('server.link')).url);
  await settled(page);
  const result = { started, firstList, plain: await plain(browser) };

  result.tools = { open: await opening(page, '/tools', '.list-row', '/settings/about') };
  result.tools.frames = await scroll(page, '.list-row');
  result.tools.memory = await heap(page);

  result.pictures = { open: await opening(page, '/canvas', '.picture-tile', '/settings/about') };
  result.pictures.frames = await scroll(page, '.picture-tile');
  result.pictures.memory = await heap(page);

  const palette = [];
  for (let i = 0; i < OPENINGS; i += 1) {
    palette.push(
      await page.evaluate(
        () =>
          new Promise((done) => {
            const from = performance.now();
            const look = () =>
              document.querySelector('[role="dialog"] [role="option"]')
                ? requestAnimationFrame(() => done(performance.now() - from))
                : requestAnimationFrame(look);
            window.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', code: 'KeyK', ctrlKey: true, bubbles: true }));
            requestAnimationFrame(look);
          }),
      ),
    );
    await page.keyboard.press('Escape');
    await page.locator('[role="dialog"]').waitFor({ state: 'detached' });
  }
  result.palette = { open: median(palette) };

  result.scratchpad = { painted: median(await drawings(page, OPENINGS)) };

  result.log = { open: await opening(page, '/tools/flood/log', '[role="log"] [role="option"]', '/tools/flood/files') };
  // It opens at its end.
  result.log.frames = await scroll(page, '[role="log"] [role="option"]', { up: true });
  result.log.memory = await heap(page);

  // The same while a thousand lines a second arrive.
  const run = call('tool.run', { tool: 'flood', parameters: { seconds: 20 } });
  await go(page, { hash: '/tools/flood/files' });
  await go(page, { hash: '/tools/flood/log' });
  await page.waitForFunction(() =>
    [...document.querySelectorAll('[role="log"] [role="option"]')].some((row) => row.textContent.includes('a flood')),
  );
  result.flood = { open: await opening(page, '/tools/flood/log', '[role="log"] [role="option"]', '/tools/flood/files') };
  result.flood.frames = await scroll(page, '[role="log"] [role="option"]', { up: true });
  result.flood.memory = await heap(page);
  const ran = await run;
  assert.ok(ran.success && ran.result >= 20 * LINES_A_SECOND * 0.99, `lines: ${ran.result}`);
  assert.deepEqual(page.complaints, []);
  console.log(JSON.stringify(result));
} finally {
  await browser.close();
  await owner.close();
}
