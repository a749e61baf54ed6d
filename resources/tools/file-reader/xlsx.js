/**
 * Excel 工作簿：有哪些表，一张表的各行。日期写成 ISO，公式给出上次算出的值。
 *
 * 这里有意不做的事：计算公式、图表、合并单元格的展开、旧的 .xls。
 */
import { Fault } from './fault.js';
import { attribute, elements, first, parse } from './xml.js';
import { decode } from './charset.js';

const MAX_COLUMNS = 16384;
/** 一个写在 XFD1048576 的单元格不应该变成一百万个空行。 */
const MAX_CELLS = 2000000;
const DAY = 86400000;
/** 内置的日期格式；27 到 36、50 到 58 是中日韩版本的。 */
const isBuiltInDate = (id) => (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);

const xmlOf = (read, name) => {
  const bytes = read(name);
  return bytes === undefined ? undefined : parse(decode(bytes).text);
};

/** 引号、方括号和转义之外有 y m d h s 的格式是日期；[h] 是超过 24 小时的钟点，也算。 */
export const isDateFormat = (code) => /[ymdhs]/i.test(code.replace(/\[(h+|m+|s+)\]/gi, '$1').replace(/"[^"]*"|\[[^\]]*\]|\\.|_.|\*./g, '').replace(/general/gi, ''));

function datesOf(read) {
  const tree = xmlOf(read, 'xl/styles.xml');
  if (tree === undefined) return [];
  const own = new Map();
  const formats = first(tree, 'numFmts');
  for (const one of formats === undefined ? [] : elements(formats, 'numFmt')) {
    own.set(attribute(one, 'numFmtId'), isDateFormat(attribute(one, 'formatCode') ?? ''));
  }
  const cells = first(tree, 'cellXfs');
  return (cells === undefined ? [] : elements(cells, 'xf')).map((one) => {
    const id = attribute(one, 'numFmtId') ?? '0';
    return own.get(id) ?? isBuiltInDate(Number(id));
  });
}

/** 共享文字：可能分成几段，注音（rPh）不算。 */
function richText(node) {
  const direct = elements(node, 't').map((t) => t.children.join(''));
  const runs = elements(node, 'r').map((run) => elements(run, 't').map((t) => t.children.join('')).join(''));
  return [...direct, ...runs].join('').replace(/_x([0-9A-F]{4})_/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
}

/** 序号变成日期；1900 年的日历里有一个不存在的 2 月 29 日。 */
export function dateOf(serial, from1904) {
  const days = from1904 ? serial + 1462 : serial < 60 ? serial + 1 : serial;
  const moment = new Date(Date.UTC(1899, 11, 30) + Math.round(days * DAY / 1000) * 1000);
  if (Number.isNaN(moment.getTime())) return serial;
  const text = moment.toISOString();
  if (serial >= 0 && serial < 1) return text.slice(11, 19);
  return Number.isInteger(serial) ? text.slice(0, 10) : text.slice(0, 19);
}

function columnOf(reference) {
  let column = 0;
  for (const c of /^[A-Z]+/.exec(reference ?? '')?.[0] ?? '') column = column * 26 + c.charCodeAt(0) - 64;
  return column - 1;
}

function valueOf(cell, book) {
  const type = attribute(cell, 't');
  if (type === 'inlineStr') return richText(first(cell, 'is') ?? cell);
  const text = first(cell, 'v')?.children.join('');
  // 没有算过的公式：没有值，不是零。
  if (text === undefined || (text === '' && type !== 'str')) return null;
  switch (type) {
    case 's':
      return book.strings[Number(text)] ?? null;
    case 'b':
      return text === '1';
    case 'str':
    case 'e':
    case 'd':
      return text;
    default: {
      const number = Number(text);
      return book.dates[Number(attribute(cell, 's') ?? -1)] === true ? dateOf(number, book.from1904) : number;
    }
  }
}

/** @param {(name: string) => import('node:buffer').Buffer | undefined} read */
export function bookOf(read) {
  const tree = xmlOf(read, 'xl/workbook.xml');
  if (tree === undefined) throw new Fault('DAMAGED_FILE', '不是 Excel 工作簿: 没有 xl/workbook.xml');
  const relations = xmlOf(read, 'xl/_rels/workbook.xml.rels');
  const targets = new Map();
  for (const one of relations === undefined ? [] : elements(relations, 'Relationship')) {
    const target = one.attributes.Target ?? '';
    targets.set(one.attributes.Id, target.startsWith('/') ? target.slice(1) : `xl/${target}`);
  }
  const strings = xmlOf(read, 'xl/sharedStrings.xml');
  return {
    read,
    sheets: elements(first(tree, 'sheets') ?? tree, 'sheet').map((sheet) => ({
      name: attribute(sheet, 'name') ?? '',
      hidden: (attribute(sheet, 'state') ?? 'visible') !== 'visible',
      target: targets.get(attribute(sheet, 'id')),
    })),
    strings: strings === undefined ? [] : elements(strings, 'si').map(richText),
    dates: datesOf(read),
    from1904: ['1', 'true'].includes(attribute(first(tree, 'workbookPr'), 'date1904') ?? ''),
  };
}

export function sheetOf(book, wanted) {
  const sheet =
    wanted === undefined
      ? (book.sheets.find((one) => !one.hidden) ?? book.sheets[0])
      : (book.sheets.find((one) => one.name === wanted) ?? (/^\d+$/.test(wanted) ? book.sheets[Number(wanted) - 1] : undefined));
  if (sheet === undefined) {
    throw new Fault('NOT_FOUND', `没有工作表: ${wanted ?? ''}，有: ${book.sheets.map((one) => one.name).join(', ')}`);
  }
  return sheet;
}

/** 各行，空行也在其位，行尾的空单元格不在。 */
export function rowsOf(book, sheet) {
  const tree = sheet.target === undefined ? undefined : xmlOf(book.read, sheet.target);
  const data = first(tree, 'sheetData');
  const rows = [];
  let cells = 0;
  for (const row of data === undefined ? [] : elements(data, 'row')) {
    const number = Number(attribute(row, 'r') ?? rows.length + 1);
    const gap = number - 1 - rows.length;
    if (gap > 0 && gap <= 1000) rows.push(...Array.from({ length: gap }, () => []));
    const values = [];
    for (const cell of elements(row, 'c')) {
      const found = columnOf(attribute(cell, 'r'));
      const column = found < 0 ? values.length : found;
      if (column >= MAX_COLUMNS) throw new Fault('DAMAGED_FILE', `单元格的位置不对: ${attribute(cell, 'r')}`);
      while (values.length < column) values.push(null);
      values[column] = valueOf(cell, book);
    }
    while (values.length > 0 && values.at(-1) === null) values.pop();
    cells += values.length;
    if (cells > MAX_CELLS) throw new Fault('TOO_MUCH', `工作表的单元格超过 ${MAX_CELLS} 个`);
    rows.push(values);
  }
  while (rows.length > 0 && rows.at(-1).length === 0) rows.pop();
  return rows;
}
