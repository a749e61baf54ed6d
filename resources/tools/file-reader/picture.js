/** 图片：种类、大小，太大的缩小，省得占满模型的上下文。这里有意不做的事：识别内容。 */
import { Buffer } from 'node:buffer';
import { Fault } from './fault.js';

/** 各版本的位图信息头有多长。光看开头的“BM”不够：文字也会这样开头。 */
const BMP_HEADERS = new Set([12, 40, 52, 56, 108, 124]);

/** @type {[string, (bytes: Buffer) => boolean][]} */
const TYPES = [
  ['image/png', (b) => b.readUInt32BE(0) === 0x89504e47],
  ['image/jpeg', (b) => b[0] === 0xff && b[1] === 0xd8 && b[2] === 0xff],
  ['image/gif', (b) => b.subarray(0, 4).toString('latin1') === 'GIF8'],
  ['image/bmp', (b) => b[0] === 0x42 && b[1] === 0x4d && BMP_HEADERS.has(b.readUInt32LE(14))],
  ['image/webp', (b) => b.subarray(0, 4).toString('latin1') === 'RIFF' && b.subarray(8, 12).toString('latin1') === 'WEBP'],
];

/** @param {Buffer} bytes */
export function typeOf(bytes, name) {
  if (bytes.length < 18) return null;
  const found = TYPES.find(([, fits]) => fits(bytes));
  if (found !== undefined) return found[0];
  const svg = /\.svg$/i.test(name) && /<svg[\s>]/i.test(bytes.subarray(0, 4096).toString('utf8'));
  return svg ? 'image/svg+xml' : null;
}

export async function pictureOf(bytes, mimeType, { side, look }) {
  const { createCanvas, loadImage } = await import('canvas');
  let image;
  try {
    image = await loadImage(bytes);
  } catch (error) {
    if (/too large/.test(error?.message)) throw new Fault('PICTURE_TOO_LARGE', `图片太大，解不开: ${error.message}`);
    throw new Fault('DAMAGED_FILE', `图片无法解开: ${error?.message}`);
  }
  const { width, height } = image;
  const found = { mimeType, width, height };
  if (!look) return found;
  const scale = Math.min(1, side / Math.max(width, height));
  const asItIs = scale === 1 && mimeType !== 'image/bmp' && mimeType !== 'image/svg+xml';
  if (asItIs) return { ...found, base64: bytes.toString('base64') };
  const canvas = createCanvas(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)));
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const type = mimeType === 'image/jpeg' ? 'image/jpeg' : 'image/png';
  const shown = Buffer.from(canvas.toBuffer(type));
  return { ...found, mimeType: type, base64: shown.toString('base64'), shownWidth: canvas.width, shownHeight: canvas.height };
}
