// @vitest-environment happy-dom
import { VueQueryPlugin } from '@tanstack/vue-query';
import { flushPromises, mount } from '@vue/test-utils';
import { nextTick } from 'vue';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EditorView } from '@codemirror/view';
import { useToasts } from '@/shared/composables/toasts';
import { TRANSPORT } from '@/shared/data/calls';
import { queryClient } from '@/shared/data/client';
import { NATIVE } from '@/shared/data/native';
import CodeEditor from '@/shared/editor/CodeEditor.vue';
import { i18n } from '@/shared/i18n';
import { uuid } from '@/shared/uuid';
import RunDetail from './RunDetail.vue';
import {
  controlEnter,
  jsonOf,
  leave,
  openRun,
  record,
  runs,
  show,
  toolWith,
  undo,
} from './testRuns';

beforeEach(() => {
  i18n.global.locale.value = 'en';
  localStorage.clear();
});
afterEach(() => {
  vi.useRealTimers();
  leave();
});

describe('parameters', () => {
  it('are remembered while one looks elsewhere', async () => {
    const tool = toolWith({ a: { type: 'string' } });
    const run = openRun();
    await show(tool, run).find('[data-field=a] input').setValue('kept');
    leave();
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

  it.each(['task:site', 'model:local', 'run_javascript'])('of %s have no form', async (subject) => {
    const run = openRun();
    run.handlers['run.show'] = () => ({ ...record(uuid()), subject });
    const detail = mount(RunDetail, {
      props: { run: uuid() },
      global: {
        plugins: [i18n, [VueQueryPlugin, { queryClient: queryClient() }]],
        provide: { [TRANSPORT as symbol]: run.transport, [NATIVE as symbol]: {} },
      },
    });
    await flushPromises();
    expect(detail.text()).toContain('Result');
    expect(detail.findAll('button').map((one) => one.text())).not.toContain('Run again');
    detail.unmount();
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
    leave();
    undo('The form was emptied');
    const later = show(tool, run);
    await nextTick();
    expect(later.find<HTMLInputElement>('[data-field=a] input').element.value).toBe('mine');
  });
});
