/**
 * HTML 变成一棵树，像浏览器一样宽容：没有关上的、关错的、大小写混着的都读得下去。
 *
 * 不是完整的 HTML 解析算法，只求正文不错位。不执行脚本，不取任何东西。
 */

const MAX_DEPTH = 256;
const MAX_NODES = 300000;
const VOID = new Set(['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'param', 'source', 'track', 'wbr']);
/** 内容不是标记，读到自己的结束标签为止。 */
const RAW = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes']);
const BLOCKS =
  'address article aside blockquote details dialog div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr main menu nav ol p pre section table ul';
/** 开始一个，就关上前面没有关的那一个；不越过右边的元素。 */
const CLOSES = {
  li: [['li'], ['ul', 'ol', 'menu']],
  dt: [['dt', 'dd'], ['dl']],
  dd: [['dt', 'dd'], ['dl']],
  tr: [['tr', 'td', 'th'], ['table']],
  td: [['td', 'th'], ['tr', 'table']],
  th: [['td', 'th'], ['tr', 'table']],
  tbody: [['thead', 'tbody', 'tr', 'td', 'th'], ['table']],
  tfoot: [['tbody', 'tr', 'td', 'th'], ['table']],
  option: [['option'], ['select']],
  ...Object.fromEntries(BLOCKS.split(' ').map((name) => [name, [['p'], ['td', 'th', 'li', 'button', 'table', 'body']]])),
};
const NAMED = {
  amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', copy: '©', reg: '®', trade: '™', hellip: '…', mdash: '—', ndash: '–',
  lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', laquo: '«', raquo: '»', middot: '·', bull: '•', times: '×', divide: '÷', deg: '°',
  euro: '€', pound: '£', yen: '¥', cent: '¢', sect: '§', para: '¶', plusmn: '±', frac12: '½', sup2: '²', sup3: '³', larr: '←', rarr: '→',
  uarr: '↑', darr: '↓', ensp: ' ', emsp: ' ', thinsp: ' ', zwnj: '', zwj: '', shy: '', infin: '∞', ne: '≠', le: '≤', ge: '≥', minus: '−',
  eacute: 'é', egrave: 'è', agrave: 'à', ccedil: 'ç', uuml: 'ü', ouml: 'ö', auml: 'ä', szlig: 'ß', ntilde: 'ñ', aring: 'å', oslash: 'ø',
};

export function unescape(text) {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,8}));?/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return Object.hasOwn(NAMED, name) ? NAMED[name] : whole;
    const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
    const sound = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return sound ? String.fromCodePoint(code) : '\ufffd';
  });
}

function attributesOf(text) {
  const attributes = {};
  for (const [, name, double, single, bare] of text.matchAll(/([^\s=/"'<>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g)) {
    const key = name.toLowerCase();
    if (!Object.hasOwn(attributes, key)) attributes[key] = unescape(double ?? single ?? bare ?? '');
  }
  return attributes;
}

/** 标签的结尾：引号里的 > 不算。 */
function tagEnd(html, from) {
  let quote = '';
  for (let i = from; i < html.length; i += 1) {
    const c = html[i];
    if (quote !== '') quote = c === quote ? '' : quote;
    else if ((c === '"' || c === "'") && html[i - 1] === '=') quote = c;
    else if (c === '>') return i;
  }
  return -1;
}

/** @typedef {{name: string, attributes: Record<string, string>, children: (Node | string)[]}} Node */

class Builder {
  constructor() {
    /** @type {Node} */
    this.root = { name: '#root', attributes: {}, children: [] };
    this.open = [this.root];
    this.count = 0;
  }

  text(text) {
    if (text !== '') this.open.at(-1).children.push(text);
  }

  start(name, attributes, selfClosing) {
    const rule = Object.hasOwn(CLOSES, name) ? CLOSES[name] : undefined;
    if (rule !== undefined) this.closeBefore(...rule);
    const node = { name, attributes, children: [] };
    this.count += 1;
    this.open.at(-1).children.push(node);
    // 太深的就平放：层数没有意义了，文字还有。
    if (!VOID.has(name) && !selfClosing && this.open.length < MAX_DEPTH) this.open.push(node);
  }

  closeBefore(names, stops) {
    for (let i = this.open.length - 1; i > 0; i -= 1) {
      const { name } = this.open[i];
      if (names.includes(name)) this.open.length = i;
      else if (stops.includes(name)) return;
    }
  }

  end(name) {
    for (let i = this.open.length - 1; i > 0; i -= 1) {
      if (this.open[i].name === name) {
        this.open.length = i;
        return;
      }
      // 关错的 </b> 不应该关上外面的表格。
      if (['td', 'th', 'table', 'body'].includes(this.open[i].name) && !['table', 'body', 'html', 'tr', 'tbody'].includes(name)) return;
    }
  }
}

function declaration(html, at) {
  if (html.startsWith('<!--', at)) {
    const end = html.indexOf('-->', at + 4);
    return end < 0 ? html.length : end + 3;
  }
  const end = html.indexOf('>', at);
  return end < 0 ? html.length : end + 1;
}

/** 脚本等原样的内容：文字只留标题和文本框的。返回之后的位置。 */
function raw(builder, html, name, from) {
  const pattern = new RegExp(`</${name}[\\s/>]`, 'gi');
  pattern.lastIndex = from;
  const found = pattern.exec(html);
  const end = found === null ? html.length : found.index;
  if (name === 'title' || name === 'textarea') builder.text(unescape(html.slice(from, end)));
  builder.end(name);
  const close = found === null ? -1 : html.indexOf('>', end);
  return close < 0 ? html.length : close + 1;
}

/** @param {string} html */
export function parse(html) {
  const builder = new Builder();
  let at = 0;
  while (at < html.length && builder.count < MAX_NODES) {
    const next = html.indexOf('<', at);
    if (next < 0) break;
    builder.text(unescape(html.slice(at, next)));
    const found = /^<(\/?)([a-z][^\s/>]*)/i.exec(html.slice(next, next + 100));
    if (found === null) {
      const isMarkup = html[next + 1] === '!' || html[next + 1] === '?';
      if (!isMarkup) builder.text('<');
      at = isMarkup ? declaration(html, next) : next + 1;
      continue;
    }
    const end = tagEnd(html, next + found[0].length);
    if (end < 0) return builder.root;
    const name = found[2].toLowerCase();
    at = end + 1;
    if (found[1] === '/') builder.end(name);
    else {
      const inner = html.slice(next + found[0].length, end);
      builder.start(name, attributesOf(inner), inner.endsWith('/') && !RAW.has(name));
      if (RAW.has(name)) at = raw(builder, html, name, at);
    }
  }
  builder.text(unescape(html.slice(at)));
  return builder.root;
}

export const elements = (node) => node.children.filter((child) => typeof child !== 'string');

/** 第一个合适的后代。 */
export function find(node, fits) {
  for (const child of elements(node)) {
    const found = fits(child) ? child : find(child, fits);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function textOf(node) {
  return node.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
}
