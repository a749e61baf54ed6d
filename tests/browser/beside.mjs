// The assistant's script beside page-agent's from npm, on the same pages in one run: what each lists of what is meant to
// be used (oracle.mjs), and how long a look takes. Only our own goals are asserted, and no time is.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { MORE_APPS } from './appPages.mjs';
import { LAYOUT_PAGES } from './layoutPages.mjs';
import { APPS, PAGES } from './pages.mjs';
import { bundled, end, show, showApp, test } from './pageTest.mjs';
import { WIDGET_PAGES } from './widgetPages.mjs';

const PACKAGE = '@page-agent/page-controller';
const { version } = JSON.parse(
  readFileSync(new URL(`node_modules/${PACKAGE}/package.json`, import.meta.url), 'utf8'),
);
const peer = await bundled(
  `import { PageController } from '${PACKAGE}'; globalThis.Peer = PageController;`,
);

/**
 * What both list of a page as it is, as shares of what is wanted. What is disabled is left out for both: we list it as
 * such, page-agent does not. Page-agent is asked as it is by default, which is for the whole page too.
 */
const look = async () => {
  const { marked, heard } = oracle.meant();
  const wanted = new Set([...marked, ...heard]);
  const isOff = (element) => element.matches(':disabled,[aria-disabled=true]');
  // Its own drawings are no part of the page.
  const count = () => oracle.every().filter((one) => !one.closest('[id^=playwright-]')).length;
  const right = (element) => wanted.has(element);
  // What is within a wanted one, or a label of it, does the same when it is clicked.
  const near = (element) =>
    right(element) ||
    [...wanted].some((one) => one.contains(element)) ||
    wanted.has(element.control);
  const judge = (elements) => {
    const able = [...new Set(elements)].filter((element) => !isOff(element));
    return {
      listed: able.length,
      hits: able.filter(right).length,
      near: able.filter(near).length,
    };
  };

  const nodes = [count()];
  const ours = new Set(pmPage.scan(100_000).elements.map(({ id }) => String(id)));
  const here = oracle.every().filter((one) => ours.has(one.getAttribute('data-agent-id')));
  nodes.push(count());
  globalThis.peer ??= new Peer();
  await globalThis.peer.updateTree();
  const theirs = [...globalThis.peer.selectorMap.values()].map(({ ref }) => ref);
  await globalThis.peer.cleanUpHighlights();
  nodes.push(count());
  return {
    nodes,
    wanted: [...wanted].filter((element) => !isOff(element)).length,
    ours: judge(here),
    theirs: judge(theirs),
  };
};

const sums = { pages: 0, wanted: 0 };
for (const who of ['ours', 'theirs']) {
  sums[who] = { listed: 0, hits: 0, near: 0, exact: 0, recall: 0, precision: 0 };
}

async function compared(page) {
  await page.addScriptTag({ content: peer });
  const seen = await page.evaluate(look);
  assert.equal(new Set(seen.nodes).size, 1, `both looked at the same page: ${seen.nodes} elements`);
  sums.pages += 1;
  sums.wanted += seen.wanted;
  for (const who of ['ours', 'theirs']) {
    const { listed, hits, near } = seen[who];
    const sum = sums[who];
    sum.listed += listed;
    sum.hits += hits;
    sum.near += near;
    sum.exact += hits === seen.wanted && hits === listed ? 1 : 0;
    sum.recall += seen.wanted === 0 ? 1 : hits / seen.wanted;
    sum.precision += listed === 0 ? 1 : hits / listed;
  }
}

for (const { name, html, script, waits } of [...PAGES, ...WIDGET_PAGES, ...LAYOUT_PAGES]) {
  await test(name, async (page) => {
    await show(page, html);
    if (script) await page.evaluate(script);
    if (waits) for (const frame of page.frames()) await frame.waitForLoadState();
    await compared(page);
  });
}

for (const { name, source } of [...APPS, ...MORE_APPS]) {
  await test(`an app of ${name}`, async (page) => {
    await showApp(page, source);
    await page.locator('[u]').first().waitFor();
    await compared(page);
  });
}

/**
 * Looks of each kind, one after another in turn, each at a page that is laid out. Two of 50 nodes can be used: page-agent
 * draws a frame around each that it lists, one after another, and with 800 of them takes seconds for one look.
 */
const TURNS = 21;
const ROW = 50;
const timed = async ([nodes, turns, row]) => {
  let html = '';
  for (let nth = 0; nth < nodes / row; nth += 1) {
    html += `<div class="row"><a href="#${nth}">link</a>${'<b>word </b>'.repeat(row - 3)}<button>do</button></div>`;
  }
  document.body.innerHTML = html;
  const controller = new Peer();
  const kinds = {
    ours: () => pmPage.scan(100),
    whole: () => pmPage.scan(100_000),
    theirs: () => controller.updateTree(),
  };
  const took = { ours: [], whole: [], theirs: [] };
  const counts = new Set();
  for (let turn = 0; turn < turns; turn += 1) {
    for (const kind of Object.keys(kinds)) {
      document.body.getBoundingClientRect();
      counts.add(document.querySelectorAll('.row,.row *').length);
      const begun = performance.now();
      await kinds[kind]();
      took[kind].push(performance.now() - begun);
      await controller.cleanUpHighlights();
    }
  }
  const middle = (all) => all.sort((one, other) => one - other)[Math.floor(all.length / 2)];
  return {
    counts: [...counts],
    listed: [pmPage.scan(100_000).elements.length, controller.selectorMap.size],
    ...Object.fromEntries(Object.entries(took).map(([kind, all]) => [kind, middle(all)])),
  };
};

const times = [];
for (const nodes of [2_000, 10_000]) {
  await test(`${nodes} nodes`, async (page) => {
    await show(page, '');
    await page.addScriptTag({ content: peer });
    const { counts, listed, ...took } = await page.evaluate(timed, [nodes, TURNS, ROW]);
    assert.deepEqual(counts, [nodes], 'the same page at every look');
    const usable = (nodes / ROW) * 2;
    assert.deepEqual(listed, [usable, usable], 'both list all that can be used');
    times.push({ nodes, ...took });
  });
}

await test('the goals, beside page-agent', () => {
  const { pages, wanted, ours, theirs } = sums;
  const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`;
  const row = (...cells) =>
    console.log(
      `      ${cells.map((cell, nth) => (nth === 0 ? cell.padEnd(44) : cell.padStart(12))).join('')}`,
    );
  const both = (name, of) => row(name, of(ours), of(theirs));
  row(`${pages} pages, ${wanted} wanted`, 'ours', `page-agent ${version}`);
  both('found', ({ hits }) => percent(hits, wanted));
  both('found, mean page', ({ recall }) => percent(recall, pages));
  both('right', ({ hits, listed }) => percent(hits, listed));
  both('right, mean page', ({ precision }) => percent(precision, pages));
  both('right, or a part or label of what is', ({ near, listed }) => percent(near, listed));
  both('pages with neither a miss nor a mistake', ({ exact }) => `${exact}`);
  for (const { nodes, ours: first, whole, theirs: peers } of times) {
    row(`${nodes} nodes, ms (100 told)`, first.toFixed(1), '');
    row(`${nodes} nodes, ms (all told)`, whole.toFixed(1), peers.toFixed(1));
  }
  assert.ok(ours.hits / wanted >= 0.99 && ours.recall / pages >= 0.99, 'recall');
  assert.ok(ours.hits / ours.listed >= 0.9 && ours.precision / pages >= 0.9, 'precision');
});

await end('beside');
