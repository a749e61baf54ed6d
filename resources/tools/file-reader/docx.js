/**
 * Word 文档变成 Markdown：标题、列表、表格、链接、粗体和斜体。
 *
 * 删除的修订不读，插入的读。这里有意不做的事：版式、页眉页脚、图片内容（只留位置）。
 */
import { Fault } from './fault.js';
import { attribute, elements, first, local, parse } from './xml.js';
import { decode } from './charset.js';

const xmlOf = (read, name) => {
  const bytes = read(name);
  return bytes === undefined ? undefined : parse(decode(bytes).text);
};

function linksOf(read) {
  const tree = xmlOf(read, 'word/_rels/document.xml.rels');
  const found = new Map();
  for (const one of tree === undefined ? [] : elements(tree, 'Relationship')) found.set(one.attributes.Id, one.attributes.Target);
  return found;
}

/** 样式编号到标题级别和列表：样式的名称是 heading 1，编号由各种语言的 Word 自己取。 */
function stylesOf(read) {
  const tree = xmlOf(read, 'word/styles.xml');
  const levels = new Map();
  const numberings = new Map();
  for (const style of tree === undefined ? [] : elements(tree, 'style')) {
    const name = attribute(first(style, 'name'), 'val') ?? '';
    const outline = attribute(first(first(style, 'pPr'), 'outlineLvl'), 'val');
    const level = /^heading (\d)/i.exec(name)?.[1] ?? (/^title$/i.test(name) ? 1 : outline === undefined ? undefined : Number(outline) + 1);
    if (level !== undefined && Number(level) <= 6) levels.set(attribute(style, 'styleId'), Number(level));
    const numbering = first(first(style, 'pPr'), 'numPr');
    if (numbering !== undefined) numberings.set(attribute(style, 'styleId'), numbering);
  }
  return { headings: levels, numberings };
}

/** 编号定义里的格式：bullet 是符号，其余是数字。 */
function listsOf(read) {
  const tree = xmlOf(read, 'word/numbering.xml');
  const abstract = new Map();
  const lists = new Map();
  if (tree === undefined) return lists;
  for (const one of elements(tree, 'abstractNum')) {
    const formats = elements(one, 'lvl').map((level) => attribute(first(level, 'numFmt'), 'val') ?? 'bullet');
    abstract.set(attribute(one, 'abstractNumId'), formats);
  }
  for (const one of elements(tree, 'num')) {
    lists.set(attribute(one, 'numId'), abstract.get(attribute(first(one, 'abstractNumId'), 'val')) ?? []);
  }
  return lists;
}

const isOn = (node) => node !== undefined && !['0', 'false', 'none'].includes(attribute(node, 'val') ?? '1');

function marked(text, properties) {
  if (text.trim() === '' || properties === undefined) return text;
  const bold = isOn(first(properties, 'b')) ? '**' : '';
  const italic = isOn(first(properties, 'i')) ? '*' : '';
  const strike = isOn(first(properties, 'strike')) ? '~~' : '';
  const [, before, inner, after] = /^(\s*)([^]*?)(\s*)$/.exec(text);
  return `${before}${strike}${bold}${italic}${inner}${italic}${bold}${strike}${after}`;
}

function runText(node) {
  return node.children
    .map((child) => {
      if (typeof child === 'string') return '';
      switch (local(child)) {
        case 't':
          return child.children.join('');
        case 'tab':
          return '\t';
        case 'br':
        case 'cr':
          return '\n';
        case 'noBreakHyphen':
          return '-';
        case 'drawing':
        case 'pict':
          return `![${attribute(find(child, 'docPr'), 'descr') ?? '图片'}]()`;
        default:
          return '';
      }
    })
    .join('');
}

function find(node, name) {
  for (const child of elements(node)) {
    const found = local(child) === name ? child : find(child, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function inline(node, links) {
  return elements(node)
    .map((child) => {
      switch (local(child)) {
        case 'r':
          return marked(runText(child), first(child, 'rPr'));
        case 'hyperlink': {
          const text = inline(child, links);
          const target = links.get(attribute(child, 'id'));
          return target === undefined || text === '' ? text : `[${text}](${target})`;
        }
        case 'del':
        case 'moveFrom':
        case 'pPr':
          return '';
        case 'sdt':
          return inline(first(child, 'sdtContent') ?? child, links);
        default:
          return inline(child, links);
      }
    })
    .join('')
    .replaceAll('****', '');
}

function paragraph(node, about) {
  const text = inline(node, about.links);
  const properties = first(node, 'pPr');
  const style = attribute(first(properties, 'pStyle'), 'val');
  const level = about.headings.get(style);
  if (level !== undefined && text.trim() !== '') return `${'#'.repeat(level)} ${text.replaceAll('**', '').trim()}`;
  const numbering = first(properties, 'numPr') ?? about.numberings.get(style);
  if (numbering === undefined || text.trim() === '') return text;
  const id = attribute(first(numbering, 'numId'), 'val');
  const depth = Math.min(8, Number(attribute(first(numbering, 'ilvl'), 'val') ?? 0) || 0);
  const format = about.lists.get(id)?.[depth] ?? 'bullet';
  return `${'  '.repeat(depth)}${format === 'bullet' || format === 'none' ? '-' : '1.'} ${text}`;
}

const cellText = (node, about) =>
  blocks(node, about).join(' ').replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|').trim();

function table(node, about) {
  const rows = elements(node, 'tr').map((row) => elements(row, 'tc').map((cell) => cellText(cell, about)));
  const width = Math.max(1, ...rows.map((row) => row.length));
  const line = (cells) => `| ${Array.from({ length: width }, (_, i) => cells[i] ?? '').join(' | ')} |`;
  return [line(rows[0] ?? []), line(Array(width).fill('---')), ...rows.slice(1).map(line)].join('\n');
}

function blocks(node, about) {
  const found = [];
  for (const child of elements(node)) {
    const name = local(child);
    if (name === 'p') found.push(paragraph(child, about));
    else if (name === 'tbl') found.push(table(child, about));
    else if (name === 'sdt') found.push(...blocks(first(child, 'sdtContent') ?? child, about));
    else if (name === 'ins' || name === 'customXml') found.push(...blocks(child, about));
  }
  return found;
}

/** @param {(name: string) => import('node:buffer').Buffer | undefined} read */
export function markdownOf(read) {
  const tree = xmlOf(read, 'word/document.xml');
  const body = first(tree, 'body');
  if (body === undefined) throw new Fault('DAMAGED_FILE', '不是 Word 文档: 没有 word/document.xml');
  const about = { links: linksOf(read), ...stylesOf(read), lists: listsOf(read) };
  const listed = (text) => /^\s*(?:-|1\.) /.test(text);
  let result = '';
  let before = '';
  for (const block of blocks(body, about)) {
    if (block.trim() === '') continue;
    // 列表的各项连在一起，其余之间空一行。
    result += result === '' ? block : `${listed(before) && listed(block) ? '\n' : '\n\n'}${block}`;
    before = block;
  }
  return result === '' ? '' : `${result}\n`;
}

/** 标题、作者和时间。 */
export function propertiesOf(read) {
  const tree = xmlOf(read, 'docProps/core.xml');
  const found = {};
  const names = { title: 'title', subject: 'subject', creator: 'author', created: 'created', modified: 'modified' };
  for (const one of tree === undefined ? [] : elements(tree)) {
    const name = names[local(one)];
    const text = one.children.join('').trim();
    if (name !== undefined && text !== '') found[name] = text;
  }
  return found;
}
