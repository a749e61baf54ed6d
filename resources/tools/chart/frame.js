/** 图的框架：标题、图例、坐标轴。各种图在它留下的地方画自己的部分。 */
import { Fault } from './fault.js';
import { font } from './theme.js';
import { axisOf, tickText } from './scale.js';

const EDGE = 24;
const SMALL = 12;
/** 图例之下至少要留多高，才画得下图；真正画图的地方至少多宽多高。 */
const BELOW_LEGEND = 100;
const LEAST = 40;

/** 放不下就从后面截断，加上省略号。 */
export function fitted(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  const letters = [...text];
  let low = 0;
  let high = letters.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (context.measureText(`${letters.slice(0, middle).join('')}…`).width <= width) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? '' : `${letters.slice(0, low).join('')}…`;
}

export function write(context, text, x, y, { color, size = SMALL, weight = 400, align = 'left', baseline = 'alphabetic', width = Infinity }) {
  context.font = font(size, weight);
  context.fillStyle = color;
  context.textAlign = align;
  context.textBaseline = baseline;
  context.fillText(width === Infinity ? text : fitted(context, text, width), x, y);
}

/** 底色、标题和图例；返回剩下的地方。 */
export function begin(context, { width, height, title, subtitle, theme }, names = []) {
  context.fillStyle = theme.background;
  context.fillRect(0, 0, width, height);
  let top = EDGE;
  if (title) {
    write(context, title, EDGE, top + 14, { color: theme.title, size: 18, weight: 700, width: width - 2 * EDGE });
    top += 26;
  }
  if (subtitle) {
    write(context, subtitle, EDGE, top + 10, { color: theme.text, size: 13, width: width - 2 * EDGE });
    top += 20;
  }
  if (title || subtitle) top += 8;
  top = legend(context, names, { top, width, theme, most: height - EDGE - BELOW_LEGEND });
  return { left: EDGE, top, right: width - EDGE, bottom: height - EDGE };
}

/** 只有一个系列、又没有名称时，不需要图例；地方不够时也不要，图比它要紧。 */
function legend(context, names, { top, width, theme, most }) {
  if (names.every((one) => one.name === '')) return top;
  let x = EDGE;
  let y = top;
  const placed = [];
  for (const { name, index } of names) {
    context.font = font(SMALL);
    const text = fitted(context, name || `#${index + 1}`, 220);
    const space = 18 + context.measureText(text).width + 18;
    if (x + space > width - EDGE && x > EDGE) {
      x = EDGE;
      y += 20;
    }
    placed.push({ text, index, x, y });
    x += space;
  }
  if (y + 30 > most) return top;
  for (const one of placed) {
    context.fillStyle = theme.color(one.index);
    context.beginPath();
    context.roundRect(one.x, one.y + 1, 11, 11, 3);
    context.fill();
    write(context, one.text, one.x + 17, one.y + 11, { color: theme.text });
  }
  return y + 30;
}

/** 数轴在左边或下面。先量出刻度的文字要多宽，再定图的位置。 */
export function valueAxis(low, high, length, { zero, language }) {
  const axis = axisOf(low, high, { wanted: Math.max(2, Math.floor(length / 64)), zero });
  return { ...axis, text: tickText(axis, language) };
}

export function labelWidth(context, labels) {
  context.font = font(SMALL);
  return labels.reduce((most, label) => Math.max(most, context.measureText(label).width), 0);
}

export function along(axis, from, to) {
  return (value) => from + ((value - axis.low) / (axis.high - axis.low)) * (to - from);
}

const crisp = (at) => Math.round(at) + 0.5;

export function line(context, x1, y1, x2, y2, color) {
  context.strokeStyle = color;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

/** 横线和左边的数。 */
export function horizontalGrid(context, axis, area, theme) {
  const y = along(axis, area.bottom, area.top);
  for (const tick of axis.ticks) {
    const at = crisp(y(tick));
    line(context, area.left, at, area.right, at, tick === 0 ? theme.axis : theme.grid);
    write(context, axis.text(tick), area.left - 10, at, { color: theme.text, align: 'right', baseline: 'middle' });
  }
  return y;
}

/** 竖线和下面的数。 */
export function verticalGrid(context, axis, area, theme) {
  const x = along(axis, area.left, area.right);
  for (const tick of axis.ticks) {
    const at = crisp(x(tick));
    line(context, at, area.top, at, area.bottom, tick === 0 ? theme.axis : theme.grid);
    write(context, axis.text(tick), at, area.bottom + 18, { color: theme.text, align: 'center' });
  }
  return x;
}

export function axisTitles(context, area, { x_title: x, y_title: y }, theme, bottom) {
  if (x) write(context, x, (area.left + area.right) / 2, bottom, { color: theme.text, align: 'center', width: area.right - area.left });
  if (!y) return;
  write(context, y, EDGE, area.top - 14, { color: theme.text, width: area.right - EDGE });
}

/** 类别的文字放得下就平放，放不下就斜放，再放不下就隔几个写一个。 */
export function categoryPlan(context, labels, step) {
  const widest = labelWidth(context, labels);
  if (widest <= step - 8) return { slanted: false, every: 1, height: 26 };
  const slantedWidth = Math.min(widest, 110);
  const every = Math.max(1, Math.ceil(18 / step));
  // 数字和日期多半连续，隔着写也看得懂：平放比斜放好读。
  const flatEvery = Math.ceil((widest + 12) / step);
  if (labels.length > 12 && widest < 90 && flatEvery <= labels.length / 4) return { slanted: false, every: flatEvery, height: 26 };
  return { slanted: true, every, height: slantedWidth * 0.71 + 24, width: slantedWidth };
}

export function categoryLabels(context, labels, plan, at, top, theme) {
  labels.forEach((label, i) => {
    if (i % plan.every !== 0) return;
    if (!plan.slanted) {
      write(context, label, at(i), top + 18, { color: theme.text, align: 'center' });
      return;
    }
    context.save();
    context.translate(at(i) + 4, top + 12);
    context.rotate(-Math.PI / 4);
    write(context, label, 0, 0, { color: theme.text, align: 'right', baseline: 'middle', width: plan.width });
    context.restore();
  });
}

/** 有坐标轴的图里，真正画图的地方。 */
export function plotArea(space, { left, below, params }) {
  const area = {
    left: space.left + left,
    right: space.right,
    top: space.top + (params.y_title ? 22 : 6),
    bottom: space.bottom - below - (params.x_title ? 20 : 0),
  };
  if (area.bottom - area.top < LEAST) throw new Fault('INVALID_PARAMETER', 'height 太小，画不下：加大 height，或去掉标题、缩短名称');
  if (area.right - area.left < LEAST) throw new Fault('INVALID_PARAMETER', 'width 太小，画不下：加大 width，或缩短名称');
  return area;
}
