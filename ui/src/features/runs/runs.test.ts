// @vitest-environment happy-dom
import { VueQueryPlugin } from '@tanstack/vue-query';
import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { nextTick } from 'vue';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunNews, RunResult, ToolDetail, ToolRun } from '@/generated/calls';
import { CallError } from '@/platform';
import { fakeTransport, type FakeHandlers } from '@/platform/fake';
import { useToasts } from '@/shared/composables/toasts';
import { queryClient } from '@/shared/data/client';
import { TRANSPORT } from '@/shared/data/calls';
import { NATIVE } from '@/shared/data/native';
import { i18n } from '@/shared/i18n';
import { uuid } from '@/shared/uuid';
import type { EditorView } from '@codemirror/view';
import CodeEditor from '@/shared/editor/CodeEditor.vue';
import RunDetail from './RunDetail.vue';
import RunTab from './RunTab.vue';

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
let page: VueWrapper | undefined;
let count = 0;

beforeEach(() => {
  i18n.global.locale.value = 'en';
  localStorage.clear();
});
afterEach(() => {
  vi.useRealTimers();
  page?.unmount();
  page = undefined;
});

/** Every test has a tool of its own: runs outlive pages. */
function toolWith(properties: Record<string, unknown>, required: string[] = []): ToolDetail {
  count += 1;
  return {
    name: `tool-${count}`,
    title: 'Tool',
    version: '1.0.0',
    description: '',
    author: '',
    tags: [],
    builtIn: false,
    state: 'ready',
    folder: '',
    parameters: { type: 'object', properties, required },
    environment: {},
    runtime: {},
    dependencies: {},
    warnings: [],
  };
}

/** A run that ends when the test says so, and news that come when the test says so. */
function openRun() {
  let end: (result: Partial<RunResult>) => void = () => {};
  let refuse: (error: CallError) => void = () => {};
  let tell: (news: Partial<RunNews>) => void = () => {};
  const signals: AbortSignal[] = [];
  const again: boolean[] = [];
  const handlers: FakeHandlers = {
    'run.list': () => ({ runs: [], total: 0 }),
    'run.active': () => ({ runs: [] }),
    'run.cancel': () => ({}),
    'tool.run': ({ run = '' }: ToolRun, _signal, long) =>
      new Promise<RunResult>((resolve, reject) => {
        again.push(long?.again ?? false);
        end = (result) => resolve({ run, success: true, result: null, durationMs: 5, ...result });
        refuse = reject;
      }),
    'run.watch': (_params: unknown, signal?: AbortSignal) =>
      new Promise<RunNews>((resolve, reject) => {
        if (signal) signals.push(signal);
        signal?.addEventListener('abort', () => reject(new CallError({ code: 'aborted' })));
        tell = (news) => resolve({ state: 'running', lines: [], next: 0, version: 1, ...news });
      }),
  };
  return {
    transport: fakeTransport(handlers),
    handlers,
    signals,
    /** Of each call for the run: whether only its answer was asked for. */
    again,
    end: (result: Partial<RunResult> = {}) => end(result),
    refuse: (error: CallError) => refuse(error),
    tell: (news: Partial<RunNews>) => tell(news),
  };
}

type Run = ReturnType<typeof openRun>;

function show(tool: ToolDetail, { transport }: Pick<Run, 'transport'>) {
  page = mount(RunTab, {
    props: { tool },
    global: {
      plugins: [i18n, [VueQueryPlugin, { queryClient: queryClient() }]],
      provide: { [TRANSPORT as symbol]: transport, [NATIVE as symbol]: { copyText: vi.fn() } },
    },
    attachTo: document.body,
  });
  return page;
}

const runs = ({ transport }: Run) =>
  transport.calls.filter(({ name }) => name === 'tool.run').map(({ params }) => params as ToolRun);
const controlEnter = () =>
  window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true }));
/** A finished run as the history has it. */
const record = (id: string) => ({
  id,
  subject: 'tool',
  startedAt: 0,
  durationMs: 1,
  success: true,
  actor: { kind: 'person' as const, name: 'web' },
  parameters: { b: 4 },
  result: 1,
  lines: [],
});
/** Takes back what the newest toast tells of. */
function undo(text: string) {
  const toast = useToasts().shown.value.at(-1);
  expect(toast?.text).toBe(text);
  toast?.action?.run();
  if (toast) useToasts().dismiss(toast.id);
}
const jsonOf = (tab: VueWrapper) =>
  (tab.findComponent(CodeEditor).vm as unknown as { view: EditorView }).view.state.doc.toString();
const line = (text: string) => ({ at: 1, level: 'INFO' as const, text });

describe('running', () => {
  it('does not send what is wrong, and leads to it', async () => {
    const run = openRun();
    const tab = show(toolWith({ path: { type: 'string', minLength: 1 } }, ['path']), run);
    controlEnter();
    await flushPromises();
    expect(runs(run)).toEqual([]);
    expect(tab.find('.summary').text()).toContain('path');
    expect(document.activeElement?.closest('.summary')).not.toBeNull();
    await tab.find('.summary a').trigger('click');
    expect(document.activeElement).toBe(tab.find('[data-field=path] input').element);
    await tab.find('[data-field=path] input').setValue('a.txt');
    controlEnter();
    await flushPromises();
    expect(runs(run)).toMatchObject([{ parameters: { path: 'a.txt' } }]);
    expect(runs(run)[0]?.run).toMatch(UUID);
    run.end();
    await flushPromises();
  });

  it('sends it all the same when the person wants it: the toolbox decides', async () => {
    const run = openRun();
    const tab = show(toolWith({ n: { type: 'integer', maximum: 3 } }), run);
    await tab.find('[data-field=n] input').setValue('7');
    controlEnter();
    await flushPromises();
    await tab.find('.summary button').trigger('click');
    expect(runs(run)).toMatchObject([{ parameters: { n: 7 } }]);
    run.end();
    await flushPromises();
  });

  it('shows progress and lines, and survives leaving the page', async () => {
    const run = openRun();
    const tool = toolWith({});
    const first = show(tool, run);
    controlEnter();
    await flushPromises();
    const progress = { done: 2, total: 8, text: 'page 2' };
    run.tell({ lines: [line('one'), line('two')], next: 2, version: 2, progress });
    await flushPromises();
    expect(first.find('.run-flight').text()).toContain('page 2');
    expect(first.find('[role=progressbar]').attributes('aria-valuenow')).toBe('25');
    first.unmount();

    run.tell({ lines: [line('three')], next: 3, version: 3 });
    await flushPromises();
    const again = show(tool, run);
    expect(again.findAll('.run-lines .text').map((one) => one.text())).toEqual([
      'one',
      'two',
      'three',
    ]);
    controlEnter();
    await flushPromises();
    expect(runs(run)).toHaveLength(1);
    run.end({ result: { a: 1 } });
    await flushPromises();
    expect(again.find('.run-flight').text()).toContain('Done');
    expect(again.find('.result-view').exists()).toBe(true);
    expect(run.signals.length).toBeGreaterThan(0);
  });

  it('asks for news from where it is, and stops when the run has ended', async () => {
    const run = openRun();
    show(toolWith({}), run);
    controlEnter();
    await flushPromises();
    run.tell({ lines: [line('a')], next: 5, version: 4 });
    await flushPromises();
    run.tell({ state: 'ended', lines: [], next: 5, version: 5 });
    await flushPromises();
    const asked = run.transport.calls.filter(({ name }) => name === 'run.watch');
    expect(asked.map(({ params }) => params)).toMatchObject([
      { from: 0, version: 0 },
      { from: 5, version: 4 },
    ]);
    // Lines 0 to 3 had left before they were asked for.
    expect(page?.find('.run-lines').text()).toContain('4');
    run.end();
    await flushPromises();
  });

  it('can be called off, and says when that fails', async () => {
    const run = openRun();
    const tab = show(toolWith({}), run);
    controlEnter();
    await flushPromises();
    const cancel = () => tab.findAll('.bar button').find((one) => one.text() === 'Cancel');
    run.handlers['run.cancel'] = () => {
      throw new CallError({ code: 'store_failed', message: 'No.' });
    };
    await cancel()?.trigger('click');
    await flushPromises();
    expect(tab.find('.run-flight').text()).toContain('store_failed');
    run.handlers['run.cancel'] = () => ({});
    await cancel()?.trigger('click');
    await flushPromises();
    expect(tab.find('.run-flight').text()).toContain('Cancelling');
    expect(run.transport.calls.findLast(({ name }) => name === 'run.cancel')?.params).toEqual({
      run: runs(run)[0]?.run,
    });
    run.end({ success: false, error: { code: 'cancelled', message: 'Cancelled.' } });
    await flushPromises();
    expect(tab.find('.run-flight').text()).toContain('cancelled');
  });

  it('waits for the server when the connection breaks, and shows the real end', async () => {
    vi.useFakeTimers();
    const run = openRun();
    const tab = show(toolWith({}), run);
    controlEnter();
    await flushPromises();
    let away = true;
    run.handlers['run.active'] = () => {
      if (away) throw new CallError({ code: 'server_not_reachable' });
      return { runs: [] };
    };
    run.refuse(new CallError({ code: 'connection_broken' }));
    await flushPromises();
    expect(tab.find('.run-flight').text()).toContain('Connection lost, waiting for the server');
    expect(tab.find('.error-panel').exists()).toBe(false);
    const buttons = () => tab.findAll('.bar button').map((one) => one.text());
    expect(buttons()).toContain('Cancel');

    // A wish of that time is told first.
    await tab
      .findAll('.bar button')
      .find((one) => one.text() === 'Cancel')
      ?.trigger('click');
    await vi.advanceTimersByTimeAsync(5000);
    const named = (name: string) => run.transport.calls.filter((call) => call.name === name);
    expect(named('run.cancel')).toEqual([]);
    away = false;
    await vi.advanceTimersByTimeAsync(5000);
    expect(named('run.cancel').map(({ params }) => params)).toEqual([{ run: runs(run)[0]?.run }]);
    expect(tab.find('.run-flight').text()).toContain('Cancelling');
    expect(runs(run).map((one) => one.run)).toEqual([runs(run)[0]?.run, runs(run)[0]?.run]);
    expect(run.again).toEqual([false, true]);
    run.end({ result: { a: 1 } });
    await flushPromises();
    expect(tab.find('.run-flight').text()).toContain('Done');
  });

  it('says that a run was cut off, and shows one that only the history knows', async () => {
    vi.useFakeTimers();
    const run = openRun();
    run.handlers['tool.run'] = (_, __, long) => {
      throw new CallError({ code: long?.again ? 'answer_not_known' : 'connection_broken' });
    };
    run.handlers['run.show'] = () => {
      throw new CallError({ code: 'run_not_found' });
    };
    const tab = show(toolWith({}), run);
    controlEnter();
    await vi.advanceTimersByTimeAsync(1000);
    expect(tab.find('.error-panel').text()).toContain('The run was cut off.');

    run.handlers['run.show'] = ({ run: id }: { run: string }) => record(id);
    controlEnter();
    await vi.advanceTimersByTimeAsync(1000);
    expect(tab.find('.run-flight').text()).toContain('Ended while the connection was away');
    expect(tab.find('.run-detail .result-view').exists()).toBe(true);
  });

  it('shows that a run waits for its turn, and can take it out of the queue', async () => {
    const run = openRun();
    run.transport.call = vi.fn(
      (_name, _params, signal) =>
        new Promise((_, reject) =>
          signal?.addEventListener('abort', () => reject(signal.reason as Error)),
        ) as never,
    );
    const tab = show(toolWith({}), run);
    controlEnter();
    await flushPromises();
    expect(tab.find('.run-flight').text()).toContain('Waiting for its turn');
    await tab
      .findAll('.bar button')
      .find((one) => one.text() === 'Cancel')
      ?.trigger('click');
    await flushPromises();
    expect(tab.find('.error-panel').text()).toContain('Cancelled before it began.');
  });

  it('of others can be called off', async () => {
    const run = openRun();
    const tool = toolWith({});
    const actor = { kind: 'mcp_client', name: 'Cursor' };
    run.handlers['run.active'] = () => ({
      runs: [{ id: 'theirs', subject: tool.name, startedAt: 0, actor }],
    });
    run.handlers['run.cancel'] = () => {
      throw new CallError({ code: 'store_failed', message: 'No.' });
    };
    const tab = show(tool, run);
    await flushPromises();
    const cancel = () => tab.find('.open-run button');
    expect(cancel().attributes('aria-label')).toBe('Cancel the run of Cursor');
    await cancel().trigger('click');
    await flushPromises();
    expect(tab.find('.open-run').text()).toContain('store_failed');
    run.handlers['run.cancel'] = () => ({});
    await cancel().trigger('click');
    await flushPromises();
    expect(run.transport.calls).toContainEqual({ name: 'run.cancel', params: { run: 'theirs' } });
    expect(cancel().attributes('disabled')).toBeDefined();
    expect(tab.find('.open-run').text()).toContain('Cancelling');
  });

  it('shows a failure with its help, and runs again', async () => {
    const run = openRun();
    const tab = show(toolWith({}), run);
    controlEnter();
    await flushPromises();
    run.end({ success: false, error: { code: 'BAD', message: 'Broke.' }, help: '# Do this' });
    await flushPromises();
    expect(tab.find('.error-panel').text()).toContain('BAD');
    tab.find('details').element.open = true;
    await tab.find('details').trigger('toggle');
    expect(tab.find('.markdown').text()).toBe('Do this');
    await tab.find('.error-panel .actions button').trigger('click');
    await flushPromises();
    expect(runs(run)).toHaveLength(2);
    run.refuse(new CallError({ code: 'server_not_running' }));
    await flushPromises();
    expect(tab.find('.error-panel').text()).toContain('server_not_running');
  });
});

describe('parameters', () => {
  it('are remembered while one looks elsewhere', async () => {
    const tool = toolWith({ a: { type: 'string' } });
    const run = openRun();
    await show(tool, run).find('[data-field=a] input').setValue('kept');
    page?.unmount();
    const input = show(tool, run).find('[data-field=a] input').element as HTMLInputElement;
    expect(input.value).toBe('kept');
  });

  it('go both ways between form and JSON', async () => {
    const run = openRun();
    const tab = show(toolWith({ a: { type: 'string' }, n: { type: 'integer' } }), run);
    const { view } = tab.findComponent(CodeEditor).vm as unknown as { view: EditorView };
    const text = () => view.state.doc.toString();
    const write = async (insert: string) => {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert } });
      await nextTick();
    };
    const input = (name: string) =>
      (tab.find(`[data-field=${name}] input`).element as HTMLInputElement).value;

    await tab.find('[data-field=a] input').setValue('x');
    expect(JSON.parse(text())).toEqual({ a: 'x' });
    await write('{"n": 5,   "a": "y"}');
    expect([input('a'), input('n')]).toEqual(['y', '5']);
    // What was written there stays as it was written.
    expect(text()).toBe('{"n": 5,   "a": "y"}');
    await write('{"n": 6,\n}');
    expect(input('n')).toBe('5');
    expect(tab.find('.parameters-json .wrong').text()).toContain('line 2');
    controlEnter();
    await flushPromises();
    expect(runs(run)).toEqual([]);
  });

  it('beside the form that are no JSON are not run around, and are led to', async () => {
    const run = openRun();
    const tab = show(toolWith({ n: { type: 'integer', maximum: 3 } }), run);
    await tab.find('[data-field=n] input').setValue('7');
    controlEnter();
    await flushPromises();
    const { view } = tab.findComponent(CodeEditor).vm as unknown as { view: EditorView };
    const write = async (insert: string) => {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert } });
      await nextTick();
    };
    const inPane = () => document.activeElement?.closest('.parameters-json') !== null;
    expect(inPane()).toBe(false);
    await write('{"n": 8,}');
    await tab.find('.summary button').trigger('click');
    expect(runs(run)).toEqual([]);
    expect(inPane()).toBe(true);
    (document.activeElement as HTMLElement).blur();
    controlEnter();
    await flushPromises();
    expect(runs(run)).toEqual([]);
    expect(inPane()).toBe(true);
    await write('{"n": 9007199254740993}');
    expect(tab.find('.parameters-json .wrong').text()).toContain('too large');
    await tab.find('.summary button').trigger('click');
    expect(runs(run)).toEqual([]);
    await write('{"n": 8}');
    await tab.find('.summary button').trigger('click');
    expect(runs(run)).toMatchObject([{ parameters: { n: 8 } }]);
    run.end();
    await flushPromises();
  });

  it('that are too large to be exact cannot be sent all the same', async () => {
    const run = openRun();
    const tab = show(toolWith({ n: { type: 'integer' } }), run);
    await tab.find('[data-field=n] input').setValue('9007199254740993');
    controlEnter();
    await flushPromises();
    expect(tab.find('.summary').text()).toContain('too large');
    expect(tab.find('.summary button').exists()).toBe(false);
    expect(runs(run)).toEqual([]);
  });

  it('of an earlier run go into the form', async () => {
    const run = openRun();
    const tool = toolWith({ a: { type: 'string' }, b: { type: 'integer' } });
    const tab = show(tool, run);
    await tab.find('[data-field=a] input').setValue('mine');
    run.handlers['run.show'] = () => ({ ...record(uuid()), subject: tool.name });
    const detail = mount(RunDetail, {
      props: { run: uuid() },
      global: {
        plugins: [i18n, [VueQueryPlugin, { queryClient: queryClient() }]],
        provide: { [TRANSPORT as symbol]: run.transport, [NATIVE as symbol]: {} },
      },
    });
    await flushPromises();
    await detail
      .findAll('button')
      .find((one) => one.text() === 'Run again')
      ?.trigger('click');
    await nextTick();
    expect(window.location.hash).toBe(`#/tools/${tool.name}/run`);
    const values = tab
      .findAll('.fields input')
      .map((one) => (one.element as HTMLInputElement).value);
    expect(values).toEqual(['', '4']);
    detail.unmount();
    undo('What was in the form was replaced');
    await nextTick();
    expect(JSON.parse(jsonOf(tab))).toEqual({ a: 'mine' });
  });

  it('that were thrown away can be brought back, also what was wrong in them', async () => {
    const run = openRun();
    const tool = toolWith({ a: { type: 'string' }, n: { type: 'integer' } });
    const tab = show(tool, run);
    const reset = () => tab.find('[aria-label="Start over"]').trigger('click');
    const before = useToasts().shown.value.length;
    await reset();
    expect(useToasts().shown.value).toHaveLength(before);

    await tab.find('[data-field=a] input').setValue('mine');
    await tab.find('[data-field=n] input').setValue('12x');
    await reset();
    const values = () =>
      tab.findAll('.fields input').map((one) => (one.element as HTMLInputElement).value);
    expect(values()).toEqual(['', '']);
    undo('The form was emptied');
    await nextTick();
    expect(values()).toEqual(['mine', '12x']);

    // Whoever went elsewhere finds it in the form that is shown next.
    await reset();
    page?.unmount();
    undo('The form was emptied');
    const later = show(tool, run);
    await nextTick();
    expect(later.find<HTMLInputElement>('[data-field=a] input').element.value).toBe('mine');
  });
});

it('makes UUIDs without what insecure pages have not got', () => {
  const all = new Set(Array.from({ length: 500 }, uuid));
  expect(all.size).toBe(500);
  for (const one of all) expect(one).toMatch(UUID);
});
