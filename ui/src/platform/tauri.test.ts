// @vitest-environment happy-dom
import { clearMocks, mockConvertFileSrc, mockIPC } from '@tauri-apps/api/mocks';
import { afterEach, describe, expect, it } from 'vitest';
import { Backoff } from './backoff';
import { inShell, tauriTransport } from './tauri';
import { tauriNative } from './tauriNative';
import { recorder } from './testServer';
import { CallError, type Link } from './transport';
import type { Native } from './native';

interface Asked {
  command: string;
  body: unknown;
}

afterEach(() => {
  clearMocks();
  location.hash = '';
});

/** The shell, answering as `answer` does; what it was asked is kept. */
function shell(answer: (asked: Asked) => unknown) {
  const asked = recorder<Asked>();
  mockIPC((command, body) => {
    asked.push({ command, body });
    return answer({ command, body });
  });
  return asked;
}

const never = () => new Promise<never>(() => undefined);

describe('call', () => {
  it('passes name and parameters on and the result back', async () => {
    const asked = shell(() => ({ text: '手册' }));
    expect(inShell()).toBe(true);
    const result = await tauriTransport().call('tool.manual', { tool: 'x' });
    expect(result).toEqual({ text: '手册' });
    expect(asked.seen).toMatchObject([
      { command: 'call', body: { name: 'tool.manual', params: { tool: 'x' } } },
    ]);
  });

  it('passes the key of a long change on, and whether only its answer is wanted', async () => {
    const asked = shell(() => ({}));
    const { call } = tauriTransport();
    const sent: string[] = [];
    const run = { tool: 'x', parameters: {} };
    await call('tool.run', run, undefined, { key: 'k', onSent: () => sent.push('sent') });
    await call('tool.run', run, undefined, { key: 'k', again: true });
    expect(asked.seen.map(({ body }) => (body as { repeat: unknown }).repeat)).toEqual([
      { key: 'k', again: false },
      { key: 'k', again: true },
    ]);
    expect(sent).toEqual(['sent']);
  });

  it('brings errors back whole', async () => {
    const error = { code: 'tool_not_found', message: '没有', hint: 'h', args: { tool: 'x' } };
    shell(() => Promise.reject(error));
    await expect(tauriTransport().call('tool.show', { tool: 'x' })).rejects.toMatchObject(error);
    await expect(tauriTransport().call('tool.show', { tool: 'x' })).rejects.toBeInstanceOf(
      CallError,
    );
  });

  it('is cancelled in the shell by its own name when the signal aborts', async () => {
    let fail: (error: unknown) => void = () => undefined;
    const asked = shell(({ command }) => {
      if (command === 'call') return new Promise((_, reject) => (fail = reject));
      fail({ code: 'call_cancelled', message: '', args: {} });
      return undefined;
    });
    const stop = new AbortController();
    const call = tauriTransport().call('run.active', {}, stop.signal);
    await asked.until(1);
    stop.abort();
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    const [made, cancelled] = asked.seen.map(({ body }) => (body as { id: string }).id);
    expect(asked.seen[1]?.command).toBe('cancel_call');
    expect(cancelled).toBe(made);
    expect(made).toMatch(/^[0-9a-z]+(-[0-9a-z]+){2}$/);
  });

  it('is not made when it is aborted before, and not cancelled when it is answered', async () => {
    const asked = shell(() => ({ runs: [] }));
    const stop = new AbortController();
    await tauriTransport().call('run.active', {}, stop.signal);
    stop.abort();
    await expect(tauriTransport().call('run.active', {}, stop.signal)).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(asked.seen.map(({ command }) => command)).toEqual(['call']);
  });
});

describe('events', () => {
  const event = (kind: string) => ({ cursor: 'e:1', kind, tags: ['runs'], data: null });

  function listen() {
    const links = recorder<Link>();
    const kinds = recorder<string>();
    const stop = tauriTransport(new Backoff(1, 2)).subscribe({
      onLink: links.push,
      onEvent: ({ kind }) => kinds.push(kind),
    });
    return { links, kinds, stop };
  }

  it('are fetched one batch after the other, and places are gone to', async () => {
    const batches = [
      { page: 4, link: 'connecting', events: [event('resync')] },
      { page: 4, link: 'open', events: [] },
      { page: 4, link: 'open', events: [event('a'), event('b')], goto: '/settings/about' },
      { page: 4, link: 'lost', events: [] },
    ];
    let turn = 0;
    const asked = shell(() => batches[turn++] ?? never());
    const { links, kinds, stop } = listen();
    await asked.until(5);
    expect(kinds.seen).toEqual(['resync', 'a', 'b']);
    expect(links.seen).toEqual(['connecting', 'open', 'lost']);
    expect(location.hash).toBe('#/settings/about');
    expect(asked.seen.map(({ body }) => (body as { page?: number }).page)).toEqual([
      undefined,
      ...Array.from({ length: 4 }, () => 4),
    ]);
    stop();
  });

  it('start over after a failure, end when a newer page listens or nobody does', async () => {
    const answers = [
      () => Promise.reject(new Error('away')),
      () => ({ page: 9, link: 'open', events: [] }),
      () => null,
    ];
    let turn = 0;
    const asked = shell(() => (answers[turn++] ?? never)());
    const { links } = listen();
    await asked.until(3);
    await new Promise((resolve) => setImmediate(resolve));
    expect(links.seen).toEqual(['lost', 'open']);
    expect(asked.seen).toHaveLength(3);
    expect((asked.seen[1]?.body as { page?: number }).page).toBeUndefined();

    turn = 1;
    const second = listen();
    second.stop();
    await new Promise((resolve) => setImmediate(resolve));
    expect(second.links.seen).toEqual([]);
  });
});

it('loads pictures by the scheme of the shell', () => {
  shell(never);
  mockConvertFileSrc('linux');
  const url = '/artifacts/a.png?until=5&sign=ab&size=thumb';
  expect(tauriTransport().assetUrl(url)).toBe(`artifact://localhost${url}`);
});

describe('native', () => {
  const web = (): Native & { did: string[] } => {
    const did: string[] = [];
    return {
      did,
      copyText: async (text) => void did.push(text),
      copyImage: async (picture) => void did.push(picture.type),
      saveFile: async () => true,
    };
  };

  it('asks the shell, and its own page where the shell has no clipboard', async () => {
    const asked = shell(({ command }) => {
      if (command.startsWith('copy')) return Promise.reject({ code: 'clipboard_refused' });
      if (command === 'pick_file') return '/home/ada/tool.zip';
      return command === 'pick_folder' ? null : true;
    });
    const page = web();
    const native = tauriNative(page);
    expect(await native.pickFolder?.()).toBeUndefined();
    expect(await native.pickFile?.()).toBe('/home/ada/tool.zip');
    expect(await native.saveFile('图.png', new Blob([Uint8Array.of(1, 2)]))).toBe(true);
    await native.copyText('text');
    await native.copyImage(new Blob([], { type: 'image/png' }));
    expect(page.did).toEqual(['text', 'image/png']);
    expect(await native.startAtLogin?.get()).toBe(true);
    await native.startAtLogin?.set(false);
    expect(asked.seen.map(({ command }) => command)).toEqual([
      'pick_folder',
      'pick_file',
      'save_file',
      'copy_text',
      'copy_image',
      'starts_at_login',
      'start_at_login',
    ]);
    expect(asked.seen[2]?.body).toEqual(Uint8Array.of(1, 2));
    expect(asked.seen[6]?.body).toEqual({ on: false });
  });

  it('tells a cancelled save dialog from a saved file', async () => {
    shell(() => false);
    expect(await tauriNative(web()).saveFile('a.txt', new Blob(['x']))).toBe(false);
  });

  it('brings refusals back with their code', async () => {
    shell(() => Promise.reject({ code: 'address_not_opened', args: { reason: 'x' } }));
    await expect(tauriNative(web()).openExternal?.('file:///')).rejects.toMatchObject({
      code: 'address_not_opened',
    });
  });
});
