// @vitest-environment happy-dom
import { forEachDiagnostic } from '@codemirror/lint';
import { EditorView } from '@codemirror/view';
import { flushPromises } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunNews, RunWatch, ScriptParams, ScriptResult } from '@/generated/calls';
import { CallError } from '@/platform';
import type { FakeHandlers } from '@/platform/fake';
import { useToasts } from '@/shared/composables/toasts';
import { mountPart, type Mounted } from '@/shared/testing';
import ScratchpadPage from './ScratchpadPage.vue';
import { runOnArrival, scratch } from './scratchpad/scratch';
import { pictureNumber, shelfOf } from './testPictures';

/** An owner whose script ends when the test says so. */
function slowOwner() {
  let end: ((result: Partial<ScriptResult>) => void) | undefined;
  let tell: ((news: RunNews) => void) | undefined;
  let asked: ScriptParams | undefined;
  const handlers: FakeHandlers = {
    ...shelfOf(1).handlers,
    run_javascript: (params: ScriptParams) => {
      asked = params;
      return new Promise<ScriptResult>((resolve) => {
        end = (result) =>
          resolve({ run: 'r', success: true, value: null, durationMs: 12, log: [], ...result });
      });
    },
    'run.watch': (_: RunWatch, signal?: AbortSignal) =>
      new Promise<RunNews>((resolve, reject) => {
        tell = resolve;
        signal?.addEventListener('abort', () => reject(new Error('aborted')));
      }),
    'run.cancel': () => {
      end?.({ success: false, value: { error: 'cancelled', message: 'Cancelled.' } });
      return {};
    },
  };
  return {
    handlers,
    asked: () => asked,
    end: async (result: Partial<ScriptResult>) => {
      end?.(result);
      await flushPromises();
    },
    tell: async (news: Partial<RunNews>) => {
      tell?.({ state: 'running', lines: [], next: 1, version: 1, ...news });
      await flushPromises();
    },
  };
}

let mounted: Mounted | undefined;

async function open(handlers: FakeHandlers) {
  mounted = await mountPart(ScratchpadPage, { at: '/canvas/scratchpad', handlers });
  const { wrapper } = mounted;
  const named = (name: string) => wrapper.findAll('button').find((one) => one.text() === name);
  const editor = () =>
    EditorView.findFromDOM(wrapper.find('.scratch-editor .code .cm-editor').element as HTMLElement);
  const marks = () => {
    const found: { line: number; message: string }[] = [];
    const view = editor();
    if (!view) throw new Error('there is no editor');
    forEachDiagnostic(view.state, ({ message }, from) =>
      found.push({ line: view.state.doc.lineAt(from).number, message }),
    );
    return found;
  };
  return { ...mounted, named, editor, marks };
}

beforeEach(() => {
  scratch.code = 'getCanvas();\nnull.x;\n';
  scratch.input = '';
  scratch.phase = { name: 'idle' };
});

afterEach(() => {
  mounted?.wrapper.unmount();
  vi.useRealTimers();
});

describe('a run', () => {
  it('sends code and input under a name of its own, and shows picture, value and console', async () => {
    const owner = slowOwner();
    scratch.input = '{"values": [1, 2]}';
    const { named, wrapper } = await open(owner.handlers);
    await named('Run')?.trigger('click');
    expect(owner.asked()).toMatchObject({ code: scratch.code, input: { values: [1, 2] } });
    expect(owner.asked()?.run).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-/);
    expect(named('Cancel')).toBeDefined();
    await owner.end({
      value: { result: { seeds: 900 }, images: [pictureNumber(0).file] },
      log: ['hello', '[Error] dry'],
    });
    expect(wrapper.find('.scratch-picture img').attributes('src')).toBe(pictureNumber(0).url);
    expect(wrapper.find('.scratch-value').text()).toContain('900');
    const lines = wrapper.findAll('.scratch-console li');
    expect(lines.map((line) => line.text())).toEqual(['hello', 'ERRORdry']);
    expect(lines[1]?.classes()).toContain('error');
    expect(named('Run')).toBeDefined();
  });

  it('starts by Ctrl+Enter, also from within the editor', async () => {
    const owner = slowOwner();
    const { wrapper } = await open(owner.handlers);
    const content = wrapper.find('.scratch-editor .cm-content');
    await content.trigger('keydown', { key: 'Enter', ctrlKey: true });
    expect(owner.asked()?.code).toBe(scratch.code);
    await owner.end({});
    expect(wrapper.text()).toContain('The script returned nothing and drew nothing.');
  });

  it('refetches what it made stale', async () => {
    const owner = slowOwner();
    const { named, client } = await open(owner.handlers);
    client.setQueryData(['artifact.list', { offset: 0, limit: 1 }], { artifacts: [], total: 0 });
    await named('Run')?.trigger('click');
    await owner.end({});
    const query = client.getQueryState(['artifact.list', { offset: 0, limit: 1 }]);
    expect(query?.isInvalidated).toBe(true);
  });

  it('shows lines while it goes on', async () => {
    const owner = slowOwner();
    const { named, wrapper } = await open(owner.handlers);
    await named('Run')?.trigger('click');
    await flushPromises();
    await owner.tell({ lines: [{ at: 1, level: 'WARN', text: 'half way' }] });
    expect(wrapper.find('.scratch-console').text()).toContain('half way');
    await owner.end({ log: ['half way', 'done'] });
    expect(wrapper.findAll('.scratch-console li')).toHaveLength(2);
  });

  it('goes on when the page is left, and is found again', async () => {
    const owner = slowOwner();
    const first = await open(owner.handlers);
    await first.named('Run')?.trigger('click');
    first.wrapper.unmount();
    const second = await open(owner.handlers);
    expect(second.named('Cancel')).toBeDefined();
    await owner.end({ value: 'still here' });
    expect(second.wrapper.find('.scratch-value').text()).toContain('still here');
    second.wrapper.unmount();
    const third = await open(owner.handlers);
    expect(third.wrapper.find('.scratch-value').text()).toContain('still here');
  });

  it('runs at once when it was asked for from the empty gallery', async () => {
    const owner = slowOwner();
    runOnArrival();
    await open(owner.handlers);
    expect(owner.asked()?.code).toBe(scratch.code);
    await owner.end({});
  });
});

describe('a failure', () => {
  const failed = {
    success: false,
    value: {
      error: 'js_execution_failed',
      message: 'TypeError: cannot read property x of null',
      hint: 'Mend it.',
      line: 2,
      column: 6,
      stack: '    at <anonymous> (script.js:2:6)',
    },
  };

  it('is told with code, message and hint, and marks its line', async () => {
    const owner = slowOwner();
    const { named, wrapper, marks, editor } = await open(owner.handlers);
    await named('Run')?.trigger('click');
    await owner.end(failed);
    const alert = wrapper.find('[role=alert]').text();
    expect(alert).toContain('js_execution_failed');
    expect(alert).toContain('cannot read property x of null');
    expect(alert).toContain('Mend it.');
    expect(wrapper.find('pre').text()).toContain('script.js:2:6');
    expect(marks()).toEqual([{ line: 2, message: failed.value.message }]);
    await named('Go to line 2')?.trigger('click');
    const view = editor();
    expect(view?.state.doc.lineAt(view.state.selection.main.head).number).toBe(2);
  });

  it('loses its mark when the script is changed', async () => {
    const owner = slowOwner();
    const { named, marks } = await open(owner.handlers);
    await named('Run')?.trigger('click');
    await owner.end(failed);
    scratch.code += '// mended';
    await flushPromises();
    expect(marks()).toEqual([]);
  });

  it('of the start is told as such, and running again is possible', async () => {
    const away = () => {
      throw new CallError({ code: 'server_not_running' });
    };
    const { named, wrapper } = await open({ ...slowOwner().handlers, run_javascript: away });
    await named('Run')?.trigger('click');
    await flushPromises();
    expect(wrapper.find('[role=alert]').text()).toContain('The server is not running.');
    expect(named('Run')?.attributes('disabled')).toBeUndefined();
  });
});

describe('a connection that breaks', () => {
  const cut = () => new CallError({ code: 'connection_broken' });
  const RESULT = { run: 'r', success: true, value: 7, durationMs: 12, log: [] };

  /** Breaks while the script runs; `ending` is what is said when its end is asked for again. */
  function brokenOwner(ending: () => unknown) {
    const asked: (boolean | undefined)[] = [];
    let away = true;
    const handlers: FakeHandlers = {
      ...slowOwner().handlers,
      run_javascript: async (_params, _signal, long) => {
        asked.push(long?.again);
        if (!long?.again) throw cut();
        return ending();
      },
      'run.active': () => {
        if (away) throw cut();
        return { runs: [] };
      },
    };
    return { handlers, asked, come: () => (away = false) };
  }

  beforeEach(() => void vi.useFakeTimers());

  it('is waited out, and the real end is shown without a second run', async () => {
    const owner = brokenOwner(() => RESULT);
    const { named, wrapper } = await open(owner.handlers);
    await named('Run')?.trigger('click');
    await vi.advanceTimersByTimeAsync(4000);
    expect(wrapper.text()).toContain('Connection lost, waiting for the server');
    expect(wrapper.find('[role=alert]').exists()).toBe(false);
    owner.come();
    await vi.advanceTimersByTimeAsync(4000);
    expect(wrapper.find('.scratch-value').text()).toContain('7');
    expect(owner.asked).toEqual([undefined, true]);
  });

  it('has cut the run off when another server knows nothing of it', async () => {
    const owner = brokenOwner(() => {
      throw new CallError({ code: 'answer_not_known' });
    });
    owner.handlers['run.show'] = () => {
      throw new CallError({ code: 'run_not_found' });
    };
    owner.come();
    const { named, wrapper } = await open(owner.handlers);
    await named('Run')?.trigger('click');
    await vi.advanceTimersByTimeAsync(1000);
    expect(wrapper.find('[role=alert]').text()).toContain('The run was cut off');
    expect(named('Run')).toBeDefined();
  });

  it('lets the run be called off when the server is there again', async () => {
    const owner = brokenOwner(() => new Promise(() => undefined));
    const { named, transport } = await open(owner.handlers);
    await named('Run')?.trigger('click');
    await vi.advanceTimersByTimeAsync(1000);
    await named('Cancel')?.trigger('click');
    const cancels = () => transport.calls.filter(({ name }) => name === 'run.cancel');
    expect(cancels()).toEqual([]);
    owner.come();
    await vi.advanceTimersByTimeAsync(4000);
    expect(cancels()).toHaveLength(1);
  });
});

describe('cancelling', () => {
  it('asks for the end of this very run', async () => {
    const owner = slowOwner();
    const { named, wrapper, transport } = await open(owner.handlers);
    await named('Run')?.trigger('click');
    await named('Cancel')?.trigger('click');
    await flushPromises();
    const run = owner.asked()?.run;
    expect(transport.calls).toContainEqual({ name: 'run.cancel', params: { run } });
    expect(wrapper.text()).toContain('Cancelled.');
    expect(named('Run')).toBeDefined();
  });

  it('that is refused says so; the run goes on', async () => {
    const owner = slowOwner();
    const refuse = () => {
      throw new CallError({ code: 'server_not_reachable' });
    };
    const { named, wrapper } = await open({ ...owner.handlers, 'run.cancel': refuse });
    await named('Run')?.trigger('click');
    await named('Cancel')?.trigger('click');
    await flushPromises();
    expect(wrapper.find('[role=alert]').text()).toContain('The server does not answer.');
    expect(named('Cancel')).toBeDefined();
    await owner.end({ value: 5 });
    expect(wrapper.find('.scratch-value').text()).toContain('5');
  });
});

describe('the draft', () => {
  it('is kept', async () => {
    const { editor } = await open(slowOwner().handlers);
    editor()?.dispatch({ changes: { from: 0, insert: '// mine\n' } });
    await flushPromises();
    expect(scratch.code.startsWith('// mine\n')).toBe(true);
    expect(localStorage.getItem('pm.canvas.draft')).toBe(scratch.code);
  });

  it('is an example where there is none', async () => {
    scratch.code = '';
    await open(slowOwner().handlers);
    expect(scratch.code).toContain('// Sunflower');
  });

  it('is counted, and refused when it is too long', async () => {
    scratch.code = 'x'.repeat(20_001);
    const { wrapper, named } = await open(slowOwner().handlers);
    expect(wrapper.find('.count').text()).toBe('20,001 / 20,000 characters');
    expect(wrapper.find('.count').classes()).toContain('over');
    expect(named('Run')?.attributes('disabled')).toBeDefined();
  });

  it('is not run with an input that is not JSON', async () => {
    const owner = slowOwner();
    scratch.input = '{"a": ';
    const { wrapper, named } = await open(owner.handlers);
    expect(wrapper.find('.wrong').text()).toContain('Not JSON');
    expect(named('Run')?.attributes('disabled')).toBeDefined();
    await wrapper.find('.cm-content').trigger('keydown', { key: 'Enter', ctrlKey: true });
    expect(owner.asked()).toBeUndefined();
  });

  it('comes back after an example replaced it', async () => {
    const owner = slowOwner();
    const { named } = await open(owner.handlers);
    const mine = scratch.code;
    // As with a mouse: the menu opens on pointerdown in browsers, by key everywhere.
    await named('Examples')?.trigger('keydown', { key: 'Enter' });
    await flushPromises();
    const items = [...document.querySelectorAll<HTMLElement>('[role=menuitem]')];
    expect(items).toHaveLength(6);
    items.find((item) => item.textContent?.includes('Bar chart'))?.click();
    await flushPromises();
    expect(scratch.code).toContain('// Bar chart');
    expect(owner.asked()?.code).toContain('// Bar chart');
    useToasts().shown.value.at(-1)?.action?.run();
    expect(scratch.code).toBe(mine);
    await owner.end({});
  });
});
