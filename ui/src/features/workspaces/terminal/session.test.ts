import { describe, expect, it } from 'vitest';
import { CallError } from '@/platform';
import { fakeTransport } from '@/platform/fake';
import { listen, typist } from './session';

const base64 = (text: string) => btoa(text);

function hearing() {
  const heard: string[] = [];
  return {
    heard,
    write: async (bytes: Uint8Array) => void heard.push(new TextDecoder().decode(bytes)),
    lost: (count: number) => void heard.push(`lost ${count}`),
    ended: (code: number) => void heard.push(`ended ${code}`),
    failed: ({ code }: CallError) => void heard.push(`failed ${code}`),
  };
}

describe('what a terminal writes', () => {
  it('comes in order from its beginning to its end, with what was lost', async () => {
    const asked: number[] = [];
    const answers = [
      { data: base64('one'), cut: 0, next: 3 },
      { data: base64('three'), cut: 7, next: 15 },
      { data: '', cut: 0, next: 15, exitCode: 130 },
    ];
    const transport = fakeTransport({
      'terminal.watch': ({ from }: { from: number }) => {
        asked.push(from);
        return answers.shift();
      },
    });
    const to = hearing();
    await listen(transport, 't', to, new AbortController().signal);
    expect(to.heard).toEqual(['one', 'lost 7', 'three', 'ended 130']);
    expect(asked).toEqual([0, 3, 15]);
  });

  it('waits out an owner that is away, and tells of a terminal that is gone', async () => {
    const failures = ['server_not_reachable', 'terminal_not_open'];
    const transport = fakeTransport({
      'terminal.watch': () => {
        throw new CallError({ code: failures.shift() ?? '' });
      },
    });
    const to = hearing();
    await listen(transport, 't', to, new AbortController().signal);
    expect(to.heard).toEqual(['failed terminal_not_open']);
  });

  it('ends with its page', async () => {
    const stop = new AbortController();
    const transport = fakeTransport({
      'terminal.watch': () => {
        stop.abort();
        return { data: base64('late'), cut: 0, next: 4 };
      },
    });
    const to = hearing();
    await listen(transport, 't', to, stop.signal);
    expect(to.heard).toEqual([]);
  });
});

describe('what is typed', () => {
  it('goes one call at a time, in its order, and together what came meanwhile', async () => {
    const sent: string[] = [];
    let release: (() => void)[] = [];
    const transport = fakeTransport({
      'terminal.input': ({ data }: { data: string }) => {
        sent.push(data);
        return new Promise<object>((done) => release.push(() => done({})));
      },
    });
    const type = typist(transport, 't', () => undefined);
    for (const letter of 'hello') type(letter);
    expect(sent).toEqual(['h']);
    while (release.length > 0) {
      const now = release;
      release = [];
      for (const go of now) go();
      await new Promise((next) => setTimeout(next));
    }
    expect(sent).toEqual(['h', 'ello']);
  });

  it('is told when it does not arrive, and does not come late', async () => {
    const failed: string[] = [];
    const transport = fakeTransport({
      'terminal.input': () => {
        throw new CallError({ code: 'terminal_not_open' });
      },
    });
    const type = typist(transport, 't', ({ code }) => failed.push(code));
    type('a');
    type('b');
    await new Promise((next) => setTimeout(next));
    expect(failed).toEqual(['terminal_not_open']);
    expect(transport.calls.map(({ params }) => params)).toEqual([{ id: 't', data: 'a' }]);
  });
});
