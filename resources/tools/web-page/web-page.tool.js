/**
 * web-page：取一个网页，给出读得下去的正文（Markdown）。
 *
 * 这里有意不做的事：运行页面的脚本。内容全靠脚本的网页，这里看不到多少。
 */
import { english } from './english.js';
import { Fault } from './fault.js';
import { load } from './web.js';
import { decode, isBinary } from './charset.js';
import { linesOf, head, part } from './cut.js';
import { find, parse } from './html.js';
import { aboutOf, absolute, cleaned, mainOf } from './article.js';
import { markdownOf } from './markdown.js';

const MAX_PAGE = 5 * 1024 * 1024;
const MAX_LINKS = 300;
const SCOPES = ['main', 'whole'];

/** 服务器说的优先，其次是网页开头自己说的。 */
function htmlOf({ bytes, headers, truncated }) {
  const type = headers.get('content-type') ?? '';
  const own = /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]+)/i.exec(bytes.subarray(0, 4096).toString('latin1'))?.[1];
  return decode(bytes, { declared: /charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1] ?? own, cut: truncated });
}

function linksOf(node, base, found = new Map()) {
  for (const child of node.children) {
    if (typeof child === 'string' || found.size >= MAX_LINKS) continue;
    const href = child.name === 'a' ? absolute(child.attributes.href, base) : undefined;
    if (href !== undefined && !found.has(href)) {
      const text = markdownOf(child, { base, links: false }).replace(/\s+/g, ' ').trim();
      if (text !== '') found.set(href, text);
    }
    linksOf(child, base, found);
  }
  return found;
}

async function pageOf(url, timeout) {
  const answer = await load(url, { timeout, maximum: MAX_PAGE, headers: { accept: 'text/html,application/xhtml+xml,text/plain;q=0.8,*/*;q=0.1', 'user-agent': 'PromptManager' } });
  if (answer.status < 200 || answer.status > 299) throw new Fault('HTTP_STATUS', `服务器回答 ${answer.status} ${answer.statusText}: ${answer.url}`);
  const type = (answer.headers.get('content-type') ?? 'text/html').split(';')[0].trim().toLowerCase();
  const isText = /^text\/|[/+]xml$|[/+]json$/.test(type) && !isBinary(answer.bytes);
  if (!isText) throw new Fault('NOT_A_PAGE', `不是网页: ${type}`);
  return { ...answer, type };
}

function read(page, params) {
  const { text, encoding, replaced } = htmlOf(page);
  if (!/html/.test(page.type)) return { about: {}, encoding, replaced, content: text, links: new Map() };
  const root = parse(text);
  const written = find(root, (node) => node.name === 'base')?.attributes.href;
  const base = absolute(written ?? '', page.url) ?? page.url;
  const node = params.scope === 'whole' ? cleaned(find(root, (one) => one.name === 'body') ?? root, false) : mainOf(root);
  return {
    about: aboutOf(root, base),
    encoding,
    replaced,
    content: markdownOf(node, { base, links: params.links !== false }),
    links: params.list_links === true ? linksOf(node, base) : new Map(),
  };
}

/** @type {import('prompt-manager').Tool} */
export default {
  getDependencies() {
    return {};
  },

  getMetadata() {
    return {
      name: 'web-page',
      description: '取一个网页并给出可读的正文：去掉菜单、广告和页脚，保留标题、列表、表格、代码和链接，写成 Markdown。',
      version: '1.0.0',
      author: 'Prompt Manager',
      tags: ['网页', '阅读', '网络', '内置'],
      scenarios: ['阅读一篇文章、一页文档或一条新闻', '看看一个网页说了什么，有哪些链接', '很长的网页分段读'],
      limitations: [
        '不运行脚本：内容全靠脚本的网页看不到多少',
        '只能连接公网；本机和内网的地址总是拒绝，重定向到那里也一样',
        '网页最多读 5 MB，最多列出 300 个链接',
      ],
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
          url: { type: 'string', minLength: 1, maxLength: 8192, description: '网页的地址，http 或 https', example: 'https://example.com/article' },
          scope: { type: 'string', enum: SCOPES, default: 'main', description: 'main 只要正文；whole 要整页' },
          links: { type: 'boolean', default: true, description: '正文里是否保留链接和图片的地址' },
          list_links: { type: 'boolean', default: false, description: '是否另外列出链接' },
          offset: { type: 'integer', minimum: 0, default: 0, description: '跳过正文的多少行；用上次的 nextOffset 继续' },
          max_tokens: { type: 'integer', minimum: 50, maximum: 100000, default: 8000, description: '正文最多多少词元（估计）；一行太长、只给了一部分时有 lineCut，调大它再读' },
          timeout_ms: { type: 'integer', minimum: 100, maximum: 60000, default: 20000, description: '最多等多少毫秒' },
        },
        required: ['url'],
      },
      environment: { type: 'object', properties: {}, required: [] },
    };
  },

  getBusinessErrors() {
    const withCode = (...codes) => (error) => codes.includes(error?.code);
    return [
      { code: 'INVALID_URL', description: '网址无效', match: withCode('INVALID_URL'), solution: '写成 https://example.com/page。', retryable: false },
      { code: 'INVALID_PARAMETER', description: '参数缺少或无效', match: withCode('INVALID_PARAMETER'), solution: '按参数说明补上或修正。', retryable: false },
      { code: 'ADDRESS_REFUSED', description: '不允许连接这个地址', match: withCode('ADDRESS_REFUSED'), solution: '只能连接公网上的地址。', retryable: false },
      { code: 'NOT_A_PAGE', description: '这个地址不是网页', match: withCode('NOT_A_PAGE'), solution: '文件用 file-reader 读，接口用 http-request 调用。', retryable: false },
      { code: 'HTTP_STATUS', description: '服务器没有给出网页', match: withCode('HTTP_STATUS'), solution: '检查网址；5xx 可以稍后重试。', retryable: true },
      { code: 'CONNECTION_FAILED', description: '连接失败', match: withCode('CONNECTION_FAILED', 'TOO_MANY_REDIRECTS'), solution: '检查网址和网络后重试。', retryable: true },
      { code: 'TIMEOUT', description: '超过时间限制', match: withCode('TIMEOUT'), solution: '调大 timeout_ms，或稍后重试。', retryable: true },
    ];
  },

  getRuntimeConfig() {
    return { sandboxType: 'nodejs', maxMemory: 512, maxExecutionTime: 90, networkAccess: true };
  },

  async execute(params) {
    if (typeof params?.url !== 'string') throw new Fault('INVALID_PARAMETER', '缺少参数: url（要访问的网址）');
    const page = await pageOf(params.url, params.timeout_ms ?? 20000);
    const { about, encoding, replaced, content, links } = read(page, params);
    const lines = linesOf(content);
    const cut = part(lines, { offset: params.offset ?? 0, limit: Infinity, budget: params.max_tokens ?? 8000, textOf: (line) => line, shorten: head });
    this.api.logger.debug('已读取网页', { url: page.url, bytes: page.bytes.length, lines: lines.length });
    return {
      url: page.url,
      ...about,
      encoding,
      ...(replaced ? { replaced } : {}),
      ...(page.truncated ? { pageTruncated: true } : {}),
      content: cut.items.join(''),
      totalLines: lines.length,
      tokens: cut.tokens,
      truncated: cut.truncated,
      ...(cut.nextOffset === undefined ? {} : { nextOffset: cut.nextOffset }),
      ...(cut.shortened ? { lineCut: true } : {}),
      ...(params.list_links === true ? { linkList: [...links].map(([href, text]) => ({ text, href })) } : {}),
    };
  },
};
