// @vitest-environment happy-dom
import { flushPromises } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CallError } from '@/platform';
import { handlersOf, type FakeHandlers } from '@/platform/fake';
import { useToasts } from '@/shared/composables';
import MoreMenu from '@/shared/ui/MoreMenu.vue';
import { mountPart, type Mounted } from '@/shared/testing';
import ToolsPage from './ToolsPage.vue';

let mounted: Mounted | undefined;

async function page(at: string, more: FakeHandlers = {}) {
  const handlers = { ...handlersOf('full'), 'run.active': () => ({ runs: [] }), ...more };
  mounted = await mountPart(ToolsPage, { at, handlers });
  await settle();
  return mounted;
}

beforeEach(() => localStorage.clear());
afterEach(() => {
  mounted?.wrapper.unmount();
  mounted = undefined;
  document.body.replaceChildren();
});

async function settle() {
  for (let n = 0; n < 6; n += 1) await flushPromises();
}

const words = () => document.body.textContent ?? '';
const sent = (name: string) =>
  mounted?.transport.calls.filter((call) => call.name === name).map(({ params }) => params) ?? [];

function button(text: string): HTMLButtonElement {
  const found = [...document.querySelectorAll<HTMLButtonElement>('button')].find(
    (one) => (one.getAttribute('aria-label') ?? one.textContent?.trim()) === text,
  );
  if (!found) throw new Error(`no button ${text}`);
  return found;
}

async function press(text: string) {
  button(text).click();
  await settle();
}

async function choose(label: string) {
  const menus = mounted?.wrapper.findAllComponents(MoreMenu) ?? [];
  const items = menus.flatMap((menu) => menu.props('items'));
  const item = items.find((one) => one !== 'separator' && one.label === label);
  if (!item || item === 'separator') throw new Error(`no item ${label}`);
  item.run();
  await settle();
}

async function write(text: string) {
  const field = [...document.querySelectorAll<HTMLInputElement>('input')].find(
    (one) => one.labels?.[0]?.textContent?.trim() === 'Where from',
  );
  if (!field) throw new Error('no field');
  field.value = text;
  field.dispatchEvent(new Event('input', { bubbles: true }));
  await settle();
}

describe('a tool from elsewhere', () => {
  it('is shown before it comes, and comes as it was shown', async () => {
    const { router } = await page('/tools');
    await press('Add a tool');
    await write('/home/ada/translate.zip');
    await press('Look at it');
    expect(words()).toContain('Reach api.example.com on the network');
    expect(words()).toContain('TRANSLATE_API_KEY');
    expect(sent('tool.install')).toEqual([]);
    // One of the rights is not given.
    const boxes = [...document.querySelectorAll<HTMLElement>('[role=checkbox]')];
    expect(boxes).toHaveLength(3);
    boxes[2]?.click();
    await settle();
    await press('Install');
    expect(sent('tool.install')).toEqual([
      {
        source: '/home/ada/translate.zip',
        tool: 'translate',
        digest: 'd1',
        replace: false,
        allow: [
          { kind: 'directory', value: '/home/ada/notes' },
          { kind: 'network', value: 'api.example.com' },
        ],
      },
    ]);
    expect(router.currentRoute.value.path).toBe('/tools/translate');
  });

  it('is looked at again when the source is another', async () => {
    await page('/tools');
    await press('Add a tool');
    await write('/home/ada/translate.zip');
    await press('Look at it');
    await write('/home/ada/other.zip');
    expect(() => button('Install')).toThrow('no button');
  });

  it('says that it is given what a removed one left', async () => {
    await page('/tools/weather');
    await choose('Remove, keep its data');
    await press('Add a tool');
    await write('/home/ada/translate.zip');
    await press('Look at it');
    expect(words()).not.toContain('left its configuration');
    await write('/home/ada/weather.zip');
    await press('Look at it');
    expect(words()).toContain('left its configuration and data');
    expect(words()).toContain('.env, data');
  });

  it('that is not there says so and what to do', async () => {
    await page('/tools');
    await press('Add a tool');
    await write('/nowhere');
    await press('Look at it');
    expect(words()).toContain('There is nothing at /nowhere');
    expect(() => button('Install')).toThrow('no button');
  });
});

describe('a tool that is here', () => {
  it('is updated from where it came, and only what is new waits', async () => {
    await page('/tools/weather');
    await choose('Update…');
    await press('Look at it');
    expect(sent('tool.preview')).toEqual([
      { source: '/home/ada/Downloads/weather.zip', tool: 'weather' },
    ]);
    expect(words()).toContain('given already');
    expect(document.querySelectorAll('[role=checkbox]')).toHaveLength(2);
    await press('Install this version');
    expect(sent('tool.install')).toMatchObject([{ tool: 'weather', replace: true }]);
  });

  it('that was taken back says why, and stays', async () => {
    await page('/tools/weather', {
      'tool.install': () => {
        throw new CallError({ code: 'tool_taken_back', message: 'weather 9.0.0 was taken back' });
      },
    });
    await choose('Update…');
    await press('Look at it');
    await press('Install this version');
    expect(words()).toContain('weather 9.0.0 was taken back');
  });

  it('goes back to a version', async () => {
    await page('/tools/weather');
    await choose('Earlier versions…');
    await press('Go back to 0.9.0');
    expect(sent('tool.rollback')).toEqual([{ tool: 'weather', id: '0.9.0-20261101' }]);
  });

  it('is removed, and comes back by the notice', async () => {
    const { router } = await page('/tools/weather');
    await choose('Remove');
    expect(sent('tool.remove')).toEqual([{ tool: 'weather', keepData: false }]);
    expect(router.currentRoute.value.path).not.toContain('weather');
    const listed = () => document.querySelector('[role=listbox]')?.textContent;
    expect(listed()).not.toContain('weather0.9.1');
    useToasts().shown.value.at(-1)?.action?.run();
    await settle();
    expect(sent('tool.restore')).toEqual([{ id: 'weather-20261120' }]);
    expect(listed()).toContain('weather0.9.1');
  });

  it('that comes with the program has no such menu', async () => {
    await page('/tools/filesystem');
    expect(mounted?.wrapper.findAllComponents(MoreMenu)).toHaveLength(0);
  });
});
