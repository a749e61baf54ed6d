// @vitest-environment happy-dom
import { flushPromises, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { handlersOf, type FakeHandlers } from '@/platform/fake';
import { button, mountPart, write } from '@/shared/testing';
import AppSelect from '@/shared/ui/AppSelect.vue';
import ListPane from '@/shared/ui/ListPane.vue';
import PromptsPage from './PromptsPage.vue';
import { undeclared, variablesOf, withDefault } from './draft';

let wrapper: VueWrapper | undefined;
beforeEach(() => localStorage.clear());
afterEach(() => {
  wrapper?.unmount();
  document.body.replaceChildren();
});

async function page(at: string, more: FakeHandlers = {}) {
  const mounted = await mountPart(PromptsPage, {
    handlers: { ...handlersOf('full'), ...more },
    at,
  });
  wrapper = mounted.wrapper;
  await flushPromises();
  await flushPromises();
  return mounted;
}

const REVIEW = '/prompts/code-review.yaml';

describe('using a prompt', () => {
  it('is filled as it is written, and copied whole', async () => {
    const { copied } = await page(REVIEW);
    expect(document.querySelector('.open')?.textContent).toContain('code');
    write('code', 'let x = 1;');
    await flushPromises();
    await flushPromises();
    expect(document.querySelector('.open')).toBeNull();
    button('Copy: Copy filled').click();
    await flushPromises();
    expect(copied).toEqual([
      'You are a careful reviewer.\n\nReview the code below with an eye on correctness, security and readability.\n\nlet x = 1;\n',
    ]);
  });

  it('that is gone says so', async () => {
    await page('/prompts/nowhere.yaml');
    expect(document.body.textContent).toContain('There is no prompt nowhere.yaml');
  });
});

describe('the list', () => {
  const asked = (transport: { calls: { name: string; params: unknown }[] }) =>
    transport.calls.filter(({ name }) => name === 'prompt.list').map(({ params }) => params);

  it('is asked for in pages, and counted whole', async () => {
    const { transport } = await page('/prompts', handlersOf('many'));
    expect(document.querySelector('.list-pane [role=status]')?.textContent).toBe('10,004');
    expect(asked(transport)).toEqual([
      { words: '', search: 'full_text', group: '', page: { offset: 0, limit: 200 } },
    ]);
    // Its last rows come near.
    wrapper?.findComponent(ListPane).vm.$emit('seen', 180);
    await flushPromises();
    expect(asked(transport).slice(1)).toEqual([
      { words: '', search: 'full_text', group: '', page: { offset: 200, limit: 200 } },
    ]);
    wrapper?.findComponent(ListPane).vm.$emit('seen', 180);
    await flushPromises();
    expect(asked(transport)).toHaveLength(2);
  });

  it("of a group is the owner's to choose", async () => {
    const { transport } = await page('/prompts', handlersOf('many'));
    wrapper?.findComponent(AppSelect).vm.$emit('update:modelValue', 'writing');
    await flushPromises();
    expect(asked(transport).at(-1)).toMatchObject({ group: 'writing', page: { offset: 0 } });
    expect(document.querySelector('.list-pane [role=status]')?.textContent).toBe('2 of 10,004');
  });
});

describe('a new prompt', () => {
  const group = () =>
    [...document.querySelectorAll<HTMLInputElement>('[role=dialog] input')].find(
      (one) => one.labels?.[0]?.textContent?.trim() === 'Group',
    )?.value;

  it.each(['/prompts?new=1', '/prompts/code-review.yaml?new=1'])(
    'goes into the group that the list shows: %s',
    async (asked) => {
      const { router } = await page('/prompts');
      wrapper?.findComponent(AppSelect).vm.$emit('update:modelValue', 'writing');
      await flushPromises();
      await router.push(asked);
      await flushPromises();
      expect(group()).toBe('writing');
    },
  );

  it('goes beside the one that is looked at, where the list shows all', async () => {
    const { router } = await page('/prompts/writing%2Fpoem.yaml?new=1');
    expect(group()).toBe('writing');
    expect(router.currentRoute.value.fullPath).toBe('/prompts/writing%2Fpoem.yaml');
  });
});

describe('editing a prompt', () => {
  it('saves with the version that was seen', async () => {
    const { transport } = await page(`${REVIEW}/edit`);
    expect(button('Save').disabled).toBe(true);
    write('Description', 'shorter');
    await flushPromises();
    document
      .querySelector('form.edit-tab')
      ?.dispatchEvent(new Event('submit', { cancelable: true }));
    await flushPromises();
    const saved = transport.calls.find(({ name }) => name === 'prompt.save')?.params as {
      expected: string;
      content: { description: string; messages: unknown[] };
    };
    expect(saved.content.description).toBe('shorter');
    expect(saved.content.messages).toHaveLength(2);
    expect(saved.expected).toMatch(/^\d+$/);
  });

  it('keeps what was written when somebody else was quicker', async () => {
    const { transport } = await page(`${REVIEW}/edit`, {
      'prompt.save': () => {
        throw Object.assign(new Error('changed'), { code: 'prompt_changed', args: {} });
      },
    });
    write('Description', 'mine');
    await flushPromises();
    document
      .querySelector('form.edit-tab')
      ?.dispatchEvent(new Event('submit', { cancelable: true }));
    await flushPromises();
    expect(transport.calls.some(({ name }) => name === 'prompt.save')).toBe(true);
    const field = [...document.querySelectorAll<HTMLInputElement>('input')].find(
      (one) => one.labels?.[0]?.textContent?.trim() === 'Description',
    );
    expect(field?.value).toBe('mine');
  });

  it('finds the variables of every script', () => {
    const content = {
      name: 'x',
      description: '',
      arguments: [{ name: 'a', description: '', type: 'string' as const, required: false }],
      messages: [
        { role: 'user' as const, text: '{{a}} {{ 变量 }} {{#if b}} {{1}} {{a}} {{c-d.e}}' },
      ],
      enabled: true,
    };
    expect(variablesOf(content)).toEqual(['a', '变量', 'c-d.e']);
    expect(undeclared(content)).toEqual(['变量', 'c-d.e']);
    const number = { name: 'n', description: '', type: 'integer' as const, required: false };
    expect(withDefault(number, '5').default).toBe(5);
    expect(withDefault({ ...number, default: 5 }, '')).not.toHaveProperty('default');
  });
});

describe('the list', () => {
  it('is narrowed by the owner, and a group can be switched', async () => {
    const { transport } = await page('/prompts');
    const names = () => [...document.querySelectorAll('[role=option]')].length;
    expect(names()).toBe(4);
    const search = document.querySelector<HTMLInputElement>('input[type=search]');
    if (!search) throw new Error('no search');
    search.value = 'translate';
    search.dispatchEvent(new Event('input', { bubbles: true }));
    await flushPromises();
    await flushPromises();
    expect(names()).toBe(1);
    expect(transport.calls.at(-1)?.params).toMatchObject({ words: 'translate' });
    expect(document.body.textContent).toContain('1 file cannot be read');
  });

  it('brings a removed prompt back', async () => {
    const { transport, router } = await page('/prompts', {
      ...handlersOf('empty'),
      'prompt.removed': () => ({
        versions: [{ path: 'gone.yaml', version: 'cccc', replaced: 1, bytes: 10 }],
      }),
    });
    button('Removed prompts…').click();
    await flushPromises();
    await flushPromises();
    button('Bring gone.yaml back').click();
    await flushPromises();
    expect(transport.calls.find(({ name }) => name === 'prompt.restore')?.params).toEqual({
      path: 'gone.yaml',
      version: 'cccc',
    });
    expect(router.currentRoute.value.params.prompt).toBe('gone.yaml');
  });
});
