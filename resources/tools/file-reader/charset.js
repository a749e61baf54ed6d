/**
 * 字节变成文字：BOM、声明、UTF-8、没有 BOM 的 UTF-16，最后按文字像不像猜。
 *
 * 猜的办法与编码无关：每种编码都完整解一遍样本，看解出来的字常不常用。
 * 这里有意不做的事：猜语言、修复解错的文字。
 */
import { Buffer } from 'node:buffer';
import { Fault } from './fault.js';

const SAMPLE = 64 * 1024;
const GUESSES = ['gb18030', 'big5', 'shift_jis', 'euc-jp', 'euc-kr', 'windows-1251', 'koi8-r', 'windows-1252'];

/** 最常用的汉字，简体和繁体：真正的中文里，一半以上的字在其中。 */
const COMMON = new Set(
  '的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运這個們來為國說時會對過發後裡種經學現當沒動還進樣開從實軍無與長機間問應戰頭體見產內給門東聲員論處義認條氣題爾別變總電數報結務場計許統區隊決馬書聽達強難權設記類據邊張該規萬覺術領確傳師觀讓識帶導爭運編號測試檔',
);

/** 一个字像不像真的文字。ASCII 不说明问题，不计。 */
function weight(code, letter) {
  if (code >= 0x3041 && code <= 0x30ff) return 1;
  if (code >= 0x4e00 && code <= 0x9fff) return COMMON.has(letter) ? 1.4 : 0.25;
  if (code >= 0xac00 && code <= 0xd7a3) return 0.9;
  if (code >= 0x430 && code <= 0x44f) return 0.75;
  if (code >= 0x410 && code <= 0x42f) return 0.3;
  if (code >= 0x3000 && code <= 0x303f) return 0.8;
  if (code >= 0xff01 && code <= 0xff5e) return 0.6;
  if (code >= 0xff61 && code <= 0xff9f) return -0.4;
  if (code >= 0xe0 && code <= 0xff && code !== 0xf7) return 0.55;
  if (code >= 0xc0 && code <= 0xdf) return 0.2;
  if (code >= 0x2010 && code <= 0x2026) return 0.5;
  if (code >= 0xe000 && code <= 0xf8ff) return -3;
  return code >= 0xa0 && code <= 0xbf ? 0.05 : -0.3;
}

const isLatin = (code) => (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
const isCyrillic = (code) => code >= 0x400 && code <= 0x4ff;

/** 旁边是什么字母：西里尔字母不与拉丁字母连写，带重音的字母常常与它们连写。 */
function company(code, before) {
  if (isCyrillic(code)) return isLatin(before) ? -1 : 0;
  if (isLatin(code)) return isCyrillic(before) ? -1 : before >= 0xc0 && before <= 0xff ? 0.2 : 0;
  return code >= 0xc0 && code <= 0xff && isLatin(before) ? 0.2 : 0;
}

/** 每个字节的平均分：一个汉字占两个字节，西文一个，这样才能比较。 */
function plausibility(text, high) {
  let sum = 0;
  let before = 0;
  for (const letter of text) {
    const code = letter.codePointAt(0);
    if (code >= 0x80) sum += weight(code, letter) * (code >= 0x3000 ? 2 : 1);
    else if (code < 9) sum -= 2;
    // 词的中间不会忽然大写。
    if (code >= 0x410 && code <= 0x42f && before >= 0x430 && before <= 0x44f) sum -= 0.5;
    sum += company(code, before);
    before = code;
  }
  return sum / high;
}

/** 开头的一段；`cut`：可能断在一个字中间，断开的字不算错。 */
function sampleOf(bytes, cut) {
  return bytes.length <= SAMPLE ? { bytes, cut } : { bytes: bytes.subarray(0, SAMPLE), cut: true };
}

function strict(label, { bytes, cut }) {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return null;
  }
}

/** 从 `at` 起的一个 UTF-8 字占几个字节；不是则为 0，还没有完则为 -1。 */
function lengthAt(bytes, at) {
  const lead = bytes[at];
  const length = lead >= 0xc2 && lead <= 0xdf ? 2 : lead >= 0xe0 && lead <= 0xef ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
  for (let i = 1; i < length; i += 1) {
    if (at + i >= bytes.length) return -1;
    if ((bytes[at + i] & 0xc0) !== 0x80) return 0;
  }
  return length;
}

/** 大于 127 的字节里，有几成是写对了的 UTF-8：日志里坏了一个字节，其余的仍是 UTF-8。 */
function utf8Share({ bytes, cut }) {
  let high = 0;
  let fine = 0;
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] < 0x80) {
      at += 1;
      continue;
    }
    const length = lengthAt(bytes, at);
    if (length < 0 && cut) break;
    high += Math.max(1, length);
    fine += Math.max(0, length);
    at += Math.max(1, length);
  }
  return high === 0 ? 1 : fine / high;
}

/** 声明了 UTF-8 的多半说的是实话，说错的也常见：一半以上写对了才信。 */
const isMostlyUtf8 = (sample, declared) => utf8Share(sample) >= (/^utf-?8$/i.test(declared ?? '') ? 0.5 : 0.95);

/** UTF-8 在哪里断开才不把最后一个字分成两半。 */
export function wholeUtf8(bytes) {
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - 3); at -= 1) {
    if (lengthAt(bytes, at) === -1) return at;
    if ((bytes[at] & 0xc0) !== 0x80) break;
  }
  return bytes.length;
}

function bom(bytes) {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return null;
}

/** 开头的 BOM 占几个字节。 */
export const markOf = (bytes) => ({ 'utf-8': 3, 'utf-16le': 2, 'utf-16be': 2 })[bom(bytes)] ?? 0;

/** 西文的 UTF-16 有一半字节是零，总在同一侧。 */
function wide(bytes, cut = false) {
  if (bytes.length < 16 || (bytes.length % 2 === 1 && !cut)) return null;
  const part = bytes.subarray(0, 4096);
  const zeros = [0, 0];
  for (let i = 0; i < part.length; i += 1) if (part[i] === 0) zeros[i % 2] += 1;
  const half = part.length / 2;
  if (zeros[1] > half * 0.4 && zeros[0] < half * 0.05) return 'utf-16le';
  if (zeros[0] > half * 0.4 && zeros[1] < half * 0.05) return 'utf-16be';
  return null;
}

function guess(sample) {
  let high = 0;
  for (const byte of sample.bytes) if (byte >= 0x80) high += 1;
  let best = { label: 'windows-1252', score: -Infinity };
  for (const label of GUESSES) {
    const text = strict(label, sample);
    if (text === null) continue;
    const score = plausibility(text, Math.max(1, high));
    if (score > best.score) best = { label, score };
  }
  return best.label;
}

/** 是不是二进制内容：有 NUL，又不是 UTF-16。 */
export function isBinary(bytes) {
  return bytes.subarray(0, 8192).includes(0) && bom(bytes) === null && wide(bytes) === null;
}

/** 一个很大的文件是不是 UTF-16，看它的开头：后面的一段自己看不出来。 */
export function wideOf(start) {
  const found = bom(start) ?? wide(start, true);
  return found === 'utf-8' ? null : found;
}

/**
 * @param {Uint8Array} bytes
 * @param {string} [declared] 文件自己或服务器声明的编码；不认识或对不上就不用
 * @param {boolean} [cut] 内容在任意一个字节断开，最后一个字可能不全
 */
export function detect(bytes, declared, cut = false) {
  const marked = bom(bytes) ?? wide(bytes, cut);
  if (marked !== null) return marked;
  const sample = sampleOf(bytes, cut);
  if (strict('utf-8', sample) !== null || isMostlyUtf8(sample, declared)) return 'utf-8';
  if (declared !== undefined) {
    try {
      if (strict(declared, sample) !== null) return new TextDecoder(declared).encoding;
    } catch {
      // 声明了一种没有的编码：当作没有声明。
    }
  }
  return guess(sample);
}

/**
 * @param {Uint8Array} bytes
 * @param {{encoding?: string, declared?: string, cut?: boolean}} [options] `encoding` 是人指定的，照办；`cut` 同上
 */
export function decode(bytes, { encoding, declared, cut = false } = {}) {
  const wanted = encoding ?? detect(bytes, declared, cut);
  let decoder;
  try {
    decoder = new TextDecoder(wanted);
  } catch {
    throw new Fault('INVALID_PARAMETER', `不认识的编码: ${wanted}`);
  }
  // 断开的字不写成替换符：它没有错，只是没有读完。
  const text = decoder.decode(bytes, { stream: cut });
  const replaced = text.includes('\ufffd') && !Buffer.from(bytes).includes(Buffer.from('\ufffd'));
  return { text, encoding: decoder.encoding, replaced };
}
