// @vitest-environment happy-dom
import { flushPromises, type VueWrapper } from '@vue/test-utils';
import { afterEach, describe, expect, it, test } from 'vitest';
import { CallError } from '@/platform';
import { mountPart } from '@/shared/testing';
import DropTarget from './DropTarget.vue';
import { MOST } from './keeping';
import { needsPlace, usesOf } from './uses';

let wrapper: VueWrapper | undefined;
afterEach(() => wrapper?.unmount());

/** The dialog is beside the component. */
const dialog = () => document.querySelector('[role=dialog]');
const choices = () => [...document.querySelectorAll<HTMLElement>('[role=dialog] .use')];

function fall(...files: File[]): DragEvent {
  const event = new Event('drop', { bubbles: true, cancelable: true });
  Object.assign(event, { dataTransfer: { types: ['Files'], files } });
  document.body.dispatchEvent(event);
  return event as DragEvent;
}

test('uses follow from the name and from whether the place is known', () => {
  const file = (name: string) => ({ file: new File([], name) });
  const placed = (path: string, folder = false) => ({ path, folder });
  expect(usesOf(placed('/a/tool', true))).toEqual(['tool', 'workspace', 'prompts', 'skills']);
  expect(usesOf(placed('/a/b.ZIP'))).toEqual(['tool']);
  expect(usesOf(placed('C:\\a\\b.tool.js'))).toEqual(['tool']);
  expect(usesOf(placed('/a/p.yaml'))).toEqual(['prompts']);
  expect(usesOf(placed('/a/p.exe'))).toEqual([]);
  expect(usesOf(file('p.svg'))).toEqual(['picture']);
  expect(usesOf(file('n.ipynb'))).toEqual(['cells']);
  expect(usesOf(placed('/a/n.md'))).toEqual(['cells', 'prompts']);
  expect(usesOf(file('n.md'))).toEqual(['cells']);
  // A browser does not say where these are.
  expect(usesOf(file('b.zip'))).toEqual([]);
  expect([needsPlace(file('b.zip')), needsPlace(file('p.png'))]).toEqual([true, false]);
});

describe('in a browser', () => {
  it('asks, and keeps a picture as a script draws it', async () => {
    const asked: unknown[] = [];
    const { wrapper: shown, router } = await mountPart(DropTarget, {
      handlers: {
        run_javascript(params) {
          asked.push(params);
          const value = { result: null, images: ['p1.png'] };
          return { run: 'r', success: true, value, durationMs: 1, log: [] };
        },
      },
    });
    wrapper = shown;
    const event = fall(new File(['png'], 'sun.png', { type: 'image/png' }));
    await flushPromises();
    expect(event.defaultPrevented).toBe(true);
    expect(dialog()?.textContent).toContain('sun.png');
    expect(asked).toEqual([]);
    choices()[0]?.click();
    await expect.poll(() => router.currentRoute.value.path).toBe('/canvas/p1');
    expect(asked).toEqual([
      {
        code: expect.stringMatching(/^\/\/ sun\.png\n/) as unknown,
        input: { picture: `data:image/png;base64,${btoa('png')}` },
      },
    ]);
    expect(dialog()).toBeNull();
  });

  it('says what is wrong and takes nothing', async () => {
    const { wrapper: shown } = await mountPart(DropTarget, {
      handlers: {
        'cells.create': () => {
          throw new CallError({ code: 'canvas_invalid', message: 'No such cell.' });
        },
      },
    });
    wrapper = shown;
    fall(new File(['x'], 'n.acp'));
    await flushPromises();
    choices()[0]?.click();
    await expect.poll(() => dialog()?.textContent).toContain('No such cell.');

    const large = new File([], 'large.png');
    Object.defineProperty(large, 'size', { value: MOST + 1 });
    fall(large);
    await flushPromises();
    expect(dialog()?.textContent).not.toContain('No such cell.');
    choices()[0]?.click();
    await expect.poll(() => dialog()?.textContent).toContain('At most 8 MB');
  });

  it('tells a file that is no picture from a script that was not run', async () => {
    const failures = ['js_execution_failed', 'paused'];
    const { wrapper: shown } = await mountPart(DropTarget, {
      handlers: {
        run_javascript() {
          const value = { error: failures.shift(), message: 'Runs are paused.' };
          return { run: 'r', success: false, value, durationMs: 1, log: [] };
        },
      },
    });
    wrapper = shown;
    fall(new File(['text'], 'no.png'));
    await flushPromises();
    choices()[0]?.click();
    await expect.poll(() => dialog()?.textContent).toContain('holds no picture');
    choices()[0]?.click();
    await expect.poll(() => dialog()?.textContent).toContain('Runs are paused.');
  });

  it('names what has no use here, and what needs its place', async () => {
    wrapper = (await mountPart(DropTarget)).wrapper;
    fall(new File([], 'a.exe'), new File([], 'b.exe'));
    await flushPromises();
    expect(dialog()?.textContent).toContain('Nothing here takes files of this kind.');
    expect(dialog()?.textContent).toContain('1 more');
    fall(new File([], 'a.zip'));
    await flushPromises();
    expect(dialog()?.textContent).toContain('A browser does not say where a file is.');
  });

  it('leaves to a field for files what falls on it', async () => {
    wrapper = (await mountPart(DropTarget)).wrapper;
    const field = document.createElement('input');
    field.type = 'file';
    document.body.append(field);
    const event = new Event('drop', { bubbles: true, cancelable: true });
    Object.assign(event, { dataTransfer: { types: ['Files'], files: [new File([], 'a.png')] } });
    field.dispatchEvent(event);
    await flushPromises();
    expect([event.defaultPrevented, dialog()]).toEqual([false, null]);
    field.remove();
  });
});

describe('in the shell', () => {
  const native = (fallen: { path: string; folder: boolean }[], content = '') => ({
    dropped: { look: async () => fallen, read: async () => new Blob([content]) },
  });

  it('leads into the dialog of a room, with the place', async () => {
    const { wrapper: shown, router } = await mountPart(DropTarget, {
      at: '/settings?dropped=1',
      native: native([{ path: '/home/me/my tool', folder: true }]),
    });
    wrapper = shown;
    await flushPromises();
    expect(router.currentRoute.value.fullPath).toBe('/settings');
    expect(choices()).toHaveLength(4);
    choices()[1]?.click();
    await flushPromises();
    expect(router.currentRoute.value).toMatchObject({
      path: '/workspaces',
      query: { bind: '/home/me/my tool' },
    });
  });

  it('reads what is no matter of its place', async () => {
    const texts: string[] = [];
    const { wrapper: shown, router } = await mountPart(DropTarget, {
      at: '/?dropped=1',
      native: native([{ path: '/a/plan.md', folder: false }], '# Plan'),
      handlers: {
        'cells.create': ({ text, title }) => {
          texts.push(`${title}: ${text}`);
          return { canvas: { id: 'c1' } } as never;
        },
      },
    });
    wrapper = shown;
    await flushPromises();
    choices()[0]?.click();
    await expect.poll(() => router.currentRoute.value.path).toBe('/cells/c1');
    expect(texts).toEqual(['plan: # Plan']);
  });
});
