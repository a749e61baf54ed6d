/** 折线图和散点图。 */
import { chunked } from './bars.js';
import { axisTitles, begin, categoryLabels, categoryPlan, horizontalGrid, labelWidth, plotArea, valueAxis, verticalGrid } from './frame.js';

function dot(context, x, y, radius, color, background) {
  context.beginPath();
  context.arc(x, y, radius, 0, Math.PI * 2);
  context.fillStyle = color;
  context.fill();
  if (background === undefined) return;
  context.strokeStyle = background;
  context.lineWidth = 1.5;
  context.stroke();
}

/** 没有值的地方断开，不当作零。 */
function path(context, values, x, y) {
  let drawing = false;
  context.beginPath();
  values.forEach((value, i) => {
    if (value === null) drawing = false;
    else if (drawing) context.lineTo(x(i), y(value));
    else {
      context.moveTo(x(i), y(value));
      drawing = true;
    }
  });
}

export function drawLines(context, { labels, series }, params, theme) {
  const values = series.flatMap((one) => one.values.filter((value) => value !== null));
  const space = begin(context, { ...params, theme }, series);
  const [low, high] = [Math.min(...chunked(values, Math.min)), Math.max(...chunked(values, Math.max))];
  // 离零不远就从零开始；离得远还从零开始，变化就看不见了。
  const zero = low >= 0 && low < high * 0.6;
  const axis = valueAxis(low, high, space.bottom - space.top - 40, { zero, language: params.language });
  const left = labelWidth(context, axis.ticks.map(axis.text)) + 12;
  const width = space.right - space.left - left;
  const step = labels.length > 1 ? (width - 24) / (labels.length - 1) : width;
  const plan = categoryPlan(context, labels, step);
  const area = plotArea(space, { left, below: plan.height, params });
  const y = horizontalGrid(context, axis, area, theme);
  const x = (i) => (labels.length > 1 ? area.left + 12 + step * i : (area.left + area.right) / 2);
  const marks = labels.length <= 40;
  for (const { values: own, index } of series) {
    context.strokeStyle = theme.color(index);
    context.lineWidth = 2.25;
    context.lineJoin = 'round';
    context.lineCap = 'round';
    path(context, own, x, y);
    context.stroke();
    own.forEach((value, i) => {
      // 两边都断开的点没有线，总要画出来。
      const alone = value !== null && (own[i - 1] ?? null) === null && (own[i + 1] ?? null) === null;
      if (value !== null && (marks || alone)) dot(context, x(i), y(value), 3.5, theme.color(index), theme.background);
    });
  }
  categoryLabels(context, labels, plan, x, area.bottom, theme);
  axisTitles(context, area, params, theme, space.bottom);
}

export function drawScatter(context, { series }, params, theme) {
  const all = series.flatMap((one) => one.points);
  const rangeOf = (at) => {
    const values = all.map((point) => point[at]);
    return [Math.min(...chunked(values, Math.min)), Math.max(...chunked(values, Math.max))];
  };
  const space = begin(context, { ...params, theme }, series);
  const yAxis = valueAxis(...rangeOf(1), space.bottom - space.top - 40, { zero: false, language: params.language });
  const left = labelWidth(context, yAxis.ticks.map(yAxis.text)) + 12;
  const area = plotArea(space, { left, below: 26, params });
  const xAxis = valueAxis(...rangeOf(0), (area.right - area.left) * 0.7, { zero: false, language: params.language });
  const y = horizontalGrid(context, yAxis, area, theme);
  const x = verticalGrid(context, xAxis, area, theme);
  // 点多就小一点、透一点，密的地方才看得出来。
  const radius = all.length > 2000 ? 2 : all.length > 300 ? 3 : 4.5;
  context.globalAlpha = all.length > 300 ? 0.5 : 0.8;
  for (const { points, index } of series) for (const [px, py] of points) dot(context, x(px), y(py), radius, theme.color(index));
  context.globalAlpha = 1;
  axisTitles(context, area, params, theme, space.bottom);
}
