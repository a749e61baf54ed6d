/**
 * XML 变成一棵树，也用来检查 XML 写得对不对。
 *
 * DTD 里的实体不展开（那是放大攻击的办法），外部内容不取。
 * 这里有意不做的事：命名空间、按 DTD 校验。
 */
import { Fault } from './fault.js';

const MAX_DEPTH = 200;
const ENTITIES = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const ATTRIBUTE = /([^\s=/>]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;

export function unescape(text) {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : whole;
    const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

function place(text, at) {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  return `第 ${line} 行第 ${at - before.lastIndexOf('\n')} 列`;
}

function wrong(text, at, what) {
  return new Fault('INVALID_CONTENT', `XML 有错，${place(text, at)}: ${what}`);
}

/** 跳过注释、声明和 DTD；CDATA 是文字。返回新的位置，不是这些则为 undefined。 */
function special(text, at, onText) {
  const until = (end, from) => {
    const found = text.indexOf(end, from);
    if (found < 0) throw wrong(text, at, `没有结束的 ${text.slice(at, from)}`);
    return found;
  };
  if (text.startsWith('<!--', at)) return until('-->', at + 4) + 3;
  if (text.startsWith('<?', at)) return until('?>', at + 2) + 2;
  if (text.startsWith('<![CDATA[', at)) {
    const end = until(']]>', at + 9);
    onText(text.slice(at + 9, end));
    return end + 3;
  }
  if (!text.startsWith('<!', at)) return undefined;
  const subset = text.indexOf('[', at);
  const close = until('>', at + 2);
  return subset >= 0 && subset < close ? until('>', until(']', subset)) + 1 : close + 1;
}

function attributesOf(text, from, end) {
  const attributes = {};
  let at = from;
  while (at < end) {
    if (/\s/.test(text[at])) {
      at += 1;
      continue;
    }
    ATTRIBUTE.lastIndex = at;
    const found = ATTRIBUTE.exec(text);
    if (found === null || ATTRIBUTE.lastIndex > end) throw wrong(text, at, '属性写法不对');
    attributes[found[1]] = unescape(found[2] ?? found[3]);
    at = ATTRIBUTE.lastIndex;
  }
  return attributes;
}

/** 标签的结尾：引号里的 > 不算。 */
function tagEnd(text, at) {
  let quote = '';
  for (let i = at + 1; i < text.length; i += 1) {
    const c = text[i];
    if (quote !== '') quote = c === quote ? '' : quote;
    else if (c === '"' || c === "'") quote = c;
    else if (c === '>') return i;
  }
  throw wrong(text, at, '标签没有结束');
}

/**
 * @typedef {{name: string, attributes: Record<string, string>, children: (Node | string)[]}} Node
 * @param {string} text
 * @returns {Node}
 */
export function parse(text) {
  const root = { name: '', attributes: {}, children: [] };
  const open = [root];
  const onText = (part) => part !== '' && open.at(-1).children.push(part);
  let at = 0;
  while (at < text.length) {
    const next = text.indexOf('<', at);
    if (next < 0) break;
    if (open.length > 1) onText(unescape(text.slice(at, next)));
    else if (text.slice(at, next).trim().replace('\ufeff', '') !== '') throw wrong(text, at, '根元素之外有文字');
    const skipped = special(text, next, onText);
    at = skipped ?? element(text, next, open);
  }
  if (open.length > 1) throw wrong(text, text.length, `<${open.at(-1).name}> 没有结束`);
  const found = root.children.filter((child) => typeof child !== 'string');
  if (found.length !== 1) throw wrong(text, 0, found.length === 0 ? '没有元素' : '根元素不止一个');
  return found[0];
}

function element(text, at, open) {
  const end = tagEnd(text, at);
  if (text[at + 1] === '/') {
    const name = text.slice(at + 2, end).trim();
    if (open.length === 1 || open.at(-1).name !== name) throw wrong(text, at, `</${name}> 没有对应的开始`);
    open.pop();
    return end + 1;
  }
  const empty = text[end - 1] === '/';
  const stop = empty ? end - 1 : end;
  const name = /^[^\s/>]+/.exec(text.slice(at + 1, Math.min(stop, at + 300)))?.[0];
  if (name === undefined || !/^[\p{L}_:]/u.test(name)) throw wrong(text, at, '标签名不对');
  const node = { name, attributes: attributesOf(text, at + 1 + name.length, stop), children: [] };
  open.at(-1).children.push(node);
  if (!empty) open.push(node);
  if (open.length > MAX_DEPTH) throw wrong(text, at, `嵌套超过 ${MAX_DEPTH} 层`);
  return end + 1;
}

/** 名称不看前缀：写文档的程序各用各的前缀。 */
export const local = (node) => node.name.slice(node.name.indexOf(':') + 1);

export const elements = (node, name) =>
  node.children.filter((child) => typeof child !== 'string' && (name === undefined || local(child) === name));

export const first = (node, name) => (node === undefined ? undefined : elements(node, name)[0]);

export function attribute(node, name) {
  if (node === undefined) return undefined;
  if (Object.hasOwn(node.attributes, name)) return node.attributes[name];
  const found = Object.keys(node.attributes).find((key) => key.endsWith(`:${name}`));
  return found === undefined ? undefined : node.attributes[found];
}

/** 一个元素里的全部文字。 */
export function textOf(node) {
  return node.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
}
