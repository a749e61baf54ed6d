// Episodes of a task, begun and judged as the package's own Python environment does it (selenium_instance.py). Nobody
// who solves a task sees anything of this but the wish.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { pagesFolder } from './package.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const script = readFileSync(join(here, '../../../ui/dist-page/page.js'), 'utf8');

/** The window of the Python environment. */
const WINDOW = { width: 500, height: 240 };

/** Milliseconds. The package leaves its limit to whoever runs it; a slow machine is no failure of the page script. */
const NO_LIMIT = 24 * 3600 * 1000;

/** The names of all tasks. */
export const allTasks = () =>
  readdirSync(pagesFolder())
    .filter((file) => file.endsWith('.html'))
    .map((file) => file.slice(0, -'.html'.length));

/** A task's page with the assistant's script in it; what throws in it is collected in `page.errors`. */
export async function openTask(browser, task) {
  const context = await browser.newContext({ viewport: WINDOW, locale: 'en-US' });
  await context.addInitScript(script);
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.errors = [];
  page.on('pageerror', (error) => page.errors.push(error.stack ?? String(error)));
  await page.goto(pathToFileURL(join(pagesFolder(), `${task}.html`)).href);
  return page;
}

/** Begins an episode; the wish. */
export async function begin(page, seed) {
  await page.evaluate(
    ([seed, limit]) => {
      core.endEpisode(0);
      core.EPISODE_MAX_TIME = limit;
      Math.seedrandom(seed);
      core.startEpisodeReal();
    },
    [seed, NO_LIMIT],
  );
  await page.waitForFunction(() => WOB_TASK_READY);
  const wish = await page.evaluate(() => core.getUtterance());
  // Some tasks give the parts of the wish beside it; those are not for us.
  return typeof wish === 'string' ? wish : wish.utterance;
}

/** Whether the episode was won, without the discount for time. */
export const judged = (page) =>
  page.evaluate(() => ({ isDone: WOB_DONE_GLOBAL, reward: WOB_RAW_REWARD_GLOBAL }));
