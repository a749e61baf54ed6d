// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defineComponent, h, ref, type Component } from 'vue';
import ModelsSection from '@/features/settings/ModelsSection.vue';
import TokensSection from '@/features/settings/TokensSection.vue';
import { useRemoval as usePromptRemoval } from '@/features/prompts/useRemoval';
import { useRemoval as useSkillRemoval } from '@/features/skills/useRemoval';
import { useToolRemoval } from '@/features/tools/useToolRemoval';
import { useChanges } from '@/features/workspaces/useChanges';
import { CallError } from '@/platform';
import { handlersOf, type FakeHandlers } from '@/platform/fake';
import { useChange } from '@/shared/data/calls';
import { button, mountPart, settle, words, type Mounted } from '@/shared/testing';
import FormDialog from '@/shared/ui/FormDialog.vue';
import { useToasts } from '@/shared/composables/toasts';

const { shown, dismiss } = useToasts();
const told = () => shown.value.map(({ text, tone }) => ({ text, tone }));
const NEWS = [{ text: 'The disk is full', tone: 'bad' }];

let mounted: Mounted | undefined;
let fail: (code?: string) => void;
/** A call that goes on until it fails. */
const lasting = () =>
  new Promise((_, reject) => {
    fail = (code = 'store_failed') => reject(new CallError({ code, message: 'The disk is full' }));
  });

async function open(part: Component, handlers: FakeHandlers = {}) {
  mounted = await mountPart(part, { handlers: { ...handlersOf('full'), ...handlers } });
  await settle();
}

function leave() {
  mounted?.wrapper.unmount();
  mounted = undefined;
}

/** Longer than it takes to show a failure where it belongs. */
const rest = async () => {
  await settle();
  await new Promise((done) => setTimeout(done, 300));
};

beforeEach(() => shown.value.forEach(({ id }) => dismiss(id)));
afterEach(leave);

/** A dialog that removes; its page stays when it is closed. */
const Removing = defineComponent(() => {
  const asking = ref(true);
  const removing = useChange('external.remove');
  return () =>
    h(FormDialog, {
      open: asking.value,
      'onUpdate:open': (now: boolean) => (asking.value = now),
      title: 'Remove?',
      action: 'Remove',
      ready: true,
      pending: removing.isPending.value,
      error: removing.error.value,
      onSubmit: () => removing.mutate({ name: 'notes' }),
    });
});

describe('a failure', () => {
  it('is told when its dialog was closed meanwhile', async () => {
    await open(Removing, { 'external.remove': lasting });
    button('Remove').click();
    await settle();
    button('Cancel').click();
    await settle();
    fail();
    await rest();
    expect(words()).not.toContain('The disk is full');
    expect(told()).toEqual(NEWS);
  });

  it('stands in its dialog alone while that is open', async () => {
    await open(Removing, { 'external.remove': lasting });
    button('Remove').click();
    await settle();
    fail();
    await rest();
    expect(words()).toContain('The disk is full');
    expect(told()).toEqual([]);
  });

  it('is none when what was to be stopped has ended', async () => {
    await open(Removing, { 'external.remove': lasting });
    button('Remove').click();
    await settle();
    leave();
    fail('run_not_open');
    await rest();
    expect(told()).toEqual([]);
  });
});

/** A page with a button that begins it. */
const begins = (use: () => () => unknown) =>
  defineComponent(() => {
    const begin = use();
    return () => h('button', { onClick: () => void begin() }, 'Begin');
  });
const PROMPT = { path: 'a.yaml', name: 'a' } as Parameters<
  ReturnType<typeof usePromptRemoval>['remove']
>[0];

describe('whoever left while it went on is told why not: removal of', () => {
  it.each<[name: string, call: string, part: Component, clicks: string[]]>([
    ['a token', 'token.revoke', TokensSection, ['Take back the token of claude-code', 'Take back']],
    ['a model service', 'models.remove', ModelsSection, ['Remove local', 'Remove']],
    [
      'a tool',
      'tool.remove',
      begins(() => {
        const { remove } = useToolRemoval();
        return () => remove('clock', false);
      }),
      ['Begin'],
    ],
    [
      'a prompt',
      'prompt.remove',
      begins(() => {
        const { remove } = usePromptRemoval();
        return () => remove(PROMPT);
      }),
      ['Begin'],
    ],
    [
      'a skill',
      'skill.remove',
      begins(() => {
        const { remove } = useSkillRemoval();
        return () => remove('pdf');
      }),
      ['Begin'],
    ],
    [
      'a file of a workspace',
      'workspace.delete',
      begins(() => {
        const { remove } = useChanges(() => 'site');
        return () => remove('a.txt');
      }),
      ['Begin'],
    ],
  ])('%s', async (_name, call, part, clicks) => {
    await open(part, { [call]: lasting });
    for (const name of clicks) {
      button(name).click();
      await settle();
    }
    leave();
    fail();
    await vi.waitFor(() => expect(told()).toEqual(NEWS));
  });
});
