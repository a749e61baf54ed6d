// @vitest-environment happy-dom
import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CallError, type Native } from '@/platform';
import { fakeTransport } from '@/platform/fake';
import { TRANSPORT } from '@/shared/data/calls';
import { NATIVE } from '@/shared/data/native';
import { i18n } from '@/shared/i18n';
import { fileText } from './lines';
import LogTab from './LogTab.vue';
import { TestLog } from './testLog';

let page: VueWrapper | undefined;
const native = {
  copyText: vi.fn<Native['copyText']>(async () => undefined),
  copyImage: vi.fn<Native['copyImage']>(async () => undefined),
  saveFile: vi.fn<Native['saveFile']>(async () => true),
};

beforeEach(() => {
  vi.useFakeTimers();
  i18n.global.locale.value = 'en';
});
afterEach(() => {
  page?.unmount();
  vi.useRealTimers();
  vi.clearAllMocks();
});

async function open(log: TestLog) {
  page = mount(LogTab, {
    props: { tool: 'reader' },
    attachTo: document.body,
    global: {
      plugins: [i18n],
      provide: { [TRANSPORT as symbol]: fakeTransport(log.handlers()), [NATIVE as symbol]: native },
    },
  });
  await settle();
  return page;
}

async function settle(ms = 1_000) {
  await vi.advanceTimersByTimeAsync(ms);
  await flushPromises();
}

const rows = () => page?.findAll('[role=option]') ?? [];
const last = () => rows().at(-1)?.text() ?? '';
const button = (name: string) => {
  const found = page?.findAll('button').find((one) => one.attributes('aria-label') === name);
  if (!found) throw new Error(`no button ${name}`);
  return found;
};
const scroller = () => (page as VueWrapper).find<HTMLElement>('[role=listbox]');

/** As if the person had dragged the scrollbar there. */
async function scrollTo(top: number) {
  const element = scroller().element;
  // The first one only says what the page has set itself.
  await scroller().trigger('scroll');
  element.scrollTop = top;
  await scroller().trigger('scroll');
  await settle();
}

it('shows the end of a long log, drawing only what is seen', async () => {
  await open(new TestLog(100_000));
  expect(rows().length).toBeLessThan(80);
  expect(last()).toContain('record 99999');
  expect(page?.text()).toContain('100,000 records');
  expect(page?.text()).toContain('Following');
});

it('follows, holds when one scrolls away, counts, and jumps back', async () => {
  const log = new TestLog(1_000);
  await open(log);
  log.append(5);
  await settle();
  expect(last()).toContain('record 1004');
  await scrollTo(2_000);
  expect(page?.text()).toContain('Not following');
  log.append(12);
  await settle();
  expect(last()).not.toContain('record 1016');
  const jump = page?.findAll('button').find((one) => one.text() === '12 new records');
  await jump?.trigger('click');
  await settle();
  expect(last()).toContain('record 1016');
  expect(page?.text()).toContain('Following');
});

it('shows the record of every row after scrolling', async () => {
  const log = new TestLog(10_000);
  await open(log);
  await scrollTo(100_000);
  expect(rows().length).toBeGreaterThan(20);
  for (const row of rows()) {
    expect(row.text()).toContain(`record ${row.attributes('data-index')}`);
    expect(row.attributes('aria-posinset')).toBe(String(Number(row.attributes('data-index')) + 1));
  }
});

it('pauses with the space bar, and asks for nothing then', async () => {
  const log = new TestLog(100);
  await open(log);
  await scroller().trigger('keydown', { key: ' ' });
  expect(log.open).toBe(0);
  log.append(5);
  await settle(30_000);
  expect(last()).toContain('record 99');
  expect(page?.text()).toContain('Paused');
  await button('Go on').trigger('click');
  await settle();
  expect(last()).toContain('record 104');
});

it('ends the waiting call when it leaves the page', async () => {
  const log = new TestLog(10);
  await open(log);
  expect(log.open).toBe(1);
  page?.unmount();
  page = undefined;
  await settle();
  expect([log.open, log.aborted]).toEqual([0, 1]);
});

it('starts over for another tool', async () => {
  const log = new TestLog(10);
  await open(log);
  await page?.setProps({ tool: 'writer' });
  await settle();
  expect(log.open).toBe(1);
  expect(log.asked.at(-1)?.tool).toBe('writer');
});

it('filters by level, with the counts of all', async () => {
  const log = new TestLog(40);
  await open(log);
  const chip = page?.findAll('button[aria-pressed]').find((one) => /^Error/.test(one.text()));
  expect(chip?.text()).toMatch(/10$/);
  await chip?.trigger('click');
  await settle();
  expect(page?.text()).toContain('10 of 40 records');
  expect(rows().every((row) => row.text().includes('ERROR'))).toBe(true);
});

it('says why it is empty, and clears the filter', async () => {
  const log = new TestLog(0);
  await open(log);
  expect(page?.text()).toContain('Nothing logged yet');
  log.append(10, undefined, 'INFO');
  await settle();
  expect(rows()).toHaveLength(10);
  const chip = page?.findAll('button[aria-pressed]').find((one) => /^Error/.test(one.text()));
  await chip?.trigger('click');
  await settle();
  expect(page?.text()).toContain('No records of these levels');
  const clear = page?.findAll('button').find((one) => one.text() === 'Clear filter');
  await clear?.trigger('click');
  await settle();
  expect(rows()).toHaveLength(10);
});

it('shows a failure with its code, keeps what it had, and tries again at once', async () => {
  const log = new TestLog(10);
  await open(log);
  log.failure = new CallError({ code: 'log_unreadable', message: 'The log could not be read.' });
  log.wake();
  await settle();
  expect(page?.find('[role=alert]').text()).toContain('log_unreadable');
  expect(rows()).toHaveLength(10);
  log.failure = undefined;
  const retry = page?.findAll('button').find((one) => one.text() === 'Try again');
  await retry?.trigger('click');
  await settle(50);
  expect(page?.find('[role=alert]').exists()).toBe(false);
});

it('moves by keys, opens the record, folds its payload', async () => {
  const log = new TestLog(50);
  log.append(1, () => 'saved\nsecond line {"rows":12,"ok":true}');
  await open(log);
  await scroller().trigger('keydown', { key: 'ArrowUp' });
  await scroller().trigger('keydown', { key: 'Enter' });
  await settle();
  expect(scroller().attributes('aria-activedescendant')).toBe(rows().at(-1)?.attributes('id'));
  expect(page?.text()).toContain('Not following');
  const detail = page?.find('[aria-label="Chosen record"]');
  expect(detail?.text()).toContain('saved\nsecond line');
  expect(detail?.text()).toContain('"rows": 12');
  const fold = detail?.find('[aria-expanded]');
  await fold?.trigger('click');
  expect(detail?.text()).not.toContain('"rows": 12');
  await fold?.trigger('click');
  await scroller().trigger('keydown', { key: 'Home' });
  await settle();
  expect(detail?.text()).toContain('record 0');
  await scroller().trigger('keydown', { key: 'End' });
  await settle();
  expect(page?.text()).toContain('Following');
  await scroller().trigger('keydown', { key: 'Escape' });
  expect(page?.find('[aria-label="Chosen record"]').exists()).toBe(false);
});

it('goes to what is searched and says which match it is', async () => {
  const log = new TestLog(0);
  log.append(5_000, (index) => (index % 1_000 === 7 ? 'Needle found' : 'hay'));
  await open(log);
  const field = page?.find('input[type=search]');
  await field?.setValue('needle');
  await settle();
  expect(page?.text()).toContain('5 of 5');
  expect(page?.find('[aria-selected=true]').attributes('data-index')).toBe('4007');
  expect(page?.find('[aria-selected=true] mark').text()).toBe('Needle');
  await field?.trigger('keydown', { key: 'Enter', shiftKey: true });
  await settle();
  expect(page?.text()).toContain('4 of 5');
  expect(page?.find('[aria-selected=true]').attributes('data-index')).toBe('3007');
  await field?.trigger('keydown', { key: 'Enter' });
  await settle();
  expect(page?.text()).toContain('5 of 5');
});

it('copies the chosen records, or those that are seen', async () => {
  const log = new TestLog(1_000);
  await open(log);
  await button('Copy visible records').trigger('click');
  await settle();
  expect(native.copyText.mock.calls[0]?.[0]).toContain('record 999');
  await scroller().trigger('keydown', { key: 'Home' });
  for (let page = 0; page < 3; page += 1) {
    await scroller().trigger('keydown', { key: 'PageDown', shiftKey: true });
  }
  await scroller().trigger('keydown', { key: 'c', ctrlKey: true });
  await settle();
  const cursor = page?.find(`#${CSS.escape(scroller().attributes('aria-activedescendant') ?? '')}`);
  const end = Number(cursor?.attributes('data-index'));
  expect(end).toBeGreaterThan(60);
  const chosen = log.records
    .slice(0, end + 1)
    .map(fileText)
    .join('');
  expect(native.copyText.mock.calls[1]?.[0]).toBe(chosen.trimEnd());
});

it('says why copying failed', async () => {
  native.copyText.mockRejectedValueOnce(new CallError({ code: 'clipboard_refused' }));
  await open(new TestLog(10));
  await button('Copy visible records').trigger('click');
  await settle();
  expect(page?.find('[role=alert]').text()).toContain('The clipboard refused the text.');
});

it('exports the whole log, whatever is filtered', async () => {
  const log = new TestLog(1_300);
  await open(log);
  const chip = page?.findAll('button[aria-pressed]').find((one) => /^Error/.test(one.text()));
  await chip?.trigger('click');
  await settle();
  await button('Export the whole log').trigger('click');
  await settle();
  const [name, content] = native.saveFile.mock.calls[0] ?? [];
  expect(name).toMatch(/^reader-\d{8}-\d{6}\.log$/);
  expect(await content?.text()).toBe(log.records.map(fileText).join(''));
});

it('cancels an export', async () => {
  const log = new TestLog(5_000);
  await open(log);
  log.latency = () => 100;
  await button('Export the whole log').trigger('click');
  await settle(250);
  expect(page?.find('[role=progressbar]').attributes('aria-valuenow')).toBe('20');
  await button('Cancel export').trigger('click');
  await settle();
  expect(native.saveFile).not.toHaveBeenCalled();
  expect(page?.find('[role=progressbar]').exists()).toBe(false);
  expect(page?.find('[role=alert]').exists()).toBe(false);
});

it('does not read every line aloud', async () => {
  await open(new TestLog(10));
  const log = page?.find('[role=log]');
  expect(log?.attributes('aria-live')).toBe('off');
  expect(log?.attributes('aria-label')).toBe('Log of reader');
});
