/**
 * filesystem：在允许的目录内读写、查找和整理文件。
 *
 * 每个路径都经过 this.resolvePromptManagerPath()；删除的内容先进回收站（data/trash），可以恢复。
 * 这里有意不做的事：执行命令、修改权限、跟随符号链接遍历目录。
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { english } from './english.js';

const DEFAULT_MAX_FILE_SIZE = 10 * 1024 * 1024;
const MAX_PICTURE_SIZE = 10 * 1024 * 1024;
const MAX_ENTRIES = 1000;
const MAX_MATCHES = 500;
const MAX_WALKED = 50000;
const MAX_LINE_SHOWN = 500;
const MAX_LINE_SEARCHED = 10000;
const MAX_TRASH_ITEMS = 200;
const SKIPPED_FOLDERS = new Set(['node_modules', '.git']);
const ENCODINGS = ['utf8', 'base64', 'hex', 'latin1'];

class FileError extends Error {
  constructor(code, message) {
    super(message);
    this.name = 'FileError';
    this.code = code;
  }
}

const SYSTEM_ERRORS = {
  ENOENT: ['FILE_NOT_FOUND', '路径不存在'],
  EACCES: ['PERMISSION_DENIED', '没有访问权限'],
  EPERM: ['PERMISSION_DENIED', '没有访问权限'],
  EROFS: ['PERMISSION_DENIED', '所在位置是只读的'],
  ENOTDIR: ['NOT_A_DIRECTORY', '不是目录'],
  EISDIR: ['IS_A_DIRECTORY', '是目录，不是文件'],
  EEXIST: ['ALREADY_EXISTS', '目标已存在'],
  ENOTEMPTY: ['DIRECTORY_NOT_EMPTY', '目录不是空的'],
  ENOSPC: ['NO_SPACE', '磁盘空间不足'],
  ELOOP: ['FILE_NOT_FOUND', '符号链接成环'],
  ENAMETOOLONG: ['INVALID_PATH', '路径太长'],
};

/** 把系统错误换成说得清楚的错误。 */
function explained(error, shown) {
  const known = error instanceof FileError ? undefined : SYSTEM_ERRORS[error?.code];
  return known ? new FileError(known[0], `${known[1]}: ${shown}`) : error;
}

function required(params, name) {
  const value = params[name];
  if (value === undefined || value === null || value === '') {
    throw new FileError('MISSING_PARAMETER', `操作 ${params.action} 缺少参数: ${name}`);
  }
  return value;
}

function whole(value, name, fallback, minimum, maximum) {
  if (value === undefined || value === null) return fallback;
  if (!Number.isInteger(value) || value < minimum || value > maximum) {
    throw new FileError('INVALID_PARAMETER', `参数 ${name} 应为 ${minimum} 到 ${maximum} 之间的整数`);
  }
  return value;
}

function encodingOf(params) {
  const encoding = params.encoding ?? 'utf8';
  if (!ENCODINGS.includes(encoding)) {
    throw new FileError('INVALID_PARAMETER', `不支持的编码: ${encoding}，可选: ${ENCODINGS.join(', ')}`);
  }
  return encoding;
}

async function lstatOrNull(target) {
  try {
    return await fs.lstat(target);
  } catch (error) {
    if (error?.code === 'ENOENT' || error?.code === 'ENOTDIR') return null;
    throw error;
  }
}

function kindOf(stat) {
  if (stat.isSymbolicLink()) return 'symlink';
  if (stat.isDirectory()) return 'directory';
  return stat.isFile() ? 'file' : 'other';
}

function time(stat) {
  return new Date(stat.mtimeMs).toISOString();
}

async function maxFileSize(tool) {
  const text = await tool.api?.environment?.get('MAX_FILE_SIZE');
  const size = Number(text);
  return text !== undefined && text !== null && text !== '' && Number.isFinite(size) && size > 0
    ? size
    : DEFAULT_MAX_FILE_SIZE;
}

async function regularFile(target, shown) {
  const stat = await fs.stat(target);
  if (stat.isDirectory()) throw new FileError('IS_A_DIRECTORY', `是目录，不是文件: ${shown}`);
  if (!stat.isFile()) throw new FileError('INVALID_PATH', `不是普通文件: ${shown}`);
  return stat;
}

function checkSize(size, limit, shown) {
  if (size > limit) {
    throw new FileError('FILE_TOO_LARGE', `文件过大: ${shown} 有 ${size} 字节，上限 ${limit} 字节`);
  }
}

/** 没有 NUL 且是完整的 UTF-8，才是文本。 */
function textOf(bytes) {
  if (bytes.subarray(0, 8192).includes(0)) return null;
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : null;
}

// ---------------------------------------------------------------- 读

async function read(tool, params) {
  const shown = required(params, 'path');
  const target = await tool.resolvePromptManagerPath(shown);
  const stat = await regularFile(target, shown);
  checkSize(stat.size, await maxFileSize(tool), shown);
  const encoding = encodingOf(params);
  const bytes = await fs.readFile(target);
  const offset = whole(params.offset, 'offset', 0, 0, Number.MAX_SAFE_INTEGER);
  const limit = whole(params.limit, 'limit', Number.MAX_SAFE_INTEGER, 1, Number.MAX_SAFE_INTEGER);
  if (encoding !== 'utf8') {
    const part = bytes.subarray(offset, Math.min(bytes.length, offset + limit));
    return {
      path: target,
      encoding,
      content: part.toString(encoding),
      size: stat.size,
      truncated: offset + part.length < bytes.length,
    };
  }
  const text = textOf(bytes);
  if (text === null) {
    throw new FileError('BINARY_FILE', `不是 UTF-8 文本: ${shown}，请用 encoding: base64，图片请用 read_picture`);
  }
  const lines = text === '' ? [] : text.match(/[^\n]*\n|[^\n]+$/g);
  const part = lines.slice(offset, offset + limit);
  return {
    path: target,
    encoding,
    content: part.join(''),
    size: stat.size,
    totalLines: lines.length,
    offset,
    truncated: offset + part.length < lines.length,
  };
}

function pictureType(bytes, name) {
  const starts = (...head) => head.every((byte, index) => bytes[index] === byte);
  if (starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'image/png';
  if (starts(0xff, 0xd8, 0xff)) return 'image/jpeg';
  if (starts(0x47, 0x49, 0x46, 0x38)) return 'image/gif';
  if (starts(0x42, 0x4d)) return 'image/bmp';
  if (starts(0x52, 0x49, 0x46, 0x46) && bytes.subarray(8, 12).toString('latin1') === 'WEBP') return 'image/webp';
  const svg = /\.svg$/i.test(name) && /<svg[\s>]/i.test(bytes.subarray(0, 4096).toString('utf8'));
  return svg ? 'image/svg+xml' : null;
}

async function readPicture(tool, params) {
  const shown = required(params, 'path');
  const target = await tool.resolvePromptManagerPath(shown);
  const stat = await regularFile(target, shown);
  checkSize(stat.size, MAX_PICTURE_SIZE, shown);
  const bytes = await fs.readFile(target);
  const mimeType = pictureType(bytes, shown);
  if (mimeType === null) {
    throw new FileError('NOT_A_PICTURE', `不是支持的图片: ${shown}（支持 PNG、JPEG、GIF、BMP、WebP、SVG）`);
  }
  return { path: target, base64: bytes.toString('base64'), mimeType, size: stat.size };
}

async function stat(tool, params) {
  const shown = required(params, 'path');
  const target = await tool.resolvePromptManagerPath(shown);
  const own = await fs.lstat(target);
  const result = {
    path: target,
    name: path.basename(target),
    type: kindOf(own),
    size: own.isDirectory() ? 0 : own.size,
    modified: time(own),
    mode: (own.mode & 0o777).toString(8).padStart(3, '0'),
  };
  if (own.isSymbolicLink()) result.target = await fs.readlink(target);
  return result;
}

// ---------------------------------------------------------------- 写

/** 先写到旁边的临时文件再改名：中途失败，原文件不变。 */
async function writeWhole(target, bytes, mode) {
  const temporary = path.join(path.dirname(target), `.${path.basename(target)}.${randomUUID()}.tmp`);
  try {
    await fs.writeFile(temporary, bytes, mode === undefined ? undefined : { mode });
    await fs.rename(temporary, target);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
}

/** 写入位置：已有的文件（符号链接则为它所指），或还不存在的路径。 */
async function destinationOf(tool, shown) {
  const target = await tool.resolvePromptManagerPath(shown);
  const existing = await lstatOrNull(target);
  if (existing === null) return { target, existing };
  if (existing.isDirectory()) throw new FileError('IS_A_DIRECTORY', `是目录，不是文件: ${shown}`);
  if (!existing.isSymbolicLink()) return { target, existing };
  const real = await tool.resolvePromptManagerPath(await fs.realpath(target));
  return { target: real, existing: await regularFile(real, shown) };
}

function contentOf(params) {
  if (typeof params.content !== 'string') {
    throw new FileError('MISSING_PARAMETER', `操作 ${params.action} 缺少参数: content`);
  }
  const encoding = encodingOf(params);
  const bytes = Buffer.from(params.content, encoding);
  if (encoding === 'base64' && bytes.length === 0 && params.content.trim() !== '') {
    throw new FileError('INVALID_PARAMETER', 'content 不是有效的 base64');
  }
  return bytes;
}

async function write(tool, params) {
  const shown = required(params, 'path');
  const bytes = contentOf(params);
  checkSize(bytes.length, await maxFileSize(tool), shown);
  const { target, existing } = await destinationOf(tool, shown);
  if (existing !== null && params.overwrite === false) {
    throw new FileError('ALREADY_EXISTS', `文件已存在: ${shown}`);
  }
  await fs.mkdir(path.dirname(target), { recursive: true });
  await writeWhole(target, bytes, existing === null ? undefined : existing.mode & 0o777);
  return { path: target, size: bytes.length, created: existing === null };
}

async function append(tool, params) {
  const shown = required(params, 'path');
  const bytes = contentOf(params);
  const { target, existing } = await destinationOf(tool, shown);
  const size = (existing === null ? 0 : existing.size) + bytes.length;
  checkSize(size, await maxFileSize(tool), shown);
  await fs.mkdir(path.dirname(target), { recursive: true });
  await fs.appendFile(target, bytes);
  return { path: target, size, created: existing === null };
}

async function mkdir(tool, params) {
  const shown = required(params, 'path');
  const target = await tool.resolvePromptManagerPath(shown);
  const existing = await lstatOrNull(target);
  if (existing !== null && !existing.isDirectory()) {
    throw new FileError('ALREADY_EXISTS', `已有同名文件: ${shown}`);
  }
  await fs.mkdir(target, { recursive: true });
  return { path: target, created: existing === null };
}

// ---------------------------------------------------------------- 列出与查找

/** 通配符：* ? ** [a-z] {a,b}。不含 / 的模式只看文件名。 */
function globToRegExp(pattern) {
  let source = '';
  let braces = 0;
  for (let i = 0; i < pattern.length; i += 1) {
    const c = pattern[i];
    if (c === '*' && pattern[i + 1] === '*') {
      i += 1;
      if (pattern[i + 1] === '/') {
        i += 1;
        source += '(?:[^/]+/)*';
      } else {
        source += '.*';
      }
    } else if (c === '*') source += '[^/]*';
    else if (c === '?') source += '[^/]';
    else if (c === '{') {
      braces += 1;
      source += '(?:';
    } else if (c === '}' && braces > 0) {
      braces -= 1;
      source += ')';
    } else if (c === ',' && braces > 0) source += '|';
    else if (c === '[' && pattern.indexOf(']', i + 2) > 0) {
      const end = pattern.indexOf(']', i + 2);
      const inner = pattern.slice(i + 1, end).replace(/^!/, '^').replace(/[\\[\]]/g, '\\$&');
      source += `[${inner}]`;
      i = end;
    } else source += c.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  }
  try {
    return new RegExp(`^${source}${')'.repeat(braces)}$`);
  } catch {
    throw new FileError('INVALID_PATTERN', `通配符无效: ${pattern}`);
  }
}

function nameFilter(pattern) {
  if (pattern === undefined || pattern === null || pattern === '') return () => true;
  const expression = globToRegExp(pattern);
  return pattern.includes('/')
    ? (relative) => expression.test(relative)
    : (relative) => expression.test(relative.slice(relative.lastIndexOf('/') + 1));
}

async function entriesOf(folder) {
  const entries = await fs.readdir(folder, { withFileTypes: true });
  const order = (entry) => (entry.isDirectory() ? 0 : 1);
  return entries.sort((a, b) => order(a) - order(b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** 依次给出目录下的内容；不进入符号链接，跳过 node_modules、.git 和读不了的目录。 */
async function* walk(tool, root, options) {
  const trash = trashFolder(tool);
  const pending = [{ folder: root, relative: '', depth: 1 }];
  let walked = 0;
  while (pending.length > 0) {
    const { folder, relative, depth } = pending.shift();
    let entries;
    try {
      entries = await entriesOf(folder);
    } catch (error) {
      if (folder === root) throw error;
      continue;
    }
    for (const entry of entries) {
      walked += 1;
      if (walked > MAX_WALKED) {
        options.truncated = true;
        return;
      }
      const full = path.join(folder, entry.name);
      if (full === trash) continue;
      const name = relative === '' ? entry.name : `${relative}/${entry.name}`;
      yield { entry, full, relative: name, depth };
      if (entry.isDirectory() && depth < options.depth && !SKIPPED_FOLDERS.has(entry.name)) {
        pending.push({ folder: full, relative: name, depth: depth + 1 });
      }
    }
  }
}

async function folderOf(tool, params) {
  const shown = params.path ?? '.';
  const target = await tool.resolvePromptManagerPath(shown === '' ? '.' : shown);
  const found = await fs.stat(target);
  if (!found.isDirectory()) throw new FileError('NOT_A_DIRECTORY', `不是目录: ${shown}`);
  return target;
}

async function list(tool, params) {
  const root = await folderOf(tool, params);
  const limit = whole(params.limit, 'limit', MAX_ENTRIES, 1, MAX_ENTRIES);
  const offset = whole(params.offset, 'offset', 0, 0, Number.MAX_SAFE_INTEGER);
  const fits = nameFilter(params.pattern);
  const options = { depth: params.recursive === true ? 64 : 1, truncated: false };
  const entries = [];
  let found = 0;
  for await (const item of walk(tool, root, options)) {
    if (!fits(item.relative)) continue;
    found += 1;
    if (found <= offset) continue;
    if (entries.length >= limit) {
      options.truncated = true;
      break;
    }
    const own = await lstatOrNull(item.full);
    if (own === null) continue;
    entries.push({
      name: item.relative,
      type: kindOf(own),
      size: own.isDirectory() ? 0 : own.size,
      modified: time(own),
    });
  }
  return { path: root, entries, truncated: options.truncated };
}

async function tree(tool, params) {
  const root = await folderOf(tool, params);
  const depth = whole(params.depth, 'depth', 3, 1, 20);
  const limit = whole(params.limit, 'limit', 500, 1, MAX_ENTRIES);
  const fits = nameFilter(params.pattern);
  const trash = trashFolder(tool);
  const state = { lines: [`${path.basename(root)}/`], directories: 0, files: 0, truncated: false };
  const visit = async (folder, relative, prefix, level) => {
    let entries = (await entriesOf(folder)).filter((entry) => path.join(folder, entry.name) !== trash);
    entries = entries.filter((entry) => entry.isDirectory() || fits(relative + entry.name));
    for (const [index, entry] of entries.entries()) {
      if (state.directories + state.files >= limit) {
        state.truncated = true;
        return;
      }
      const last = index === entries.length - 1;
      const mark = entry.isDirectory() ? '/' : entry.isSymbolicLink() ? '@' : '';
      state.lines.push(`${prefix}${last ? '└── ' : '├── '}${entry.name}${mark}`);
      if (!entry.isDirectory()) {
        state.files += 1;
        continue;
      }
      state.directories += 1;
      if (SKIPPED_FOLDERS.has(entry.name)) continue;
      if (level >= depth) continue;
      const inner = `${prefix}${last ? '    ' : '│   '}`;
      try {
        await visit(path.join(folder, entry.name), `${relative}${entry.name}/`, inner, level + 1);
      } catch (error) {
        state.lines.push(`${inner}└── （读不了: ${explained(error, entry.name).message}）`);
      }
    }
  };
  await visit(root, '', '', 1);
  return {
    path: root,
    tree: state.lines.join('\n'),
    directories: state.directories,
    files: state.files,
    truncated: state.truncated,
  };
}

/** 一行里第一处匹配的位置，没有则 -1。 */
function lineMatcher(params) {
  const query = params.query;
  if (query === undefined || query === null || query === '') return null;
  if (params.regex === true) {
    let expression;
    try {
      expression = new RegExp(query, params.ignore_case === true ? 'iu' : 'u');
    } catch (error) {
      throw new FileError('INVALID_PATTERN', `正则表达式无效: ${query}（${error.message}）`);
    }
    return (line) => line.search(expression);
  }
  if (params.ignore_case !== true) return (line) => line.indexOf(query);
  const wanted = query.toLowerCase();
  return (line) => line.toLowerCase().indexOf(wanted);
}

async function search(tool, params) {
  const find = lineMatcher(params);
  if (find === null && (params.pattern === undefined || params.pattern === '')) {
    throw new FileError('MISSING_PARAMETER', '操作 search 需要 query（内容）或 pattern（文件名）');
  }
  const root = await folderOf(tool, params);
  const limit = whole(params.limit, 'limit', 100, 1, MAX_MATCHES);
  const largest = await maxFileSize(tool);
  const fits = nameFilter(params.pattern);
  const options = { depth: params.recursive === false ? 1 : 64, truncated: false };
  const result = { path: root, matches: [], filesSearched: 0, filesSkipped: 0, truncated: false };
  const add = (match) => {
    if (result.matches.length >= limit) return false;
    result.matches.push(match);
    return true;
  };
  for await (const item of walk(tool, root, options)) {
    if (!fits(item.relative)) continue;
    let room = true;
    if (find === null) {
      room = add({ path: item.relative, type: item.entry.isDirectory() ? 'directory' : 'file' });
    } else if (item.entry.isFile()) {
      room = await searchFile(item, find, largest, result, add);
    }
    if (!room) {
      options.truncated = true;
      break;
    }
  }
  result.truncated = options.truncated;
  return result;
}

/** 没有地方放更多结果时返回 false。 */
async function searchFile(item, find, largest, result, add) {
  let text = null;
  try {
    const own = await fs.lstat(item.full);
    if (own.size <= largest) text = textOf(await fs.readFile(item.full));
  } catch {
    // 读不了的文件算作跳过。
  }
  if (text === null) {
    result.filesSkipped += 1;
    return true;
  }
  result.filesSearched += 1;
  let number = 0;
  for (const whole of text.split('\n')) {
    number += 1;
    const line = whole.slice(0, MAX_LINE_SEARCHED);
    const at = find(line);
    if (at < 0) continue;
    const start = Math.max(0, at - 200);
    const match = {
      path: item.relative,
      line: number,
      column: at + 1,
      text: line.slice(start, start + MAX_LINE_SHOWN).trimEnd(),
    };
    if (!add(match)) return false;
  }
  return true;
}

// ---------------------------------------------------------------- 移动、复制、删除

function isInside(inner, outer) {
  const relative = path.relative(outer, inner);
  return relative === '' || (relative !== '..' && !relative.startsWith('../') && !path.isAbsolute(relative));
}

async function protectRoots(tool, target, shown) {
  for (const folder of await tool.getAllowedDirectories()) {
    if (isInside(folder, target)) {
      throw new FileError('PROTECTED_PATH', `不能移动或删除允许目录本身: ${shown}`);
    }
  }
  if (isInside(tool.__toolDir, target) || isInside(target, trashFolder(tool))) {
    throw new FileError('PROTECTED_PATH', `不能移动或删除工具自己的目录: ${shown}`);
  }
}

/** 复制文件或目录；符号链接照原样复制。 */
async function copyTree(source, destination, budget) {
  budget.entries += 1;
  if (budget.entries > MAX_WALKED) {
    throw new FileError('TOO_MANY_FILES', `内容超过 ${MAX_WALKED} 项，请分批处理`);
  }
  const own = await fs.lstat(source);
  if (own.isSymbolicLink()) {
    await fs.symlink(await fs.readlink(source), destination);
  } else if (own.isDirectory()) {
    await fs.mkdir(destination, { recursive: true });
    for (const entry of await fs.readdir(source)) {
      await copyTree(path.join(source, entry), path.join(destination, entry), budget);
    }
  } else if (own.isFile()) {
    await fs.copyFile(source, destination);
  }
}

/** 复制到临时名字再改名，失败不留半份。 */
async function copyWhole(source, destination) {
  const temporary = path.join(path.dirname(destination), `.${path.basename(destination)}.${randomUUID()}.tmp`);
  try {
    await copyTree(source, temporary, { entries: 0 });
    await fs.rename(temporary, destination);
  } catch (error) {
    await fs.rm(temporary, { recursive: true, force: true });
    throw error;
  }
}

/** 允许的目录可能在不同的文件系统上，那时改名不行，改为复制后删除。 */
async function moveWhole(source, destination) {
  try {
    await fs.rename(source, destination);
  } catch (error) {
    if (error?.code !== 'EXDEV') throw error;
    await copyWhole(source, destination);
    await fs.rm(source, { recursive: true, force: true });
  }
}

async function transfer(tool, params) {
  const shown = required(params, 'path');
  const shownTo = required(params, 'destination');
  const source = await tool.resolvePromptManagerPath(shown);
  const own = await fs.lstat(source);
  let target = await tool.resolvePromptManagerPath(shownTo);
  let existing = await lstatOrNull(target);
  if (existing !== null && existing.isDirectory() && target !== source) {
    target = path.join(target, path.basename(source));
    existing = await lstatOrNull(target);
  }
  if (target === source) throw new FileError('INVALID_DESTINATION', `来源和目标相同: ${shown}`);
  if (own.isDirectory() && isInside(target, source)) {
    throw new FileError('INVALID_DESTINATION', `不能放进自己里面: ${shownTo}`);
  }
  if (params.action === 'move') await protectRoots(tool, source, shown);
  if (existing !== null) {
    if (params.overwrite !== true) throw new FileError('ALREADY_EXISTS', `目标已存在: ${shownTo}`);
    await protectRoots(tool, target, shownTo);
    await moveToTrash(tool, target);
  }
  await fs.mkdir(path.dirname(target), { recursive: true });
  await (params.action === 'move' ? moveWhole : copyWhole)(source, target);
  return { path: source, destination: target, type: kindOf(own) };
}

async function remove(tool, params) {
  const shown = required(params, 'path');
  const target = await tool.resolvePromptManagerPath(shown);
  const own = await fs.lstat(target);
  await protectRoots(tool, target, shown);
  if (own.isDirectory() && params.recursive !== true && (await fs.readdir(target)).length > 0) {
    throw new FileError('DIRECTORY_NOT_EMPTY', `目录不是空的: ${shown}，确认删除请加 recursive: true`);
  }
  if (params.permanent === true) {
    await fs.rm(target, { recursive: true });
    return { path: target, type: kindOf(own), permanent: true };
  }
  const id = await moveToTrash(tool, target);
  return { path: target, type: kindOf(own), permanent: false, trashId: id };
}

// ---------------------------------------------------------------- 回收站

function trashFolder(tool) {
  return path.join(tool.__toolDir, 'data', 'trash');
}

/** 回收站的目录：[{id, path, type, deletedAt}]，从旧到新。坏了就当是空的，内容仍在。 */
async function readIndex(tool) {
  try {
    const index = JSON.parse(await fs.readFile(path.join(trashFolder(tool), 'index.json'), 'utf8'));
    return Array.isArray(index) ? index.filter((item) => typeof item?.id === 'string') : [];
  } catch (error) {
    if (error?.code !== 'ENOENT') tool.api?.logger?.warn?.('回收站的目录读不了', { error: String(error) });
    return [];
  }
}

async function writeIndex(tool, index) {
  const bytes = Buffer.from(`${JSON.stringify(index, null, 2)}\n`, 'utf8');
  await writeWhole(path.join(trashFolder(tool), 'index.json'), bytes);
}

async function moveToTrash(tool, target) {
  const id = randomUUID();
  const folder = trashFolder(tool);
  await fs.mkdir(folder, { recursive: true });
  const own = await fs.lstat(target);
  const index = await readIndex(tool);
  // 先记下再移动：中途停止时，多一条记录比少一份内容好。
  index.push({ id, path: target, type: kindOf(own), deletedAt: new Date().toISOString() });
  await writeIndex(tool, index);
  await moveWhole(target, path.join(folder, id));
  const surplus = index.splice(0, Math.max(0, index.length - MAX_TRASH_ITEMS));
  if (surplus.length > 0) {
    for (const item of surplus) await fs.rm(path.join(folder, item.id), { recursive: true, force: true });
    await writeIndex(tool, index);
  }
  return id;
}

async function listTrash(tool) {
  const items = [];
  for (const item of await readIndex(tool)) {
    if ((await lstatOrNull(path.join(trashFolder(tool), item.id))) !== null) items.push(item);
  }
  return { items: items.reverse() };
}

async function restore(tool, params) {
  if (!params.id && !params.path) {
    throw new FileError('MISSING_PARAMETER', '操作 restore 需要 id 或原来的 path');
  }
  const wanted = params.path ? await tool.resolvePromptManagerPath(params.path) : null;
  const { items } = await listTrash(tool);
  const item = items.find((one) => (params.id ? one.id === params.id : one.path === wanted));
  if (item === undefined) {
    throw new FileError('TRASH_ITEM_NOT_FOUND', `回收站里没有: ${params.id ?? params.path}`);
  }
  const target = await tool.resolvePromptManagerPath(params.destination ?? item.path);
  if ((await lstatOrNull(target)) !== null) {
    throw new FileError('ALREADY_EXISTS', `原来的位置已有内容: ${target}，请用 destination 指定别处`);
  }
  await fs.mkdir(path.dirname(target), { recursive: true });
  await moveWhole(path.join(trashFolder(tool), item.id), target);
  await writeIndex(tool, (await readIndex(tool)).filter((one) => one.id !== item.id));
  return { path: target, type: item.type, trashId: item.id };
}

const ACTIONS = {
  read,
  write,
  append,
  list,
  tree,
  search,
  stat,
  mkdir,
  move: transfer,
  copy: transfer,
  delete: remove,
  restore,
  list_trash: listTrash,
  read_picture: readPicture,
};

/** @type {import('prompt-manager').Tool} */
export default {
  getDependencies() {
    return {};
  },

  getMetadata() {
    return {
      name: 'filesystem',
      description: '在允许的目录内读写、查找和整理文件。删除的内容进入回收站，可以恢复。',
      version: '1.0.0',
      author: 'Prompt Manager',
      tags: ['文件', '目录', '搜索', '内置'],
      scenarios: [
        '读取、写入、追加文本文件，或按行分段读取',
        '列出目录、查看目录树和文件信息',
        '按文件名（通配符）或内容（文本、正则）查找',
        '移动、复制、删除文件和目录，并从回收站恢复',
        '读取图片交给模型查看',
      ],
      limitations: [
        '只能访问 ALLOWED_DIRECTORIES 中的目录，相对路径以其中第一个为准',
        '单个文件默认不超过 10 MB（MAX_FILE_SIZE），图片不超过 10 MB',
        '一次最多列出 1000 项，最多给出 500 处匹配',
        '查找时跳过 node_modules、.git、二进制文件，不进入符号链接',
        `回收站保留最近 ${MAX_TRASH_ITEMS} 项`,
      ],
    };
  },

  getTranslations() {
    return { en: english(MAX_TRASH_ITEMS) };
  },

  getSchema() {
    return {
      parameters: {
        type: 'object',
        properties: {
          action: {
            type: 'string',
            enum: Object.keys(ACTIONS),
            description: '要做的操作',
            example: 'list',
          },
          path: { type: 'string', description: '文件或目录的路径；list、tree、search 不填则为第一个允许的目录', maxLength: 4096 },
          destination: { type: 'string', description: 'move、copy 的目标，或 restore 的新位置', maxLength: 4096 },
          content: { type: 'string', description: 'write、append 的内容' },
          encoding: { type: 'string', enum: ENCODINGS, default: 'utf8', description: '内容的编码；二进制内容用 base64' },
          offset: { type: 'integer', minimum: 0, description: '跳过多少行（read 文本）、字节（read 其他编码）或项（list）' },
          limit: { type: 'integer', minimum: 1, description: '最多多少行、字节、项或处匹配' },
          recursive: { type: 'boolean', description: 'list 是否包含下级（默认否）；search 是否查下级（默认是）；delete 非空目录时必须为 true' },
          pattern: { type: 'string', description: '文件名通配符，例如 *.md 或 src/**/*.{js,ts}', maxLength: 500 },
          query: { type: 'string', description: 'search 要找的内容', maxLength: 1000 },
          regex: { type: 'boolean', default: false, description: 'query 是否为正则表达式' },
          ignore_case: { type: 'boolean', default: false, description: '是否忽略大小写' },
          depth: { type: 'integer', minimum: 1, maximum: 20, description: 'tree 的层数，默认 3' },
          overwrite: { type: 'boolean', description: '目标已存在时是否覆盖；write 默认是，move、copy 默认否（被覆盖的进入回收站）' },
          permanent: { type: 'boolean', default: false, description: 'delete 是否不经回收站直接删除' },
          id: { type: 'string', description: 'restore 的回收站编号（delete 返回的 trashId）', maxLength: 64 },
        },
        required: ['action'],
      },
      environment: {
        type: 'object',
        properties: {
          ALLOWED_DIRECTORIES: {
            type: 'string',
            description: '允许访问的目录：JSON 数组、逗号分隔，或单个路径',
            example: '["~/.prompt-manager/shared", "~/Documents"]',
          },
          MAX_FILE_SIZE: {
            type: 'number',
            description: '单个文件的最大字节数',
            default: DEFAULT_MAX_FILE_SIZE,
            minimum: 1,
            maximum: 104857600,
          },
        },
        required: [],
      },
    };
  },

  getBusinessErrors() {
    const withCode = (...codes) => (error) => codes.includes(error?.code);
    return [
      { code: 'PATH_NOT_ALLOWED', description: '路径不在允许的目录内', match: /路径越权/, solution: '改用允许的目录内的路径；需要更多目录时，用 configure 模式设置 ALLOWED_DIRECTORIES 并由用户批准。', retryable: false },
      { code: 'FILE_NOT_FOUND', description: '文件或目录不存在', match: withCode('FILE_NOT_FOUND'), solution: '先用 list 或 search 找到正确的路径。', retryable: false },
      { code: 'PERMISSION_DENIED', description: '没有访问权限', match: withCode('PERMISSION_DENIED'), solution: '换一个位置，或请用户调整权限。', retryable: false },
      { code: 'FILE_TOO_LARGE', description: '文件超过大小限制', match: withCode('FILE_TOO_LARGE'), solution: '拆分文件，或用 configure 模式调大 MAX_FILE_SIZE。', retryable: false },
      { code: 'BINARY_FILE', description: '文件不是文本', match: withCode('BINARY_FILE'), solution: '用 encoding: base64 读取；图片用 read_picture。', retryable: false },
      { code: 'NOT_A_PICTURE', description: '文件不是支持的图片', match: withCode('NOT_A_PICTURE'), solution: '确认文件是 PNG、JPEG、GIF、BMP、WebP 或 SVG。', retryable: false },
      { code: 'NOT_A_DIRECTORY', description: '需要目录，给的是文件', match: withCode('NOT_A_DIRECTORY'), solution: '改用目录路径；读文件用 read。', retryable: false },
      { code: 'IS_A_DIRECTORY', description: '需要文件，给的是目录', match: withCode('IS_A_DIRECTORY'), solution: '改用文件路径；看目录用 list。', retryable: false },
      { code: 'ALREADY_EXISTS', description: '目标已存在', match: withCode('ALREADY_EXISTS'), solution: '换一个名字，或加 overwrite: true。', retryable: false },
      { code: 'DIRECTORY_NOT_EMPTY', description: '目录不是空的', match: withCode('DIRECTORY_NOT_EMPTY'), solution: '确认要删除全部内容时加 recursive: true。', retryable: false },
      { code: 'INVALID_DESTINATION', description: '目标位置不合适', match: withCode('INVALID_DESTINATION', 'INVALID_PATH'), solution: '换一个目标路径。', retryable: false },
      { code: 'PROTECTED_PATH', description: '这个目录不能移动或删除', match: withCode('PROTECTED_PATH'), solution: '只处理其中的内容。', retryable: false },
      { code: 'INVALID_PATTERN', description: '通配符或正则表达式无效', match: withCode('INVALID_PATTERN'), solution: '修正 pattern 或 query；按普通文本查找时去掉 regex。', retryable: false },
      { code: 'INVALID_PARAMETER', description: '参数缺少或无效', match: withCode('MISSING_PARAMETER', 'INVALID_PARAMETER'), solution: '按参数说明补上或修正。', retryable: false },
      { code: 'TRASH_ITEM_NOT_FOUND', description: '回收站里没有这一项', match: withCode('TRASH_ITEM_NOT_FOUND'), solution: '用 list_trash 查看可以恢复的内容。', retryable: false },
      { code: 'TOO_MANY_FILES', description: '内容太多', match: withCode('TOO_MANY_FILES'), solution: '分成几次处理。', retryable: false },
      { code: 'NO_SPACE', description: '磁盘空间不足', match: withCode('NO_SPACE'), solution: '清理空间后重试。', retryable: true },
    ];
  },

  getRuntimeConfig() {
    return {
      sandboxType: 'nodejs',
      maxMemory: 512,
      maxExecutionTime: 60,
      allowedDirectories: ['~/.prompt-manager/shared', '~/.prompt-manager/toolbox/{toolname}/data'],
      networkAccess: false,
    };
  },

  async execute(params) {
    const action = Object.hasOwn(ACTIONS, params?.action) ? ACTIONS[params.action] : undefined;
    if (action === undefined) {
      throw new FileError('INVALID_PARAMETER', `不支持的操作: ${params?.action}，可选: ${Object.keys(ACTIONS).join(', ')}`);
    }
    await this.initializeFilesystem();
    try {
      return await action(this, params);
    } catch (error) {
      throw explained(error, params.path ?? params.destination ?? '');
    }
  },
};
