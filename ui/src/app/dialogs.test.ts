// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest';
import { markRaw, ref, type Component } from 'vue';
import OldTools from '@/features/tools/OldTools.vue';
import RemovedPrompts from '@/features/prompts/RemovedPrompts.vue';
import RemovedSkills from '@/features/skills/RemovedSkills.vue';
import RemovedTools from '@/features/tools/RemovedTools.vue';
import ToolVersions from '@/features/tools/ToolVersions.vue';
import { CallError } from '@/platform';
import type { FakeHandlers } from '@/platform/fake';
import { button, mountPart, settle, words, type Mounted } from '@/shared/testing';

let mounted: Mounted | undefined;
afterEach(() => mounted?.wrapper.unmount());

const fail = () => {
  throw new CallError({ code: 'store_failed', message: 'The disk is full' });
};
// As useCall gives it: props that are mounted lose their refs otherwise.
const query = markRaw({
  data: ref({ versions: [{ id: 'v', version: '1.0.0', at: 1 }] }),
  error: ref(null),
  refetch: () => undefined,
});

const DIALOGS: [
  name: string,
  dialog: Component,
  handlers: FakeHandlers,
  does: string,
  props?: object,
][] = [
  [
    'removed tools',
    RemovedTools,
    {
      'tool.removed': () => ({ tools: [{ id: 'x', tool: 'clock', version: '1.0.0', at: 1 }] }),
      'tool.restore': fail,
    },
    'Bring clock back',
  ],
  [
    'removed prompts',
    RemovedPrompts,
    {
      'prompt.removed': () => ({
        versions: [{ path: 'a.yaml', version: 'c', replaced: 1, bytes: 1 }],
      }),
      'prompt.restore': fail,
    },
    'Bring a.yaml back',
  ],
  [
    'removed skills',
    RemovedSkills,
    {
      'skill.removed': () => ({ versions: [{ skill: 'pdf', version: 'c', replaced: 1 }] }),
      'skill.restore': fail,
    },
    'Bring pdf back',
  ],
  [
    'versions of a tool',
    ToolVersions,
    { 'tool.rollback': fail },
    'Go back to 1.0.0',
    { tool: 'clock', query },
  ],
  [
    'tools of the old layout',
    OldTools,
    { 'tool.migrate': fail },
    'Take all back',
    { found: { tools: [{ tool: 'clock', state: 'moved', at: 1 }], backup: '/b' } },
  ],
];

describe('a dialog that is opened again begins anew', () => {
  it.each(DIALOGS)('%s', async (_name, dialog, handlers, does, props) => {
    mounted = await mountPart(dialog, { props: { open: true, ...props }, handlers });
    await settle();
    button(does).click();
    await settle();
    expect(words()).toContain('The disk is full');
    await mounted.wrapper.setProps({ open: false });
    await mounted.wrapper.setProps({ open: true });
    await settle();
    expect(button(does).disabled).toBe(false);
    expect(words()).not.toContain('The disk is full');
  });
});
