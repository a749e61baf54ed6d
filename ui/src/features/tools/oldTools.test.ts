// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { OldTool, ToolMigrate } from '@/generated/calls';
import { CallError } from '@/platform';
import { button, mountPart, sent, settle, words, type Mounted } from '@/shared/testing';
import OldToolsNotice from './OldToolsNotice.vue';

let mounted: Mounted | undefined;
beforeEach(() => localStorage.clear());
afterEach(() => {
  mounted?.wrapper.unmount();
  document.body.replaceChildren();
});

const old = (tool: string, state: OldTool['state'], at = 1, reason?: string): OldTool => ({
  tool,
  state,
  at,
  ...(reason !== undefined && { reason }),
});

async function notice(
  tools: OldTool[],
  migrate: (params: ToolMigrate) => OldTool[] = () => tools,
): Promise<Mounted> {
  mounted?.wrapper.unmount();
  document.body.replaceChildren();
  mounted = await mountPart(OldToolsNotice, {
    handlers: {
      'tool.migration': () => ({ tools: [...tools], backup: '/home/ada/backups' }),
      'tool.migrate': (params: ToolMigrate) => {
        tools = migrate(params);
        return { tools, backup: '/home/ada/backups' };
      },
    },
  });
  await settle();
  return mounted;
}

const offered = (text: string) =>
  [...document.querySelectorAll('button')].some((one) => one.textContent?.trim() === text);

it('says nothing where there were none', async () => {
  await notice([]);
  expect(words().trim()).toBe('');
});

it('is put away for good, until something changes', async () => {
  await notice([old('clock', 'moved'), old('notes', 'taken')]);
  expect(words()).toContain('2 tools of the old layout');
  button('Do not say this again').click();
  await settle();
  expect(words().trim()).toBe('');
  await notice([old('clock', 'moved')]);
  expect(words().trim()).toBe('');
  await notice([old('clock', 'undone', 2)]);
  expect(words()).toContain('1 tool of the old layout');
});

it('tells what became of each, and offers what can be done', async () => {
  await notice([
    old('clock', 'moved'),
    old('notes', 'taken'),
    old('broken', 'failed', 1, 'too many files'),
  ]);
  button('Show…').click();
  await settle();
  expect(words()).toContain('there is a tool of this name already');
  expect(words()).toContain('too many files');
  expect(words()).toContain('/home/ada/backups');
  expect([offered('Take all back'), offered('Bring in what was left')]).toEqual([true, true]);
  await notice([old('clock', 'moved')]);
  button('Show…').click();
  await settle();
  expect([offered('Take all back'), offered('Bring in what was left')]).toEqual([true, false]);
});

it('takes them back, and shows what they are then', async () => {
  const { transport } = await notice([old('clock', 'moved')], () => [old('clock', 'undone', 2)]);
  button('Show…').click();
  await settle();
  button('Take all back').click();
  await settle();
  expect(sent(transport, 'tool.migrate')).toEqual([{ undo: true }]);
  expect(words()).toContain('Back in tools/.');
  expect([offered('Take all back'), offered('Bring in what was left')]).toEqual([false, true]);
});

it('shows why they stay where they are, and what had gone before', async () => {
  const tools = [old('clock', 'moved'), old('notes', 'moved')];
  await notice(tools, () => {
    tools[0] = old('clock', 'undone', 2);
    throw new CallError({ code: 'toolbox_io', message: 'The disk is full' });
  });
  button('Show…').click();
  await settle();
  button('Take all back').click();
  await settle();
  expect(words()).toContain('The disk is full');
  expect(words()).toContain('Back in tools/.');
  expect(words()).toContain('In the toolbox.');
});
