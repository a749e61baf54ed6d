/** 服务器的回答变成模型读得懂的结果：JSON、文字、图片或字节。 */
import { decode, isBinary } from './charset.js';

const isText = (type) => type === '' || /^text\/|[/+](?:json|xml|yaml|javascript|ecmascript|x-www-form-urlencoded|graphql)\b/.test(type);

function headersOf(headers) {
  const found = Object.fromEntries(headers);
  const cookies = headers.getSetCookie();
  return cookies.length > 1 ? { ...found, 'set-cookie': cookies } : found;
}

function bodyOf({ bytes, headers, truncated }) {
  const given = headers.get('content-type') ?? '';
  const type = given.split(';')[0].trim().toLowerCase();
  if (bytes.length === 0) return {};
  if (/^image\/(?:png|jpeg|gif|webp)$/.test(type) && !truncated) return { mimeType: type, base64: bytes.toString('base64') };
  if (!isText(type) && (type !== 'application/octet-stream' || isBinary(bytes))) return { base64: bytes.toString('base64') };
  const declared = /charset\s*=\s*"?([^\s;"]+)/i.exec(given)?.[1];
  const { text, encoding, replaced } = decode(bytes, { declared, cut: truncated });
  const about = { encoding, ...(replaced ? { replaced } : {}) };
  if (/[/+]json\b/.test(type) && !truncated) {
    try {
      return { ...about, json: JSON.parse(text) };
    } catch {
      // 说是 JSON，其实不是：给出文字。
    }
  }
  return { ...about, text };
}

/** @param {Awaited<ReturnType<typeof import('./web.js').load>>} answer */
export function resultOf(answer) {
  return {
    url: answer.url,
    status: answer.status,
    ok: answer.status >= 200 && answer.status < 300,
    ...(answer.statusText === '' ? {} : { statusText: answer.statusText }),
    headers: headersOf(answer.headers),
    size: answer.bytes.length,
    truncated: answer.truncated,
    ...(answer.hops.length === 0 ? {} : { redirects: answer.hops }),
    ...bodyOf(answer),
  };
}
