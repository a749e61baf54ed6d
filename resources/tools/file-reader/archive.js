/**
 * 压缩包：列出条目，取一个条目。ZIP、tar、tar.gz、gzip。
 *
 * 从不写出文件。这里有意不做的事：7z、rar、xz，它们要自己的解压程序。
 */
import zlib from 'node:zlib';
import { Fault } from './fault.js';
import { decode } from './charset.js';
import { contentOf, entriesOf } from './zip.js';

const MAX_TAR_ENTRIES = 20000;
/** tar.gz 要整个解开才知道有什么，所以上限比单个条目高。 */
const MAX_TAR = 64 * 1024 * 1024;
const BLOCK = 512;

const ZIP_STARTS = ['0304', '0506', '0708'];

/** 条目、空的目录，或分卷的标记。光看“PK”不够：文字也会这样开头。 */
export const isZip = (bytes) => bytes[0] === 0x50 && bytes[1] === 0x4b && ZIP_STARTS.includes(bytes.subarray(2, 4).toString('hex'));
const isGzip = (bytes) => bytes[0] === 0x1f && bytes[1] === 0x8b;
const isTar = (bytes) => bytes.length >= BLOCK && bytes.subarray(257, 262).toString('latin1') === 'ustar';

const textAt = (bytes, from, length) => {
  const raw = bytes.subarray(from, from + length);
  const end = raw.indexOf(0);
  return decode(end < 0 ? raw : raw.subarray(0, end)).text;
};

/** 八进制；GNU 的大数是最高位为一的二进制。 */
function numberAt(bytes, from, length) {
  if (bytes[from] & 0x80) {
    let value = bytes[from] & 0x7f;
    for (let i = 1; i < length; i += 1) value = value * 256 + bytes[from + i];
    return value;
  }
  const value = parseInt(textAt(bytes, from, length).trim() || '0', 8);
  if (!Number.isSafeInteger(value) || value < 0) throw new Fault('DAMAGED_FILE', '压缩包已损坏: tar 的大小');
  return value;
}

/** pax 的记录：长度 名称=值。 */
function paxOf(bytes) {
  const found = {};
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at);
    const length = space < 0 ? 0 : Number(bytes.subarray(at, space).toString('latin1'));
    if (!Number.isInteger(length) || length <= space - at) break;
    const [name, ...value] = bytes.subarray(space + 1, at + length - 1).toString('utf8').split('=');
    found[name] = value.join('=');
    at += length;
  }
  return found;
}

function tarEntries(bytes) {
  const entries = [];
  let longName;
  for (let at = 0; at + BLOCK <= bytes.length && bytes[at] !== 0; ) {
    const size = numberAt(bytes, at + 124, 12);
    const content = bytes.subarray(at + BLOCK, at + BLOCK + size);
    if (content.length !== size) throw new Fault('DAMAGED_FILE', '压缩包已损坏: tar 在中间断了');
    const kind = String.fromCharCode(bytes[at + 156]);
    if (kind === 'L') longName = decode(content).text.replace(/\0+$/, '');
    else if (kind === 'x') longName = paxOf(content).path ?? longName;
    else if (kind !== 'g' && kind !== 'K') {
      const prefix = isTar(bytes.subarray(at)) ? textAt(bytes, at + 345, 155) : '';
      const short = textAt(bytes, at, 100);
      entries.push({ name: longName ?? (prefix === '' ? short : `${prefix}/${short}`), size, folder: kind === '5', link: kind === '1' || kind === '2', content });
      longName = undefined;
      if (entries.length > MAX_TAR_ENTRIES) throw new Fault('TOO_MUCH', `压缩包超过 ${MAX_TAR_ENTRIES} 个条目`);
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return entries;
}

function opened(bytes, name) {
  if (!isGzip(bytes)) return { bytes, name };
  try {
    const plain = zlib.gunzipSync(bytes, { maxOutputLength: MAX_TAR });
    return { bytes: plain, name: name.replace(/\.t?gz$/i, (ending) => (/^\.tgz$/i.test(ending) ? '.tar' : '')) };
  } catch (error) {
    if (error?.code === 'ERR_BUFFER_TOO_LARGE') throw new Fault('TOO_MUCH', `${name} 解开后超过 ${MAX_TAR} 字节，没有解开`);
    throw new Fault('DAMAGED_FILE', `压缩包已损坏: ${error?.message}`);
  }
}

/** 条目和取内容的办法。 */
export function open(bytes, name) {
  if (isZip(bytes)) {
    const entries = entriesOf(bytes);
    return entries.map((entry) => ({
      name: entry.name,
      size: entry.size,
      folder: entry.name.endsWith('/'),
      content: () => contentOf(bytes, entry),
    }));
  }
  const inner = opened(bytes, name);
  if (isTar(inner.bytes)) {
    return tarEntries(inner.bytes).map(({ content, ...entry }) => ({ ...entry, content: () => content }));
  }
  if (inner.bytes === bytes) throw new Fault('UNSUPPORTED_FORMAT', `不是支持的压缩包: ${name}（支持 zip、tar、tar.gz、gz）`);
  return [{ name: inner.name, size: inner.bytes.length, folder: false, content: () => inner.bytes }];
}

export const looksLikeArchive = (bytes) => isZip(bytes) || isGzip(bytes) || isTar(bytes);
