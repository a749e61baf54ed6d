/** What tests of runs share: a tool, an owner whose run goes on as the test says, and the tab. */

import { VueQueryPlugin } from '@tanstack/vue-query';
import { mount, type VueWrapper } from '@vue/test-utils';
import { expect, vi } from 'vitest';
import type { EditorView } from '@codemirror/view';
import type { RunNews, RunResult, ToolDetail, ToolRun } from '@/generated/calls';
import { CallError } from '@/platform';
import { fakeTransport, type FakeHandlers } from '@/platform/fake';
import { useToasts } from '@/shared/composables/toasts';
import { TRANSPORT } from '@/shared/data/calls';
import { queryClient } from '@/shared/data/client';
import { NATIVE } from '@/shared/data/native';
import CodeEditor from '@/shared/editor/CodeEditor.vue';
import { i18n } from '@/shared/i18n';
import RunTab from './RunTab.vue';

let page: VueWrapper | undefined;
let count = 0;

/** Every test has a tool of its own: runs outlive pages. */
export function toolWith(properties: Record<string, unknown>, required: string[] = []): ToolDetail {
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
export function openRun() {
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

export function show(tool: ToolDetail, { transport }: Pick<Run, 'transport'>) {
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

/** Ends the page that is shown. */
export function leave() {
  page?.unmount();
  page = undefined;
}

export const runs = ({ transport }: Run) =>
  transport.calls.filter(({ name }) => name === 'tool.run').map(({ params }) => params as ToolRun);
export const controlEnter = () =>
  window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true }));
/** A finished run as the history has it. */
export const record = (id: string) => ({
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
export function undo(text: string) {
  const toast = useToasts().shown.value.at(-1);
  expect(toast?.text).toBe(text);
  toast?.action?.run();
  if (toast) useToasts().dismiss(toast.id);
}
export const jsonOf = (tab: VueWrapper) =>
  (tab.findComponent(CodeEditor).vm as unknown as { view: EditorView }).view.state.doc.toString();
export const line = (text: string) => ({ at: 1, level: 'INFO' as const, text });
