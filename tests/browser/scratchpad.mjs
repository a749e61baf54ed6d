// How long a drawing takes in the scratchpad: from the keys that run it until its picture is painted.

import { go } from './walk.mjs';

/** A bar chart as anybody would draw it; the number makes each run another picture. */
const chart = (run) => `// chart ${run}
const values = [42, 58, 51, 73, ${40 + run}, 89, 96];
const [width, height, edge] = [800, 480, 56];
const ctx = getCanvas(width, height).getContext('2d');
ctx.fillStyle = '#fff';
ctx.fillRect(0, 0, width, height);
const x = (i) => edge + ((i + 0.5) * (width - 2 * edge)) / values.length;
const y = (value) => height - edge - (value / 100) * (height - 2 * edge);
ctx.font = '14px sans-serif';
for (let value = 0; value <= 100; value += 20) {
  ctx.strokeStyle = '#e6e8ec';
  ctx.strokeRect(edge, y(value) + 0.5, width - 2 * edge, 0);
  ctx.fillStyle = '#6b7280';
  ctx.fillText(String(value), 20, y(value));
}
values.forEach((value, i) => {
  const fill = ctx.createLinearGradient(0, y(value), 0, y(0));
  fill.addColorStop(0, '#4f6df5');
  fill.addColorStop(1, '#9db0ff');
  ctx.fillStyle = fill;
  ctx.beginPath();
  ctx.roundRect(x(i) - 26, y(value), 52, y(0) - y(value), [8, 8, 0, 0]);
  ctx.fill();
  ctx.fillStyle = '#1f2430';
  ctx.fillText(String(value), x(i) - 8, y(value) - 14);
});
return values;`;

/** Milliseconds of each run; the first, in which the page has no picture yet, does not count. */
export async function drawings(page, runs) {
  await go(page, { hash: '/canvas/scratchpad' });
  const editor = page.getByRole('textbox', { name: 'Script' });
  await editor.waitFor();
  await page.evaluate(() => {
    let last = '';
    const begin = (event) => {
      if (event.key !== 'Enter' || !event.ctrlKey) return;
      const from = performance.now();
      const look = () => {
        const picture = document.querySelector('.scratch-picture img');
        if (!picture || picture.src === last || !picture.complete || picture.naturalWidth === 0) {
          requestAnimationFrame(look);
          return;
        }
        last = picture.src;
        requestAnimationFrame(() => { window.painted = performance.now() - from; });
      };
      requestAnimationFrame(look);
    };
    window.addEventListener('keydown', begin, true);
  });
  const times = [];
  for (let run = 0; run <= runs; run += 1) {
    await editor.click();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText(chart(run));
    await page.evaluate(() => { window.painted = undefined; });
    await page.keyboard.press('Control+Enter');
    const time = await page.waitForFunction(() => window.painted);
    times.push(await time.jsonValue());
  }
  return times.slice(1);
}
