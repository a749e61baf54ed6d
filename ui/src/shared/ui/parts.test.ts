// @vitest-environment happy-dom
import { flushPromises, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { h, ref } from 'vue';
import { CallError } from '@/platform';
import { useToasts } from '@/shared/composables/toasts';
import { mountPart } from '@/shared/testing';
import AppTabs from './AppTabs.vue';
import ErrorPanel from './ErrorPanel.vue';
import FilterChips from './FilterChips.vue';
import QueryState from './QueryState.vue';
import SearchField from './SearchField.vue';
import SplitPane from './SplitPane.vue';
import ToastHost from './ToastHost.vue';
import VirtualList from './VirtualList.vue';

let wrapper: VueWrapper;
beforeEach(() => localStorage.clear());
afterEach(() => {
  wrapper.unmount();
  vi.useRealTimers();
});

describe('SplitPane', () => {
  const props = { storageKey: 'test', label: 'list', initial: 300, min: 200, max: 400 };
  const slots = { start: '<p class="a" />', end: '<p class="b" />' };
  const handle = () => wrapper.find('[role=separator]');
  const width = () => Number(handle().attributes('aria-valuenow'));

  it('moves by keys, stops at its ends and remembers its place', async () => {
    ({ wrapper } = await mountPart(SplitPane, { props, slots }));
    expect(width()).toBe(300);
    await handle().trigger('keydown', { key: 'ArrowRight' });
    expect(width()).toBe(316);
    await handle().trigger('keydown', { key: 'End' });
    await handle().trigger('keydown', { key: 'ArrowRight' });
    expect(width()).toBe(400);
    await handle().trigger('keydown', { key: 'Home' });
    await handle().trigger('keydown', { key: 'ArrowLeft' });
    expect(width()).toBe(200);
    expect(wrapper.find<HTMLElement>('.start').element.style.width).toBe('200px');

    await handle().trigger('keydown', { key: 'ArrowRight' });
    wrapper.unmount();
    ({ wrapper } = await mountPart(SplitPane, { props, slots }));
    expect(width()).toBe(216);
    await handle().trigger('dblclick');
    expect(width()).toBe(300);
  });

  it('shows one pane at a time in a narrow window', async () => {
    const matches = vi
      .spyOn(window, 'matchMedia')
      .mockReturnValue({ matches: true, addEventListener() {}, removeEventListener() {} } as never);
    ({ wrapper } = await mountPart(SplitPane, { props, slots }));
    expect(wrapper.find('.a').exists()).toBe(true);
    expect(wrapper.find('.b').exists()).toBe(false);
    await wrapper.setProps({ detail: true });
    expect(wrapper.find('.a').exists()).toBe(false);
    expect(wrapper.find('.b').exists()).toBe(true);
    matches.mockRestore();
  });
});

describe('VirtualList', () => {
  const items = Array.from({ length: 10_000 }, (_, index) => `row ${index}`);

  it('makes only the rows that are seen, and says how many there are', async () => {
    ({ wrapper } = await mountPart(VirtualList, {
      props: { items, size: 40, label: 'Rows' },
      slots: { default: '<template #default="{ item }"><i>{{ item }}</i></template>' },
    }));
    const rows = wrapper.findAll('[role=listitem]');
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.length).toBeLessThan(60);
    expect(rows[0]?.text()).toBe('row 0');
    expect(rows[0]?.attributes('aria-setsize')).toBe('10000');
    expect(rows[3]?.attributes('aria-posinset')).toBe('4');
    expect(wrapper.find<HTMLElement>('[role=list]').element.style.height).toBe('400000px');
  });

  it('follows the list when it shrinks', async () => {
    ({ wrapper } = await mountPart(VirtualList, { props: { items, size: 40, label: 'Rows' } }));
    await wrapper.setProps({ items: items.slice(0, 2) });
    expect(wrapper.findAll('[role=listitem]')).toHaveLength(2);
    await wrapper.setProps({ items: [] });
    expect(wrapper.findAll('[role=listitem]')).toHaveLength(0);
  });
});

describe('toasts', () => {
  // What was told before is told to everybody.
  beforeEach(() => {
    const { shown, dismiss } = useToasts();
    shown.value.forEach(({ id }) => dismiss(id));
  });

  it('go after a while, but not from under the pointer', async () => {
    vi.useFakeTimers();
    ({ wrapper } = await mountPart(ToastHost));
    const { show } = useToasts();
    const undo = vi.fn();
    show({ text: 'first' });
    show({ text: 'removed', action: { label: 'Undo', run: undo } });
    await flushPromises();
    await wrapper.findAll('.toast')[1]?.trigger('pointerenter');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(wrapper.findAll('.toast').map((one) => one.find('.text').text())).toEqual(['removed']);

    await wrapper.find('.toast button').trigger('click');
    expect(undo).toHaveBeenCalledOnce();
    expect(wrapper.findAll('.toast')).toHaveLength(0);
  });

  it('are three at most, and bad news is an alert', async () => {
    ({ wrapper } = await mountPart(ToastHost));
    const { show, shown, dismiss } = useToasts();
    for (const text of ['1', '2', '3', '4']) show({ text, tone: text === '4' ? 'bad' : 'ok' });
    await flushPromises();
    expect(shown.value.map(({ text }) => text)).toEqual(['2', '3', '4']);
    expect(wrapper.findAll('[role=alert]').map((one) => one.text())).toEqual(['4']);
    shown.value.forEach(({ id }) => dismiss(id));
  });
});

describe('QueryState', () => {
  it('waits before a skeleton, and keeps old data under a new failure', async () => {
    vi.useFakeTimers();
    const data = ref<string>();
    const error = ref<CallError | null>(null);
    const refetch = vi.fn();
    ({ wrapper } = await mountPart(
      {
        render: () =>
          h(QueryState, { query: { data, error, refetch } } as never, {
            default: (shown: { data: string }) => h('p', shown.data),
          }),
      },
      {},
    ));
    expect(wrapper.find('[aria-busy]').exists()).toBe(false);
    await vi.advanceTimersByTimeAsync(150);
    expect(wrapper.find('[aria-busy]').exists()).toBe(true);

    data.value = 'old';
    await flushPromises();
    expect(wrapper.find('p').text()).toBe('old');
    error.value = new CallError({ code: 'server_not_reachable' });
    await flushPromises();
    expect(wrapper.find('[role=alert]').text()).toContain('The server does not answer.');
    expect(wrapper.text()).toContain('old');
    await wrapper.find('[role=alert] button').trigger('click');
    expect(refetch).toHaveBeenCalledOnce();
  });
});

it('ErrorPanel copies code, message and hint', async () => {
  const error = new CallError({ code: 'timeout', message: 'It took too long.', hint: 'Ask less.' });
  const part = await mountPart(ErrorPanel, { props: { error } });
  wrapper = part.wrapper;
  await wrapper.find('button').trigger('click');
  expect(part.copied).toEqual(['timeout: It took too long.\nAsk less.']);
});

it('AppTabs has one tab stop and moves by arrows, Home and End', async () => {
  const tabs = ['a', 'b', 'c'].map((value) => ({ value, label: value.toUpperCase() }));
  ({ wrapper } = await mountPart(AppTabs, {
    props: {
      tabs,
      label: 'Tabs',
      modelValue: 'a',
      'onUpdate:modelValue': (modelValue: string) => wrapper.setProps({ modelValue }),
    },
  }));
  const chosen = () => wrapper.find('[aria-selected=true]').text();
  expect(wrapper.findAll('[tabindex="0"]')).toHaveLength(1);
  await wrapper.trigger('keydown', { key: 'ArrowLeft' });
  await flushPromises();
  expect(chosen()).toBe('C');
  expect(document.activeElement?.textContent).toBe('C');
  await wrapper.trigger('keydown', { key: 'Home' });
  await flushPromises();
  expect(chosen()).toBe('A');
});

it('AppTabs shows where more of them are than are seen', async () => {
  const tabs = ['a', 'b', 'c'].map((value) => ({ value, label: value }));
  ({ wrapper } = await mountPart(AppTabs, { props: { tabs, label: 'Tabs', modelValue: 'a' } }));
  const bar = wrapper.element as HTMLElement;
  expect(bar.className).toBe('app-tabs');
  Object.defineProperties(bar, { clientWidth: { value: 100 }, scrollWidth: { value: 250.5 } });
  const at = async (left: number) => {
    bar.scrollLeft = left;
    await wrapper.trigger('scroll');
    return bar.className;
  };
  expect(await at(0)).toBe('app-tabs right');
  expect(await at(60)).toBe('app-tabs left right');
  expect(await at(150)).toBe('app-tabs left');
});

it('FilterChips keeps the order of its options', async () => {
  const options = ['x', 'y', 'z'].map((value) => ({ value, label: value }));
  ({ wrapper } = await mountPart(FilterChips, {
    props: { options, label: 'Filter', modelValue: ['z'] },
  }));
  await wrapper.findAll('button')[0]?.trigger('click');
  expect(wrapper.emitted('update:modelValue')?.[0]).toEqual([['x', 'z']]);
});

it('SearchField empties itself with Escape before Escape goes on', async () => {
  ({ wrapper } = await mountPart(SearchField, { props: { label: 'Search', modelValue: 'abc' } }));
  const outer = vi.fn();
  document.body.addEventListener('keydown', outer);
  await wrapper.find('input').trigger('keydown', { key: 'Escape' });
  expect(wrapper.emitted('update:modelValue')?.[0]).toEqual(['']);
  expect(outer).not.toHaveBeenCalled();
  document.body.removeEventListener('keydown', outer);
});
