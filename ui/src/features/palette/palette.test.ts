// @vitest-environment happy-dom
import { flushPromises } from '@vue/test-utils';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { handlersOf, type FakeHandlers } from '@/platform/fake';
import { mountPart, settle, type Mounted } from '@/shared/testing';
import { theme } from '@/shared/composables/theme';
import { currentLanguage } from '@/shared/i18n';
import { PLACES as SERVERS } from '@/features/servers/places';
import CommandPalette from './CommandPalette.vue';

const handlers: FakeHandlers = {
  ...handlersOf('full'),
  'artifact.list': () => ({ artifacts: [], total: 0 }),
};

let part: Mounted;
beforeEach(async () => {
  part = await mountPart(CommandPalette, { props: { open: true }, handlers });
});
afterEach(() => part.wrapper.unmount());

const field = () => document.querySelector<HTMLInputElement>('[role=combobox]');
const options = () => [...document.querySelectorAll('[role=option]')];
const labels = () => options().map((one) => one.querySelector('.label')?.textContent);
const chosen = () => document.querySelector('[role=option][aria-selected=true]');

async function type(text: string) {
  const input = field();
  if (!input) throw new Error('no field');
  input.value = text;
  input.dispatchEvent(new Event('input'));
  await flushPromises();
}

async function press(key: string, more: KeyboardEventInit = {}) {
  field()?.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }),
  );
  await flushPromises();
}

const opened = () => (part.wrapper.emitted('update:open') ?? []).at(-1)?.[0];

it('offers rooms, actions and tools, and names the chosen row to screen readers', () => {
  expect(labels()).toContain('Canvas');
  expect(labels()).toContain('Copy the MCP address');
  expect(labels()).toContain('filesystem');
  expect(chosen()?.querySelector('.label')?.textContent).toBe('Tools');
  expect(field()?.getAttribute('aria-activedescendant')).toBe(chosen()?.id);
});

it('moves with the arrows, round both ends', async () => {
  await press('ArrowDown');
  expect(chosen()).toBe(options()[1]);
  await press('ArrowUp');
  await press('ArrowUp');
  expect(chosen()).toBe(options().at(-1));
  await press('ArrowDown');
  expect(chosen()).toBe(options()[0]);
});

it('goes where Enter says and closes', async () => {
  await type('isolat');
  expect(labels()[0]).toBe('Isolation');
  await press('Enter');
  expect(part.router.currentRoute.value.path).toBe('/settings/isolation');
  expect(opened()).toBe(false);
});

it('leaves Enter to the input method while a word is being written', async () => {
  await type('isolat');
  await press('Enter', { isComposing: true });
  expect(part.router.currentRoute.value.path).toBe('/');
});

it('finds a tool to look at and to run', async () => {
  await type('run filesys');
  expect(labels()[0]).toBe('Run filesystem');
  await press('Enter');
  expect(part.router.currentRoute.value.path).toBe('/tools/filesystem/run');
});

it.each([
  ['add a tool', '/tools?add=1'],
  ['new prompt', '/prompts?new=1'],
  ['add an mcp', '/tools/@servers?add=1'],
  ['new skill', '/prompts/skills?new=1'],
  ['ask the assistant', '/assistant?ask=1'],
  ['bind', '/workspaces?bind=1'],
])('begins something new: %s', async (typed, place) => {
  await type(typed);
  await press('Enter');
  expect(part.router.currentRoute.value.fullPath).toBe(place);
});

it('begins a new prompt beside the one that is looked at', async () => {
  await part.router.push('/prompts/writing%2Fpoem.yaml/edit');
  await type('new prompt');
  await press('Enter');
  expect(part.router.currentRoute.value.fullPath).toBe('/prompts/writing%2Fpoem.yaml/edit?new=1');
});

it('finds a prompt by words of its text, as the server does', async () => {
  await type('careful reviewer');
  await settle();
  expect(part.transport.calls.filter(({ name }) => name === 'prompt.list').at(-1)?.params).toEqual({
    words: 'careful reviewer',
    search: 'full_text',
    group: '',
    page: { offset: 0, limit: 50 },
  });
  expect(labels()).toEqual(['Code review']);
  await press('Enter');
  expect(part.router.currentRoute.value.fullPath).toBe('/prompts/code-review.yaml');
});

it('offers no prompt that was found by what was typed before', async () => {
  part.wrapper.unmount();
  const list = handlers['prompt.list'];
  let hold = false;
  part = await mountPart(CommandPalette, {
    props: { open: true },
    handlers: {
      ...handlers,
      'prompt.list': (params: unknown) => (hold ? new Promise(() => undefined) : list?.(params)),
    },
  });
  await type('careful reviewer');
  await settle();
  expect(labels()).toEqual(['Code review']);
  hold = true;
  await type('something that nothing is called');
  await settle();
  expect(labels()).toEqual([]);
});

it('leads to a server of tools', async () => {
  const [server] = (await part.transport.call('external.list', {})).servers;
  await type(server?.name ?? '');
  await settle();
  const found = options().find((one) => one.textContent?.includes(server?.target ?? 'none'));
  expect(found?.querySelector('.label')?.textContent).toBe(server?.name);
  await press('Enter');
  expect(part.router.currentRoute.value.path).toBe(SERVERS.addressOf(server?.name ?? ''));
});

it('copies the address for clients', async () => {
  await type('mcp address');
  await press('Enter');
  expect(part.copied).toEqual(['http://127.0.0.1:5621/mcp']);
});

it('changes theme and language', async () => {
  await type('dark');
  await press('Enter');
  expect(theme.value).toBe('dark');
  theme.value = 'system';

  await part.wrapper.setProps({ open: false });
  await part.wrapper.setProps({ open: true });
  await flushPromises();
  await type('language');
  await press('Enter');
  expect(currentLanguage()).toBe('zh-CN');
  expect(part.transport.calls).toContainEqual({
    name: 'settings.change',
    params: { language: 'zh-CN' },
  });
});

it('says when nothing matches', async () => {
  await type('qqqqqq');
  expect(options()).toEqual([]);
  const said = () => document.body.textContent?.includes('Nothing matches “qqqqqq”.');
  // It does not flash while the server still looks.
  expect(said()).toBe(false);
  await vi.waitUntil(said);
  await press('Enter');
  expect(part.router.currentRoute.value.path).toBe('/');
});

it('looks for prompts alone when asked so, and says when there are none', async () => {
  part.wrapper.unmount();
  part = await mountPart(CommandPalette, { props: { open: true, prompts: true }, handlers });
  await settle();
  expect(
    new Set(
      [...document.querySelectorAll('[role=group]')].map((one) => one.getAttribute('aria-label')),
    ),
  ).toEqual(new Set(['Prompts']));
  expect(labels().length).toBeGreaterThan(0);
  part.wrapper.unmount();
  const none: FakeHandlers = {
    ...handlers,
    'prompt.list': () => ({ prompts: [], total: 0, groups: [] }),
  };
  part = await mountPart(CommandPalette, { props: { open: true, prompts: true }, handlers: none });
  await vi.waitFor(() => expect(document.body.textContent).toContain('There are no prompts yet.'));
});
