/**
 * 与 Ollama 说话：一问一答，和一行一段的流。
 *
 * 不跟随重定向：请求里可能有密钥。这里有意不做的事：重试，模型已经开始回答就不该再问一遍。
 */
import { Buffer } from 'node:buffer';
import { Fault } from './fault.js';
import { address, explained } from './web.js';

const MAX_ANSWER = 8 * 1024 * 1024;
const MAX_LINE = 1024 * 1024;

/** @typedef {{base: string, key?: string, timeout: number}} Service */

/** @param {Service} service */
function request(service, path, body, timer) {
  const url = address(`${service.base.replace(/\/+$/, '')}${path}`);
  const headers = { accept: 'application/x-ndjson, application/json' };
  if (service.key) headers.authorization = `Bearer ${service.key}`;
  if (body === undefined) return { url, init: { headers, redirect: /** @type {const} */ ('manual'), signal: timer } };
  headers['content-type'] = 'application/json';
  return { url, init: { method: 'POST', headers, body: JSON.stringify(body), redirect: /** @type {const} */ ('manual'), signal: timer } };
}

/** 服务说的错误：模型没有、密钥不对，各有各的解决办法。 */
async function refusal(response, url) {
  const parts = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    parts.push(part);
    size += part.length;
    if (size > 65536) break;
  }
  const text = Buffer.concat(parts).toString('utf8');
  let said = text.slice(0, 500);
  try {
    said = String(JSON.parse(text).error ?? said);
  } catch {
    // 不是 JSON：原样给出开头。
  }
  if (response.status === 404 && /model/i.test(said)) return new Fault('MODEL_NOT_FOUND', `没有这个模型: ${said}`);
  if (response.status === 401 || response.status === 403) return new Fault('NOT_AUTHORISED', `服务拒绝了: ${response.status} ${said}`);
  return new Fault('SERVICE_ERROR', `${url.host} 回答 ${response.status}: ${said}`);
}

/** 一段一段的字节变成一行一行的文字；行和字都可能从中间断开。 */
async function* linesOf(body) {
  const decoder = new TextDecoder();
  let rest = '';
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > MAX_ANSWER) throw new Fault('ANSWER_TOO_LONG', `回答超过 ${MAX_ANSWER} 字节`);
    rest += decoder.decode(part, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop();
    if (rest.length > MAX_LINE) throw new Fault('SERVICE_ERROR', '服务的回答没有分行');
    yield* lines.filter((line) => line.trim() !== '');
  }
  rest += decoder.decode();
  if (rest.trim() !== '') yield rest;
}

function parsed(line, url) {
  let value;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Fault('SERVICE_ERROR', `${url.host} 的回答不是 Ollama 的格式: ${line.slice(0, 100)}`);
  }
  if (typeof value?.error === 'string') throw new Fault('SERVICE_ERROR', `${url.host}: ${value.error}`);
  return value;
}

/**
 * 一行一个对象。
 * @param {Service} service
 */
export async function* stream(service, path, body) {
  const timer = AbortSignal.timeout(service.timeout);
  const { url, init } = request(service, path, body, timer);
  try {
    const response = await fetch(url, init);
    if (!response.ok) throw await refusal(response, url);
    for await (const line of linesOf(response.body)) yield parsed(line, url);
  } catch (error) {
    throw explained(error, url, service.timeout, timer);
  }
}

/**
 * 一个对象。
 * @param {Service} service
 */
export async function ask(service, path, body) {
  const timer = AbortSignal.timeout(service.timeout);
  const { url, init } = request(service, path, body, timer);
  try {
    const response = await fetch(url, init);
    if (!response.ok) throw await refusal(response, url);
    const lines = [];
    for await (const line of linesOf(response.body)) lines.push(line);
    return parsed(lines.join('\n'), url);
  } catch (error) {
    throw explained(error, url, service.timeout, timer);
  }
}
