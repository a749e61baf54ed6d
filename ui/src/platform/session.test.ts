import { afterEach, describe, expect, it } from 'vitest';
import { codeOf, openSession, type SessionPlace } from './session';
import { json, testServer, type TestServer } from './testServer';

let server: TestServer | undefined;
afterEach(() => server?.stop());

function place(origin: string, code?: string, token?: string) {
  const kept = new Map(token === undefined ? [] : [['pm.session', token]]);
  const it: SessionPlace = {
    origin,
    storage: {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
      removeItem: (key) => void kept.delete(key),
    },
    takeCode() {
      const taken = code;
      code = undefined;
      return taken;
    },
  };
  return { it, kept };
}

describe('openSession', () => {
  it('exchanges the code once and keeps the token for the tab', async () => {
    server = await testServer((_, response) => json(response, 200, { token: 'secret' }));
    const { it: tab, kept } = place(server.origin, 'one-time');
    expect((await openSession(tab))?.token()).toBe('secret');
    expect(server.requests).toMatchObject([
      { method: 'POST', url: '/api/session', body: { code: 'one-time' } },
    ]);
    // A reload finds the token and asks nobody.
    expect((await openSession(tab))?.token()).toBe('secret');
    expect(server.requests).toHaveLength(1);
    expect(kept.get('pm.session')).toBe('secret');
  });

  it('lets a new code win over an old token', async () => {
    server = await testServer((_, response) => json(response, 200, { token: 'new' }));
    expect((await openSession(place(server.origin, 'c', 'old').it))?.token()).toBe('new');
  });

  it('goes on with the token when a link is pasted that was used before', async () => {
    const used = { code: 'link_used', message: 'used' };
    server = await testServer((_, response) => json(response, 403, used));
    const { it: tab, kept } = place(server.origin, 'c', 'old');
    expect((await openSession(tab))?.token()).toBe('old');
    expect([...kept]).toEqual([['pm.session', 'old']]);
  });

  it('keeps the code while nobody listens, and uses it when the page is loaded again', async () => {
    server = await testServer(() => undefined);
    const gone = place(server.origin, 'one-time', 'old').it;
    await server.stop();
    server = undefined;
    await expect(openSession(gone)).rejects.toMatchObject({ code: 'server_not_reachable' });

    server = await testServer((_, response) => json(response, 200, { token: 'new' }));
    const back = { ...gone, origin: server.origin };
    expect((await openSession(back))?.token()).toBe('new');
    expect(server.requests).toMatchObject([{ body: { code: 'one-time' } }]);
    await openSession(back);
    expect(server.requests).toHaveLength(1);
  });

  it('has no session without code and token', async () => {
    server = await testServer((_, response) => json(response, 500, {}));
    expect(await openSession(place(server.origin).it)).toBeUndefined();
    expect(server.requests).toHaveLength(0);
  });

  it.each([
    [403, { code: 'link_used', message: '链接已使用', hint: 'pm link' }, 'link_used', '链接已使用'],
    [403, 'no object', 'link_refused', ''],
    [200, { token: '' }, 'answer_not_understood', ''],
  ])('passes a refusal on: %s %j', async (status, body, code, message) => {
    server = await testServer((_, response) => json(response, status, body));
    const { it: tab, kept } = place(server.origin, 'x');
    await expect(openSession(tab)).rejects.toMatchObject({ code, message });
    expect(kept.size).toBe(0);
  });

  it('says when nobody listens', async () => {
    server = await testServer(() => undefined);
    const { origin } = server;
    await server.stop();
    server = undefined;
    await expect(openSession(place(origin, 'x').it)).rejects.toMatchObject({
      code: 'server_not_reachable',
    });
  });
});

it('reads the code out of a fragment', () => {
  expect(codeOf('#code=a%2Bb')).toBe('a+b');
  expect(codeOf('#other=1')).toBeUndefined();
  expect(codeOf('')).toBeUndefined();
});
