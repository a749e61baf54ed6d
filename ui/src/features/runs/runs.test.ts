// @vitest-environment happy-dom
import { flushPromises } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CallError } from '@/platform';
import { i18n } from '@/shared/i18n';
import { uuid } from '@/shared/uuid';
import { controlEnter, leave, line, openRun, record, runs, show, toolWith } from './testRuns';

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

beforeEach(() => {
  i18n.global.locale.value = 'en';
  localStorage.clear();
});
afterEach(() => {
  vi.useRealTimers();
  leave();
});

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
    const tab = show(toolWith({}), run);
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
    expect(tab.find('.run-lines').text()).toContain('4');
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
    expect(tab.find('.error-panel').text()).toContain('The run was cut off');

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

  it('offers to run again what its author says can be tried again, and nothing else of hers', async () => {
    const run = openRun();
    const tab = show(toolWith({}), run);
    const fails = async (retryable: boolean) => {
      const args = { business: 'BUSY', retryable };
      run.end({ success: false, error: { code: 'js_execution_failed', message: 'Busy.', args } });
      await flushPromises();
    };
    const again = () =>
      tab.findAll('.error-panel .actions button').filter((one) => one.text() === 'Try again');
    controlEnter();
    await flushPromises();
    await fails(true);
    expect(tab.find('.advice').text()).toContain('may help');
    await again()[0]?.trigger('click');
    await flushPromises();
    expect(runs(run)).toHaveLength(2);
    await fails(false);
    expect(again()).toHaveLength(0);
    expect(tab.find('.advice').text()).toContain('solve the problem first');
  });
});

it('makes UUIDs without what insecure pages have not got', () => {
  const all = new Set(Array.from({ length: 500 }, uuid));
  expect(all.size).toBe(500);
  for (const one of all) expect(one).toMatch(UUID);
});
