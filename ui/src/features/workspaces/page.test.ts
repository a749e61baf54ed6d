// @vitest-environment happy-dom
import { flushPromises, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import ApprovalBanner from '@/features/approvals/ApprovalBanner.vue';
import { CallError } from '@/platform';
import { handlersOf, type FakeHandlers } from '@/platform/fake';
import { row as task } from '@/platform/fake/agents';
import { useToasts } from '@/shared/composables';
import { mountPart } from '@/shared/testing';
import WorkspacesPage from './WorkspacesPage.vue';

let wrapper: VueWrapper | undefined;
beforeEach(() => localStorage.clear());
afterEach(() => {
  wrapper?.unmount();
  document.body.replaceChildren();
});

async function page(at: string, more: FakeHandlers = {}, native = {}) {
  const handlers = { ...handlersOf('full'), ...more };
  const mounted = await mountPart(WorkspacesPage, { handlers, at, native });
  wrapper = mounted.wrapper;
  await flushPromises();
  return mounted;
}

const button = (text: string | RegExp) => {
  const found = [...document.querySelectorAll('button')].find((one) => {
    const name = one.getAttribute('aria-label') ?? one.textContent?.trim() ?? '';
    return typeof text === 'string' ? name === text : text.test(name);
  });
  if (!found) throw new Error(`no button ${text}`);
  return found;
};
const items = () =>
  [...document.querySelectorAll('[role=treeitem]')].map(
    (one) => one.querySelector('.name')?.textContent,
  );
const item = (name: string) => {
  const found = [...document.querySelectorAll<HTMLElement>('[role=treeitem]')].find(
    (one) => one.querySelector('.name')?.textContent === name,
  );
  if (!found) throw new Error(`no ${name} in the tree`);
  return found;
};

async function press(element: Element, key: string) {
  element.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  await flushPromises();
}

describe('binding', () => {
  it('takes the folder from the picker and names the task after it', async () => {
    const { transport, router } = await page(
      '/workspaces?bind=1',
      {},
      { pickFolder: async () => '/home/ada/new place' },
    );
    expect(router.currentRoute.value.fullPath).toBe('/workspaces');
    button('Choose a folder').click();
    await flushPromises();
    document
      .querySelector('form.form-dialog')
      ?.dispatchEvent(new Event('submit', { cancelable: true }));
    await flushPromises();
    expect(transport.calls.find(({ name }) => name === 'workspace.bind')?.params).toEqual({
      taskId: 'new-place',
      workspacePath: '/home/ada/new place',
    });
    expect(router.currentRoute.value.path).toBe('/workspaces/new-place');
  });

  it('is a field where there is no picker', async () => {
    await page('/workspaces?bind=1');
    expect(() => button('Choose a folder')).toThrow();
    expect(document.querySelector('form.form-dialog input')).not.toBeNull();
  });

  it('says that nothing fits a search, and clears it', async () => {
    await page('/workspaces');
    const search = document.querySelector<HTMLInputElement>('input[type=search]');
    if (!search) throw new Error('no search');
    search.value = 'nothing';
    search.dispatchEvent(new Event('input'));
    await flushPromises();
    expect(document.body.textContent).toContain('No workspace matches');
    button('Clear filter').click();
    await flushPromises();
    expect(document.querySelectorAll('[role=option]')).toHaveLength(2);
  });

  it('calls the folder of agents as their task is called', async () => {
    await page('/workspaces/weekly-report', {
      'society.list': () => ({ tasks: [task('weekly-report', 'A report each week')] }),
    });
    const names = [...document.querySelectorAll('[role=option] strong')];
    expect(names.map((one) => one.textContent)).toEqual(['A report each week', 'site']);
    expect(document.querySelector('h2')?.textContent).toContain('A report each week');
    expect(document.title).toContain('A report each week');
  });
});

describe('tree', () => {
  it('reads a folder when it is opened, by a click or by a key', async () => {
    const { transport } = await page('/workspaces/site');
    const read = () =>
      transport.calls.flatMap(({ name, params }) =>
        name === 'workspace.ls' ? [(params as { path?: string }).path ?? ''] : [],
      );
    expect(items()).toEqual(['src', 'README.md']);
    expect(read()).toEqual(['']);
    item('src').click();
    await flushPromises();
    expect(items()).toEqual(['src', 'pages', 'main.js', 'README.md']);
    await press(item('src'), 'ArrowRight');
    await press(item('pages'), 'ArrowRight');
    expect(read()).toEqual(['', 'src', 'src/pages']);
    await press(item('index.js'), 'ArrowLeft');
    await press(item('pages'), 'ArrowLeft');
    await press(item('src'), 'ArrowLeft');
    expect(items()).toEqual(['src', 'README.md']);
  });

  it('deletes by the key and takes it back', async () => {
    const { router } = await page('/workspaces/site?file=README.md');
    item('README.md').click();
    await press(item('README.md'), 'Delete');
    expect(items()).toEqual(['src']);
    expect(router.currentRoute.value.fullPath).toBe('/workspaces/site');
    useToasts().shown.value.at(-1)?.action?.run();
    await flushPromises();
    expect(items()).toEqual(['src', 'README.md']);
  });

  it('offers to read what is not UTF-8', async () => {
    const { transport } = await page('/workspaces/site?file=README.md', {
      'workspace.read': ({ encoding }: { encoding?: string }) => {
        if (encoding) return { content: '工作', size: 4, encoding };
        throw new CallError({ code: 'not_utf8', message: 'no', args: { encoding: 'gb18030' } });
      },
    });
    button('Read it as gb18030').click();
    await flushPromises();
    const last = transport.calls.filter(({ name }) => name === 'workspace.read').at(-1);
    expect(last?.params).toMatchObject({ encoding: 'gb18030' });
  });

  it('says that a file is binary', async () => {
    await page('/workspaces/site?file=README.md', {
      'workspace.read': () => ({ content: 'AAH/', size: 2048, encoding: 'base64' }),
    });
    expect(document.body.textContent).toContain('binary data, 2 kB');
  });
});

describe('the network of a task', () => {
  const choose = async (value: string) => {
    const radio = document.querySelector<HTMLInputElement>(`.network input[value=${value}]`);
    if (!radio) throw new Error(`no choice ${value}`);
    radio.checked = true;
    radio.dispatchEvent(new Event('change', { bubbles: true }));
    await flushPromises();
  };

  it('is a list of hosts that a person writes', async () => {
    const { transport } = await page('/workspaces/site/access');
    expect(document.body.textContent).toContain('No network.');
    await choose('hosts');
    expect(button('Save')).toHaveProperty('disabled', true);
    const list = document.querySelector<HTMLTextAreaElement>('.network textarea');
    if (!list) throw new Error('no list');
    list.value = ' a.example, *.b.example\nc.example:443 ';
    list.dispatchEvent(new Event('input', { bubbles: true }));
    await flushPromises();
    button('Save').click();
    await flushPromises();
    expect(transport.calls.find(({ name }) => name === 'workspace.network')?.params).toEqual({
      taskId: 'site',
      mode: 'hosts',
      hosts: ['a.example', '*.b.example', 'c.example:443'],
    });
    expect(document.body.textContent).toContain('only a.example, *.b.example, c.example:443');
    expect(() => button('Save')).toThrow();
  });

  it('is all of it only after a question', async () => {
    const { transport } = await page('/workspaces/site/access');
    await choose('full');
    button('Save').click();
    await flushPromises();
    const asked = () => transport.calls.filter(({ name }) => name === 'workspace.network');
    expect(asked()).toEqual([]);
    button('Allow everything').click();
    await flushPromises();
    expect(asked().map(({ params }) => params)).toEqual([{ taskId: 'site', mode: 'full' }]);
  });
});

describe('isolation', () => {
  const without = {
    tier: 'none',
    weaker: [],
    network: 'full',
    hosts: [],
    unsandboxed: true,
    available: true,
  };

  it('is always shown, and says what no walls mean', async () => {
    await page('/workspaces/site/trash', { 'workspace.isolation': () => without });
    expect(button('Isolation: No walls').classList.contains('none')).toBe(true);
  });

  it('is given up by a person only, who is asked once', async () => {
    const { transport } = await page('/workspaces/site/access', {
      'workspace.isolation': () => ({ ...without, unsandboxed: false, available: false }),
      'grant.add': () => ({}),
    });
    button('Run without walls…').click();
    await flushPromises();
    expect(transport.calls.some(({ name }) => name === 'grant.add')).toBe(false);
    button('Run without walls').click();
    await flushPromises();
    expect(transport.calls.find(({ name }) => name === 'grant.add')?.params).toEqual({
      subject: 'task:site',
      kind: 'unsandboxed',
      value: '',
    });
  });

  it('takes a right back', async () => {
    await page('/workspaces/site/access');
    expect(document.body.textContent).toContain('rm -rf dist');
    button('Take back: rm -rf dist').click();
    await flushPromises();
    expect(document.body.textContent).toContain('None yet.');
  });
});

describe('questions', () => {
  it('are asked on the page of the task, with the reason', async () => {
    const { transport } = await page('/workspaces/site');
    const card = document.querySelector('.approval-card');
    expect(card?.textContent).toContain('claude-code wants to run a command in site');
    expect(card?.textContent).toContain('Everybody could write into it.');
    button('Allow for this task').click();
    await flushPromises();
    expect(transport.calls.find(({ name }) => name === 'approval.resolve')?.params).toEqual({
      id: 'ask-1',
      answer: 'allow_for_task',
    });
    expect(document.querySelector('.approval-card')).toBeNull();
  });

  it('find the person everywhere else', async () => {
    const handlers = handlersOf('full');
    const elsewhere = await mountPart(ApprovalBanner, { handlers, at: '/settings' });
    wrapper = elsewhere.wrapper;
    expect(wrapper.text()).toContain('mkdir -m 777 box');
    await elsewhere.router.push('/workspaces/site/commands');
    await flushPromises();
    expect(wrapper.text()).toBe('');
    await elsewhere.router.push('/workspaces/weekly-report');
    await flushPromises();
    expect(wrapper.text()).toContain('mkdir -m 777 box');
  });

  it('say that somebody else was first', async () => {
    const handlers = {
      ...handlersOf('full'),
      'approval.resolve': () => {
        throw new CallError({ code: 'already_resolved', message: 'Answered already' });
      },
    };
    ({ wrapper } = await mountPart(ApprovalBanner, { handlers, at: '/settings' }));
    button('Deny').click();
    await flushPromises();
    expect(document.querySelector('[role=alert]')?.textContent).toContain('Answered already');
  });
});
