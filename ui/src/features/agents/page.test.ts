// @vitest-environment happy-dom
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { CallError } from '@/platform';
import type { FakeHandlers, Scene } from '@/platform/fake';
import agents from '@/platform/fake/agents';
import {
  button,
  choose,
  mountPart,
  sent,
  settle,
  words,
  write,
  type Mounted,
} from '@/shared/testing';
import AgentsPage from './AgentsPage.vue';
import TaskDetail from './TaskDetail.vue';
import TaskList from './TaskList.vue';

let mounted: Mounted | undefined;
beforeEach(() => localStorage.clear());
afterEach(() => {
  mounted?.wrapper.unmount();
  mounted = undefined;
  document.body.innerHTML = '';
});
beforeAll(() => {
  Element.prototype.scrollTo = () => undefined;
});

const NO_MODELS = { services: [], usual: undefined };

async function page(at: string, scene: Scene = 'full', more: FakeHandlers = {}) {
  mounted = await mountPart(AgentsPage, {
    at,
    handlers: {
      ...agents(scene),
      'approval.list': () => ({ approvals: [], total: 0 }),
      'models.list': () => NO_MODELS,
      ...more,
    },
  });
  await settle();
  return mounted;
}

test('whoever opens a task sees what was said, who is at work, and what it costs', async () => {
  await page('/agents/calc');
  expect(words()).toContain('working');
  expect(words()).toContain('May I?');
  expect(words()).toContain('At work: architect 2, programmer 3');
  expect(words()).toContain('18,400 of 20,000');
  // Between agents alone is not with the person.
  expect(words()).not.toContain('Objective: a calculator');
});

test('an answer goes to whoever asked, and what could not be sent stays', async () => {
  let refuse = true;
  const { transport } = await page('/agents/calc', 'full', {
    'society.post': () => {
      if (refuse)
        throw new CallError({ code: 'agent_terminating', message: 'The agent is ending' });
      return {};
    },
  });
  write('Your message', 'Do it.');
  await settle();
  button('Send').click();
  await settle();
  expect(sent(transport, 'society.post')).toEqual([{ task: 'calc', agent: 2, text: 'Do it.' }]);
  expect(words()).toContain('The agent is ending');
  expect(document.querySelector('textarea')?.value).toBe('Do it.');
  refuse = false;
  button('Send').click();
  await settle();
  expect(document.querySelector('textarea')?.value).toBe('');
});

test('the tree shows who made whom, and the chosen one what it remembers', async () => {
  const { transport } = await page('/agents/calc/team', 'full', {
    'workspace.diff': () => ({
      oldPath: 'add.sh',
      newPath: 'add.sh',
      text: '--- add.sh\n+++ add.sh\n@@ -1 +1 @@\n-echo old\n+echo new\n',
      truncated: false,
    }),
  });
  const rows = [...document.querySelectorAll('[role=treeitem]')];
  expect(rows.map((row) => row.getAttribute('aria-level'))).toEqual(['1', '2', '3', '3']);
  expect(rows[2]?.textContent).toContain('run_command');
  (rows[3] as HTMLElement).click();
  await settle();
  expect(words()).toContain('The same steps came again and again');
  expect(words()).toContain('write_file');
  // What it changed is asked for when somebody wants to see it.
  expect(sent(transport, 'workspace.diff')).toEqual([]);
  const call = document.querySelector<HTMLDetailsElement>('.call-item details');
  if (!call) throw new Error('no call');
  call.open = true;
  call.dispatchEvent(new Event('toggle'));
  await settle();
  expect(sent(transport, 'workspace.diff')).toEqual([
    { taskId: 'calc', old: { before: 'c1' }, new: { after: 'c1' } },
  ]);
  expect(words()).toContain('echo new');
  button('Stop').click();
  await settle();
  expect(sent(transport, 'society.stop')).toEqual([{ task: 'calc', agent: 4 }]);
});

test('a task that has used up its budget says so, is given more and goes on', async () => {
  const { transport } = await page('/agents/poem');
  expect(words()).toContain('The budget is used up: tokens');
  button('Go on').click();
  await settle();
  expect(sent(transport, 'society.resume')).toEqual([{ task: 'poem' }]);
  expect(words()).not.toContain('The budget is used up');
});

test('a task is gone through step by step', async () => {
  const { transport } = await page('/agents/calc/steps');
  expect(words()).toContain('40 of 40');
  button('To the beginning').click();
  await new Promise((resolve) => setTimeout(resolve, 150));
  await settle();
  expect(words()).toContain('1 of 40');
  expect(document.querySelectorAll('[role=treeitem]')).toHaveLength(1);
  expect(sent(transport, 'society.open')).toContainEqual({ task: 'calc', version: 1 });
});

test('a new task says that there is no model, and is opened when it was begun', async () => {
  const { transport, router } = await page('/agents', 'empty');
  button('New task').click();
  await settle();
  expect(words()).toContain('No model service is set up');
  write('What do you want?', 'A poem');
  await settle();
  button('Begin').click();
  await settle();
  expect(sent(transport, 'society.submit')).toEqual([{ text: 'A poem' }]);
  expect(router.currentRoute.value.path).toBe('/agents/new');
});

test('a task is done again with the answers that were recorded, and says so', async () => {
  const { transport, router } = await page('/agents/old');
  // The list has one as well.
  const menu = [...document.querySelectorAll('[aria-label=More]')].at(-1);
  await choose(menu ?? 'More', 'Do it again as recorded');
  expect(sent(transport, 'society.replay')).toEqual([{ task: 'old' }]);
  expect(router.currentRoute.value.path).toBe('/agents/again');
  expect(words()).toContain('Repeats the recorded answers of calc');
});

test('a removed task leaves the page, and comes back from the trash', async () => {
  const { router, transport, wrapper } = await page('/agents/old');
  wrapper.findComponent(TaskDetail).vm.$emit('remove');
  await settle();
  expect(sent(transport, 'society.remove')).toEqual([{ task: 'old' }]);
  expect(router.currentRoute.value.path).not.toBe('/agents/old');
  const rows = () => [...document.querySelectorAll('[role=option]')].map((one) => one.textContent);
  await vi.waitFor(() => expect(rows().join()).not.toContain('An old one'));
  wrapper.findComponent(TaskList).vm.$emit('removed');
  await settle();
  button('Bring back An old one').click();
  await settle();
  expect(router.currentRoute.value.path).toBe('/agents/old');
});

test('why a task was not removed is said at this one and at no other', async () => {
  let refuse: ((failure: CallError) => void) | undefined;
  const { router, wrapper } = await page('/agents/old', 'full', {
    'society.remove': () => new Promise<never>((_, reject) => (refuse = reject)),
  });
  const failed = async () => {
    refuse?.(new CallError({ code: 'disk_full', message: 'The disk is full.' }));
    await settle();
  };
  wrapper.findComponent(TaskDetail).vm.$emit('remove');
  await failed();
  expect(words()).toContain('The disk is full.');
  await router.push('/agents/calc');
  await settle();
  expect(words()).not.toContain('The disk is full.');
  await router.push('/agents/old');
  await settle();
  wrapper.findComponent(TaskDetail).vm.$emit('remove');
  await router.push('/agents/calc');
  await failed();
  expect(words()).not.toContain('The disk is full.');
  expect(router.currentRoute.value.path).toBe('/agents/calc');
});

test('of ten thousand messages the last are shown, and twice as many each time', async () => {
  const { transport } = await page('/agents/t1', 'many');
  expect(words()).toContain('Answer 10000');
  const asked = () =>
    transport.calls.flatMap(({ name, params }) =>
      name === 'society.messages' ? [(params as { limit: number }).limit] : [],
    );
  for (const limit of [120, 240]) {
    button('Show older ones').click();
    await settle();
    expect(asked().at(-1)).toBe(limit);
  }
  expect(words()).toContain('Question 9761');
  expect(words()).not.toContain('Answer 9760,');
});
