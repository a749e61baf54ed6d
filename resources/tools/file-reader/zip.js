/**
 * 读 ZIP：目录和单个条目。docx、xlsx 也是 ZIP。
 *
 * 压缩包不可信：条目数、解出的大小、目录里说的大小都有上限，说谎的停在上限。
 * 从不写出文件，所以条目名里的 ../ 没有作用。这里有意不做的事：加密、分卷。
 */
import zlib from 'node:zlib';
import { Fault } from './fault.js';
import { decode } from './charset.js';

const MAX_ENTRIES = 20000;
export const MAX_ENTRY = 32 * 1024 * 1024;
const END = 0x06054b50;
const END_64 = 0x06064b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;

const damaged = (what) => new Fault('DAMAGED_FILE', `压缩包已损坏: ${what}`);

/** 结尾记录后面可能有注释，所以从后往前找。 */
function endOf(bytes) {
  const lowest = Math.max(0, bytes.length - 22 - 65535);
  for (let at = bytes.length - 22; at >= lowest; at -= 1) {
    if (bytes.readUInt32LE(at) === END) return at;
  }
  throw damaged('没有目录');
}

function directory(bytes) {
  const end = endOf(bytes);
  let count = bytes.readUInt16LE(end + 10);
  let start = bytes.readUInt32LE(end + 16);
  if ((count === 0xffff || start === 0xffffffff) && end >= 20) {
    const at = Number(bytes.readBigUInt64LE(end - 20 + 8));
    if (at + 56 > bytes.length || bytes.readUInt32LE(at) !== END_64) throw damaged('ZIP64 目录');
    count = Number(bytes.readBigUInt64LE(at + 32));
    start = Number(bytes.readBigUInt64LE(at + 48));
  }
  if (count > MAX_ENTRIES) throw new Fault('TOO_MUCH', `压缩包有 ${count} 个条目，上限 ${MAX_ENTRIES} 个`);
  return { count, start };
}

/** ZIP64 的扩展字段：只有 32 位放不下的值在里面，按固定顺序。 */
function wideSizes(extra, entry) {
  for (let at = 0; at + 4 <= extra.length; ) {
    const id = extra.readUInt16LE(at);
    const size = extra.readUInt16LE(at + 2);
    if (id === 1) {
      let from = at + 4;
      for (const name of ['size', 'packed', 'offset']) {
        if (entry[name] === 0xffffffff && from + 8 <= extra.length) {
          entry[name] = Number(extra.readBigUInt64LE(from));
          from += 8;
        }
      }
      return;
    }
    at += 4 + size;
  }
}

/** @param {import('node:buffer').Buffer} bytes */
export function entriesOf(bytes) {
  if (bytes.length < 22) throw damaged('太短');
  const { count, start } = directory(bytes);
  const entries = [];
  let at = start;
  for (let i = 0; i < count; i += 1) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== CENTRAL) throw damaged(`第 ${i + 1} 个条目`);
    const flags = bytes.readUInt16LE(at + 8);
    const nameLength = bytes.readUInt16LE(at + 28);
    const extraLength = bytes.readUInt16LE(at + 30);
    const rawName = bytes.subarray(at + 46, at + 46 + nameLength);
    const entry = {
      // 没有 UTF-8 标志的名称是本地编码：中文 Windows 上是 GBK。
      name: decode(rawName, flags & 0x800 ? { encoding: 'utf-8' } : {}).text,
      method: bytes.readUInt16LE(at + 10),
      encrypted: (flags & 1) === 1,
      packed: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      crc: bytes.readUInt32LE(at + 16),
      offset: bytes.readUInt32LE(at + 42),
    };
    wideSizes(bytes.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength), entry);
    entries.push(entry);
    at += 46 + nameLength + extraLength + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

function inflated(work, name) {
  try {
    return work();
  } catch (error) {
    if (error?.code === 'ERR_BUFFER_TOO_LARGE') {
      throw new Fault('TOO_MUCH', `${name} 解开后超过 ${MAX_ENTRY} 字节，没有解开`);
    }
    throw damaged(`${name}: ${error?.message}`);
  }
}

export function contentOf(bytes, entry) {
  if (entry.encrypted) throw new Fault('ENCRYPTED', `条目有密码: ${entry.name}`);
  if (entry.size > MAX_ENTRY) throw new Fault('TOO_MUCH', `${entry.name} 解开后有 ${entry.size} 字节，上限 ${MAX_ENTRY} 字节`);
  const at = entry.offset;
  if (at + 30 > bytes.length || bytes.readUInt32LE(at) !== LOCAL) throw damaged(entry.name);
  const from = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
  const packed = bytes.subarray(from, from + entry.packed);
  if (packed.length !== entry.packed) throw damaged(entry.name);
  const content = unpacked(packed, entry);
  if (zlib.crc32(content) !== entry.crc) throw damaged(`${entry.name} 的校验和不对`);
  return content;
}

function unpacked(packed, entry) {
  switch (entry.method) {
    case 0:
      return packed;
    case 8:
      return inflated(() => zlib.inflateRawSync(packed, { maxOutputLength: MAX_ENTRY }), entry.name);
    default:
      throw new Fault('UNSUPPORTED_FORMAT', `${entry.name} 的压缩方法不支持: ${entry.method}`);
  }
}

/** 按名称取内容；没有则为 undefined。 */
export function reader(bytes) {
  const entries = new Map(entriesOf(bytes).map((entry) => [entry.name, entry]));
  return (name) => {
    const entry = entries.get(name);
    return entry === undefined ? undefined : contentOf(bytes, entry);
  };
}
