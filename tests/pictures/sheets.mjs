// `node sheets.mjs PM`: each scene by pm, by Chromium and by @napi-rs/canvas side by side, in
// target/sheets, with the mean and worst difference of pm's to the others'. Pictures are to be looked
// at; what goes beyond a scene's bound against Chromium fails. With PM_WRITE_DOCS set, the pictures of
// scenes that are kept are written into `reference` beside Chromium's.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DOMMatrix, GlobalFonts, Path2D, createCanvas } from '@napi-rs/canvas';
import { chromium } from 'playwright-core';
import { LIBRARIES } from './libraries.mjs';
import { SCENES } from './scenes.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const folder = join(here, '../../target/sheets');
const reference = join(here, 'reference');
const fontFolder = join(here, '../../resources/fonts');
const fontFiles = readdirSync(fontFolder).filter((name) => /\.(ttf|otf|woff2)$/.test(name));
const FAMILIES = { Arimo: 'Arimo', Tinos: 'Tinos', Cousine: 'Cousine', NotoSansCJKsc: 'Noto Sans CJK SC', NotoColorEmoji: 'Noto Color Emoji', NotoSansCJKkr: 'Noto Sans CJK KR' };
const familyOf = (name) => {
  const first = name.split(/[-.]/)[0];
  // The two files of one family are asked for by names of their own.
  if (name.includes('-Extra')) return 'Noto Sans CJK SC Extra';
  return FAMILIES[first] ?? first.replace(/^NotoSans/, 'Noto Sans ');
};


rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

// pm, all scenes in one process.
execFileSync(process.argv[2], ['conformance', 'draw.mjs'], { cwd: here, stdio: 'inherit' });
for (const name of Object.keys(SCENES)) {
  renameSync(join(here, 'drawn', `${name}.png`), join(folder, `${name}.pm.png`));
}
rmSync(join(here, 'drawn'), { recursive: true });

// @napi-rs/canvas, with the globals of a page.
Object.assign(globalThis, { DOMMatrix, Path2D });
fontFiles.forEach((name) => GlobalFonts.registerFromPath(join(fontFolder, name), familyOf(name)));
for (const [name, { draw, width = 560, height = 400 }] of Object.entries(SCENES)) {
  const canvas = createCanvas(width, height);
  draw(canvas.getContext('2d'), width, height, { ...LIBRARIES, create: createCanvas });
  writeFileSync(join(folder, `${name}.napi.png`), canvas.toBuffer('image/png'));
}

// Chromium, which also lays the sheets out and compares.
const browser = await chromium.launch({
  executablePath: process.env.PM_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-lcd-text', '--font-render-hinting=none'],
});
const page = await browser.newPage();
const SCRIPTS = ['chart.js/dist/chart.umd.js', 'd3-array/dist/d3-array.js', 'd3-geo/dist/d3-geo.js', 'topojson-client/dist/topojson-client.js', 'echarts/dist/echarts.js'];
for (const script of SCRIPTS) await page.addScriptTag({ path: join(here, 'node_modules', script) });
await page.evaluate((world) => { window.world = world; }, LIBRARIES.world);
for (const name of fontFiles) {
  const [family, style] = [familyOf(name), name];
  await page.evaluate(async ({ family, style, data }) => {
    const face = new FontFace(family, `url(data:font/otf;base64,${data})`, {
      weight: style.includes('Bold') ? 'bold' : 'normal', style: style.includes('Italic') ? 'italic' : 'normal',
    });
    document.fonts.add(await face.load());
  }, { family, style, data: readFileSync(join(fontFolder, name)).toString('base64') });
}
const source = readFileSync(join(here, 'scenes.mjs')).toString('base64');
let failed = false;
for (const [name, { bound, kept, width = 560, height = 400 }] of Object.entries(SCENES)) {
  const url = (kind) => `data:image/png;base64,${readFileSync(join(folder, `${name}.${kind}.png`)).toString('base64')}`;
  const seen = await page.evaluate(async ({ source, name, width, height, pm, napi }) => {
    const { SCENES } = await import(`data:text/javascript;base64,${source}`);
    const create = (w, h) => Object.assign(document.createElement('canvas'), { width: w, height: h });
    const drawn = create(width, height);
    SCENES[name].draw(drawn.getContext('2d', { willReadFrequently: true }), width, height, { Chart: window.Chart, d3: window.d3, echarts: window.echarts, topojson: window.topojson, world: window.world, create });
    const pixels = (picture) => {
      const ctx = create(width, height).getContext('2d', { willReadFrequently: true });
      ctx.drawImage(picture, 0, 0);
      return ctx.getImageData(0, 0, width, height).data;
    };
    const loaded = async (address) => {
      const image = new Image();
      image.src = address;
      await image.decode();
      return image;
    };
    const pictures = [await loaded(pm), drawn, await loaded(napi)];
    const [ours, ...others] = pictures.map(pixels);
    const differences = others.map((other) => {
      let [sum, worst] = [0, 0];
      for (let i = 0; i < ours.length; i += 1) {
        const difference = Math.abs(ours[i] - other[i]);
        sum += difference;
        worst = Math.max(worst, difference);
      }
      return { mean: sum / ours.length, worst };
    });
    const sheet = create(width * 3 + 40, height + 30);
    const ctx = sheet.getContext('2d');
    ctx.fillStyle = '#ddd';
    ctx.fillRect(0, 0, sheet.width, sheet.height);
    ctx.fillStyle = '#000';
    ctx.font = '16px sans-serif';
    ['pm', 'Chromium', '@napi-rs/canvas'].forEach((label, i) => {
      ctx.fillText(label, 10 + i * (width + 10), 20);
      ctx.drawImage(pictures[i], 10 + i * (width + 10), 28);
    });
    return { sheet: sheet.toDataURL(), chromium: drawn.toDataURL(), small: drawn.toDataURL('image/webp', 0.8), differences };
  }, { source, name, width, height, pm: url('pm'), napi: url('napi') });
  const save = (file, address) => writeFileSync(join(folder, file), Buffer.from(address.split(',')[1], 'base64'));
  save(`${name}.chromium.png`, seen.chromium);
  save(`${name}.sheet.png`, seen.sheet);
  if (kept && process.env.PM_WRITE_DOCS) {
    mkdirSync(reference, { recursive: true });
    copyFileSync(join(folder, `${name}.pm.png`), join(reference, `${name}.png`));
    writeFileSync(join(reference, `${name}.chromium.webp`), Buffer.from(seen.small.split(',')[1], 'base64'));
  }
  const [chrome, napi] = seen.differences.map(({ mean, worst }) => `${mean.toFixed(2)} mean, ${worst} worst`);
  const over = seen.differences[0].mean > bound;
  failed ||= over;
  console.log(`${name.padEnd(12)} Chromium: ${chrome.padEnd(24)} @napi-rs/canvas: ${napi}${over ? `  OVER ${bound}` : ''}`);
}
await browser.close();
console.log(`sheets are in ${folder}`);
process.exitCode = failed ? 1 : 0;
