/** 表格：数字靠右，其余靠左；列宽按内容分配，放不下的截断。 */
import { begin, labelWidth, line, write } from './frame.js';

const PADDING = 12;

const cellText = (value) => (value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)).replace(/\s+/g, ' ').slice(0, 500);
const looksNumeric = (text) => /^[-+−]?[\d,.]+(?:%|e[-+]?\d+)?$/i.test(text);

export const rowHeight = 32;

/** 宽的让一让，窄的先满足。 */
function widthsOf(wanted, room) {
  const total = wanted.reduce((sum, one) => sum + one, 0);
  if (total <= room) return wanted.map((one) => one + ((room - total) * one) / total);
  const widths = wanted.map(() => 0);
  let left = room;
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
  order.forEach((i, done) => {
    widths[i] = Math.min(wanted[i], left / (order.length - done));
    left -= widths[i];
  });
  return widths;
}

export function drawTable(context, { columns, rows }, params, theme) {
  const space = begin(context, { ...params, theme });
  const cells = rows.map((row) => columns.map((_, i) => cellText(row[i])));
  const right = columns.map((_, i) => cells.every((row) => row[i] === '' || looksNumeric(row[i])));
  // 表头是粗体，比量的宽一些。
  const wanted = columns.map((column, i) => Math.max(labelWidth(context, [column]) * 1.12, labelWidth(context, cells.map((row) => row[i]))) + 2 * PADDING);
  const widths = widthsOf(wanted, space.right - space.left);
  const put = (texts, y, style) => {
    let x = space.left;
    texts.forEach((text, i) => {
      const at = right[i] ? x + widths[i] - PADDING : x + PADDING;
      write(context, text, at, y + rowHeight / 2, { ...style, align: right[i] ? 'right' : 'left', baseline: 'middle', width: widths[i] - 2 * PADDING + 1 });
      x += widths[i];
    });
  };
  put(columns, space.top, { color: theme.strong, weight: 700 });
  const header = Math.round(space.top + rowHeight) + 0.5;
  cells.forEach((row, i) => {
    const y = header + i * rowHeight;
    if (i % 2 === 1) {
      context.fillStyle = theme.stripe;
      context.fillRect(space.left, y, space.right - space.left, rowHeight);
    }
    put(row, y, { color: theme.strong });
  });
  line(context, space.left, header, space.right, header, theme.axis);
  const end = Math.round(header + rows.length * rowHeight) + 0.5;
  line(context, space.left, end, space.right, end, theme.grid);
}
