/**
 * 取一个 http(s) 地址：重定向逐跳走，时间和大小有上限。
 *
 * 能不能连到哪里，由宿主在连接时判断（每一跳都判断），这里不重复；这里只把它的拒绝说清楚。
 * 这里有意不做的事：缓存、Cookie、重试。
 */
import { Buffer } from 'node:buffer';
import { Fault } from './fault.js';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** 换了来源还能带的请求头。别的名称都可能是钥匙（x-api-key、private-token），认不全，所以只认不是的。 */
const HARMLESS = /^(?:accept(?:-.*)?|content-.*|user-agent|range)$/;
const OF_BODY = ['content-type', 'content-length', 'content-encoding', 'content-language', 'content-location'];

/** 宿主拒绝连接时的代码。 */
const REFUSALS = new Set([
  'network_not_granted',
  'network_loopback_not_granted',
  'network_address_refused',
  'network_host_invalid',
]);

/** 密码不写进错误和日志。 */
const withoutSecrets = (text) => text.replace(/^([a-z][a-z\d+.-]*:[\\/]*)?.*@/is, '$1…@');

/**
 * @param {string} text
 * @param {URL} [base]
 */
export function address(text, base) {
  let url;
  try {
    url = new URL(text, base);
  } catch {
    throw new Fault('INVALID_URL', `网址无效: ${withoutSecrets(text) || '（空的）'}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Fault('INVALID_URL', `网址里不能有用户名和密码，请用 http-request 的 headers 给出 Authorization: ${withoutSecrets(text)}`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Fault('INVALID_URL', `只支持 http 和 https: ${url.protocol}`);
  }
  return url;
}

/** 错误链里的代码：fetch 把原因放在 cause 里，可能不止一层。 */
function codesOf(error) {
  const codes = [];
  for (let one = error, depth = 0; one && depth < 8; one = one.cause, depth += 1) {
    if (typeof one.code === 'string') codes.push(one.code);
    for (const part of Array.isArray(one.errors) ? one.errors : []) if (typeof part?.code === 'string') codes.push(part.code);
  }
  return codes;
}

function innermost(error) {
  let one = error;
  for (let depth = 0; one?.cause && depth < 8; depth += 1) one = one.cause;
  return one?.message ?? String(error);
}

/** 把 fetch 的错误换成说得清楚的。 */
export function explained(error, url, milliseconds, timer) {
  if (error instanceof Fault) return error;
  if (timer.aborted) return new Fault('TIMEOUT', `${milliseconds} 毫秒内没有完成: ${url.href}`);
  const codes = codesOf(error);
  if (codes.some((code) => REFUSALS.has(code))) {
    return new Fault('ADDRESS_REFUSED', `不允许连接 ${url.host}: ${innermost(error)}`);
  }
  return new Fault('CONNECTION_FAILED', `无法连接 ${url.host}: ${innermost(error)}`);
}

/** 下一跳的请求：方法、请求体和请求头按 fetch 标准的规定改变。 */
function next(request, status, target) {
  const headers = new Headers(request.headers);
  let { method, body } = request;
  const toGet = (status === 303 && method !== 'GET' && method !== 'HEAD') || ((status === 301 || status === 302) && method === 'POST');
  if (toGet) {
    method = 'GET';
    body = undefined;
    for (const name of OF_BODY) headers.delete(name);
  }
  if (target.origin !== request.url.origin) for (const name of [...headers.keys()]) if (!HARMLESS.test(name)) headers.delete(name);
  return { url: target, method, headers, body };
}

/** 读到上限为止；多出来的不读。 */
async function bytesOf(response, maximum) {
  if (response.body === null) return { bytes: Buffer.alloc(0), truncated: false };
  const parts = [];
  let size = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { bytes: Buffer.concat(parts), truncated: false };
    const room = maximum - size;
    if (value.length > room) {
      parts.push(value.subarray(0, room));
      await reader.cancel();
      return { bytes: Buffer.concat(parts), truncated: true };
    }
    parts.push(value);
    size += value.length;
  }
}

/**
 * @param {string} text 网址
 * @param {{method?: string, headers?: Record<string, string>, body?: string, timeout?: number, maximum?: number, redirects?: number}} [options]
 *   `redirects` 为 0 时不跟随，3xx 是普通的回答。
 */
export async function load(text, options = {}) {
  const { method = 'GET', headers = {}, body, timeout = 20000, maximum = 10 * 1024 * 1024, redirects = 10 } = options;
  const timer = AbortSignal.timeout(timeout);
  let request = { url: address(text), method, headers: new Headers(headers), body };
  const hops = [];
  for (;;) {
    try {
      const { url, ...rest } = request;
      const response = await fetch(url, { ...rest, redirect: 'manual', signal: timer });
      const location = response.headers.get('location');
      if (redirects === 0 || !REDIRECTS.has(response.status) || location === null) {
        const { bytes, truncated } = await bytesOf(response, maximum);
        return { url: url.href, status: response.status, statusText: response.statusText, headers: response.headers, bytes, truncated, hops };
      }
      await response.body?.cancel();
      hops.push({ status: response.status, from: url.href });
      if (hops.length > redirects) throw new Fault('TOO_MANY_REDIRECTS', `重定向超过 ${redirects} 次: ${text}`);
      request = next(request, response.status, address(location, url));
    } catch (error) {
      throw explained(error, request.url, timeout, timer);
    }
  }
}
