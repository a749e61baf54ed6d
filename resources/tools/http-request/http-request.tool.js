/**
 * http-request：发出一个 HTTP 请求，给出回答。
 *
 * 能连到哪里由宿主按授权判断，每次重定向都重新判断；4xx 和 5xx 是回答，不是错误。
 * 这里有意不做的事：Cookie 罐、自动重试、上传文件、WebSocket。
 */
import { english } from './english.js';
import { Fault } from './fault.js';
import { address, load } from './web.js';
import { resultOf } from './answer.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** 由连接决定，不能另外指定。 */
const OWN_HEADERS = ['host', 'content-length', 'connection', 'transfer-encoding', 'keep-alive', 'upgrade', 'te', 'trailer', 'expect'];

function headersOf(given) {
  /** @type {Record<string, string>} */
  const headers = {};
  for (const [name, value] of Object.entries(given ?? {})) {
    const lower = name.toLowerCase();
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw new Fault('INVALID_PARAMETER', `请求头的名称不对: ${JSON.stringify(name)}`);
    if (OWN_HEADERS.includes(lower)) throw new Fault('INVALID_PARAMETER', `请求头 ${name} 由连接决定，不能指定`);
    if (!['string', 'number', 'boolean'].includes(typeof value)) throw new Fault('INVALID_PARAMETER', `请求头 ${name} 的值应为文字`);
    if (/[\r\n\0]/.test(String(value))) throw new Fault('INVALID_PARAMETER', `请求头 ${name} 的值不能换行`);
    headers[lower] = String(value);
  }
  return headers;
}

function urlOf(params) {
  const url = address(params.url);
  for (const [name, value] of Object.entries(params.query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(one));
  }
  return url.href;
}

/** 请求体最多一种写法：原文、JSON 或表单。 */
function bodyOf(params, method, headers) {
  const given = ['body', 'json', 'form'].filter((name) => params[name] !== undefined);
  if (given.length > 1) throw new Fault('INVALID_PARAMETER', `只能给出一种请求体: ${given.join(', ')}`);
  if (given.length === 0) return undefined;
  if (method === 'GET' || method === 'HEAD') throw new Fault('INVALID_PARAMETER', `${method} 没有请求体`);
  if (given[0] === 'body') return params.body;
  headers['content-type'] ??= given[0] === 'json' ? 'application/json' : 'application/x-www-form-urlencoded;charset=UTF-8';
  if (given[0] === 'json') return JSON.stringify(params.json);
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(params.form)) form.append(name, String(value));
  return form.toString();
}

/** @type {import('prompt-manager').Tool} */
export default {
  getDependencies() {
    return {};
  },

  getMetadata() {
    return {
      name: 'http-request',
      description: '发出 HTTP 请求：方法、请求头、参数、JSON 或表单，按规定跟随重定向，时间和大小有上限。',
      version: '1.0.0',
      author: 'Prompt Manager',
      tags: ['网络', 'HTTP', '接口', '内置'],
      scenarios: ['调用公网上的 REST 接口', '查看一个网址回答的状态、请求头和内容', '提交 JSON 或表单', '查看重定向去了哪里'],
      limitations: [
        '只能连接公网：本机、内网和云的元数据地址总是拒绝，重定向到那里也一样',
        '回答默认最多 200 KB，最多 10 MB，多出来的不读',
        '不保存 Cookie，不自动重试；重定向换了来源时，请求头只带 Accept、Content-*、User-Agent 和 Range',
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
          url: { type: 'string', minLength: 1, maxLength: 8192, description: '网址，http 或 https', example: 'https://api.example.com/items' },
          method: { type: 'string', enum: METHODS, default: 'GET', description: '请求方法' },
          headers: { type: 'object', description: '请求头，例如 {"Accept": "application/json"}' },
          query: { type: 'object', description: '加在网址后面的参数；一个名称有几个值时用列表' },
          body: { type: 'string', maxLength: 5000000, description: '请求体，原文' },
          json: { type: ['object', 'array'], description: '请求体，作为 JSON 发出' },
          form: { type: 'object', description: '请求体，作为表单发出' },
          timeout_ms: { type: 'integer', minimum: 100, maximum: 100000, default: 20000, description: '最多等多少毫秒，包括重定向和读取内容' },
          max_bytes: { type: 'integer', minimum: 0, maximum: 10485760, default: 204800, description: '回答最多读多少字节' },
          max_redirects: { type: 'integer', minimum: 0, maximum: 20, default: 10, description: '最多跟随几次重定向，0 为不跟随' },
        },
        required: ['url'],
      },
      environment: { type: 'object', properties: {}, required: [] },
    };
  },

  getBusinessErrors() {
    const withCode = (code) => (error) => error?.code === code;
    return [
      { code: 'INVALID_URL', description: '网址无效', match: withCode('INVALID_URL'), solution: '写成 https://example.com/path，参数放在 query 里，用户名和密码放在 headers 的 Authorization 里。', retryable: false },
      { code: 'INVALID_PARAMETER', description: '参数缺少或无效', match: withCode('INVALID_PARAMETER'), solution: '按参数说明补上或修正。', retryable: false },
      { code: 'ADDRESS_REFUSED', description: '不允许连接这个地址', match: withCode('ADDRESS_REFUSED'), solution: '只能连接公网上的地址；本机和内网的服务要用为它授权的工具。', retryable: false },
      { code: 'TOO_MANY_REDIRECTS', description: '重定向太多', match: withCode('TOO_MANY_REDIRECTS'), solution: '用 max_redirects: 0 看它指向哪里；可能成环，或需要登录。', retryable: false },
      { code: 'CONNECTION_FAILED', description: '连接失败', match: withCode('CONNECTION_FAILED'), solution: '检查主机名和端口，稍后重试。', retryable: true },
      { code: 'TIMEOUT', description: '超过时间限制', match: withCode('TIMEOUT'), solution: '调大 timeout_ms，或稍后重试。', retryable: true },
    ];
  },

  getRuntimeConfig() {
    return { sandboxType: 'nodejs', maxMemory: 256, maxExecutionTime: 120, networkAccess: true, concurrency: 4 };
  },

  async execute(params) {
    if (typeof params?.url !== 'string') throw new Fault('INVALID_PARAMETER', '缺少参数: url（要访问的网址）');
    const method = params.method ?? 'GET';
    const headers = headersOf(params.headers);
    const body = bodyOf(params, method, headers);
    headers['user-agent'] ??= 'PromptManager';
    const started = Date.now();
    const answer = await load(urlOf(params), {
      method,
      headers,
      body,
      timeout: params.timeout_ms ?? 20000,
      maximum: params.max_bytes ?? 204800,
      redirects: params.max_redirects ?? 10,
    });
    this.api.logger.info('已收到回答', { status: answer.status, bytes: answer.bytes.length, ms: Date.now() - started });
    return { ...resultOf(answer), durationMs: Date.now() - started };
  },
};
