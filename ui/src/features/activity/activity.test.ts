// @vitest-environment happy-dom
import { flushPromises, type VueWrapper } from '@vue/test-utils';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ActiveRun, Actor, RunQuery, RunRow } from '@/generated/calls';
import { CallError } from '@/platform';
import { fakeTransport, type FakeHandlers } from '@/platform/fake';
import { useToasts } from '@/shared/composables';
import english from '@/locales/en/runs.json';
import { mountPart, type Mounting } from '@/shared/testing';
import ActivityPage from './ActivityPage.vue';
import { exportName, exportRuns } from './exportRuns';
import { nameOf, rowsOf } from './rows';
import { NO_FILTER } from './useRuns';

const PERSON: Actor = { kind: 'person', name: 'web' };
const CLIENT: Actor = { kind: 'mcp_client', name: 'Cursor' };

/** Newest first, every tenth failed, every hundredth by a client. */
function runs(count: number): RunRow[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `run-${index}`,
    subject: index % 2 ? 'filesystem' : 'run_javascript',
    startedAt: 1_700_000_000_000 - index * 1000,
    durationMs: 5 + index,
    success: index % 10 !== 9,
    ...(index % 10 === 9 && { error: 'timeout' }),
    actor: index % 100 === 50 ? CLIENT : PERSON,
  }));
}

function owner(all: RunRow[], active: ActiveRun[] = []): FakeHandlers {
  return {
    'run.list': ({ tool, failed, page }: RunQuery) => {
      const fit = all.filter((run) => (!tool || run.subject === tool) && (!failed || !run.success));
      return { runs: fit.slice(page.offset, page.offset + page.limit), total: fit.length };
    },
    'run.active': () => ({ runs: active }),
    'tool.list': () => ({ tools: [] }),
    'run.show': () => new Promise(() => undefined),
  };
}

let wrapper: VueWrapper;
afterEach(() => wrapper?.unmount());

async function page(handlers: FakeHandlers, more: Mounting = {}) {
  const part = await mountPart(ActivityPage, { handlers, at: '/activity', ...more });
  wrapper = part.wrapper;
  const asked = () =>
    part.transport.calls.flatMap(({ name, params }) =>
      name === 'run.list' ? [params as RunQuery] : [],
    );
  return { ...part, asked };
}

const rows = () => wrapper.findAll('[role=option]');

describe('the page', () => {
  it('lists what runs before what ended', async () => {
    const active = [{ id: 'now', subject: 'web-search', startedAt: Date.now(), actor: CLIENT }];
    await page(owner(runs(3), active));
    expect(rows().map((row) => row.find('.subject').text())).toEqual([
      'web-search',
      'run_javascript',
      'filesystem',
      'run_javascript',
    ]);
    expect(rows()[0]?.text()).toContain('Running');
  });

  it('stops what runs', async () => {
    const active = [{ id: 'now', subject: 'web-search', startedAt: Date.now(), actor: CLIENT }];
    const handlers = { ...owner(runs(3), active), 'run.cancel': () => ({}) };
    const { transport } = await page(handlers, { at: '/activity?run=now' });
    expect(wrapper.text()).toContain('Still running');
    const stop = wrapper.findAll('button').find((one) => one.text() === 'Stop it');
    await stop?.trigger('click');
    await flushPromises();
    expect(transport.calls).toContainEqual({ name: 'run.cancel', params: { run: 'now' } });
  });

  it('asks for one page, not for all', async () => {
    const { asked } = await page(owner(runs(5000)));
    expect(asked().map((one) => one.page.offset)).toEqual([0]);
    expect(rows().length).toBeLessThan(60);
    expect(wrapper.find('[role=option]').attributes('aria-setsize')).toBe('200');
  });

  it('goes on loading while an actor fills less than the window', async () => {
    const { asked } = await page(owner(runs(1000)));
    await wrapper.findAll('select')[1]?.setValue('mcp_client');
    await vi.waitFor(() => expect(asked().at(-1)?.page.offset).toBe(800));
    await flushPromises();
    expect(rows()).toHaveLength(10);
    expect(rows().every((row) => row.text().includes('Cursor'))).toBe(true);
  });

  it('lets the owner filter subject and failures', async () => {
    const { asked } = await page(owner(runs(100)));
    await wrapper.find('button[aria-pressed]').trigger('click');
    await flushPromises();
    expect(asked().at(-1)).toMatchObject({ failed: true, page: { offset: 0 } });
    expect(rows()).toHaveLength(10);
    expect(rows()[0]?.text()).toContain('Time limit');
  });

  it('says in words why a run failed, with the code beside; a code of a tool as it is', async () => {
    const failed = (id: string, error: string) => ({ ...(runs(1)[0] as RunRow), id, error });
    const all = [failed('a', 'unknown_tool'), failed('b', 'TODO_NOT_FOUND')];
    await page(owner(all.map((run) => ({ ...run, success: false }))), { language: 'zh-CN' });
    const names = wrapper.findAll('.failure-name');
    expect(names.map((one) => one.text())).toEqual(['没有这个工具', 'TODO_NOT_FOUND']);
    expect(names[0]?.attributes('title')).toBe('unknown_tool');
  });

  it('has words only for failures that the owner knows', () => {
    const folder = join(import.meta.dirname, '../../../../resources/words');
    const known = readdirSync(folder).flatMap((file) =>
      Object.keys(JSON.parse(readFileSync(join(folder, file), 'utf8')) as object),
    );
    const named = Object.keys(english.failure);
    expect(named.filter((code) => !known.includes(code))).toEqual([]);
  });

  it('tells empty from filtered-empty', async () => {
    await page(owner(runs(5)));
    await wrapper.find('button[aria-pressed]').trigger('click');
    await flushPromises();
    expect(wrapper.text()).toContain('No run matches');
    const clear = wrapper.findAll('button').find((one) => one.text() === 'Clear filter');
    await clear?.trigger('click');
    await flushPromises();
    expect(rows()).toHaveLength(5);

    wrapper.unmount();
    await page(owner([]));
    expect(wrapper.text()).toContain('Nothing has run yet');
    // No list to be narrowed, nothing beside it to be left blank.
    expect(wrapper.find('[role=separator]').exists()).toBe(false);
    expect(wrapper.find('button[aria-pressed]').exists()).toBe(false);
    expect(wrapper.findAll('h1')).toHaveLength(1);
  });

  it('stays a list while a filter that nothing fitted is cleared', async () => {
    const some = owner(runs(5));
    let answer = () => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    let hold = false;
    const { client } = await page({
      ...some,
      'run.list': async (question: RunQuery) => {
        if (hold) await held;
        return some['run.list']?.(question);
      },
    });
    await wrapper.find('button[aria-pressed]').trigger('click');
    await flushPromises();
    client.removeQueries({ type: 'inactive' });
    hold = true;
    await wrapper
      .findAll('button')
      .find((one) => one.text() === 'Clear filter')
      ?.trigger('click');
    await flushPromises();
    expect(wrapper.text()).not.toContain('Nothing has run yet');
    expect(wrapper.find('[role=separator]').exists()).toBe(true);
    answer();
    await flushPromises();
    expect(rows()).toHaveLength(5);
  });

  it('chooses by keys with one tab stop', async () => {
    const { router } = await page(owner(runs(30)));
    const stops = () => wrapper.findAll('[role=option][tabindex="0"]');
    expect(stops()).toHaveLength(1);
    await stops()[0]?.trigger('keydown', { key: 'ArrowDown' });
    await flushPromises();
    expect(router.currentRoute.value.query.run).toBe('run-0');
    expect(stops().map((one) => one.attributes('aria-selected'))).toEqual(['true']);
    await stops()[0]?.trigger('keydown', { key: 'End' });
    await flushPromises();
    expect(router.currentRoute.value.query.run).toBe('run-29');
  });

  it('shows a failure with its code and tries again', async () => {
    const handlers = owner(runs(2));
    const list = handlers['run.list'];
    handlers['run.list'] = () => {
      throw new CallError({ code: 'store_failed', message: 'The database could not be read.' });
    };
    await page(handlers);
    expect(wrapper.find('[role=alert]').text()).toContain('store_failed');
    if (list) handlers['run.list'] = list;
    await wrapper.find('[role=alert] button').trigger('click');
    await flushPromises();
    expect(rows()).toHaveLength(2);
  });

  it('keeps the filtered runs as a file', async () => {
    const saved: [string, Blob][] = [];
    await page(owner(runs(100)), {
      native: { saveFile: async (name, content) => saved.push([name, content]) > 0 },
    });
    await wrapper.find('button[aria-pressed]').trigger('click');
    await flushPromises();
    const button = wrapper.findAll('button').find((one) => one.text() === 'Export');
    await button?.trigger('click');
    await vi.waitFor(() => expect(saved).toHaveLength(1));
    expect(saved[0]?.[0]).toMatch(/^activity-\d{4}-\d\d-\d\d\.jsonl$/);
    const lines = (await saved[0]?.[1].text())?.trimEnd().split('\n') ?? [];
    expect(lines).toHaveLength(10);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ id: 'run-9', error: 'timeout' });
  });

  it.each([true, false])('tells how many were written, if they were: %s', async (written) => {
    const toasts = useToasts();
    toasts.shown.value.forEach(({ id }) => toasts.dismiss(id));
    const saveFile = vi.fn(async () => written);
    await page(owner(runs(100)), { native: { saveFile } });
    await wrapper.findAll('select')[1]?.setValue('mcp_client');
    const exporting = () => wrapper.findAll('button').find((one) => one.text() === 'Export');
    await exporting()?.trigger('click');
    await vi.waitFor(() => expect(saveFile).toHaveBeenCalled());
    await flushPromises();
    expect(exporting()).toBeDefined();
    expect(toasts.shown.value.map(({ text }) => text)).toEqual(written ? ['Exported 1 runs'] : []);
  });
});

describe('rows', () => {
  it('shows a run once that ended between the two questions', () => {
    const ended = runs(1);
    const active = [{ id: 'run-0', subject: 'run_javascript', startedAt: 1, actor: PERSON }];
    expect(rowsOf(active, ended, NO_FILTER).map(({ state }) => state)).toEqual(['done']);
  });

  it('names what ran as its room does', () => {
    const t = (key: string) => `<${key}>`;
    expect(nameOf('canvas:0b4f', t)).toBe('<app.room.cells>');
    expect(nameOf('task:site', t)).toBe('site');
    expect(nameOf('adder', t)).toBe('adder');
  });

  it('filters what runs as it filters what ended', () => {
    const active = [{ id: 'a', subject: 'x', startedAt: 1, actor: PERSON }];
    expect(rowsOf(active, [], { ...NO_FILTER, subject: 'y' })).toEqual([]);
    expect(rowsOf(active, [], { ...NO_FILTER, actor: 'agent' })).toEqual([]);
    expect(rowsOf(active, [], { ...NO_FILTER, failed: true })).toEqual([]);
    expect(rowsOf(active, [], { ...NO_FILTER, subject: 'x', actor: 'person' })).toHaveLength(1);
  });
});

describe('export', () => {
  it('goes through all pages', async () => {
    const transport = fakeTransport(owner(runs(1234)));
    const seen: number[] = [];
    const { content, count } = await exportRuns(transport, NO_FILTER, {
      signal: new AbortController().signal,
      onProgress: (done) => seen.push(done),
    });
    expect((await content.text()).trimEnd().split('\n')).toHaveLength(1234);
    expect(count).toBe(1234);
    expect(seen).toEqual([500, 1000, 1234]);
  });

  it('holds every run once, though one ends between two pages', async () => {
    const all = runs(600);
    const handlers = owner(all);
    const list = handlers['run.list'];
    handlers['run.list'] = (query: RunQuery) => {
      const answer: unknown = list?.(query);
      if (query.page.offset === 0) all.unshift({ ...(all[0] as RunRow), id: 'newer' });
      return answer;
    };
    const { content, count } = await exportRuns(fakeTransport(handlers), NO_FILTER, {
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
    const lines = (await content.text()).trimEnd().split('\n');
    const ids = lines.map((line) => (JSON.parse(line) as RunRow).id);
    expect(ids).toEqual(runs(600).map(({ id }) => id));
    expect(count).toBe(600);
  });

  it('stops when it is cancelled', async () => {
    const transport = fakeTransport(owner(runs(5000)));
    const stop = new AbortController();
    const work = exportRuns(transport, NO_FILTER, {
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    await expect(work).rejects.toThrow();
    expect(transport.calls).toHaveLength(1);
  });

  it('is named after the day', () => {
    expect(exportName(new Date(2026, 0, 5))).toBe('activity-2026-01-05.jsonl');
  });
});
