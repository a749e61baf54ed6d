/** 网页的一部分变成 Markdown。 */
import { elements, find, textOf } from './html.js';
import { absolute } from './article.js';

const BLOCK = new Set(
  'address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html li main menu nav ol p pre section summary table tbody td tfoot th thead tr ul'.split(' '),
);
const MARKS = { b: '**', strong: '**', i: '*', em: '*', del: '~~', s: '~~' };

const squeeze = (text) => text.replace(/[ \t\r\n\f]+/g, ' ');

function wrapped(text, mark) {
  const inner = text.trim();
  if (inner === '' || inner.includes('\n\n')) return text;
  return `${/^\s/.test(text) ? ' ' : ''}${mark}${inner}${mark}${/\s$/.test(text) ? ' ' : ''}`;
}

function link(node, context) {
  const text = inline(node, context).trim();
  const href = absolute(node.attributes.href, context.base);
  if (text === '' || href === undefined || !context.links || node.attributes.href?.startsWith('#')) return text;
  return text.includes('\n') ? text : `[${text}](${href})`;
}

function picture(node, context) {
  const alt = squeeze(node.attributes.alt ?? '').trim();
  const source = absolute(node.attributes.src ?? node.attributes['data-src'], context.base);
  return context.links && source !== undefined && !source.startsWith('data:') ? `![${alt}](${source})` : alt;
}

function piece(node, context) {
  if (typeof node === 'string') return squeeze(node);
  switch (node.name) {
    case 'br':
      return '\n';
    case 'a':
      return link(node, context);
    case 'img':
      return picture(node, context);
    case 'code':
    case 'kbd':
    case 'samp': {
      const text = squeeze(textOf(node)).trim();
      return text === '' ? '' : text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
    }
    default:
      return Object.hasOwn(MARKS, node.name) ? wrapped(inline(node, context), MARKS[node.name]) : inline(node, context);
  }
}

function inline(node, context) {
  return node.children.map((child) => piece(child, context)).join('');
}

const tidy = (text) => text.replace(/ *\n */g, '\n').replace(/ {2,}/g, ' ').trim();

function list(node, context) {
  let number = Number.parseInt(node.attributes.start ?? '1', 10) || 1;
  const items = elements(node).filter((child) => child.name === 'li');
  return items
    .map((item) => {
      const mark = node.name === 'ol' ? `${number++}. ` : '- ';
      const [first = '', ...more] = blocks(item, context);
      const rest = more.map((block) => `\n${block}`).join('');
      return mark + `${first}${rest}`.replaceAll('\n', `\n${' '.repeat(mark.length)}`);
    })
    .filter((item) => item.trim().length > 1)
    .join('\n');
}

function rowsOf(node) {
  return elements(node).flatMap((child) => (child.name === 'tr' ? [child] : ['thead', 'tbody', 'tfoot'].includes(child.name) ? rowsOf(child) : []));
}

function table(node, context) {
  const rows = rowsOf(node).map((row) => elements(row).filter((cell) => cell.name === 'td' || cell.name === 'th'));
  // 一列的、里面还有表格的，是排版，不是数据。
  const width = Math.max(0, ...rows.map((row) => row.length));
  if (width < 2 || find(node, (child) => child.name === 'table') !== undefined) {
    return rows.flatMap((row) => row.flatMap((cell) => blocks(cell, context))).join('\n\n');
  }
  const cell = (one) => (one === undefined ? '' : blocks(one, context).join(' ').replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|'));
  const line = (cells) => `| ${Array.from({ length: width }, (_, i) => cell(cells[i])).join(' | ')} |`;
  return [line(rows[0]), `|${' --- |'.repeat(width)}`, ...rows.slice(1).map(line)].join('\n');
}

function pre(node) {
  const code = find(node, (child) => child.name === 'code') ?? node;
  const language = /\blang(?:uage)?-([\w+-]+)/.exec(`${code.attributes.class ?? ''} ${node.attributes.class ?? ''}`)?.[1] ?? '';
  const text = textOf(node).replace(/^\r?\n/, '').trimEnd();
  const fence = text.includes('```') ? '````' : '```';
  return text === '' ? '' : `${fence}${language}\n${text}\n${fence}`;
}

function block(node, context) {
  const heading = /^h([1-6])$/.exec(node.name);
  if (heading !== null) {
    const text = tidy(inline(node, context)).replaceAll('\n', ' ').replaceAll('**', '');
    return text === '' ? [] : [`${'#'.repeat(Number(heading[1]))} ${text}`];
  }
  switch (node.name) {
    case 'ul':
    case 'ol':
    case 'menu':
      return [list(node, context)];
    case 'pre':
      return [pre(node)];
    case 'table':
      return [table(node, context)];
    case 'hr':
      return ['---'];
    case 'blockquote':
      return [blocks(node, context).join('\n\n').replace(/^/gm, '> ').replace(/^> $/gm, '>')];
    default:
      return blocks(node, context);
  }
}

const holdsBlocks = (node) => BLOCK.has(node.name) || elements(node).some(holdsBlocks);

/** 一块一块的：行内的内容连成一段，块各自一段。 */
function blocks(node, context) {
  const found = [];
  let run = '';
  const flush = () => {
    const text = tidy(run);
    if (text !== '') found.push(text);
    run = '';
  };
  for (const child of node.children) {
    const isBlock = typeof child !== 'string' && (BLOCK.has(child.name) || (!(child.name in MARKS) && holdsBlocks(child)));
    if (!isBlock) {
      run += piece(child, context);
      continue;
    }
    flush();
    found.push(...block(child, context).filter((one) => one.trim() !== ''));
  }
  flush();
  return found;
}

/** 段落之间空一行；`links` 为否时只留文字。 */
export function markdownOf(node, context) {
  return blocks(node, context).join('\n\n');
}
