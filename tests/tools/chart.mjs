// What is drawn says what the data say: pixels of the chart tool's pictures are counted. Run by
// `pm conformance` with the tool's folder beside this file.
import assert from 'node:assert/strict';
import { createCanvas, loadImage } from 'canvas';
import tool from './chart/chart.tool.js';
import { axisOf, numberText, tickText } from './chart/scale.js';

const self = { api: { logger: { debug() {} } } };
const draw = (params) => tool.execute.call(self, { scale: 1, ...params });

async function pixelsOf(params) {
  const { base64, width, height } = await draw(params);
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.drawImage(await loadImage(Buffer.from(base64, 'base64')), 0, 0);
  return { width, height, data: context.getImageData(0, 0, width, height).data };
}

/** How many pixels of this colour there are, in all and in each column. */
function count({ width, data }, [r, g, b]) {
  const columns = new Map();
  let all = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) > 6) continue;
    all += 1;
    const x = (i / 4) % width;
    columns.set(x, (columns.get(x) ?? 0) + 1);
  }
  return { all, columns: [...columns.entries()].sort(([a], [c]) => a - c) };
}
const BLUE = [0x3b, 0x6f, 0xe0];
const ORANGE = [0xe8, 0x83, 0x3a];
const near = (found, wanted, what) => assert.ok(Math.abs(found - wanted) < 0.03 * wanted, `${what}: ${found}, not ${wanted}`);

// Ticks: round numbers that hold the data, few of them.
for (const [low, high] of [[0, 7], [-3, 27], [0.001, 0.0042], [1e9, 3.7e9], [-5, -1], [4, 4], [0, 0], [1e-14, 5e-14], [1e-12, 1e-10], [-3e-9, 1e-9], [1e12, 1e12 + 1], [1e15, 1e15 + 1], [0, 1e300]]) {
  for (const zero of [true, false]) {
    const axis = axisOf(low, high, { wanted: 5, zero });
    const close = (axis.high - axis.low) * 1e-8;
    assert.ok(axis.low - close <= low && axis.high + close >= high, `${low}..${high}: ${axis.ticks}`);
    assert.ok(axis.ticks.length >= 2 && axis.ticks.length <= 13, `${axis.ticks}`);
    if (zero) assert.ok(axis.ticks.includes(0), `${axis.ticks}`);
    assert.equal(new Set(axis.ticks.map(tickText(axis, 'zh'))).size, axis.ticks.length, `no two ticks are written alike: ${axis.ticks}`);
  }
}
assert.deepEqual(axisOf(0, 10, { wanted: 5, zero: true }).ticks, [0, 2, 4, 6, 8, 10]);
assert.deepEqual(axisOf(0, 0.3, { wanted: 3, zero: true }).ticks, [0, 0.1, 0.2, 0.3]);
assert.equal(tickText(axisOf(0, 200000, { wanted: 4, zero: true }), 'zh')(100000), '10万');
assert.equal(tickText(axisOf(0, 200000, { wanted: 4, zero: true }), 'en')(100000), '100K');
assert.equal(numberText(-1234567.8), '−1,234,568');
assert.equal(numberText(0.1 + 0.2), '0.3');

// A bar of twice the value has twice the pixels, below zero as above it, lying or standing.
for (const horizontal of [false, true]) {
  const { all: one } = count(await pixelsOf({ type: 'bar', values: [4], labels: ['x'], horizontal, series: undefined }), BLUE);
  const pair = await pixelsOf({ type: 'bar', labels: ['x'], series: [{ name: 'a', values: [4] }, { name: 'b', values: [-2] }], horizontal });
  const [above, below] = [count(pair, BLUE).all - 121, count(pair, ORANGE).all - 121];
  assert.ok(one > 1000);
  near(above / below, 2, 'a bar of twice the value');
}

// A slice of a third has a third of the pixels.
const pie = await pixelsOf({ type: 'pie', labels: ['a', 'b'], values: [1, 2] });
near(count(pie, ORANGE).all / count(pie, BLUE).all, 2, 'a slice of twice the value');

// A gap in a line stays a gap.
const gap = await pixelsOf({ type: 'line', labels: Array.from({ length: 9 }, (_, i) => String(i)), values: [5, 5, 5, null, null, null, 5, 5, 5] });
const xs = count(gap, BLUE).columns.map(([x]) => x);
const widest = Math.max(...xs.slice(1).map((x, i) => x - xs[i]));
near(widest, ((xs.at(-1) - xs[0]) / 8) * 4, 'the gap');

// CJK has glyphs: no two characters are the same box.
const inked = async (title) => (await pixelsOf({ type: 'bar', values: [1], title })).data.reduce((sum, part) => sum + (255 - part), 0);
const [first, second, third] = [await inked('一一一'), await inked('我我我'), await inked('あああ')];
assert.ok(second > first && third > first && second !== third);

// SVG holds shapes, no picture.
const { svg } = await draw({ type: 'heatmap', rows: [[1, 2]], format: 'svg' });
assert.match(svg, /^<svg[\s>]|^<\?xml/);
assert.doesNotMatch(svg, /<image/);
// A table of many rows is drawn smaller, not refused.
const tall = await tool.execute.call(self, { type: 'table', columns: ['a'], rows: Array.from({ length: 200 }, () => [1]) });
assert.ok(tall.width * tall.height <= 16e6 && tall.width > 800);
await assert.rejects(() => draw({ type: 'table', columns: ['a'], rows: Array.from({ length: 200 }, () => [1]), width: 3000, scale: 2 }), { code: 'TOO_LARGE' });

// What is written, and where.
async function written(params) {
  const { svg } = await draw({ ...params, format: 'svg' });
  return svg;
}
assert.notEqual(await written({ type: 'bar', labels: ['a'], values: [200000] }), await written({ type: 'bar', labels: ['a'], values: [200000], number_style: 'zh' }));
assert.equal(await written({ type: 'bar', labels: ['甲'], values: [200000] }), await written({ type: 'bar', labels: ['甲'], values: [200000], number_style: 'zh' }));
assert.notEqual(
  await written({ type: 'bar', labels: ['a'], series: [{ values: [3] }, { values: [4] }], stacked: true, show_values: true }),
  await written({ type: 'bar', labels: ['a'], series: [{ values: [3] }, { values: [4] }], stacked: true }),
  'values of stacked bars are written',
);
// Values below zero stand left of their bars, in the colour of text: no white is left out of the bar.
const negative = { type: 'bar', labels: ['a', 'b'], values: [-50, -100], horizontal: true };
const bars = count(await pixelsOf(negative), BLUE);
const named = count(await pixelsOf({ ...negative, show_values: true }), BLUE);
assert.ok(bars.all - named.all < 0.02 * bars.all, 'the shorter bar has nothing written on it');
// A small picture keeps its plot the right way up, without a legend.
const small = await pixelsOf({ type: 'bar', labels: ['a'], series: [{ name: 'one', values: [4] }, { name: 'two', values: [2] }], width: 200, height: 150 });
near(count(small, BLUE).all / count(small, ORANGE).all, 2, 'a bar of twice the value in a small picture');
// A small pie stays in its picture.
const round = await pixelsOf({ type: 'pie', labels: ['Alpha with a long name', 'Beta'], values: [1, 1], width: 220, height: 200 });
const edge = Array.from({ length: 200 }, (_, y) => round.data[(y * 220 + 219) * 4]);
assert.equal(new Set(edge).size, 1, 'nothing is cut off at the right');
console.log('fine');
