import { expect, it, vi } from 'vitest';
import { fakeTransport } from '@/platform/fake';
import { fileText } from './lines';
import { fileName, readText } from './readAll';
import { TestLog } from './testLog';

function reading(log: TestLog, signal = new AbortController().signal) {
  return { call: fakeTransport(log.handlers()).call, tool: 'reader', signal };
}

it('reads the whole log through windows, and says how far it is', async () => {
  const log = new TestLog(1_234);
  const onProgress = vi.fn();
  const texts = await readText({ ...reading(log), onProgress });
  expect(texts.join('')).toBe(log.records.map(fileText).join(''));
  expect(log.asked).toHaveLength(3);
  expect(onProgress.mock.calls).toEqual([
    [500, 1_234],
    [1_000, 1_234],
    [1_234, 1_234],
  ]);
});

it('gives nothing for an empty log', async () => {
  expect(await readText(reading(new TestLog(0)))).toEqual([]);
});

it('ends although the log grows while it is read', async () => {
  const log = new TestLog(900);
  const texts = await readText({ ...reading(log), onProgress: () => log.append(600) });
  expect(texts.join('').split('\n')).toHaveLength(901);
});

it('starts again when records left, and gives up when they always do', async () => {
  const log = new TestLog(1_000);
  const once = vi.fn(() => once.mock.calls.length === 1 && log.rotate(700));
  const texts = await readText({ ...reading(log), onProgress: once });
  expect(texts.join('')).toBe(log.records.map(fileText).join(''));
  log.append(1_000);
  const always = readText({ ...reading(log), onProgress: () => log.rotate(1_200) });
  await expect(always).rejects.toMatchObject({ code: 'log_moved' });
});

it('reads a part only in the generation that its numbers belong to', async () => {
  const log = new TestLog(1_000);
  const { generation } = log;
  const span = { first: 10, last: 12, generation };
  expect((await readText(reading(log), span)).join('')).toBe(
    log.records.slice(10, 13).map(fileText).join(''),
  );
  log.rotate(500);
  await expect(readText(reading(log), span)).rejects.toMatchObject({ code: 'log_moved' });
});

it('stops when it is cancelled', async () => {
  const log = new TestLog(5_000);
  const stop = new AbortController();
  const all = readText({ ...reading(log, stop.signal), onProgress: () => stop.abort() });
  await expect(all).rejects.toMatchObject({ name: 'AbortError' });
  expect(log.asked).toHaveLength(1);
});

it('names the file after the tool and the moment', () => {
  expect(fileName('reader', new Date(2026, 10, 5, 4, 3, 7))).toBe('reader-20261105-040307.log');
});
