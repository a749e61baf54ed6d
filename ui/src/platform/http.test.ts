import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { WireEvent } from '@/generated/calls';
import { Backoff } from './backoff';
import { httpTransport } from './http';
import { json, recorder, testServer, type TestServer } from './testServer';
import type { Link } from './transport';

let server: TestServer | undefined;
let unsubscribe: (() => void) | undefined;
afterEach(async () => {
  unsubscribe?.();
  await server?.stop();
  unsubscribe = server = undefined;
});

function transport(origin: string) {
  let token: string | undefined = 'tok';
  const lost = recorder<'lost'>();
  return {
    lost,
    token: () => token,
    ...httpTransport({
      origin,
      session: { token: () => token, drop: () => (token = undefined) },
      language: () => 'zh-CN',
      onSessionLost: () => lost.push('lost'),
      backoff: new Backoff(1, 4),
    }),
  };
}

const event = (cursor: string, kind = 'run.finished', tags = ['runs']): WireEvent => ({
  cursor,
  kind,
  tags,
  data: null,
});

function listen(from: ReturnType<typeof transport>) {
  const events = recorder<WireEvent>();
  const links = recorder<Link>();
  unsubscribe = from.subscribe({ onEvent: events.push, onLink: links.push });
  return { events, links };
}

describe('call', () => {
  it('posts the parameters with the token and the language', async () => {
    server = await testServer((_, response) => json(response, 200, { text: '手册' }));
    const result = await transport(server.origin).call('tool.manual', { tool: 'x' });
    expect(result).toEqual({ text: '手册' });
    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        url: '/api/tool.manual',
        body: { tool: 'x' },
        headers: { authorization: 'Bearer tok', 'accept-language': 'zh-CN' },
      },
    ]);
  });

  it('makes changes repeatable, each with its own key, and reads without one', async () => {
    server = await testServer((_, response) => json(response, 200, { tools: [] }));
    const { call } = transport(server.origin);
    await call('tool.rescan', {});
    await call('tool.rescan', {});
    await call('tool.list', {});
    const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys[1]).not.toBe(keys[0]);
    expect(keys[2]).toBeUndefined();
  });

  it('brings worded errors back whole', async () => {
    const error = { code: 'tool_not_found', message: '没有', hint: 'h', args: { tool: 'x' } };
    server = await testServer((_, response) => json(response, 404, error));
    await expect(transport(server.origin).call('tool.show', { tool: 'x' })).rejects.toMatchObject(
      error,
    );
  });

  it('has codes for answers that are none', async () => {
    server = await testServer((_, response) => response.writeHead(502).end('<html>'));
    const { call } = transport(server.origin);
    await expect(call('tool.list', {})).rejects.toMatchObject({ code: 'answer_not_understood' });
    await server.stop();
    await expect(call('tool.list', {})).rejects.toMatchObject({ code: 'server_not_reachable' });
    server = undefined;
  });

  it('gives the session up when the owner no longer knows it', async () => {
    server = await testServer((_, response) => json(response, 401, { code: 'x', message: 'y' }));
    const page = transport(server.origin);
    await expect(page.call('tool.list', {})).rejects.toMatchObject({ code: 'session_lost' });
    expect(page.lost.seen).toHaveLength(1);
    expect(page.token()).toBeUndefined();
  });
});

describe('events', () => {
  it('come whole however they are cut, after a first resync', async () => {
    const text = `\n${JSON.stringify(event('1:1', '运行'))}\n\n${JSON.stringify(event('1:2'))}\n`;
    const bytes = Buffer.from(text);
    server = await testServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      // One byte a write: lines and characters are cut everywhere.
      for (const byte of bytes) response.write(Buffer.of(byte));
    });
    const { events, links } = listen(transport(server.origin));
    const seen = await events.until(3);
    expect(seen.map(({ kind }) => kind)).toEqual(['resync', '运行', 'run.finished']);
    expect(links.seen).toEqual(['connecting', 'open']);
    expect(server.requests[0]).toMatchObject({
      url: '/api/events',
      headers: { authorization: 'Bearer tok' },
    });
  });

  it('go on from the last cursor after a break, however it breaks', async () => {
    const breaks: ((response: ServerResponse) => void)[] = [
      (response) => response.end(`${JSON.stringify(event('e1:7'))}\n`),
      (response) => response.end('{"cut'),
      (response) => response.end('not json\n'),
      (response) => response.destroy(),
      (response) => response.write(`${JSON.stringify(event('e2:1', 'resync', []))}\n`),
    ];
    let turn = 0;
    server = await testServer(({ url }, response) => {
      if (url === '/api/events?cursor=e1%3A7' && turn === 1) {
        turn += 1;
        json(response, 503, { code: 'draining', message: '' });
        return;
      }
      response.writeHead(200);
      breaks[turn > 1 ? turn - 1 : turn]?.(response);
      turn += 1;
    });
    const { events, links } = listen(transport(server.origin));
    const seen = await events.until(3);
    expect(seen.map(({ cursor, kind }) => [cursor, kind])).toEqual([
      ['', 'resync'],
      ['e1:7', 'run.finished'],
      ['e2:1', 'resync'],
    ]);
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/api/events',
      ...Array.from({ length: 5 }, () => '/api/events?cursor=e1%3A7'),
    ]);
    expect(links.seen.filter((link) => link === 'lost')).toHaveLength(5);
    expect(links.seen.at(-1)).toBe('open');
  });

  it('end with the session and are not asked for again', async () => {
    server = await testServer((_, response) => json(response, 401, { code: 'x', message: '' }));
    const page = transport(server.origin);
    const { links } = listen(page);
    await page.lost.until(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(links.seen).toEqual(['connecting']);
    expect(server.requests).toHaveLength(1);
  });

  it('stop when nobody listens any more', async () => {
    const closed = recorder<'closed'>();
    server = await testServer((_, response) => {
      response.writeHead(200);
      response.write(`${JSON.stringify(event('1:1'))}\n`);
      response.on('close', () => closed.push('closed'));
    });
    const { events, links } = listen(transport(server.origin));
    await events.until(2);
    unsubscribe?.();
    await closed.until(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(links.seen).toEqual(['connecting', 'open']);
    expect(server.requests).toHaveLength(1);
  });
});

it('loads artifacts from its own origin', () => {
  const { assetUrl } = transport('http://127.0.0.1:5621');
  expect(assetUrl('/artifacts/a.png?s=1')).toBe('http://127.0.0.1:5621/artifacts/a.png?s=1');
});

it('waits longer each time, to a limit, and starts again', () => {
  const backoff = new Backoff(250, 1500);
  expect(Array.from({ length: 5 }, () => backoff.take())).toEqual([250, 500, 1000, 1500, 1500]);
  backoff.reset();
  expect(backoff.take()).toBe(250);
});
