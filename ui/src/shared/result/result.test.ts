// @vitest-environment happy-dom
import { VueQueryPlugin } from '@tanstack/vue-query';
import { mount } from '@vue/test-utils';
import { nextTick } from 'vue';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fakeTransport } from '@/platform/fake';
import { TRANSPORT } from '@/shared/data/calls';
import { NATIVE } from '@/shared/data/native';
import { i18n } from '@/shared/i18n';
import type { Json } from '@/shared/form/json';
import ResultView from './ResultView.vue';
import TreeView from './TreeView.vue';
import { openAtFirst, rowsOf } from './tree';
import { csv, picturesIn, sorted, tableOf, viewsOf } from './views';

let unmount = () => {};
afterEach(() => unmount());

describe('views', () => {
  const id = '7d0f4c1e-1111-4222-8333-944455556666';

  it('are what fits, first what fits best', () => {
    expect(viewsOf('text').views).toEqual(['text', 'tree']);
    expect(viewsOf({ a: { b: 1 } }).views).toEqual(['tree', 'text']);
    expect(viewsOf([{ a: 1 }, { b: 2 }]).views).toEqual(['table', 'tree', 'text']);
    expect(viewsOf({ total: 2, rows: [{ a: 1 }] }).views[0]).toBe('table');
    expect(viewsOf({ images: [`${id}.png`] }).views[0]).toBe('picture');
    expect(viewsOf({ images: [{ data: 'QUJD', mimeType: 'image/png' }] }).views).toEqual([
      'picture',
      'tree',
      'text',
    ]);
  });

  it('find pictures in every spelling that tools use, and nothing else', () => {
    const found = picturesIn({
      path: 'a.png',
      base64: 'QUJD',
      mimeType: 'image/png',
    });
    expect(found).toEqual([{ kind: 'bytes', data: 'QUJD', mimeType: 'image/png' }]);
    expect(picturesIn({ images: [`${id}.png`, 'other.png', `artifact:${id}`] })).toEqual([
      { kind: 'artifact', id },
      { kind: 'artifact', id },
    ]);
    expect(picturesIn(`data:image/png;base64,${'QUJD'.repeat(8)}`)).toHaveLength(1);
    expect(picturesIn({ data: 'QUJD', mimeType: 'text/html' })).toEqual([]);
  });

  it('make no table of what is not flat', () => {
    expect(tableOf([{ a: { b: 1 } }])).toBeUndefined();
    expect(tableOf([])).toBeUndefined();
    expect(tableOf([1, 2])).toBeUndefined();
    expect(tableOf({ a: [{ x: 1 }], b: [{ y: 1 }] })).toBeUndefined();
  });

  it('sort numbers by size, with what is not there last both ways', () => {
    const table = { columns: ['n'], rows: [{ n: 10 }, {}, { n: 9 }, { n: 100 }] };
    expect(sorted(table, 'n', false, 'en').rows).toEqual([{ n: 9 }, { n: 10 }, { n: 100 }, {}]);
    expect(sorted(table, 'n', true, 'en').rows).toEqual([{ n: 100 }, { n: 10 }, { n: 9 }, {}]);
  });

  it('write CSV that no spreadsheet takes for a formula', () => {
    const rows = [
      { a: '=1+1', b: 'x, "y"' },
      { a: -5, b: '-cmd' },
    ];
    expect(csv({ columns: ['a', 'b'], rows })).toBe(`a,b\r\n'=1+1,"x, ""y"""\r\n-5,'-cmd`);
  });
});

describe('the tree', () => {
  const big: Json = { items: Array.from({ length: 10_000 }, (_, index) => ({ index })) };

  it('opens what fits on a page and no more', () => {
    const open = openAtFirst(big);
    expect(rowsOf(big, (one) => open.has(one)).map(({ path }) => path)).toEqual(['', 'items']);
    expect(rowsOf({ 'a b': [{ c: 1 }] }, () => true).map(({ path }) => path)).toEqual([
      '',
      '["a b"]',
      '["a b"][0]',
      '["a b"][0].c',
    ]);
  });

  it('has only rows in sight of 20,000, and moves by keys', async () => {
    const page = mount(TreeView, {
      props: { value: big, label: 'result' },
      global: { plugins: [i18n], provide: { [NATIVE as symbol]: {} } },
      attachTo: document.body,
    });
    unmount = () => page.unmount();
    await nextTick();
    const press = async (key: string) => {
      await page.find('.scroller').trigger('keydown', { key });
      await nextTick();
    };
    await press('ArrowDown');
    await press('ArrowRight');
    expect(page.findAll('[role=treeitem]').length).toBeLessThan(60);
    expect(page.find('[role=tree]').attributes('style')).toContain(`${10_002 * 22}px`);
    await press('ArrowRight');
    expect(page.find('.chosen code').text()).toBe('items[0]');
    await press('ArrowLeft');
    await press('ArrowLeft');
    expect(page.findAll('[role=treeitem]')).toHaveLength(2);
  });
});

it('saves what is shown: the table as CSV, the tree as JSON', async () => {
  const saveFile = vi.fn(async (_name: string, content: Blob) => Boolean(await content.text()));
  const page = mount(ResultView, {
    props: { value: [{ a: 1 }], name: 'tool' },
    global: {
      plugins: [i18n, VueQueryPlugin],
      provide: { [NATIVE as symbol]: { saveFile }, [TRANSPORT as symbol]: fakeTransport({}) },
    },
    attachTo: document.body,
  });
  unmount = () => page.unmount();
  const save = page.findAll('.tools button').at(-1);
  await save?.trigger('click');
  await page.find('input[value=tree]').setValue(true);
  await save?.trigger('click');
  expect(saveFile.mock.calls.map(([name]) => name)).toEqual(['tool.csv', 'tool.json']);
  const texts = saveFile.mock.calls.map(([, content]) => content.text());
  expect(await Promise.all(texts)).toEqual(['a\r\n1', '[\n  {\n    "a": 1\n  }\n]']);
});
