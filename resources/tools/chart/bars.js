/** 柱状图：并排或堆叠，竖的或横的。 */
import { Fault } from './fault.js';
import { axisTitles, begin, categoryLabels, categoryPlan, horizontalGrid, labelWidth, plotArea, valueAxis, verticalGrid, write } from './frame.js';
import { numberText } from './scale.js';

/** 每个类别里各段从哪里到哪里。堆叠时正的往上，负的往下。 */
function segmentsOf({ labels, series }, stacked) {
  return labels.map((_, i) => {
    let up = 0;
    let down = 0;
    return series.map((one) => {
      const value = one.values[i];
      if (value === null) return null;
      if (!stacked) return { from: 0, to: value, value };
      const from = value < 0 ? down : up;
      if (value < 0) down += value;
      else up += value;
      return { from, to: from + value, value };
    });
  });
}

/** 头上的两个角是圆的，根上的是方的。 */
function bar(context, { x, y, width, height }, side, rounded) {
  const radius = rounded ? Math.min(3, width / 2, height / 2) : 0;
  const corners = { top: [radius, radius, 0, 0], bottom: [0, 0, radius, radius], right: [0, radius, radius, 0], left: [radius, 0, 0, radius] }[side];
  context.beginPath();
  context.roundRect(x, y, width, height, corners);
  context.fill();
}

export function drawBars(context, data, params, theme) {
  const segments = segmentsOf(data, params.stacked);
  const ends = segments.flat().filter((one) => one !== null).flatMap((one) => [one.from, one.to]);
  if (!ends.every(Number.isFinite)) throw new Fault('INVALID_DATA', '堆叠的和太大');
  const range = [Math.min(0, ...chunked(ends, Math.min)), Math.max(0, ...chunked(ends, Math.max))];
  const space = begin(context, { ...params, theme }, data.series);
  const draw = params.horizontal ? horizontal : vertical;
  draw(context, { ...data, segments, range, space, params, theme });
}

/** 几万个数不能一次展开成参数。 */
export function chunked(values, pick) {
  const found = [];
  for (let i = 0; i < values.length; i += 5000) found.push(pick(...values.slice(i, i + 5000)));
  return found;
}

/** 一个类别占的地方分给各系列：并排时每个一份，堆叠时共用一份。 */
function slots(step, count, stacked) {
  const group = Math.min(step * 0.72, (stacked ? 1 : count) * 64);
  const each = stacked ? group : group / count;
  const gap = each > 6 ? Math.min(3, each * 0.12) : 0;
  return (middle, index) => ({ from: middle - group / 2 + (stacked ? 0 : index * each) + gap / 2, size: Math.max(0.5, each - gap) });
}

/** 堆叠的一段，数写在中间；放不下就不写。 */
function writeInside(context, text, { x, y, width, height }) {
  if (height < 14 || labelWidth(context, [text]) > width - 4) return;
  write(context, text, x + width / 2, y + height / 2, { color: '#ffffff', align: 'center', baseline: 'middle' });
}

/** 横的柱，数写在头外；伸到边缘的写在里面，里面也放不下就不写。 */
function writeBeside(context, text, { from, to, middle, area, color }) {
  const wide = labelWidth(context, [text]) + 8;
  const sign = to < from ? -1 : 1;
  const inside = sign < 0 ? to - wide < area.left : to + wide > area.right;
  if (inside && Math.abs(to - from) < wide + 4) return;
  const align = (sign < 0) === inside ? 'left' : 'right';
  write(context, text, to + (inside ? -6 : 6) * sign, middle, { color: inside ? '#ffffff' : color, align, baseline: 'middle' });
}

function vertical(context, { labels, series, segments, range, space, params, theme }) {
  const rough = valueAxis(...range, space.bottom - space.top - 40, { zero: true, language: params.language });
  const left = labelWidth(context, rough.ticks.map(rough.text)) + 12;
  const step = (space.right - space.left - left) / labels.length;
  const plan = categoryPlan(context, labels, step);
  const area = plotArea(space, { left, below: plan.height, params });
  const y = horizontalGrid(context, rough, area, theme);
  const middle = (i) => area.left + step * (i + 0.5);
  const slot = slots(step, series.length, params.stacked);
  segments.forEach((group, i) =>
    group.forEach((one, index) => {
      if (one === null) return;
      const { from, size } = slot(middle(i), index);
      const [a, b] = [y(one.from), y(one.to)];
      context.fillStyle = theme.color(index);
      const box = { x: from, y: Math.min(a, b), width: size, height: Math.abs(a - b) };
      bar(context, box, one.value < 0 ? 'bottom' : 'top', !params.stacked);
      if (params.show_values && params.stacked) writeInside(context, numberText(one.value), box);
      if (params.show_values && !params.stacked) {
        const text = numberText(one.value);
        if (labelWidth(context, [text]) <= size + 14) write(context, text, from + size / 2, one.value < 0 ? b + 15 : b - 6, { color: theme.text, align: 'center' });
      }
    }),
  );
  categoryLabels(context, labels, plan, middle, area.bottom, theme);
  axisTitles(context, area, params, theme, space.bottom);
}

function horizontal(context, { labels, series, segments, range, space, params, theme }) {
  const left = Math.min(labelWidth(context, labels), (space.right - space.left) * 0.35) + 12;
  const area = plotArea(space, { left, below: 26, params });
  const axis = valueAxis(...range, (area.right - area.left) * 0.8, { zero: true, language: params.language });
  const x = verticalGrid(context, axis, area, theme);
  const step = (area.bottom - area.top) / labels.length;
  const middle = (i) => area.top + step * (i + 0.5);
  const slot = slots(step, series.length, params.stacked);
  segments.forEach((group, i) =>
    group.forEach((one, index) => {
      if (one === null) return;
      const { from, size } = slot(middle(i), index);
      const [a, b] = [x(one.from), x(one.to)];
      context.fillStyle = theme.color(index);
      const box = { x: Math.min(a, b), y: from, width: Math.abs(a - b), height: size };
      bar(context, box, one.value < 0 ? 'left' : 'right', !params.stacked);
      if (!params.show_values) return;
      if (params.stacked) writeInside(context, numberText(one.value), box);
      else if (size >= 10) writeBeside(context, numberText(one.value), { from: a, to: b, middle: from + size / 2, area, color: theme.text });
    }),
  );
  const every = Math.max(1, Math.ceil(15 / step));
  labels.forEach((label, i) => {
    if (i % every === 0) write(context, label, area.left - 10, middle(i), { color: theme.text, align: 'right', baseline: 'middle', width: left - 12 });
  });
  axisTitles(context, area, params, theme, space.bottom);
}
