// @vitest-environment happy-dom
import type { VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { handlersOf, type FakeHandlers } from '@/platform/fake';
import { CallError } from '@/platform';
import { button, mountPart, sent, settle, words, write } from '@/shared/testing';
import { useToasts } from '@/shared/composables';
import CodeEditor from '@/shared/editor/CodeEditor.vue';
import MoreMenu from '@/shared/ui/MoreMenu.vue';
import SkillsPage from './SkillsPage.vue';
import { bodyOf } from './standing';

let wrapper: VueWrapper | undefined;
beforeEach(() => localStorage.clear());
afterEach(() => {
  wrapper?.unmount();
  document.body.replaceChildren();
});

async function page(at: string, more: FakeHandlers = {}) {
  const mounted = await mountPart(SkillsPage, {
    handlers: { ...handlersOf('full'), ...more },
    at,
  });
  wrapper = mounted.wrapper;
  await settle();
  return mounted;
}

describe('the list', () => {
  it('says what is wrong and what has to be decided', async () => {
    await page('/prompts/skills');
    const rows = [...document.querySelectorAll('[role=option]')].map((row) => row.textContent);
    expect(rows).toHaveLength(3);
    expect(rows.find((row) => row?.includes('pdf-tools'))).toContain('1 conflict');
    expect(rows.find((row) => row?.includes('Old_Notes'))).toContain('1 problem');
  });

  it('is narrowed by the owner, and what narrows it can be cleared', async () => {
    const { transport } = await page('/prompts/skills');
    const search = document.querySelector<HTMLInputElement>('input[type=search]');
    if (!search) throw new Error('no search');
    search.value = 'nothing like this';
    search.dispatchEvent(new Event('input', { bubbles: true }));
    await settle();
    expect(sent(transport, 'skill.list').at(-1)).toEqual({ words: 'nothing like this' });
    expect(words()).toContain('No skill matches');
    button('Clear filter').click();
    await settle();
    expect(document.querySelectorAll('[role=option]')).toHaveLength(3);
  });

  it('that is empty says what skills are for, and makes the first', async () => {
    const { transport, router } = await page('/prompts/skills', handlersOf('empty'));
    expect(words()).toContain('No skill yet');
    button('New skill').click();
    await settle();
    write('Name', 'Not Proper');
    write('What it does, and when it is to be used', 'Reads PDF');
    await settle();
    button('Create').click();
    await settle();
    expect(words()).toContain("'Not Proper' cannot be the name of a skill");
    write('Name', 'pdf');
    await settle();
    button('Create').click();
    await settle();
    expect(sent(transport, 'skill.create').at(-1)).toEqual({
      skill: 'pdf',
      description: 'Reads PDF',
    });
    expect(router.currentRoute.value.path).toBe('/prompts/skills/pdf/edit');
  });

  it('that cannot be had says why', async () => {
    await page('/prompts/skills', {
      'skill.list': () => {
        throw new CallError({ code: 'skill_io', message: 'it cannot be read', args: {} });
      },
    });
    expect(words()).toContain('it cannot be read');
  });
});

describe('a skill', () => {
  it('is read without its front matter', async () => {
    await page('/prompts/skills/pdf-tools');
    expect(words()).toContain('Look at the fields with');
    expect(words()).not.toContain('name: pdf-tools');
    expect(bodyOf('---\na: 1\n---\nb')).toBe('b');
    expect(bodyOf('---\r\n---\r\nb')).toBe('b');
    expect(bodyOf('a\n---\nb')).toBe('a\n---\nb');
    expect(bodyOf('---\na: 1\n----\nb')).toBe('---\na: 1\n----\nb');
  });

  it('that is gone says so', async () => {
    await page('/prompts/skills/nowhere');
    expect(words()).toContain('There is no skill nowhere');
  });

  it('is saved with the version that was seen, and kept when somebody was quicker', async () => {
    let quicker = true;
    const fake = handlersOf('full');
    const { transport } = await page('/prompts/skills/pdf-tools/edit', {
      ...fake,
      'skill.save': (params) => {
        if (!quicker) return fake['skill.save']?.(params);
        throw new CallError({ code: 'skill_changed', message: 'It has changed', args: {} });
      },
    });
    wrapper?.findComponent(CodeEditor).vm.$emit('update:modelValue', 'mine');
    await settle();
    const form = document.querySelector('form.edit-tab');
    form?.dispatchEvent(new Event('submit', { cancelable: true }));
    await settle();
    expect(words()).toContain('It has changed');
    expect(wrapper?.findComponent(CodeEditor).props('modelValue')).toBe('mine');
    quicker = false;
    form?.dispatchEvent(new Event('submit', { cancelable: true }));
    await settle();
    expect(sent(transport, 'skill.save').at(-1)).toMatchObject({
      skill: 'pdf-tools',
      text: 'mine',
      expected: expect.stringMatching(/^\d{16}$/) as string,
    });
    expect(button('Save').disabled).toBe(true);
  });

  it('is removed with a way back', async () => {
    const { transport, router } = await page('/prompts/skills/pdf-tools');
    const menus = wrapper?.findAllComponents(MoreMenu) ?? [];
    const items = menus.flatMap((menu) => [...menu.props('items')]);
    for (const item of items) if (item !== 'separator' && item.label === 'Remove') item.run();
    await settle();
    expect(sent(transport, 'skill.remove')).toEqual([{ skill: 'pdf-tools' }]);
    expect(router.currentRoute.value.path).not.toContain('pdf-tools');
    useToasts().shown.value.at(-1)?.action?.run();
    await settle();
    expect(sent(transport, 'skill.restore')).toEqual([
      { skill: 'pdf-tools', version: expect.stringContaining('-removed') as string },
    ]);
  });
});

describe('clients', () => {
  it('are turned on where they are listed', async () => {
    const { transport } = await page('/prompts/skills');
    button('Clients…').click();
    await settle();
    const select = [...document.querySelectorAll<HTMLSelectElement>('[role=dialog] select')].find(
      (one) => one.labels?.[0]?.textContent?.trim() === 'Gemini CLI',
    );
    if (!select) throw new Error('no Gemini CLI');
    select.value = 'copy';
    select.dispatchEvent(new Event('change', { bubbles: true }));
    await settle();
    expect(sent(transport, 'skill.client')).toEqual([{ client: 'gemini', way: 'copy' }]);
  });

  it('in conflict are compared, and the conflict is ended', async () => {
    const { transport } = await page('/prompts/skills/pdf-tools/clients');
    expect(words()).toContain('changed there');
    expect(sent(transport, 'skill.compare')).toEqual([]);
    button('Compare…').click();
    await settle();
    expect(sent(transport, 'skill.compare')).toEqual([{ skill: 'pdf-tools', client: 'cursor' }]);
    expect(words()).toContain('Look at the fields yourself.');
    expect(words()).toContain('only theirs');
    button('Take theirs').click();
    await settle();
    expect(sent(transport, 'skill.resolve')).toEqual([
      { skill: 'pdf-tools', client: 'cursor', take: 'theirs' },
    ]);
    expect(words()).toContain('copied, up to date');
    expect(words()).not.toContain('Compare…');
  });

  it('that refuse leave the conflict where it is, with the reason', async () => {
    await page('/prompts/skills/pdf-tools/clients', {
      'skill.resolve': () => {
        throw new CallError({ code: 'skill_not_kept', message: 'it cannot be kept', args: {} });
      },
    });
    button('Compare…').click();
    await settle();
    button('Keep ours').click();
    await settle();
    expect(words()).toContain('it cannot be kept');
    expect(words()).toContain('changed there');
  });
});
