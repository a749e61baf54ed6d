/**
 * YAML 变成值：块和行内的写法、引号、| 和 >、锚点、合并键、多个文档，按核心模式认类型。
 *
 * 这里有意不做的事：自定义标签（忽略）、? 开头的复杂键、写出 YAML。
 */
import { Fault } from './fault.js';

const MAX_DEPTH = 100;
/** 别名可以让几行字变成几十亿个值：展开之前先数。 */
const MAX_VALUES = 200000;
/** 引号或括号内最多多少字符。 */
const MAX_GATHERED = 8 << 20;
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
const isSpace = (c) => c === ' ' || c === '\t' || c === '\n' || c === '\r';

/** 空白之后的 # 才是注释；没有则为 -1。 */
function commentAt(text) {
  for (let at = text.indexOf('#'); at >= 0; at = text.indexOf('#', at + 1)) if (at === 0 || isSpace(text[at - 1])) return at;
  return -1;
}

function noComment(text) {
  const at = commentAt(text);
  return (at < 0 ? text : text.slice(0, at)).trimEnd();
}

/** 引号之内从 `from` 看起，引号到哪里为止；没有结束则为 -1。 */
function quoteEnds(quote, text, from) {
  for (let i = from; i < text.length; i += 1) {
    if (quote === '"' && text[i] === '\\') i += 1;
    else if (text[i] === quote) {
      if (quote === '"' || text[i + 1] !== quote) return i + 1;
      i += 1;
    }
  }
  return -1;
}

const quotedEnd = (text, at) => quoteEnds(text[at], text, at + 1);

const isColon = (text, at) => text[at] === ':' && (at + 1 === text.length || isSpace(text[at + 1]));

function plainKey(text) {
  if (isColon(text, 0)) return { key: '', plain: true, length: 1 };
  if (/^["'[\]{}#&*!|>%@`,]/.test(text) || /^[?-](?:\s|$)/.test(text)) return null;
  const comment = commentAt(text);
  for (let at = text.indexOf(':', 1); at >= 0 && (comment < 0 || at < comment); at = text.indexOf(':', at + 1)) {
    if (isColon(text, at)) return { key: text.slice(0, at).trimEnd(), plain: true, length: at + 1 };
  }
  return null;
}

/** 一行开头的键，到冒号为止；不是“键: 值”则为 null。逐字地找：长的一行不能反复回头。 */
function keyOf(text) {
  if (text[0] !== '"' && text[0] !== "'") return plainKey(text);
  const end = quotedEnd(text, 0);
  let at = end;
  while (at > 0 && isSpace(text[at])) at += 1;
  return end < 0 || !isColon(text, at) ? null : { key: quoted(text.slice(0, end)), plain: false, length: at + 1 };
}

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

/** 引号或括号从 `text` 开始，收集到它结束的地方；每一行只看一次，`ended` 记得看到了哪里。 */
function gathered(lines, text, ended) {
  const taken = [];
  let size = 0;
  for (let line = text; ; line = lines.raw[lines.at]) {
    const end = ended(line);
    if (end >= 0) {
      const after = noComment(line.slice(end).trimStart());
      if (after !== '') throw lines.fail(`多出来的内容: ${after.slice(0, 40)}`);
      lines.next();
      return [...taken, line.slice(0, end)].join('\n');
    }
    taken.push(line);
    size += line.length + 1;
    if (size > MAX_GATHERED) throw lines.fail('引号或括号内的内容太长');
    lines.virtual = null;
    lines.at += 1;
    if (lines.at >= lines.raw.length) throw lines.fail('引号或括号没有结束');
  }
}

function quoteScanner(quote) {
  let from = 1;
  return (line) => {
    const end = quoteEnds(quote, line, from);
    from = 0;
    return end;
  };
}

function flowScanner() {
  let depth = 0;
  let quote = '';
  return (line) => {
    for (let i = 0; i < line.length; i += 1) {
      if (quote !== '') {
        const end = quoteEnds(quote, line, i);
        if (end < 0) return -1;
        quote = '';
        i = end - 1;
        continue;
      }
      const c = line[i];
      const before = line[i - 1] ?? ' ';
      if ((c === '"' || c === "'") && (isSpace(before) || ',[{:'.includes(before))) quote = c;
      else if (c === '[' || c === '{') depth += 1;
      else if (c === ']' || c === '}') {
        depth -= 1;
        if (depth === 0) return i + 1;
      } else if (c === '#' && isSpace(before)) return -1;
    }
    return -1;
  };
}

/** 末尾的反斜杠是单数：它转义的是换行。写了两个的是一个反斜杠字。 */
function joinsNext(line) {
  let count = 0;
  while (line[line.length - 1 - count] === '\\') count += 1;
  return count % 2 === 1;
}

function quoted(text) {
  const isDouble = text[0] === '"';
  const lines = text.slice(1, -1).split('\n');
  const parts = [];
  let blank = 0;
  lines.forEach((raw, i) => {
    const start = i === 0 ? raw : raw.trimStart();
    const line = i === lines.length - 1 ? start : start.trimEnd();
    if (i > 0 && i < lines.length - 1 && line === '') {
      blank += 1;
      return;
    }
    if (i > 0) {
      const joins = isDouble && joinsNext(parts.at(-1));
      if (joins) parts.push(parts.pop().slice(0, -1));
      parts.push(blank === 0 ? (joins ? '' : ' ') : '\n'.repeat(blank));
    }
    blank = 0;
    parts.push(line);
  });
  const joined = parts.join('');
  return isDouble ? unquoted(joined) : joined.replaceAll("''", "'");
}

/** 行内不带引号的值到这里为止。 */
function flowStops(text, at) {
  const c = text[at];
  if (',[]{}'.includes(c)) return true;
  if (c === '#') return isSpace(text[at - 1]);
  return c === ':' && (at + 1 >= text.length || isSpace(text[at + 1]) || ',[]{}'.includes(text[at + 1]));
}

/** 行内写法：[a, {b: c}]。 */
function flow(lines, text) {
  let at = 0;
  const space = () => {
    for (; at < text.length; at += 1) {
      if (text[at] === '#' && isSpace(text[at - 1] ?? ' ')) {
        const end = text.indexOf('\n', at);
        at = end < 0 ? text.length : end;
      } else if (!isSpace(text[at])) return;
    }
  };
  const value = (depth) => {
    if (depth > MAX_DEPTH) throw lines.fail('嵌套太深');
    space();
    const c = text[at];
    if (c === '[' || c === '{') return collection(c, depth);
    if (c === '"' || c === "'") {
      const [start, end] = [at, quotedEnd(text, at)];
      if (end < 0) throw lines.fail('引号没有结束');
      at = end;
      return quoted(text.slice(start, end));
    }
    const start = at;
    while (at < text.length && !flowStops(text, at)) at += 1;
    const trimmed = folded(text.slice(start, at).split('\n')).trim();
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

/** 缩进只数空格：之后的制表符是内容。 */
function spacesOf(line) {
  let count = 0;
  while (line[count] === ' ') count += 1;
  return count;
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
    const own = spacesOf(line);
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

/** > 里缩进更深的行前后不折；空行各是一个换行，开头的也是。 */
function foldedBlock(taken) {
  const deep = (one) => isSpace(one[0]);
  let text = '';
  let before;
  let blank = 0;
  for (const line of taken) {
    if (line === '') {
      blank += 1;
      continue;
    }
    const kept = before === undefined ? blank : deep(line) || deep(before) ? blank + 1 : blank;
    text += (kept === 0 && before !== undefined ? ' ' : '\n'.repeat(kept)) + line;
    before = line;
    blank = 0;
  }
  return text;
}

/** 下一个不空的行；没有则为末尾。 */
function afterBlank(lines) {
  let at = lines.at;
  while (at < lines.raw.length && lines.raw[at].trim() === '') at += 1;
  return at;
}

function plain(lines, text, parent) {
  const parts = [noComment(text)];
  const cut = parts[0] !== text.trimEnd();
  lines.next();
  while (!cut && lines.at < lines.raw.length) {
    const line = lines.raw[lines.at];
    const own = line.length - line.trimStart().length;
    if (line.trim() === '') {
      const after = afterBlank(lines);
      if (after === lines.raw.length || lines.raw[after].search(/\S/) <= parent) break;
      for (; lines.at < after; lines.at += 1) parts.push('');
      continue;
    } else if (own <= parent || line.trimStart()[0] === '#' || /^(?:---|\.\.\.)(?:\s|$)/.test(line)) break;
    else if (keyOf(line.trimStart()) !== null) throw lines.fail('这里不应该有键');
    parts.push(noComment(line.trim()));
    lines.at += 1;
  }
  return parts.length === 1 ? scalar(parts[0].trim()) : folded(parts);
}

/** 键或 - 之后的值；`parent` 是它们的缩进。同样缩进的 - 属于键，不属于上一个 -。 */
function value(lines, given, parent, ofDash = false) {
  let text = given;
  let anchor;
  for (let found; (found = /^(?:&(\S+)|!\S*)(?:\s+|$)/.exec(text)) !== null; text = text.slice(found[0].length)) anchor = found[1] ?? anchor;
  let result;
  if (noComment(text) === '') {
    lines.next();
    const below = lines.peek();
    if (below !== null && below.indent > parent) result = node(lines);
    else if (below !== null && below.indent === parent && isDash(below.text) && !ofDash) result = sequence(lines, parent);
    else result = null;
  } else if (text[0] === '*') {
    result = alias(lines, noComment(text));
    lines.next();
  } else if (/^[|>][-+\d]*\s*(?:#.*)?$/.test(text)) result = blockScalar(lines, text, parent);
  else if (text[0] === '"' || text[0] === "'") result = quoted(gathered(lines, text, quoteScanner(text[0])));
  else if (text[0] === '[' || text[0] === '{') result = flow(lines, gathered(lines, text, flowScanner()));
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
    if (isDash(content) || keyOf(content) !== null) {
      lines.rest(column, content);
      items.push(node(lines));
    } else items.push(value(lines, content, indent, true));
  }
  const after = lines.peek();
  if (after !== null && after.indent > indent) throw lines.fail('缩进不一致');
  return items;
}

function mapping(lines, indent) {
  const map = {};
  const merged = [];
  for (let line; (line = lines.peek()) !== null && line.indent === indent; ) {
    const found = keyOf(line.text);
    if (found === null) throw lines.fail('应为“键: 值”');
    const { key } = found;
    if (Object.hasOwn(map, key) && key !== '<<') throw lines.fail(`键重复: ${key}`);
    const one = value(lines, line.text.slice(found.length).trimStart(), indent);
    if (key === '<<' && found.plain) merged.push(...(Array.isArray(one) ? one : [one]));
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
    else if (keyOf(line.text) !== null) result = mapping(lines, line.indent);
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

/** JSON 也是 YAML，读得快得多；放不下的整数除外，那要留作文字。 */
function asJson(text) {
  if (!/^\s*[{[]/.test(text) || /\d{16}/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** 所有文档；大多数文件只有一个。 */
export function documents(text) {
  const json = asJson(text.replace(/^\ufeff/, ''));
  if (json !== undefined) return [json];
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
