/**
 * 用 pdf.js 打开 PDF：文字、信息、把一页画成图片。
 *
 * pdf.js 在没有浏览器的地方要几样画图的东西，由 canvas 模块给它。文件里的脚本从不执行。
 * 这里有意不做的事：识别扫描件里的文字、填表单。
 */
import path from 'node:path';
import { createRequire } from 'node:module';
import { Buffer } from 'node:buffer';
import { Fault } from './fault.js';

let engine;
/** 上一次打开的文件：接着问它的别的页，不必再读一遍。 */
let kept;

async function pdfjs() {
  engine ??= (async () => {
    const canvas = await import('canvas');
    const shapes = /** @type {any} */ (canvas);
    for (const name of ['DOMMatrix', 'ImageData', 'Path2D']) globalThis[name] ??= shapes[name];
    return { canvas, pdf: await import('pdfjs-dist/legacy/build/pdf.mjs') };
  })();
  return engine;
}

/** pdf.js 自己要的画布：印章、透明的组。 */
function factoryOf({ createCanvas }) {
  return class {
    create(width, height) {
      const canvas = createCanvas(width, height);
      return { canvas, context: canvas.getContext('2d') };
    }

    reset(pair, width, height) {
      Object.assign(pair.canvas, { width, height });
    }

    destroy(pair) {
      Object.assign(pair.canvas, { width: 0, height: 0 });
    }
  };
}

function explained(error) {
  if (error?.name === 'PasswordException') return new Fault('PASSWORD', error.code === 2 ? 'PDF 的密码不对' : 'PDF 有密码');
  if (error?.name === 'InvalidPDFException' || error?.name === 'FormatError') return new Fault('DAMAGED_FILE', `不是 PDF，或已损坏: ${error.message}`);
  return error;
}

/**
 * @param {Uint8Array} bytes
 * @param {{key?: string, password?: string}} options `key` 相同的是同一个文件
 */
export async function open(bytes, { key, password }) {
  if (key !== undefined && kept?.key === key) return kept.document;
  await close();
  const { canvas, pdf } = await pdfjs();
  const folder = path.dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
  try {
    const document = await pdf.getDocument({
      data: new Uint8Array(bytes),
      password,
      CanvasFactory: factoryOf(canvas),
      isEvalSupported: false,
      disableFontFace: true,
      useSystemFonts: false,
      standardFontDataUrl: `${folder}/standard_fonts/`,
      cMapUrl: `${folder}/cmaps/`,
      cMapPacked: true,
      stopAtErrors: false,
      verbosity: 0,
    }).promise;
    kept = { key, document };
    return document;
  } catch (error) {
    throw explained(error);
  }
}

export async function close() {
  const document = kept?.document;
  kept = undefined;
  await document?.destroy();
}

/** 一页的文字：行距大的地方空一行。 */
export async function textOf(document, number) {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent();
  let text = '';
  let last;
  for (const item of items) {
    if (typeof item.str !== 'string') continue;
    const y = item.transform[5];
    if (item.str.trim() !== '') {
      const gap = last === undefined ? 0 : Math.abs(last.y - y);
      if (text.endsWith('\n') && last !== undefined && gap > 1.9 * Math.max(last.height, item.height, 1)) text += '\n';
      last = { y, height: item.height };
    }
    text += item.str + (item.hasEOL ? '\n' : '');
  }
  page.cleanup();
  return text.replace(/[ \t]+\n/g, '\n').trim();
}

const dateOf = (text) => {
  const found = /^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?/.exec(text ?? '');
  if (found === null) return undefined;
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00'] = found;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}`;
};

export async function infoOf(document) {
  const { info } = await document.getMetadata();
  const first = await document.getPage(1);
  const { width, height } = first.getViewport({ scale: 1 });
  const outline = (await document.getOutline()) ?? [];
  const found = { title: info.Title, author: info.Author, subject: info.Subject, keywords: info.Keywords, producer: info.Producer, created: dateOf(info.CreationDate), modified: dateOf(info.ModDate) };
  return {
    pages: document.numPages,
    version: info.PDFFormatVersion,
    width: Math.round(width),
    height: Math.round(height),
    ...Object.fromEntries(Object.entries(found).filter(([, value]) => typeof value === 'string' && value !== '')),
    ...(outline.length === 0 ? {} : { outline: outline.slice(0, 200).map((one) => one.title) }),
  };
}

/** 长边最多 `side` 像素。 */
export async function pictureOf(document, number, side) {
  const { canvas } = await pdfjs();
  const page = await document.getPage(number);
  const plain = page.getViewport({ scale: 1 });
  const viewport = page.getViewport({ scale: side / Math.max(plain.width, plain.height) });
  const surface = canvas.createCanvas(Math.max(1, Math.round(viewport.width)), Math.max(1, Math.round(viewport.height)));
  await page.render({ canvas: surface, canvasContext: surface.getContext('2d'), viewport }).promise;
  page.cleanup();
  return { page: number, mimeType: 'image/png', data: Buffer.from(surface.toBuffer('image/png')).toString('base64'), width: surface.width, height: surface.height };
}
