/** 给的数据合不合适，统一成画图用的样子。 */
import { Fault } from './fault.js';

export const MAX_SERIES = 20;
export const MAX_VALUES = 20000;
export const MAX_TABLE_ROWS = 200;
const MAX_SLICES = 24;
const MAX_LABEL = 200;

const wrong = (message) => new Fault('INVALID_DATA', message);

function listOf(value, name) {
  if (!Array.isArray(value) || value.length === 0) throw wrong(`${name} 应为不空的列表`);
  if (value.length > MAX_VALUES) throw wrong(`${name} 最多 ${MAX_VALUES} 项`);
  return value;
}

const labelOf = (value) => String(value ?? '').replace(/\s+/g, ' ').slice(0, MAX_LABEL);

/** 数，或者没有（null）。文字写的数也认，别的不猜。 */
function numberOf(value, where) {
  if (value === null || value === undefined || value === '') return null;
  const number = typeof value === 'string' ? Number(value.replaceAll(',', '')) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) throw wrong(`${where} 不是数: ${JSON.stringify(value)}`);
  return number;
}

function seriesOf(params, valuesOf) {
  const all = params.series === undefined && params.values !== undefined ? [{ values: params.values }] : listOf(params.series, 'series');
  if (all.length > MAX_SERIES) throw wrong(`最多 ${MAX_SERIES} 个系列`);
  return all.map((one, index) => ({ name: labelOf(one?.name), index, ...valuesOf(one ?? {}, `series[${index}]`) }));
}

function categories(params) {
  const series = seriesOf(params, (one, where) => ({ values: listOf(one.values, `${where}.values`).map((value, i) => numberOf(value, `${where}.values[${i}]`)) }));
  const longest = Math.max(...series.map((one) => one.values.length));
  const labels = params.labels === undefined ? Array.from({ length: longest }, (_, i) => String(i + 1)) : listOf(params.labels, 'labels').map(labelOf);
  for (const one of series) {
    if (one.values.length !== labels.length) throw wrong(`${one.name || `series[${one.index}]`} 有 ${one.values.length} 个值，labels 有 ${labels.length} 个`);
  }
  if (series.length * labels.length > MAX_VALUES) throw wrong(`一共最多 ${MAX_VALUES} 个值`);
  if (series.every((one) => one.values.every((value) => value === null))) throw wrong('一个数也没有');
  return { labels, series };
}

function slices(params) {
  const { labels, series } = categories(params);
  if (series.length > 1) throw wrong('饼图只能有一个系列');
  const all = labels.map((label, i) => ({ label, value: series[0].values[i] ?? 0 }));
  if (all.some((one) => one.value < 0)) throw wrong('饼图的值不能是负数');
  if (all.every((one) => one.value === 0)) throw wrong('饼图的值不能都是零');
  if (all.length > MAX_SLICES) throw wrong(`饼图最多 ${MAX_SLICES} 块，请把小的合并成“其他”`);
  return { slices: all };
}

function points(params) {
  const series = seriesOf(params, (one, where) => ({
    points: listOf(one.points, `${where}.points`).map((point, i) => {
      if (!Array.isArray(point) || point.length < 2) throw wrong(`${where}.points[${i}] 应为 [x, y]`);
      const [x, y] = [numberOf(point[0], `${where}.points[${i}][0]`), numberOf(point[1], `${where}.points[${i}][1]`)];
      if (x === null || y === null) throw wrong(`${where}.points[${i}] 缺少 x 或 y`);
      return [x, y];
    }),
  }));
  if (series.reduce((sum, one) => sum + one.points.length, 0) > MAX_VALUES) throw wrong(`一共最多 ${MAX_VALUES} 个点`);
  return { series };
}

function grid(params) {
  const rows = listOf(params.rows, 'rows').map((row, i) => listOf(row, `rows[${i}]`).map((value, j) => numberOf(value, `rows[${i}][${j}]`)));
  const width = rows[0].length;
  if (rows.some((row) => row.length !== width)) throw wrong('各行的个数应相同');
  if (rows.length * width > MAX_VALUES) throw wrong(`一共最多 ${MAX_VALUES} 格`);
  const named = (list, name, count) => {
    if (list === undefined) return Array.from({ length: count }, (_, i) => String(i + 1));
    if (listOf(list, name).length !== count) throw wrong(`${name} 应有 ${count} 项`);
    return list.map(labelOf);
  };
  if (rows.every((row) => row.every((value) => value === null))) throw wrong('一个数也没有');
  return { rows, columns: named(params.columns, 'columns', width), labels: named(params.labels, 'labels', rows.length) };
}

function table(params) {
  const columns = listOf(params.columns, 'columns').map(labelOf);
  const rows = listOf(params.rows, 'rows').map((row, i) => listOf(row, `rows[${i}]`));
  if (rows.length > MAX_TABLE_ROWS) throw wrong(`表格最多 ${MAX_TABLE_ROWS} 行`);
  if (columns.length > 30) throw wrong('表格最多 30 列');
  if (rows.some((row) => row.length > columns.length)) throw wrong(`每行最多 ${columns.length} 个值`);
  return { columns, rows };
}

const KINDS = { bar: categories, line: categories, pie: slices, scatter: points, heatmap: grid, table };
export const TYPES = Object.keys(KINDS);

export const dataOf = (params) => KINDS[params.type](params);
