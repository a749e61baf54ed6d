/** 热力图：一格一个数，颜色说明大小。有正有负时，两边用两种颜色。 */
import { Fault } from './fault.js';
import { begin, categoryLabels, categoryPlan, labelWidth, plotArea, axisTitles, write } from './frame.js';
import { mix, readable, rgb } from './theme.js';
import { chunked } from './bars.js';
import { numberText } from './scale.js';

function paintOf(low, high, theme) {
  if (low < 0 && high > 0) {
    const most = Math.max(-low, high);
    return (value) => mix(theme.low, value < 0 ? theme.negative : theme.high, Math.abs(value) / most);
  }
  return (value) => mix(theme.low, theme.high, high === low ? 0.5 : (value - low) / (high - low));
}

export function drawHeat(context, { rows, columns, labels }, params, theme) {
  const values = rows.flat().filter((value) => value !== null);
  const [low, high] = [Math.min(...chunked(values, Math.min)), Math.max(...chunked(values, Math.max))];
  if (!Number.isFinite(high - low)) throw new Fault('INVALID_DATA', '数相差太大，画不出来');
  const paint = paintOf(low, high, theme);
  const space = begin(context, { ...params, theme });
  const scale = labelWidth(context, [numberText(low), numberText(high)]) + 34;
  const left = Math.min(labelWidth(context, labels), (space.right - space.left) * 0.3) + 12;
  const width = (space.right - space.left - left - scale) / columns.length;
  const plan = categoryPlan(context, columns, width);
  const area = plotArea({ ...space, right: space.right - scale }, { left, below: plan.height, params });
  const height = (area.bottom - area.top) / rows.length;
  const gap = Math.min(width, height) > 12 ? 2 : 0;
  const roomy = height >= 16;
  rows.forEach((row, i) =>
    row.forEach((value, j) => {
      if (value === null) return;
      const color = paint(value);
      const [x, y] = [area.left + j * width, area.top + i * height];
      context.fillStyle = rgb(color);
      context.beginPath();
      context.roundRect(x + gap / 2, y + gap / 2, width - gap, height - gap, gap > 0 ? 3 : 0);
      context.fill();
      const text = numberText(value);
      if (roomy && rows.length * columns.length <= 600 && labelWidth(context, [text]) <= width - 6) {
        write(context, text, x + width / 2, y + height / 2, { color: readable(color), align: 'center', baseline: 'middle' });
      }
    }),
  );
  const every = Math.max(1, Math.ceil(15 / height));
  labels.forEach((label, i) => {
    if (i % every === 0) write(context, label, area.left - 10, area.top + (i + 0.5) * height, { color: theme.text, align: 'right', baseline: 'middle', width: left - 12 });
  });
  categoryLabels(context, columns, plan, (j) => area.left + (j + 0.5) * width, area.bottom, theme);
  ramp(context, { low, high, paint, x: area.right + 18, top: area.top, bottom: area.bottom, theme });
  axisTitles(context, area, params, theme, space.bottom);
}

/** 右边的一条：哪种颜色是多大。 */
function ramp(context, { low, high, paint, x, top, bottom, theme }) {
  const length = Math.min(180, bottom - top);
  const gradient = context.createLinearGradient(0, top + length, 0, top);
  for (let i = 0; i <= 10; i += 1) gradient.addColorStop(i / 10, rgb(paint(low + ((high - low) * i) / 10)));
  context.fillStyle = gradient;
  context.beginPath();
  context.roundRect(x, top, 10, length, 3);
  context.fill();
  write(context, numberText(high), x + 16, top + 4, { color: theme.text, baseline: 'middle' });
  if (high !== low) write(context, numberText(low), x + 16, top + length - 4, { color: theme.text, baseline: 'middle' });
}
