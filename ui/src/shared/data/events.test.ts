import { QueryClient } from '@tanstack/vue-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { effectScope } from 'vue';
import { fakeTransport } from '@/platform/fake';
import { useEvents } from './events';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('hands on the first change at once, and those of the next moment together', async () => {
  const transport = fakeTransport({});
  const client = new QueryClient();
  const invalidate = vi.spyOn(client, 'invalidateQueries').mockResolvedValue();
  const scope = effectScope();
  scope.run(() => useEvents(transport, client));
  const change = (tag: string) => transport.emit({ kind: 'x', tags: [tag] });
  change('society');
  expect(invalidate).toHaveBeenCalledTimes(1);
  for (let times = 0; times < 50; times += 1) {
    change('society');
    change('runs');
    await vi.advanceTimersByTimeAsync(10);
  }
  // Half a second of changes, five times told.
  expect(invalidate.mock.calls.length).toBeLessThanOrEqual(6);
  const told = invalidate.mock.calls.length;
  await vi.advanceTimersByTimeAsync(1000);
  expect(invalidate.mock.calls.length).toBeLessThanOrEqual(told + 1);
  const stale = (nth: number, name: string) => {
    const asked = invalidate.mock.calls.at(nth)?.[0];
    return typeof asked === 'object' && asked.predicate?.({ queryKey: [name] } as never);
  };
  const names = ['society.list', 'run.list', 'tool.list'];
  expect(names.map((name) => stale(1, name))).toEqual([true, true, false]);
  change('tools');
  expect(stale(-1, 'tool.list')).toBe(true);
  scope.stop();
});
