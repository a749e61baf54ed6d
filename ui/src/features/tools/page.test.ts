// @vitest-environment happy-dom
import { flushPromises, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ToolRow } from '@/generated/calls';
import { CallError } from '@/platform';
import { dependenciesOf } from '@/platform/fake/data/dependencies';
import { TOOLS } from '@/platform/fake/data/tools';
import toolbox from '@/platform/fake/tools';
import { mountPart, type Mounted } from '@/shared/testing';
import ToolsPage from './ToolsPage.vue';
import { useToolFilter } from './useToolFilter';

let mounted: Mounted | undefined;
const handlers = (scene: Parameters<typeof toolbox>[0] = 'full') => ({
  'run.active': () => ({ runs: [] }),
  'server.hello': () => ({ home: '/home/lin/pm' }),
  ...toolbox(scene),
});

async function page(at = '/tools', more = {}, scene?: Parameters<typeof toolbox>[0]) {
  mounted = await mountPart(ToolsPage, { at, handlers: { ...handlers(scene), ...more } });
  await flushPromises();
  return mounted;
}

beforeEach(() => useToolFilter().clear());
afterEach(() => {
  localStorage.clear();
  mounted?.wrapper.unmount();
  mounted = undefined;
});

const options = (wrapper: VueWrapper) => wrapper.findAll('[role=option]');
const names = (wrapper: VueWrapper) => options(wrapper).map((row) => row.find('strong').text());
const path = (part: Mounted) => part.router.currentRoute.value.path;
const called = (part: Mounted) => [...new Set(part.transport.calls.map(({ name }) => name))];

async function press(element: Element | null, key: string) {
  element?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  await flushPromises();
}

describe('the list', () => {
  it('shows every tool with its state in words, whatever the colour', async () => {
    const { wrapper } = await page();
    expect(names(wrapper)).toEqual([...names(wrapper)].sort());
    expect(options(wrapper)).toHaveLength(8);
    const texts = options(wrapper).map((row) => row.text());
    expect(texts.filter((text) => text.includes('Ready'))).toHaveLength(5);
    expect(texts.some((text) => text.includes('Broken · mail-merge.tool.js'))).toBe(true);
    expect(wrapper.findAll('h1')).toHaveLength(1);
  });

  it('marks what runs now', async () => {
    const { wrapper } = await page('/tools', {
      'run.active': () => ({ runs: [{ id: '1', subject: 'weather', startedAt: 0 }] }),
    });
    const row = options(wrapper).find((one) => one.text().includes('weather'));
    expect(row?.text()).toContain('Running');
    expect(row?.find('.state-mark').classes()).toContain('busy');
  });

  it('draws only what is seen of a thousand tools', async () => {
    const { wrapper } = await page('/tools', {}, 'many');
    expect(options(wrapper).length).toBeGreaterThan(5);
    expect(options(wrapper).length).toBeLessThan(60);
    expect(options(wrapper)[0]?.attributes('aria-setsize')).toBe('1000');
  });

  it('moves the choice by arrows and goes into the detail by Enter', async () => {
    const part = await page();
    const first = options(part.wrapper)[0]?.element as HTMLElement;
    expect(first.tabIndex).toBe(0);
    first.focus();
    await press(document.activeElement, 'ArrowDown');
    expect(path(part)).toBe('/tools/chart-maker');
    await press(document.activeElement, 'ArrowDown');
    expect(path(part)).toBe('/tools/csv-clean');
    expect(document.activeElement?.textContent).toContain('csv-clean');
    expect(document.activeElement?.getAttribute('aria-selected')).toBe('true');
    expect(part.wrapper.findAll('[role=option][tabindex="0"]')).toHaveLength(1);
    await press(document.activeElement, 'End');
    expect(path(part)).toBe('/tools/weather');
    await press(document.activeElement, 'ArrowDown');
    expect(path(part)).toBe('/tools/weather');
    await press(document.activeElement, 'Home');
    await press(document.activeElement, 'Enter');
    expect(path(part)).toBe('/tools/chart-maker');
    expect(document.activeElement?.tagName).toBe('ARTICLE');
  });

  it('keeps the tab while one goes from tool to tool', async () => {
    const part = await page('/tools/csv-clean/files');
    const row = options(part.wrapper).find((one) => one.text().includes('filesystem'));
    await row?.trigger('click');
    await flushPromises();
    expect(path(part)).toBe('/tools/filesystem/files');
  });

  it('takes the focus to the search from anywhere, and from it into the rows', async () => {
    const { wrapper } = await page();
    await press(document.body, '/');
    const search = wrapper.find('input[type=search]');
    expect(document.activeElement).toBe(search.element);
    await search.setValue('pict');
    expect(names(wrapper)).toEqual(['chart-maker', 'image-resize']);
    expect(wrapper.find('header [role=status]').text()).toBe('2 of 8');
    await press(search.element, 'ArrowDown');
    expect(document.activeElement?.textContent).toContain('chart-maker');
  });

  it('offers to clear a search that finds nothing', async () => {
    const { wrapper } = await page();
    await wrapper.find('input[type=search]').setValue('nothing like this');
    expect(wrapper.text()).toContain('No tool matches');
    await wrapper
      .findAll('button')
      .find((one) => one.text() === 'Clear filter')
      ?.trigger('click');
    expect(options(wrapper)).toHaveLength(8);
  });

  it('narrows by a filter and takes it away by its chip', async () => {
    const { wrapper } = await page();
    useToolFilter().filter.value = { state: ['broken'], origin: ['own'], tag: [], author: [] };
    await flushPromises();
    expect(names(wrapper)).toEqual(['mail-merge']);
    await wrapper.find('[aria-label="Remove filter: Broken"]').trigger('click');
    expect(options(wrapper)).toHaveLength(6);
  });

  it('says where tools go when there are none, and scans on demand', async () => {
    const part = await page('/tools', {}, 'empty');
    expect(part.wrapper.text()).toContain('/home/lin/pm/toolbox/hello/hello.tool.js');
    expect(part.wrapper.findAll('h1')).toHaveLength(1);
    await part.wrapper
      .findAll('button')
      .find((one) => one.text().includes('Scan'))
      ?.trigger('click');
    expect(called(part)).toContain('tool.rescan');
  });

  it('begins with the first steps and leads to the servers where there are no tools', async () => {
    const gone = () => {
      throw new CallError({ code: 'unknown_tool', message: 'There is no tool filesystem' });
    };
    const part = await page(
      '/tools',
      {
        'tool.grants': gone,
        'run.list': () => ({ runs: [], total: 0 }),
        'artifact.list': () => ({ artifacts: [], total: 0 }),
      },
      'empty',
    );
    // None leads to a tool that is not there.
    expect(part.wrapper.findAll('.first-steps a').map((one) => one.attributes('href'))).toEqual([
      '/settings/connect',
      '/canvas/scratchpad',
    ]);
    await part.wrapper.find('input[type=radio][value=servers]').trigger('change');
    await flushPromises();
    expect(path(part)).toBe('/tools/@servers');
  });

  it('shows why there is no list, and tries again', async () => {
    let down = true;
    const list = () => {
      if (down) throw new CallError({ code: 'store_failed', message: 'No database' });
      return { tools: [] as ToolRow[] };
    };
    const { wrapper } = await page('/tools', { 'tool.list': list });
    expect(wrapper.find('[role=alert]').text()).toContain('store_failed');
    down = false;
    await wrapper
      .findAll('button')
      .find((one) => one.text() === 'Try again')
      ?.trigger('click');
    await flushPromises();
    expect(wrapper.text()).toContain('Put your first tool here');
  });

  it('says so when an address names a tool that is not there, and asks nothing about it', async () => {
    const part = await page('/tools/gone/configure');
    expect(part.wrapper.text()).toContain('There is no tool called gone');
    expect(called(part).sort()).toEqual([
      'run.active',
      'settings.show',
      'tool.list',
      'tool.migration',
    ]);
  });
});

describe('one tool', () => {
  const FAILING = ['tool.manual', 'tool.variables', 'tool.grants', 'tool.secret'];

  it.each(['manual', 'run', 'configure', 'dependencies'])(
    'asks nothing that a broken tool cannot answer under %s',
    async (tab) => {
      const part = await page(`/tools/mail-merge/${tab}`);
      const { wrapper } = part;
      expect(wrapper.find('[role=alert]').text()).toContain('unexpected token (14:9)');
      expect(wrapper.find('[role=alert]').text()).toContain('Mend line 14');
      expect(wrapper.find('[role=tabpanel]').text()).toContain('The tool cannot be read');
      expect(called(part).filter((name) => FAILING.includes(name))).toEqual([]);
      await wrapper.find('[role=tabpanel] button').trigger('click');
      await flushPromises();
      expect(path(part)).toBe('/tools/mail-merge/files');
    },
  );

  it('waits with its questions while a tool is being read', async () => {
    const tools = TOOLS.map((tool) => ({ ...tool, state: 'describing' as const }));
    const part = await page('/tools/weather', { 'tool.list': () => ({ tools }) });
    expect(part.wrapper.text()).toContain('is being read');
    expect(called(part).sort()).toEqual([
      'run.active',
      'settings.show',
      'tool.list',
      'tool.migration',
    ]);
  });

  it('says why a tool is not ready and leads to where that is mended', async () => {
    const part = await page('/tools/weather');
    const go = part.wrapper.find('.notice button');
    expect(go.text()).toBe('Configure');
    await go.trigger('click');
    await flushPromises();
    expect(path(part)).toBe('/tools/weather/configure');
    expect(part.wrapper.find('.notice').exists()).toBe(false);
  });

  it('has tabs as addresses, chosen by arrows', async () => {
    const part = await page('/tools/csv-clean');
    const tab = part.wrapper.find('[role=tab][aria-selected=true]');
    expect(tab.text()).toBe('Manual');
    await press(tab.element, 'ArrowLeft');
    expect(path(part)).toBe('/tools/csv-clean/files');
    expect(document.title).toMatch(/^Files · .+ · Prompt Manager$/);
  });

  it('renders the manual without the heading that stands above it', async () => {
    const { wrapper } = await page('/tools/csv-clean');
    const panel = wrapper.find('[role=tabpanel]');
    expect(panel.find('table').text()).toContain('limit');
    expect(panel.find('.text :is(h1, h2)').exists()).toBe(false);
    expect(panel.findAll('.text h3')).toHaveLength(6);
    expect(panel.findAll('nav li')).toHaveLength(6);
  });

  it('tells which dependencies are missing and installs them', async () => {
    let finish = () => {};
    const held = new Promise<void>((resolve) => (finish = resolve));
    let settled = false;
    const part = await page('/tools/chart-maker/dependencies', {
      'tool.dependencies': () => {
        const found = dependenciesOf(TOOLS.find(({ name }) => name === 'chart-maker') as ToolRow);
        return settled ? { ...found, settled, packages: [] } : found;
      },
      'run.watch': async () => {
        await held;
        return { state: 'ended', lines: [], next: 0, version: 1 };
      },
      'npm.install': async () => {
        await held;
        settled = true;
        return { changed: true, packages: 48, fetched: 31 };
      },
    });
    const { wrapper, transport } = part;
    const rows = wrapper.findAll('tbody tr').map((row) => row.text());
    expect(rows.filter((row) => row.includes('missing'))).toHaveLength(4);
    const install = wrapper.find('.install');
    expect(install.text()).toContain('Not up to date');
    await install.find('button').trigger('click');
    await flushPromises();
    expect(install.text()).toContain('Installing');
    expect(install.find('[role=progressbar]').exists()).toBe(true);
    const made = transport.calls.find(({ name }) => name === 'npm.install');
    expect(made?.params).toMatchObject({ tool: 'chart-maker', again: false });
    finish();
    await flushPromises();
    expect(wrapper.find('.install').text()).toContain('Up to date');
    expect(wrapper.find('.install').text()).toContain('31');
  });

  it('shows remarks about how a tool is written', async () => {
    const { wrapper } = await page('/tools/csv-clean');
    expect(wrapper.find('details').text()).toContain('1 remark about');
    expect(wrapper.find('details').text()).toContain('major.minor.patch');
  });
});

describe('files', () => {
  it('goes down by folders and up by crumbs', async () => {
    const { wrapper } = await page('/tools/weather/files');
    const crumbs = () => wrapper.findAll('nav[aria-label=Folder] li').map((one) => one.text());
    const entry = (name: string) =>
      wrapper.findAll('button.entry').find((one) => one.text().startsWith(name));
    expect(crumbs()).toEqual(['weather']);
    await entry('data')?.trigger('click');
    await flushPromises();
    await entry('cache')?.trigger('click');
    await flushPromises();
    expect(crumbs()).toEqual(['weather', 'data', 'cache']);
    expect(wrapper.text()).toContain('Nothing in here');
    await entry('Up to data')?.trigger('click');
    await flushPromises();
    expect(crumbs()).toEqual(['weather', 'data']);
    await wrapper.find('nav[aria-label=Folder] button').trigger('click');
    await flushPromises();
    expect(crumbs()).toEqual(['weather']);
    expect(entry('current')?.attributes('disabled')).toBeDefined();
  });

  it('moves along the entries by arrows', async () => {
    const { wrapper } = await page('/tools/weather/files');
    (wrapper.find('button.entry').element as HTMLElement).focus();
    await press(document.activeElement, 'ArrowDown');
    expect(document.activeElement?.textContent).toContain('logs');
    await press(document.activeElement, 'End');
    expect(document.activeElement?.textContent).toContain('weather.tool.js');
    await press(document.activeElement, 'ArrowUp');
    expect(document.activeElement?.textContent).toContain('package.json');
  });

  it('says what is masked, cut or not text', async () => {
    const part = await page('/tools/weather/files');
    const { wrapper } = part;
    const open = async (name: string) => {
      const found = wrapper.findAll('button.entry').find((one) => one.text().startsWith(name));
      await found?.trigger('click');
      await flushPromises();
    };
    await open('icon.png');
    expect(wrapper.text()).toContain('Not text');
    await open('.env');
    expect(wrapper.text()).toContain('Secret values are masked here.');
    await wrapper
      .findAll('button')
      .find((one) => one.text().includes('under Configure'))
      ?.trigger('click');
    await flushPromises();
    expect(path(part)).toBe('/tools/weather/configure');
    await part.router.push('/tools/weather/files');
    await flushPromises();
    await open('logs');
    await open('run.log');
    expect(wrapper.text()).toContain('Only the beginning is shown; the file has 2.5 MB');
  });
});
