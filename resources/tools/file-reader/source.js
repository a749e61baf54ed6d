/**
 * 从哪里读：允许目录里的文件、http(s) 网址、压缩包里的一个条目。都变成名称和字节。
 *
 * 太大的文件只读一段（从 start_byte 起），从不整个放进内存。
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import { Buffer } from 'node:buffer';
import { Fault } from './fault.js';
import { address, load } from './web.js';
import { open } from './archive.js';
import { wholeUtf8, wideOf } from './charset.js';

export const WINDOW = 8 * 1024 * 1024;
/** 说错了名称时，告诉人有哪些：最多这么多个。 */
const SHOWN_NAMES = 50;
const DEFAULT_MAX = 32 * 1024 * 1024;
const NO_FILE = {
  ENOENT: ['FILE_NOT_FOUND', '路径不存在'],
  ENOTDIR: ['FILE_NOT_FOUND', '路径不存在'],
  ELOOP: ['FILE_NOT_FOUND', '符号链接成环'],
  EACCES: ['PERMISSION_DENIED', '没有访问权限'],
  EPERM: ['PERMISSION_DENIED', '没有访问权限'],
};

export const isAddress = (text) => /^https?:\/\//i.test(text);

async function limitOf(tool) {
  const text = tool.api.environment.get('MAX_FILE_SIZE');
  const size = Number(text);
  return text !== undefined && text !== '' && Number.isFinite(size) && size > 0 ? size : DEFAULT_MAX;
}

async function bytesAt(handle, start, length) {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** UTF-16 的最后一个换行之后：0A 这个字节也在别的字里（“上”是 0A 4E），要成对地看。 */
function wideLineEnd(bytes, encoding) {
  const low = encoding === 'utf-16le' ? 0 : 1;
  const even = bytes.length - (bytes.length % 2);
  for (let at = even - 2; at >= 0; at -= 2) if (bytes[at + low] === 10 && bytes[at + 1 - low] === 0) return at + 2;
  // 没有换行：至少不把一个字分成两半。
  const high = even < 2 ? 0 : bytes[even - 1 - low];
  return high >= 0xd8 && high <= 0xdb && even > 2 ? even - 2 : even;
}

function lineEnd(bytes, encoding) {
  if (encoding !== undefined) return wideLineEnd(bytes, encoding);
  const last = bytes.lastIndexOf(10);
  return last < 0 ? wholeUtf8(bytes) : last + 1;
}

/** 只有 UTF-16 要从头知道：人说了的照办，没说就看文件的开头。 */
async function wideEncoding(handle, wanted) {
  if (wanted === undefined) return wideOf(await bytesAt(handle, 0, 4096)) ?? undefined;
  const name = wanted.toLowerCase();
  return name === 'utf-16be' ? name : /^utf-?16(?:le)?$/.test(name) ? 'utf-16le' : undefined;
}

/** 一段从行首开始，到行尾为止，除非文件到头了。 */
async function windowOf(handle, given, size, wanted) {
  const encoding = await wideEncoding(handle, wanted);
  const start = encoding === undefined ? given : given - (given % 2);
  const found = await bytesAt(handle, start, Math.min(WINDOW, size - start));
  const atEnd = start + found.length >= size;
  const end = atEnd ? found.length : lineEnd(found, encoding);
  const window = { startByte: start, ...(atEnd ? {} : { nextByte: start + end }) };
  return { bytes: found.subarray(0, end), window, ...(encoding === undefined ? {} : { encoding }) };
}

async function fromFile(tool, shown, { start_byte: startByte, encoding }) {
  const target = await tool.resolvePromptManagerPath(shown);
  let handle;
  try {
    handle = await fs.open(target, 'r');
    const stat = await handle.stat();
    if (stat.isDirectory()) throw new Fault('IS_A_DIRECTORY', `是目录，不是文件: ${shown}`);
    if (!stat.isFile()) throw new Fault('FILE_NOT_FOUND', `不是普通文件: ${shown}`);
    const about = { path: target, name: path.basename(target), size: stat.size, inFile: true, modified: new Date(stat.mtimeMs).toISOString() };
    const maximum = await limitOf(tool);
    if (startByte === undefined && stat.size <= maximum) return { ...about, bytes: await handle.readFile(), maximum };
    if (startByte !== undefined && startByte > stat.size) throw new Fault('INVALID_PARAMETER', `start_byte 超出文件: 文件有 ${stat.size} 字节`);
    return { ...about, maximum, ...(await windowOf(handle, startByte ?? 0, stat.size, encoding)) };
  } catch (error) {
    const known = NO_FILE[error?.code];
    throw known === undefined ? error : new Fault(known[0], `${known[1]}: ${shown}`);
  } finally {
    await handle?.close();
  }
}

async function fromWeb(tool, text) {
  const maximum = await limitOf(tool);
  const answer = await load(text, { maximum, headers: { accept: '*/*' } });
  if (answer.status < 200 || answer.status > 299) {
    throw new Fault('HTTP_STATUS', `服务器回答 ${answer.status} ${answer.statusText}: ${answer.url}`);
  }
  if (answer.truncated) throw new Fault('ANSWER_TOO_LARGE', `内容超过 ${maximum} 字节: ${answer.url}`);
  const type = answer.headers.get('content-type') ?? '';
  const declared = /charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1];
  const last = address(answer.url).pathname.split('/').at(-1) ?? '';
  return {
    path: answer.url,
    name: safeName(last),
    size: answer.bytes.length,
    bytes: answer.bytes,
    maximum,
    mimeType: type.split(';')[0].trim().toLowerCase(),
    ...(declared === undefined ? {} : { declared }),
  };
}

function safeName(last) {
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

export function entryOf(source, wanted) {
  const entries = open(source.bytes, source.name);
  const found = entries.find((one) => one.name === wanted) ?? entries.find((one) => one.name.replace(/^\.\//, '') === wanted);
  if (found === undefined || found.folder || found.link) {
    const names = entries.filter((one) => !one.folder && !one.link).slice(0, SHOWN_NAMES).map((one) => one.name);
    throw new Fault('NOT_FOUND', `压缩包里没有文件: ${wanted}，有: ${names.join(', ')}${entries.length > SHOWN_NAMES ? '…' : ''}`);
  }
  const bytes = found.content();
  return { path: source.path, entry: wanted, name: wanted.split('/').at(-1), size: bytes.length, bytes, maximum: source.maximum };
}

/** 一段字节只有文件才有：网址总是从头取，压缩包要整个才打得开。 */
function checkStart({ path: shown, start_byte: start, entry }) {
  if (start === undefined) return;
  if (isAddress(shown)) throw new Fault('INVALID_PARAMETER', 'start_byte 只用于文件，网址总是从头读');
  if (entry !== undefined) throw new Fault('INVALID_PARAMETER', 'start_byte 不能和 entry 一起用');
}

export async function sourceOf(tool, params) {
  checkStart(params);
  const source = isAddress(params.path) ? await fromWeb(tool, params.path) : await fromFile(tool, params.path, params);
  return params.entry === undefined ? source : entryOf(source, params.entry);
}
