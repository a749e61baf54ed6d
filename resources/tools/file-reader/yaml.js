/**
 * YAML 变成值：块和行内的写法、引号、| 和 >、锚点、合并键、多个文档，按核心模式认类型。
 *
 * 这里有意不做的事：自定义标签（忽略）、? 开头的复杂键、写出 YAML。
 */
import { Fault } from './fault.js';

const MAX_DEPTH = 100;
/** 别名可以让几行字变成几十亿个值：展开之前先数。 */
const MAX_VALUES = 200000;
const KEY = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([^\s"'\[\]{}#&*!|>%@`,?-][^]*?|[?-][^\s][^]*?|[?-]?))\s*:(?=\s|$)/;
const ESCAPES = { n: '\n', t: '\t', r: '\r', 0: '\0', a: '\x07', b: '\b', e: '\x1b', f: '\f', v: '\v', '"': '"', '/': '/', '\\': '\\', ' ': ' ', N: '\x85', _: '\xa0' };

class Lines {
  constructor(text) {
    this.raw = text.replace(/^\ufeff/, '').split(/\r?\n/);
    this.at = 0;
    this.virtual = null;
    this.anchors = new Map();
    this.depth = 0;
  }

  fail(what) {
    return new Fault('INVALID_CONTENT', `YAML 有错，第 ${Math.min(this.at + 1, this.raw.length)} 行: ${what}`);
  }

  /** 下一个有内容的行；文档结束则为 null。 */
  peek() {
    if (this.virtual !== null) return this.virtual;
    for (; this.at < this.raw.length; this.at += 1) {
      const line = this.raw[this.at];
      if (/^(?:---|\.\.\.)(?:\s|$)/.test(line)) return null;
      const text = line.trimStart();
      if (text === '' || text[0] === '#') continue;
      const indent = line.length - text.length;
      if (line.slice(0, indent).includes('\t')) throw this.fail('缩进不能用制表符');
      return { indent, text };
    }
    return null;
  }

  next() {
    this.virtual = null;
    this.at += 1;
  }

  /** 这一行剩下的部分当作一行：- a: b 里的 a: b。 */
  rest(indent, text) {
    this.virtual = { indent, text };
  }
}

const isDash = (text) => text === '-' || text.startsWith('- ');
const noComment = (text) => (text[0] === '#' ? '' : text.replace(/\s+#.*$/, '')).trimEnd();

function unquoted(text) {
  return text.replace(/\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(\r?\n)\s*|([^]))/gi, (_, x, u, wide, line, one) => {
    if (line !== undefined) return '';
    const hex = x ?? u ?? wide;
    if (hex === undefined) return ESCAPES[one] ?? one;
    const code = parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
  });
}

function scalar(text) {
  if (/^(?:null|Null|NULL|~|)$/.test(text)) return null;
  if (/^(?:true|True|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|FALSE)$/.test(text)) return false;
  if (/^[-+]?\d+$/.test(text) || /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:e[-+]?\d+)?$/i.test(text)) {
    const number = Number(text);
    // 放不下的整数留作文字：变了的编号比文字更糟。
    return /^[-+]?\d+$/.test(text) && !Number.isSafeInteger(number) ? text : number;
  }
  if (/^0x[0-9a-f]+$/i.test(text) || /^0o[0-7]+$/.test(text)) return Number(text);
  if (/^[-+]?\.(?:inf|Inf|INF)$/.test(text)) return text[0] === '-' ? -Infinity : Infinity;
  return /^\.(?:nan|NaN|NAN)$/.test(text) ? NaN : text;
}

/** 折行：一个换行是空格，空行是换行。 */
const folded = (lines) => lines.map((line) => line.trim()).join('\n').replace(/\n(\n*)/g, (_, more) => (more === '' ? ' ' : more));

/** 引号或括号从 `text` 开始，收集到它结束的地方。 */
function gathered(lines, text, closed) {
  let whole = text;
  for (;;) {
    const end = closed(whole);
    if (end >= 0) {
      const after = noComment(whole.slice(end).trimStart());
      if (after !== '') throw lines.fail(`多出来的内容: ${after.slice(0, 40)}`);
      lines.next();
      return whole.slice(0, end);
    }
    lines.virtual = null;
    lines.at += 1;
    if (lines.at >= lines.raw.length) throw lines.fail('引号或括号没有结束');
    whole += `\n${lines.raw[lines.at]}`;
    if (whole.length > 1 << 20) throw lines.fail('引号或括号内的内容太长');
  }
}

function quotedEnd(text) {
  const found = text[0] === '"' ? /^"(?:[^"\\]|\\[^])*"/.exec(text) : /^'(?:[^']|'')*'/.exec(text);
  return found === null ? -1 : found[0].length;
}

function quoted(text) {
  const inner = text.slice(1, -1);
  const lines = inner.split('\n');
  const plain = lines.length === 1 ? inner : `${lines[0].trimEnd()}\n${lines.slice(1).map((line) => line.trim()).join('\n')}`;
  const joined = lines.length === 1 ? plain : plain.replace(/(\\)?\n(\n*)/g, (_, escaped, more) => (escaped ? '' : more === '' ? ' ' : more));
  return text[0] === '"' ? unquoted(joined) : joined.replaceAll("''", "'");
}

function flowEnd(text) {
  let depth = 0;
  for (let i = 0; i < text.length; i += 1) {
    const c = text[i];
    if ((c === '"' || c === "'") && /[\s,[{:]/.test(text[i - 1] ?? ' ')) {
      const length = quotedEnd(text.slice(i));
      if (length < 0) return -1;
      i += length - 1;
    } else if (c === '[' || c === '{') depth += 1;
    else if (c === ']' || c === '}') {
      depth -= 1;
      if (depth === 0) return i + 1;
    } else if (c === '#' && /\s/.test(text[i - 1] ?? ' ')) {
      const end = text.indexOf('\n', i);
      if (end < 0) return -1;
      i = end;
    }
  }
  return -1;
}

/** 行内写法：[a, {b: c}]。 */
function flow(lines, text) {
  let at = 0;
  const space = () => {
    at += /^(?:\s|#[^\n]*)*/.exec(text.slice(at))[0].length;
  };
  const value = (depth) => {
    if (depth > MAX_DEPTH) throw lines.fail('嵌套太深');
    space();
    const c = text[at];
    if (c === '[' || c === '{') return collection(c, depth);
    if (c === '"' || c === "'") {
      const length = quotedEnd(text.slice(at));
      if (length < 0) throw lines.fail('引号没有结束');
      at += length;
      return quoted(text.slice(at - length, at));
    }
    const plain = /^(?:[^,[\]{}:#]|:(?![\s,[\]{}]|$)|(?<=\S)#)*/.exec(text.slice(at))[0];
    at += plain.length;
    const trimmed = folded(plain.split('\n')).trim();
    return trimmed[0] === '*' ? alias(lines, trimmed) : scalar(trimmed);
  };
  const collection = (open, depth) => {
    at += 1;
    const list = [];
    const map = {};
    for (;;) {
      space();
      if (text[at] === (open === '[' ? ']' : '}')) {
        at += 1;
        return open === '[' ? list : map;
      }
      const start = at;
      const one = value(depth + 1);
      space();
      if (text[at] === ':') {
        at += 1;
        const item = value(depth + 1);
        if (open === '[') list.push({ [String(one)]: item });
        else put(map, String(one), item);
      } else if (open === '[') list.push(one);
      else put(map, String(one), null);
      space();
      if (text[at] === ',') at += 1;
      else if (at === start) throw lines.fail('行内写法不对');
    }
  };
  return value(0);
}

function put(map, key, value) {
  Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
}

function alias(lines, text) {
  const name = text.slice(1).trim();
  if (!lines.anchors.has(name)) throw lines.fail(`没有锚点: ${name}`);
  return lines.anchors.get(name);
}

/** | 和 >：原样的文字，到缩进变小为止。 */
function blockScalar(lines, header, parent) {
  const [, style, marks] = /^([|>])([-+\d]*)/.exec(header);
  const given = /\d/.exec(marks)?.[0];
  lines.next();
  const taken = [];
  let indent = given === undefined ? -1 : parent + Number(given);
  for (; lines.at < lines.raw.length; lines.at += 1) {
    const line = lines.raw[lines.at];
    const own = line.length - line.trimStart().length;
    if (line.trim() === '') {
      taken.push(indent >= 0 ? line.slice(indent) : '');
      continue;
    }
    if (indent < 0) indent = own;
    if (own < indent || own <= parent || /^(?:---|\.\.\.)(?:\s|$)/.test(line)) break;
    taken.push(line.slice(indent));
  }
  let trailing = 0;
  while (taken.length > 0 && taken.at(-1).trim() === '') {
    taken.pop();
    trailing += 1;
  }
  const body = style === '|' ? taken.join('\n') : foldedBlock(taken);
  if (marks.includes('-') || body === '') return body + (marks.includes('+') ? '\n'.repeat(trailing) : '');
  return body + '\n'.repeat(marks.includes('+') ? trailing + 1 : 1);
}

/** > 里缩进更深的行和空行不折。 */
function foldedBlock(taken) {
  let text = taken[0] ?? '';
  for (let i = 1; i < taken.length; i += 1) {
    const [before, line] = [taken[i - 1], taken[i]];
    const deep = (one) => /^\s/.test(one);
    if (line === '') text += '\n';
    else text += (before === '' ? (deep(line) ? '\n' : '') : deep(line) || deep(before) ? '\n' : ' ') + line;
  }
  return text;
}

function plain(lines, text, parent) {
  const parts = [noComment(text)];
  const cut = parts[0] !== text.trimEnd();
  lines.next();
  while (!cut && lines.at < lines.raw.length) {
    const line = lines.raw[lines.at];
    const own = line.length - line.trimStart().length;
    if (line.trim() === '') {
      const after = lines.raw.slice(lines.at).findIndex((one) => one.trim() !== '');
      if (after < 0 || lines.raw[lines.at + after].search(/\S/) <= parent) break;
    } else if (own <= parent || line.trimStart()[0] === '#' || /^(?:---|\.\.\.)(?:\s|$)/.test(line)) break;
    else if (KEY.test(line.trimStart())) throw lines.fail('这里不应该有键');
    parts.push(noComment(line.trim()));
    lines.at += 1;
  }
  return parts.length === 1 ? scalar(parts[0].trim()) : folded(parts);
}

/** 键或 - 之后的值；`parent` 是它们的缩进。 */
function value(lines, given, parent) {
  let text = given;
  let anchor;
  for (let found; (found = /^(?:&(\S+)|!\S*)(?:\s+|$)/.exec(text)) !== null; text = text.slice(found[0].length)) anchor = found[1] ?? anchor;
  let result;
  if (noComment(text) === '') {
    lines.next();
    const below = lines.peek();
    if (below !== null && below.indent > parent) result = node(lines);
    else if (below !== null && below.indent === parent && isDash(below.text) && given !== '-') result = sequence(lines, parent);
    else result = null;
  } else if (text[0] === '*') {
    result = alias(lines, noComment(text));
    lines.next();
  } else if (/^[|>][-+\d]*\s*(?:#.*)?$/.test(text)) result = blockScalar(lines, text, parent);
  else if (text[0] === '"' || text[0] === "'") result = quoted(gathered(lines, text, quotedEnd));
  else if (text[0] === '[' || text[0] === '{') result = flow(lines, gathered(lines, text, flowEnd));
  else if (/^[@`%]/.test(text)) throw lines.fail(`值不能以 ${text[0]} 开头`);
  else result = plain(lines, text, parent);
  if (anchor !== undefined) lines.anchors.set(anchor, result);
  return result;
}

function sequence(lines, indent) {
  const items = [];
  for (let line; (line = lines.peek()) !== null && line.indent === indent && isDash(line.text); ) {
    const content = line.text.slice(1).trimStart();
    const column = indent + line.text.length - content.length;
    if (isDash(content) || KEY.test(content)) {
      lines.rest(column, content);
      items.push(node(lines));
    } else items.push(value(lines, content, indent));
  }
  const after = lines.peek();
  if (after !== null && after.indent > indent) throw lines.fail('缩进不一致');
  return items;
}

function mapping(lines, indent) {
  const map = {};
  const merged = [];
  for (let line; (line = lines.peek()) !== null && line.indent === indent; ) {
    const found = KEY.exec(line.text);
    if (found === null) throw lines.fail('应为“键: 值”');
    const key = found[1] !== undefined ? unquoted(found[1]) : found[2] !== undefined ? found[2].replaceAll("''", "'") : found[3].trim();
    if (Object.hasOwn(map, key) && key !== '<<') throw lines.fail(`键重复: ${key}`);
    const one = value(lines, line.text.slice(found[0].length).trimStart(), indent);
    if (key === '<<' && found[3] !== undefined) merged.push(...(Array.isArray(one) ? one : [one]));
    else put(map, key, one);
  }
  for (const other of merged) {
    for (const [key, one] of Object.entries(other ?? {})) if (!Object.hasOwn(map, key)) put(map, key, one);
  }
  const after = lines.peek();
  if (after !== null && after.indent > indent) throw lines.fail('缩进不一致');
  return map;
}

function node(lines) {
  lines.depth += 1;
  if (lines.depth > MAX_DEPTH) throw lines.fail('嵌套太深');
  const line = lines.peek();
  let result = null;
  if (line !== null) {
    if (isDash(line.text)) result = sequence(lines, line.indent);
    else if (KEY.test(line.text)) result = mapping(lines, line.indent);
    else result = value(lines, line.text, line.indent - 1);
  }
  lines.depth -= 1;
  return result;
}

function countUp(root) {
  const known = new Map();
  const count = (one) => {
    if (one === null || typeof one !== 'object') return 1;
    if (known.has(one)) return known.get(one);
    let sum = 1;
    for (const item of Object.values(one)) sum += count(item);
    known.set(one, sum);
    return sum;
  };
  return count(root);
}

/** 所有文档；大多数文件只有一个。 */
export function documents(text) {
  const lines = new Lines(text);
  const found = [];
  while (lines.at < lines.raw.length) {
    const started = /^---(?:\s+|$)(.*)$/.exec(lines.raw[lines.at]);
    if (started !== null) {
      const content = noComment(started[1]);
      if (content === '') lines.at += 1;
      else lines.rest(0, started[1]);
    } else if (/^(?:\.\.\.|%)/.test(lines.raw[lines.at])) {
      lines.at += 1;
      continue;
    }
    const empty = lines.peek() === null;
    if (!empty || started !== null) found.push(node(lines));
    lines.anchors.clear();
    const after = lines.peek();
    if (after !== null) throw lines.fail(`缩进不一致或多出来的内容: ${after.text.slice(0, 40)}`);
  }
  if (countUp(found) > MAX_VALUES) throw new Fault('TOO_MUCH', `YAML 展开后超过 ${MAX_VALUES} 个值，没有展开`);
  return found;
}
