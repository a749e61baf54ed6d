// @vitest-environment happy-dom
import { flushPromises } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import type { ToolSettle, ToolShipped } from '@/generated/calls';
import { CallError } from '@/platform';
import { mountPart, type Mounted } from '@/shared/testing';
import ShippedNotice from './ShippedNotice.vue';

let mounted: Mounted | undefined;
afterEach(() => {
  mounted?.wrapper.unmount();
  mounted = undefined;
  document.body.replaceChildren();
});

type Edit = ToolShipped['edits'][number];
const edit = (more: Partial<Edit> = {}): Edit => ({
  path: 'todolist.tool.js',
  runs: 'built_in',
  state: 'undecided',
  file: 'todolist.tool.js.user',
  yours: '@@ -1 +1 @@\n-old\n+hers\n',
  now: '@@ -1 +1 @@\n-old\n+newer\n',
  difference: '@@ -1 +1 @@\n-newer\n+hers\n',
  conflicts: 1,
  mergedWhole: false,
  ...more,
});
const shipped = (more: Partial<ToolShipped>): ToolShipped => ({
  tool: 'todolist',
  standing: 'built_in',
  edits: [],
  ...more,
});

async function notice(found: ToolShipped, settle?: (params: ToolSettle) => ToolShipped) {
  mounted = await mountPart(ShippedNotice, {
    props: { tool: 'todolist', title: 'Todo list' },
    handlers: { 'tool.shipped': () => found, ...(settle && { 'tool.settle': settle }) },
  });
  await flushPromises();
}

const words = () => document.body.textContent ?? '';
const button = (text: string) =>
  [...document.querySelectorAll<HTMLButtonElement>('button')].find(
    (one) => one.textContent?.trim() === text,
  );

async function press(text: string) {
  const found = button(text);
  if (!found) throw new Error(`no button ${text}`);
  found.click();
  for (let n = 0; n < 4; n += 1) await flushPromises();
}

it('says nothing of a tool that is as it came', async () => {
  await notice(shipped({}));
  expect(words().trim()).toBe('');
});

it('names what a newer program put there, what does not come any more, and a checkout', async () => {
  await notice(shipped({ standing: 'newer', program: '9.9.9' }));
  expect(words()).toContain('Prompt Manager 9.9.9');
  mounted?.wrapper.unmount();
  await notice(shipped({ standing: 'retired' }));
  expect(words()).toContain('you can remove it');
  mounted?.wrapper.unmount();
  await notice(shipped({ checkout: '/src/tools' }));
  expect(words()).toContain('/src/tools');
});

it('compares an edit with what was and what is, and does what is decided', async () => {
  const settled: ToolSettle[] = [];
  await notice(shipped({ edits: [edit()] }), (params) => {
    settled.push(params);
    return shipped({ edits: [] });
  });
  expect(words()).toContain('yours lies beside it');
  await press('Compare…');
  expect(words()).toContain('Both changed the same place.');
  expect(words()).toContain('hers');
  expect(words()).not.toContain('newer');
  const tabs = [...document.querySelectorAll<HTMLElement>('[role=tab]')];
  tabs[2]?.click();
  await flushPromises();
  expect(words()).toContain('newer');
  expect(button('Run what was merged')).toBeUndefined();
  await press('Keep mine');
  expect(settled).toEqual([{ tool: 'todolist', path: 'todolist.tool.js', take: 'mine' }]);
  expect(document.querySelector('[role=dialog]')).toBeNull();
});

it('offers what was merged only when nothing in it is left to decide', async () => {
  await notice(shipped({ edits: [edit({ merged: 'a.merge' })] }));
  await press('Compare…');
  expect(button('Run what was merged')?.disabled).toBe(true);
  expect(words()).toContain('a.merge still has marks');
  mounted?.wrapper.unmount();
  document.body.replaceChildren();
  await notice(shipped({ edits: [edit({ merged: 'a.merge', mergedWhole: true })] }));
  await press('Compare…');
  expect(button('Run what was merged')?.disabled).toBe(false);
});

it('says that an edit runs, and shows what goes wrong', async () => {
  const decided = edit({ state: 'decided', runs: 'yours', file: 'todolist.tool.js' });
  await notice(shipped({ edits: [decided] }), () => {
    throw new CallError({ code: 'toolbox_io', message: 'The disk is full' });
  });
  expect(words()).toContain('Your edit of this built-in tool runs.');
  await press('Compare…');
  expect(button('Keep mine')).toBeUndefined();
  await press('Take new');
  expect(words()).toContain('The disk is full');
});
