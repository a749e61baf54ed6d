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

export const WINDOW = 8 * 1024 * 1024;
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

/** 一段从行首开始，到行尾为止，除非文件到头了。 */
async function windowOf(handle, start, size) {
  const bytes = Buffer.alloc(Math.min(WINDOW, size - start));
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  const found = bytes.subarray(0, filled);
  const atEnd = start + filled >= size;
  const last = found.lastIndexOf(10);
  const end = atEnd || last < 0 ? filled : last + 1;
  return { bytes: found.subarray(0, end), nextByte: atEnd ? undefined : start + end };
}

async function fromFile(tool, shown, startByte) {
  const target = await tool.resolvePromptManagerPath(shown);
  let handle;
  try {
    handle = await fs.open(target, 'r');
    const stat = await handle.stat();
    if (stat.isDirectory()) throw new Fault('IS_A_DIRECTORY', `是目录，不是文件: ${shown}`);
    if (!stat.isFile()) throw new Fault('FILE_NOT_FOUND', `不是普通文件: ${shown}`);
    const about = { path: target, name: path.basename(target), size: stat.size, modified: new Date(stat.mtimeMs).toISOString() };
    const maximum = await limitOf(tool);
    if (startByte === undefined && stat.size <= maximum) return { ...about, bytes: await handle.readFile(), maximum };
    if (startByte !== undefined && startByte > stat.size) throw new Fault('INVALID_PARAMETER', `start_byte 超出文件: 文件有 ${stat.size} 字节`);
    const { bytes, nextByte } = await windowOf(handle, startByte ?? 0, stat.size);
    return { ...about, bytes, maximum, window: { startByte: startByte ?? 0, ...(nextByte === undefined ? {} : { nextByte }) } };
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
  if (answer.truncated) throw new Fault('FILE_TOO_LARGE', `内容超过 ${maximum} 字节: ${answer.url}`);
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
  if (found === undefined || found.folder || found.link) throw new Fault('NOT_FOUND', `压缩包里没有文件: ${wanted}`);
  const bytes = found.content();
  return { path: source.path, entry: wanted, name: wanted.split('/').at(-1), size: bytes.length, bytes, maximum: source.maximum };
}

export async function sourceOf(tool, params) {
  const source = isAddress(params.path) ? await fromWeb(tool, params.path) : await fromFile(tool, params.path, params.start_byte);
  return params.entry === undefined ? source : entryOf(source, params.entry);
}
