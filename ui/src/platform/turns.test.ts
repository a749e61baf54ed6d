import { afterEach, describe, expect, it } from 'vitest';
import { httpTransport } from './http';
import { json, recorder, testServer, type TestServer } from './testServer';
import { Turns } from './turns';

/** Reads and runs that end when the test says so; `begun` are those that were let through. */
function stage() {
  const turns = new Turns();
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => (signal?: AbortSignal) => {
    begun.push(name);
    return new Promise<void>((resolve, reject) => {
      ends.set(name, resolve);
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
    });
  };
  return {
    begun,
    turns,
    read: (name: string, signal?: AbortSignal) => turns.read(work(name), signal),
    run: (name: string, signal?: AbortSignal) => turns.run(() => work(name)(), signal),
    async end(name: string) {
      ends.get(name)?.();
      await settled();
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('waiting reads', () => {
  it('are two at once, then one for one, in order', async () => {
    const { begun, read, end } = stage();
    const all = ['a', 'b', 'c', 'd'].map((name) => read(name));
    await settled();
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    await end('a');
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    await end('c');
    await end('d');
    await Promise.all(all);
  });

  it('leave connections to other calls while three runs are open', async () => {
    const { begun, read, run, end } = stage();
    for (const name of ['1', '2', '3']) void run(name);
    void read('a');
    void read('b');
    await settled();
    expect(begun).toEqual(['1', '2', '3', 'a']);
    await end('2');
    expect(begun).toEqual(['1', '2', '3', 'a', 'b']);
  });

  it('make room for a third run, and are asked again when there is room', async () => {
    const { begun, read, run, end } = stage();
    const ended = [read('a'), read('b')];
    await settled();
    for (const name of ['1', '2', '3']) void run(name);
    await settled();
    expect(begun).toEqual(['a', 'b', '1', '2', '3']);
    await end('1');
    expect(begun).toEqual(['a', 'b', '1', '2', '3', 'b']);
    await end('a');
    await end('b');
    await Promise.all(ended);
  });

  it('go on, one by one, however many runs are open', async () => {
    const { begun, read, run, end } = stage();
    for (let count = 0; count < 9; count += 1) void run(`${count}`);
    void read('a');
    void read('b');
    await settled();
    expect(begun).toEqual(['0', '1', '2', 'a']);
    await end('a');
    expect(begun).toEqual(['0', '1', '2', 'a', 'b']);
  });

  it('that are called off leave the queue, and never begin', async () => {
    const { begun, read, end } = stage();
    const gone = new AbortController();
    void read('a');
    void read('b');
    const never = read('c', gone.signal);
    void read('d');
    gone.abort();
    await expect(never).rejects.toMatchObject({ name: 'AbortError' });
    await expect(read('e', gone.signal)).rejects.toMatchObject({ name: 'AbortError' });
    await end('a');
    expect(begun).toEqual(['a', 'b', 'd']);
  });

  it('give their turn on when they fail', async () => {
    const { begun, turns, read } = stage();
    const fail = () => Promise.reject(new Error('no'));
    void read('a');
    await expect(turns.read(fail)).rejects.toThrow('no');
    void read('b');
    await settled();
    expect(begun).toEqual(['a', 'b']);
  });
});

describe('runs', () => {
  it('are three at once, then one for one, in order', async () => {
    const { begun, run, end } = stage();
    const all = ['1', '2', '3', '4', '5'].map((name) => run(name));
    await settled();
    expect(begun).toEqual(['1', '2', '3']);
    await end('2');
    expect(begun).toEqual(['1', '2', '3', '4']);
    await end('4');
    expect(begun).toEqual(['1', '2', '3', '4', '5']);
    for (const name of ['1', '3', '5']) await end(name);
    await Promise.all(all);
  });

  it('that are called off in the queue never begin, also at the last moment', async () => {
    const { begun, run, end } = stage();
    const gone = new AbortController();
    for (const name of ['1', '2', '3']) void run(name);
    const waiting = run('4', gone.signal);
    gone.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    const late = new AbortController();
    const chosen = run('5', late.signal);
    const refused = expect(chosen).rejects.toMatchObject({ name: 'AbortError' });
    void end('1');
    late.abort();
    await refused;
    void run('6');
    await settled();
    expect(begun).toEqual(['1', '2', '3', '6']);
  });
});

describe('over HTTP', () => {
  let server: TestServer | undefined;
  afterEach(() => server?.stop());

  it('eight watched runs and a log leave the way free for calling one off', async () => {
    const arrived = recorder<string>();
    server = await testServer(({ url }, response) => {
      arrived.push(url);
      // Runs, watches and logs are left waiting.
      if (url === '/api/run.cancel') json(response, 200, {});
    });
    const { call } = httpTransport({
      origin: server.origin,
      session: { token: () => 'tok', drop: () => undefined },
      language: () => 'en',
      onSessionLost: () => undefined,
    });
    const over: AbortController[] = [];
    const signal = () => {
      over.push(new AbortController());
      return over.at(-1)?.signal;
    };
    const held: Promise<unknown>[] = Array.from({ length: 8 }, (_, run) => `${run}`).flatMap(
      (run) => [
        call('tool.run', { tool: 'x', parameters: {}, run }, signal()),
        call('run.watch', { run, from: 0, version: 0 }, signal()),
      ],
    );
    held.push(call('log.window', { tool: 'x', count: 1, unlike: 's' }, signal()));
    const all = Promise.allSettled(held);
    await call('run.cancel', { run: '1' });
    const asked = await arrived.until(5);
    // With the events, that is all that a browser opens to one origin.
    expect([...asked].sort()).toEqual([
      '/api/run.cancel',
      '/api/run.watch',
      ...Array.from({ length: 3 }, () => '/api/tool.run'),
    ]);
    over.forEach((one) => one.abort());
    await all;
  });
});
