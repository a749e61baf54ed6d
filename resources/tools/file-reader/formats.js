/** 每种格式怎么读：认出格式，变成行、表格或图片。 */
import { Fault } from './fault.js';
import { Buffer } from 'node:buffer';
import { decode, isBinary, markOf } from './charset.js';
import { head, linesOf, part, tokensOf } from './cut.js';

const BY_ENDING = {
  json: 'json', geojson: 'json', ipynb: 'json', webmanifest: 'json',
  yaml: 'yaml', yml: 'yaml',
  csv: 'csv', tsv: 'csv', tab: 'csv',
  xml: 'xml', xsd: 'xml', xsl: 'xml', xslt: 'xml', rss: 'xml', atom: 'xml', plist: 'xml', svg: 'xml',
  md: 'markdown', markdown: 'markdown',
};
const BY_TYPE = { 'application/json': 'json', 'text/csv': 'csv', 'application/xml': 'xml', 'text/xml': 'xml', 'text/markdown': 'markdown', 'application/yaml': 'yaml' };
export const FORMATS = ['text', 'json', 'yaml', 'csv', 'xml', 'markdown', 'docx', 'xlsx', 'image', 'archive'];

/** 先看内容，再看名称：改了扩展名的文件也读得出。 */
export async function formatOf(source) {
  const { bytes, name, mimeType } = source;
  const { typeOf } = await import('./picture.js');
  if (typeOf(bytes, name) !== null && !/\.svg$/i.test(name)) return 'image';
  const { isZip, looksLikeArchive } = await import('./archive.js');
  if (looksLikeArchive(bytes)) {
    if (!isZip(bytes)) return 'archive';
    const { entriesOf } = await import('./zip.js');
    const names = new Set(entriesOf(bytes).map((entry) => entry.name));
    return names.has('word/document.xml') ? 'docx' : names.has('xl/workbook.xml') ? 'xlsx' : 'archive';
  }
  if (bytes.subarray(0, 5).toString('latin1') === '%PDF-') throw new Fault('UNSUPPORTED_FORMAT', `不读 PDF: ${name}，请用 pdf-reader`);
  if (bytes.readUInt32BE !== undefined && bytes.length > 8 && bytes.readUInt32BE(0) === 0xd0cf11e0) {
    throw new Fault('UNSUPPORTED_FORMAT', `不支持旧的 Office 格式: ${name}，请另存为 docx 或 xlsx`);
  }
  if (source.encoding === undefined && isBinary(bytes)) throw new Fault('UNSUPPORTED_FORMAT', `是二进制文件，格式不认识: ${name}`);
  return BY_ENDING[name.split('.').at(-1).toLowerCase()] ?? BY_TYPE[mimeType] ?? 'text';
}

/** JSON 指针（RFC 6901）。 */
function pointed(value, pointer) {
  if (pointer === undefined || pointer === '') return value;
  if (!pointer.startsWith('/')) throw new Fault('INVALID_PARAMETER', 'pointer 应以 / 开头，例如 /items/0/name');
  let one = value;
  for (const raw of pointer.slice(1).split('/')) {
    const key = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    if (one === null || typeof one !== 'object' || !Object.hasOwn(one, key)) throw new Fault('NOT_FOUND', `没有 ${pointer}，停在 ${key}`);
    one = one[key];
  }
  return one;
}

/** 有什么，不含内容：让模型知道下一步取哪一部分。 */
function outlineOf(value) {
  if (Array.isArray(value)) return { type: 'array', length: value.length };
  if (value !== null && typeof value === 'object') return { type: 'object', keys: Object.keys(value).slice(0, 100), length: Object.keys(value).length };
  return { type: value === null ? 'null' : typeof value };
}

function lines(text, options) {
  const all = linesOf(text);
  const cut = part(all, { ...options, textOf: (line) => line, shorten: head });
  return { content: cut.items.join(''), totalLines: all.length, offset: options.offset, tokens: cut.tokens, truncated: cut.truncated, ...next(cut) };
}

/** 从哪里继续；一行（一条记录）太长、只给了一部分时有 lineCut。 */
const next = (cut) => ({ ...(cut.nextOffset === undefined ? {} : { nextOffset: cut.nextOffset }), ...(cut.shortened ? { lineCut: true } : {}) });

/** 原样给出的文字在文件里占多少字节；不是 UTF-8 和 UTF-16 的说不出。 */
function sizeIn(encoding, text) {
  return encoding === 'utf-8' ? Buffer.byteLength(text) : /^utf-16/.test(encoding) ? text.length * 2 : undefined;
}

/**
 * 从哪里继续只说一种：这一段里还有行没有给出时是 nextOffset，给完了才是 nextByte，
 * 否则照着 nextByte 走会跳过没有给出的行。info 不给内容，所以总说。一行只给了一部分时，从断开的那个字节继续。
 */
function ofPart(source, about, text, found, isInfo) {
  const { nextByte, ...window } = { ...source.window };
  if (found.lineCut && !isInfo && source.inFile && !about.replaced) {
    const before = linesOf(text).slice(0, found.offset).join('');
    const size = sizeIn(about.encoding, before + found.content);
    // 解码时去掉的 BOM 也占字节。
    const mark = (window.startByte ?? 0) === 0 && size !== undefined ? markOf(source.bytes) : 0;
    const { nextOffset, ...rest } = found;
    if (size !== undefined) return { ...window, ...rest, nextByte: (window.startByte ?? 0) + mark + size };
  }
  return { ...window, ...found, ...(nextByte === undefined || (found.nextOffset !== undefined && !isInfo) ? {} : { nextByte }) };
}

function table(all, options) {
  const cut = part(all, {
    ...options,
    textOf: (row) => JSON.stringify(row),
    shorten: (row, budget) => row.map((cell) => (typeof cell === 'string' ? head(cell, Math.max(1, Math.floor(budget / row.length) - 2)) : cell)),
  });
  return { rows: cut.items, totalRows: all.length, offset: options.offset, tokens: cut.tokens, truncated: cut.truncated, ...next(cut) };
}

/** 结构化的文字：读不懂时照样给出文字，并说哪里不对。 */
function structured(text, params, options, parse) {
  let value;
  try {
    value = parse(text);
  } catch (error) {
    if (params.pointer !== undefined || error?.code === 'TOO_MUCH') throw error;
    return { problem: error.message, ...lines(text, options) };
  }
  const one = pointed(value, params.pointer);
  return { outline: outlineOf(one), ...lines(JSON.stringify(one, null, 2) ?? 'null', options) };
}

function json(text) {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new Fault('INVALID_CONTENT', `JSON 有错: ${error.message}`);
  }
}

async function yaml() {
  const { documents } = await import('./yaml.js');
  return (content) => {
    const found = documents(content);
    return found.length === 1 ? found[0] : found;
  };
}

async function csv(text, params, options) {
  const { delimiterOf, rowsOf } = await import('./csv.js');
  const delimiter = params.delimiter ?? delimiterOf(text);
  // 只留要的那些行；其余数过就放下。
  const wanted = [];
  let tokens = 0;
  let total = 0;
  for (const row of rowsOf(text.replace(/^\ufeff/, ''), delimiter)) {
    if (total >= options.offset && wanted.length < options.limit && tokens <= options.budget) {
      wanted.push(row);
      tokens += tokensOf(row.join(','));
    }
    total += 1;
  }
  const cut = table(wanted, { ...options, offset: 0 });
  const end = options.offset + cut.rows.length;
  return { delimiter, ...cut, totalRows: total, offset: options.offset, truncated: end < total || cut.truncated, ...(end < total ? { nextOffset: end } : {}) };
}

async function xml(text, options) {
  const { parse } = await import('./xml.js');
  try {
    const root = parse(text);
    return { root: root.name, ...lines(text, options) };
  } catch (error) {
    return { problem: error.message, ...lines(text, options) };
  }
}

/** 文件里自己声明的编码：XML 的第一行。 */
const declaredIn = (bytes) => /^\s*<\?xml[^>]*encoding\s*=\s*["']([\w.-]+)["']/.exec(bytes.subarray(0, 200).toString('latin1'))?.[1];

async function ofText(source, format, params, options) {
  const declared = source.declared ?? declaredIn(source.bytes);
  const { text, encoding, replaced } = decode(source.bytes, { encoding: params.encoding ?? source.encoding, declared });
  const about = { encoding, ...(replaced ? { replaced } : {}) };
  const isInfo = params.action === 'info';
  switch (format) {
    case 'json':
      return { ...about, ...structured(text, params, options, json) };
    case 'yaml':
      return { ...about, ...structured(text, params, options, await yaml()) };
    case 'csv':
      return { ...about, ...ofPart({ window: source.window }, about, text, await csv(text, params, options), isInfo) };
    case 'xml':
      return { ...about, ...(await xml(text, options)) };
    default:
      return { ...about, ...ofPart(source, about, text, lines(text, options), isInfo) };
  }
}

async function ofDocument(source, options) {
  const { reader } = await import('./zip.js');
  const { markdownOf, propertiesOf } = await import('./docx.js');
  const read = reader(source.bytes);
  return { properties: propertiesOf(read), ...lines(markdownOf(read), options) };
}

async function ofBook(source, params, options) {
  const { reader } = await import('./zip.js');
  const { bookOf, rowsOf, sheetOf } = await import('./xlsx.js');
  const book = bookOf(reader(source.bytes));
  const sheet = sheetOf(book, params.sheet);
  const sheets = book.sheets.map(({ name, hidden }) => (hidden ? { name, hidden } : { name }));
  return { sheets, sheet: sheet.name, ...table(rowsOf(book, sheet), options) };
}

async function ofArchive(source, options) {
  const { open } = await import('./archive.js');
  const all = open(source.bytes, source.name).map(({ name, size, folder }) => (folder ? { name, folder } : { name, size }));
  const cut = part(all, { ...options, textOf: (one) => JSON.stringify(one), shorten: (one) => one });
  return { entries: cut.items, totalEntries: all.length, offset: options.offset, truncated: cut.truncated, ...next(cut) };
}

async function ofPicture(source, params) {
  const { pictureOf, typeOf } = await import('./picture.js');
  const mimeType = typeOf(source.bytes, source.name);
  if (mimeType === null) throw new Fault('UNSUPPORTED_FORMAT', `不是支持的图片: ${source.name}（支持 PNG、JPEG、GIF、BMP、WebP、SVG）`);
  return pictureOf(source.bytes, mimeType, { side: params.max_side ?? 1568, look: params.action !== 'info' });
}

/** 只有文字能分段读；别的格式要整个文件才读得懂。 */
function wholeOnly(source, format) {
  if (source.window === undefined || ['text', 'markdown', 'csv'].includes(format)) return;
  throw new Fault('FILE_TOO_LARGE', `文件过大: ${source.name} 有 ${source.size} 字节，${format} 的上限是 ${source.maximum} 字节`);
}

export async function contentOf(source, params) {
  const format = params.format ?? (await formatOf(source));
  wholeOnly(source, format);
  const options = { offset: params.offset ?? 0, limit: params.limit ?? Infinity, budget: params.max_tokens ?? 8000 };
  const found =
    format === 'docx' ? await ofDocument(source, options)
    : format === 'xlsx' ? await ofBook(source, params, options)
    : format === 'archive' ? await ofArchive(source, options)
    : format === 'image' ? await ofPicture(source, params)
    : await ofText(source, format, params, options);
  return { format, ...found };
}
