import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { effectScope, nextTick, type EffectScope } from 'vue';
import type { LogLevel } from '@/generated/calls';
import { CallError } from '@/platform';
import { fakeTransport } from '@/platform/fake';
import { TestLog } from './testLog';
import { useSearch } from './useSearch';

let scope: EffectScope;
beforeEach(() => {
  vi.useFakeTimers();
  scope = effectScope();
});
afterEach(() => {
  scope.stop();
  vi.useRealTimers();
});

function setUp(log: TestLog) {
  const shown: number[] = [];
  let levels: LogLevel[] = [];
  const transport = fakeTransport(log.handlers());
  const search = scope.run(() =>
    useSearch({
      call: transport.call,
      tool: 'reader',
      levels: () => levels,
      total: () => log.filtered(levels).length,
      start: () => ({ from: 50, direction: 'forward' }),
      show: ({ index }) => void shown.push(index),
    }),
  );
  if (!search) throw new Error('no scope');
  const type = async (text: string) => {
    search.text.value = text;
    await nextTick();
    await vi.advanceTimersByTimeAsync(250);
  };
  const choose = (now: LogLevel[]) => void (levels = now);
  return { search, shown, transport, type, choose };
}

/** Of 100 records every tenth holds the word. */
function tenths(): TestLog {
  const log = new TestLog(0);
  log.append(100, (index) => (index % 10 === 5 ? `Needle ${index}` : 'hay'));
  return log;
}

it('searches once the typing rests, from where one is', async () => {
  const { search, shown, transport, type } = setUp(tenths());
  search.text.value = 'n';
  await nextTick();
  await vi.advanceTimersByTimeAsync(100);
  expect(transport.calls).toHaveLength(0);
  await type('needle');
  expect(transport.calls).toHaveLength(1);
  expect(shown).toEqual([55]);
  expect(search.found.value).toMatchObject({ ordinal: 6, matches: 10 });
});

it('goes to the next and the previous one, and round at the ends', async () => {
  const { search, shown, type } = setUp(tenths());
  await type('needle');
  for (let at = 0; at < 5; at += 1) await search.step('forward');
  expect(shown).toEqual([55, 65, 75, 85, 95, 5]);
  await search.step('backward');
  await search.step('backward');
  expect(shown.slice(-2)).toEqual([95, 85]);
});

it('says that nothing was found, and asks nothing for an empty text', async () => {
  const { search, shown, transport, type } = setUp(tenths());
  await search.step('forward');
  expect(transport.calls).toHaveLength(0);
  await type('thread');
  expect(search.found.value?.matches).toBe(0);
  expect(shown).toEqual([]);
  await type('');
  expect(search.found.value).toBeUndefined();
});

it('counts again without moving when the numbers changed', async () => {
  const log = tenths();
  const { search, shown, type, choose } = setUp(log);
  await type('needle');
  choose(['ERROR', 'INFO']);
  search.recount();
  await vi.advanceTimersByTimeAsync(0);
  const left = log.filtered(['ERROR', 'INFO']).filter((record) => record.text.includes('Needle'));
  expect(search.found.value?.matches).toBe(left.length);
  expect(shown).toEqual([55]);
});

it('gives up a search for another one, and shows only the last answer', async () => {
  const log = tenths();
  log.latency = () => 500;
  const { search, shown, type } = setUp(log);
  await type('needle');
  await type('hay');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(log.aborted).toBe(1);
  expect(shown).toEqual([50]);
  expect(search.found.value?.matches).toBe(90);
});

it('keeps why it failed, until the next answer', async () => {
  const log = tenths();
  log.failure = new CallError({ code: 'server_not_reachable' });
  const { search, type } = setUp(log);
  await type('needle');
  expect(search.failure.value?.code).toBe('server_not_reachable');
  log.failure = undefined;
  await search.step('forward');
  expect(search.failure.value).toBeUndefined();
  expect(search.found.value?.matches).toBe(10);
});
