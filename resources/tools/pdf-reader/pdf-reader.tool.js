/**
 * pdf-reader：读 PDF 的文字和信息，把页画成图片交给模型看。
 *
 * 这里有意不做的事：识别扫描件（可以画成图片给会看图的模型）、修改 PDF。
 */
import fs from 'node:fs/promises';
import { english } from './english.js';
import { Fault } from './fault.js';
import { load } from './web.js';
import { head, tokensOf } from './cut.js';
import { close, infoOf, open, pictureOf, textOf } from './document.js';

const MAX_FILE = 64 * 1024 * 1024;
const MAX_PICTURES = 8;

async function fromFile(tool, params) {
  const target = tool.resolvePromptManagerPath(params.path);
  let stat;
  try {
    stat = await fs.stat(target);
  } catch (error) {
    if (error?.code === 'ENOENT' || error?.code === 'ENOTDIR') throw new Fault('FILE_NOT_FOUND', `路径不存在: ${params.path}`);
    throw error;
  }
  if (!stat.isFile()) throw new Fault('FILE_NOT_FOUND', `不是文件: ${params.path}`);
  if (stat.size > MAX_FILE) throw new Fault('TOO_LARGE', `PDF 有 ${stat.size} 字节，上限 ${MAX_FILE} 字节`);
  return { path: target, bytes: await fs.readFile(target), key: JSON.stringify([target, stat.size, stat.mtimeMs, params.password ?? '']) };
}

async function fromWeb(params) {
  const answer = await load(params.path, { maximum: MAX_FILE, timeout: 60000 });
  if (answer.status < 200 || answer.status > 299) throw new Fault('HTTP_STATUS', `服务器回答 ${answer.status}: ${answer.url}`);
  if (answer.truncated) throw new Fault('TOO_LARGE', `PDF 超过 ${MAX_FILE} 字节`);
  return { path: answer.url, bytes: answer.bytes };
}

/** 1-3,8 这样的页码；不写就是全部。 */
function pagesOf(text, count) {
  if (text === undefined || text.trim() === '') return Array.from({ length: count }, (_, i) => i + 1);
  const pages = new Set();
  for (const part of text.split(/[,，]/)) {
    const found = /^\s*(\d+)?\s*(-)?\s*(\d+)?\s*$/.exec(part);
    if (found === null || (found[1] === undefined && found[3] === undefined)) throw new Fault('INVALID_PARAMETER', `页码写法不对: ${part}，例如 1-3,8`);
    const from = Number(found[1] ?? 1);
    const to = found[2] === undefined ? from : Number(found[3] ?? count);
    if (from < 1 || from > count || to < from) throw new Fault('NOT_FOUND', `没有第 ${part.trim()} 页，共 ${count} 页`);
    for (let page = from; page <= Math.min(to, count); page += 1) pages.add(page);
  }
  return [...pages].sort((a, b) => a - b);
}

async function text(tool, document, params) {
  const budget = params.max_tokens ?? 8000;
  const wanted = pagesOf(params.pages, document.numPages);
  const found = [];
  let tokens = 0;
  for (const [i, page] of wanted.entries()) {
    const content = await textOf(document, page);
    const cost = tokensOf(content);
    if (tokens + cost > budget) {
      if (found.length > 0) return { texts: found, tokens, truncated: true, nextPage: page };
      const next = wanted[i + 1];
      return { texts: [{ page, text: head(content, budget), truncated: true }], tokens: budget, truncated: true, ...(next === undefined ? {} : { nextPage: next }) };
    }
    tokens += cost;
    found.push({ page, text: content });
    tool.api.progress(i + 1, wanted.length);
  }
  const scanned = found.length > 0 && found.every((one) => one.text === '');
  return { texts: found, tokens, truncated: false, ...(scanned ? { hint: '没有文字，可能是扫描件：用 action: pictures 看图' } : {}) };
}

async function pictures(tool, document, params) {
  const wanted = pagesOf(params.pages ?? '1', document.numPages);
  const images = [];
  for (const page of wanted.slice(0, MAX_PICTURES)) {
    images.push(await pictureOf(document, page, params.max_side ?? 1400));
    tool.api.progress(images.length, Math.min(wanted.length, MAX_PICTURES));
  }
  return { images, ...(wanted.length > MAX_PICTURES ? { truncated: true, nextPage: wanted[MAX_PICTURES] } : { truncated: false }) };
}

const ACTIONS = { text, pictures, info: (tool, document) => infoOf(document) };

/** @type {import('prompt-manager').Tool} */
export default {
  getDependencies() {
    return { 'pdfjs-dist': '^5.6.205' };
  },

  getMetadata() {
    return {
      name: 'pdf-reader',
      description: '读取 PDF：文字、信息和目录，按页取，或把页画成图片。',
      version: '1.0.0',
      author: 'Prompt Manager',
      tags: ['PDF', '文档', '内置'],
      scenarios: ['读一份 PDF 的文字，长的分几次读', '看 PDF 有多少页、标题、作者和目录', '把一页画成图片，看图表、公式和扫描件'],
      limitations: ['PDF 不超过 64 MB；一次最多画 8 页', '不识别扫描件里的文字', '引擎 pdf.js 在第一次使用时从 npm 安装'],
    };
  },

  getTranslations() {
    return { en: english };
  },

  getSchema() {
    return {
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string', minLength: 1, maxLength: 4096, description: 'PDF 的路径，或 http(s) 网址', example: 'report.pdf' },
          action: { type: 'string', enum: Object.keys(ACTIONS), default: 'text', description: 'text 读文字；info 看页数、信息和目录；pictures 把页画成图片' },
          pages: { type: 'string', maxLength: 500, description: '哪些页，例如 1-3,8 或 5-；text 默认全部，pictures 默认第一页' },
          password: { type: 'string', maxLength: 200, description: 'PDF 的密码' },
          max_tokens: { type: 'integer', minimum: 50, maximum: 100000, default: 8000, description: '文字最多多少词元（估计），到了就停，并给出 nextPage' },
          max_side: { type: 'integer', minimum: 100, maximum: 4000, default: 1400, description: '图片的长边多少像素' },
        },
        required: ['path'],
      },
      environment: {
        type: 'object',
        properties: {
          ALLOWED_DIRECTORIES: { type: 'string', description: '允许读取的目录：JSON 数组、逗号分隔，或单个路径', example: '["~/.prompt-manager/shared", "~/Documents"]' },
        },
        required: [],
      },
    };
  },

  getBusinessErrors() {
    const withCode = (...codes) => (error) => codes.includes(error?.code);
    return [
      { code: 'PATH_NOT_ALLOWED', description: '路径不在允许的目录内', match: /路径越权/, solution: '改用允许的目录内的路径；需要更多目录时，用 configure 模式设置 ALLOWED_DIRECTORIES 并由用户批准。', retryable: false },
      { code: 'FILE_NOT_FOUND', description: '文件不存在', match: withCode('FILE_NOT_FOUND'), solution: '用 filesystem 的 list 或 search 找到正确的路径。', retryable: false },
      { code: 'DAMAGED_FILE', description: '不是 PDF，或已损坏', match: withCode('DAMAGED_FILE'), solution: '重新取得这个文件；其他格式用 file-reader。', retryable: false },
      { code: 'PASSWORD', description: 'PDF 有密码，或密码不对', match: withCode('PASSWORD'), solution: '请用户给出 password。', retryable: false },
      { code: 'TOO_LARGE', description: 'PDF 太大', match: withCode('TOO_LARGE'), solution: '先在外部拆成几份。', retryable: false },
      { code: 'NOT_FOUND', description: '没有这一页', match: withCode('NOT_FOUND'), solution: '用 action: info 看有多少页。', retryable: false },
      { code: 'INVALID_URL', description: '网址无效', match: withCode('INVALID_URL'), solution: '写成 https://example.com/file.pdf。', retryable: false },
      { code: 'ADDRESS_REFUSED', description: '不允许连接这个地址', match: withCode('ADDRESS_REFUSED'), solution: '只能读取公网上的网址；本机和内网的文件请放到允许的目录。', retryable: false },
      { code: 'CONNECTION_FAILED', description: '没有取到文件', match: withCode('CONNECTION_FAILED', 'TOO_MANY_REDIRECTS', 'HTTP_STATUS', 'TIMEOUT'), solution: '检查网址和网络后重试。', retryable: true },
      { code: 'INVALID_PARAMETER', description: '参数缺少或无效', match: withCode('INVALID_PARAMETER'), solution: '按参数说明补上或修正。', retryable: false },
    ];
  },

  getRuntimeConfig() {
    return {
      sandboxType: 'nodejs',
      maxMemory: 1024,
      maxExecutionTime: 120,
      allowedDirectories: ['~/.prompt-manager/shared', '~/.prompt-manager/toolbox/{toolname}/data'],
      networkAccess: true,
    };
  },

  async execute(params) {
    if (typeof params?.path !== 'string' || params.path === '') throw new Fault('INVALID_PARAMETER', '缺少参数: path');
    const name = params.action ?? 'text';
    if (!Object.hasOwn(ACTIONS, name)) throw new Fault('INVALID_PARAMETER', `不支持的操作: ${name}，可选: ${Object.keys(ACTIONS).join(', ')}`);
    const source = /^https?:\/\//i.test(params.path) ? await fromWeb(params) : await fromFile(this, params);
    const document = await open(source.bytes, { key: source.key, password: params.password });
    try {
      const found = await ACTIONS[name](this, document, params);
      this.api.logger.debug('已读取 PDF', { action: name, pages: document.numPages });
      return { path: source.path, pages: document.numPages, ...found };
    } finally {
      if (source.key === undefined) await close();
    }
  },
};
