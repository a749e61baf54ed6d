// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Component } from 'vue';
import AgentsPage from '@/features/agents/AgentsPage.vue';
import CellsPage from '@/features/cells/CellsPage.vue';
import PromptsPage from '@/features/prompts/PromptsPage.vue';
import ServersPage from '@/features/servers/ServersPage.vue';
import SkillsPage from '@/features/skills/SkillsPage.vue';
import ToolsPage from '@/features/tools/ToolsPage.vue';
import WorkspacesPage from '@/features/workspaces/WorkspacesPage.vue';
import { CallError } from '@/platform';
import { handlersOf } from '@/platform/fake';
import { button, mountPart, settle, words, type Mounted } from '@/shared/testing';

let mounted: Mounted | undefined;
beforeEach(() => localStorage.clear());
afterEach(() => mounted?.wrapper.unmount());

const PAGES: [call: string, page: Component, at: string, asks: string][] = [
  ['tool.list', ToolsPage, '/tools', 'Choose a tool'],
  ['external.list', ServersPage, '/tools/@servers', 'Choose a server'],
  ['workspace.list', WorkspacesPage, '/workspaces', 'Choose a workspace'],
  ['society.list', AgentsPage, '/agents', 'Choose a task'],
  ['cells.list', CellsPage, '/cells', 'Choose a notebook'],
  ['prompt.list', PromptsPage, '/prompts', 'Choose a prompt'],
  ['skill.list', SkillsPage, '/prompts/skills', 'Choose a skill'],
];

describe('a page of a list asks for a choice only where there is something to choose', () => {
  it.each(PAGES)('%s', async (call, page, at, asks) => {
    const all = handlersOf('full');
    let fail: (error: CallError) => void = () => {};
    let list: (params: unknown) => unknown = () =>
      new Promise((_resolve, reject) => {
        fail = reject;
      });
    mounted = await mountPart(page, {
      handlers: { ...all, [call]: (params) => list(params) },
      at,
    });
    await settle();
    expect(words()).not.toContain(asks);
    fail(new CallError({ code: 'store_failed', message: 'The database could not be read.' }));
    await settle();
    expect(words()).toContain('The database could not be read.');
    expect(words()).not.toContain(asks);
    list = (params) => all[call]?.(params);
    button('Try again').click();
    await settle();
    expect(words()).toContain(asks);
  });
});
