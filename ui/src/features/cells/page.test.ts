// @vitest-environment happy-dom
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { CallError } from '@/platform';
import type { FakeHandlers, Scene } from '@/platform/fake';
import cells, { row } from '@/platform/fake/cells';
import { button, mountPart, sent, settle, words, write, type Mounted } from '@/shared/testing';
import CellsPage from './CellsPage.vue';
import NotebookDetail from './NotebookDetail.vue';
import NotebookList from './NotebookList.vue';

let mounted: Mounted | undefined;
afterEach(() => {
  mounted?.wrapper.unmount();
  mounted = undefined;
  document.body.innerHTML = '';
});
beforeAll(() => {
  Element.prototype.scrollIntoView = () => undefined;
});

async function page(at: string, scene: Scene = 'full', more: FakeHandlers = {}) {
  mounted = await mountPart(CellsPage, {
    at,
    handlers: { ...cells(scene), 'workspace.list': () => ({ workspaces: [] }), ...more },
  });
  await settle();
  return mounted;
}

const onlyLong = () => ({
  canvases: [{ ...row('long', 'A long one'), cells: 1234 }],
});

const item = (name: string) => {
  const found = document.querySelector<HTMLElement>(`[data-cell="${name}"]`);
  if (!found) throw new Error(`no cell ${name}`);
  return found;
};

test('a notebook shows its cells, their states, what they wrote, and what waits', async () => {
  await page('/cells/circles');
  expect(item('User:1').textContent).toContain('done');
  expect(item('User:2').textContent).toContain('out of date');
  expect(item('Arena:1').textContent).toContain('area of a circle\nradius 60');
  expect(item('Arena:1').textContent).toContain('11309.7');
  expect(item('User:4').textContent).toContain('failed');
  expect(words()).toContain('Bot is to write the next cell, after User:4.');
  // The hint is shown where it is answered, once.
  expect(item('Arena:2').textContent?.match(/What is your name/g)).toHaveLength(1);
});

test('an answer goes to the question that it was written for', async () => {
  const { transport } = await page('/cells/circles');
  write('What is your name?', 'Ada');
  await settle();
  button('Answer').click();
  await settle();
  expect(sent(transport, 'cells.answer')).toEqual([
    { canvas: 'circles', question: { originator: 'Arena', seq: 2 }, text: 'Ada' },
  ]);
});

test('an answer that is not taken stays, with the reason', async () => {
  await page('/cells/circles', 'full', {
    'cells.answer': () => {
      throw new CallError({ code: 'cell_no_question', message: 'Nobody asks any more.' });
    },
  });
  write('What is your name?', 'Ada');
  await settle();
  button('Answer').click();
  await settle();
  expect(item('Arena:2').querySelector('input')?.value).toBe('Ada');
  expect(item('Arena:2').textContent).toContain('Nobody asks any more.');
});

test('what was delegated is done by an output of whom it was for, or refused with a reason', async () => {
  const { transport } = await page('/cells/circles');
  write('User is to do this', 'a.png');
  await settle();
  button('Done').click();
  await settle();
  const cell = { originator: 'Bot', seq: 0 };
  expect(sent(transport, 'cells.append')).toEqual([
    {
      canvas: 'circles',
      cell: { originator: 'User', type: 'OUTPUT', dependsOn: [cell], text: 'a.png', flags: [] },
    },
  ]);
  button('Refuse').click();
  await settle();
  expect(sent(transport, 'cells.refuse')).toEqual([{ canvas: 'circles', cell, reason: 'a.png' }]);
});

test('cells are run, run with what needs them, and interrupted', async () => {
  const { transport } = await page('/cells/circles');
  button('Run User:4').click();
  button('Run User:2 and what needs it').click();
  button('Interrupt User:5').click();
  await settle();
  expect(sent(transport, 'cells.run')).toEqual([
    { canvas: 'circles', cell: { originator: 'User', seq: 4 } },
  ]);
  expect(sent(transport, 'cells.run_stale')).toEqual([
    { canvas: 'circles', cell: { originator: 'User', seq: 2 } },
  ]);
  expect(sent(transport, 'cells.interrupt')).toEqual([
    { canvas: 'circles', cell: { originator: 'User', seq: 5 } },
  ]);
});

test('a removed notebook leaves the page, and comes back from the trash', async () => {
  const { router, transport, wrapper } = await page('/cells/circles');
  wrapper.findComponent(NotebookDetail).vm.$emit('remove');
  await settle();
  expect(sent(transport, 'cells.remove')).toEqual([{ canvas: 'circles' }]);
  expect(router.currentRoute.value.path).not.toBe('/cells/circles');
  const rows = () => [...document.querySelectorAll('[role=option]')].map((one) => one.textContent);
  await vi.waitFor(() => expect(rows().join()).not.toContain('Circles'));
  wrapper.findComponent(NotebookList).vm.$emit('removed');
  await settle();
  button('Bring back Circles').click();
  await settle();
  expect(router.currentRoute.value.path).toBe('/cells/circles');
  await vi.waitFor(() => expect(rows().join()).toContain('Circles'));
});

test('nothing at all offers the first notebook, which becomes the one that is shown', async () => {
  const { transport, router } = await page('/cells', 'empty');
  expect(words()).toContain('No notebook yet');
  button('New notebook').click();
  await settle();
  write('Title', 'First');
  await settle();
  button('Create').click();
  await settle();
  expect(sent(transport, 'cells.create')).toEqual([{ title: 'First', format: 'acp' }]);
  expect(router.currentRoute.value.path).toMatch(/^\/cells\/n/);
  expect(words()).toContain('Nothing stands here yet');
});

test('of a long notebook the end is shown, and the rest page by page', async () => {
  const { transport } = await page('/cells/long', 'many', { 'cells.list': onlyLong });
  await settle();
  expect(words()).toContain('1,201 to 1,234 of 1,234');
  expect(document.querySelectorAll('[data-cell]')).toHaveLength(34);
  button('Earlier').click();
  await settle();
  expect(words()).toContain('1,001 to 1,200 of 1,234');
  expect(sent(transport, 'cells.open').at(-1)).toMatchObject({ offset: 1000, limit: 200 });
});

test('a notebook that is not there says so', async () => {
  await page('/cells/gone');
  expect(words()).toContain('This notebook is not there');
});

test('of two that change the text, neither is overwritten', async () => {
  let text = '<Canvas>\n</Canvas>\n';
  const { transport } = await page('/cells/circles/source', 'full', {
    'cells.export': () => ({ text }),
    'cells.source': () => {
      throw new CallError({ code: 'canvas_changed', message: 'Somebody changed it.' });
    },
  });
  await vi.waitFor(() => expect(words()).toContain('<Canvas>'));
  const { EditorView } = await import('@codemirror/view');
  const editor = EditorView.findFromDOM(document.querySelector('.cm-editor') as HTMLElement);
  editor?.dispatch({ changes: { from: 0, insert: 'mine ' } });
  await settle();
  text = '<Canvas>\n<Cell/>\n</Canvas>\n';
  transport.emit({ kind: 'arena.cell', tags: ['cells'] });
  button('Put back').click();
  await settle();
  expect(sent(transport, 'cells.source')).toEqual([
    { canvas: 'circles', text: 'mine <Canvas>\n</Canvas>\n', version: 12 },
  ]);
  expect(words()).toContain('Somebody changed it.');
  expect(editor?.state.doc.toString()).toContain('mine');
});
