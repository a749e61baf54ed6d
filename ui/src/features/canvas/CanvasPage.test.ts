// @vitest-environment happy-dom
import { flushPromises } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useToasts } from '@/shared/composables/toasts';
import { mountPart, type Mounted, type Mounting } from '@/shared/testing';
import CanvasPage from './CanvasPage.vue';
import { scratch, takeArrival } from './scratchpad/scratch';
import { pictureNumber, shelfOf } from './testPictures';

let mounted: Mounted | undefined;

beforeEach(() => {
  // Elements have no size here: the page takes its sizes for what is not measured yet.
  vi.stubGlobal('fetch', async () => new Response(new Blob(['png'], { type: 'image/png' })));
  useToasts().shown.value.forEach(({ id }) => useToasts().dismiss(id));
});

afterEach(() => {
  mounted?.wrapper.unmount();
  vi.unstubAllGlobals();
});

async function open(count: number, at = '/canvas', more: Partial<Mounting> = {}) {
  const shelf = shelfOf(count);
  mounted = await mountPart(CanvasPage, {
    at,
    ...more,
    handlers: { ...shelf.handlers, ...more.handlers },
  });
  const { wrapper, router, transport } = mounted;
  const tiles = () => wrapper.findAll('.picture-tile');
  const at2 = (index: number) => wrapper.find(`[data-index="${index}"] > a`);
  const named = (name: string) =>
    wrapper.findAll('button').find((one) => (one.attributes('aria-label') ?? one.text()) === name);
  const listed = () => transport.calls.filter(({ name }) => name === 'artifact.list').length;
  return { ...mounted, shelf, wrapper, router, tiles, tileAt: at2, named, listed };
}

const idOf = (at: number) => pictureNumber(at).id;

describe('the gallery', () => {
  it('draws a few of 5,000 pictures and asks for one page', async () => {
    const { tiles, listed, wrapper } = await open(5000);
    expect(tiles().length).toBeGreaterThan(10);
    expect(tiles().length).toBeLessThan(80);
    expect(listed()).toBe(1);
    expect(wrapper.find('h1 + span').text()).toBe('5,000');
  });

  it('shows thumbnails, with the day above them', async () => {
    const { wrapper } = await open(3);
    const image = wrapper.find('.picture-tile img');
    expect(image.attributes('src')).toBe(pictureNumber(0).thumb);
    expect(image.attributes('decoding')).toBe('async');
    expect(wrapper.findAll('h2').length).toBeGreaterThan(0);
    const section = wrapper.find('section.day');
    expect(wrapper.find(`#${section.attributes('aria-labelledby')}`).exists()).toBe(true);
  });

  it('fetches nothing that only passes by, and what is there when it rests', async () => {
    const { wrapper, tiles } = await open(500);
    const grid = wrapper.find('.picture-grid');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      grid.element.scrollTop = 3000;
      await grid.trigger('scroll');
      await vi.advanceTimersByTimeAsync(50);
      const last = () => tiles().at(-1);
      expect(last()?.find('.title').text()).toContain('Picture');
      expect(last()?.find('img').exists()).toBe(false);
      await vi.advanceTimersByTimeAsync(100);
      expect(last()?.find('img').exists()).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is walked through by arrow keys; Tab finds one tile', async () => {
    const { wrapper, tileAt, tiles } = await open(40);
    expect(tiles().filter((one) => one.attributes('tabindex') === '0')).toHaveLength(1);
    await wrapper.find('.picture-grid').trigger('keydown', { key: 'ArrowRight' });
    await flushPromises();
    expect(document.activeElement).toBe(tileAt(1).element);
    await tileAt(1).trigger('keydown', { key: 'End' });
    await flushPromises();
    expect(document.activeElement).toBe(tileAt(39).element);
    expect(tileAt(39).attributes('tabindex')).toBe('0');
    expect(tiles().filter((one) => one.attributes('tabindex') === '0')).toHaveLength(1);
  });

  it('fetches the pages that are scrolled to, and no others', async () => {
    const { wrapper, transport, tileAt } = await open(5000);
    await wrapper.find('.picture-grid').trigger('keydown', { key: 'End' });
    await flushPromises();
    const pages = transport.calls.map(({ params }) => (params as { offset: number }).offset);
    expect(pages).toContain(4920);
    expect(pages.length).toBeLessThanOrEqual(4);
    expect(tileAt(4999).text()).toContain('Picture 4999');
  });

  it('offers a first drawing where there is none', async () => {
    const { named, router } = await open(0);
    await named('Draw your first picture')?.trigger('click');
    await flushPromises();
    expect(router.currentRoute.value.path).toBe('/canvas/scratchpad');
    expect(scratch.code).toContain('// Sunflower');
    expect(takeArrival()).toBe(true);
  });

  it('shows a new picture when the owner tells of it', async () => {
    const { shelf, client, wrapper } = await open(2);
    shelf.pictures = [
      { ...pictureNumber(77), createdAt: Date.UTC(2026, 10, 21) },
      ...shelf.pictures,
    ];
    await client.invalidateQueries();
    await flushPromises();
    expect(wrapper.find('[data-index="0"]').text()).toContain('Picture 77');
    expect(wrapper.find('h1 + span').text()).toBe('3');
  });
});

describe('a picture', () => {
  it('is shown with its facts and its script beside the grid', async () => {
    const { wrapper } = await open(5, `/canvas/${idOf(2)}`);
    expect(wrapper.find('.viewer-head').text()).toContain('Picture 2');
    expect(wrapper.find('.picture-facts').text()).toContain('400 × 300');
    expect(wrapper.find('.picture-facts').text()).toContain('You · web');
    expect(wrapper.find('.picture-script').text()).toContain('// Picture 2');
    expect(wrapper.find('[aria-current]').text()).toContain('Picture 2');
  });

  it('leads to its neighbours by arrow keys, and back by Escape', async () => {
    const { router, named } = await open(3, `/canvas/${idOf(1)}`);
    const press = async (key: string) => {
      window.dispatchEvent(new KeyboardEvent('keydown', { key, cancelable: true }));
      await flushPromises();
    };
    await press('ArrowRight');
    expect(router.currentRoute.value.params.id).toBe(idOf(2));
    expect(named('Next')?.attributes('disabled')).toBeDefined();
    await press('ArrowRight');
    expect(router.currentRoute.value.params.id).toBe(idOf(2));
    await press('ArrowLeft');
    await press('ArrowLeft');
    expect(router.currentRoute.value.params.id).toBe(idOf(0));
    await press('Escape');
    expect(router.currentRoute.value.path).toBe('/canvas');
  });

  it('keeps the keys where they were: the grid beside it walks on', async () => {
    const { tileAt, router } = await open(6);
    await tileAt(1).trigger('click');
    await flushPromises();
    expect(router.currentRoute.value.params.id).toBe(idOf(1));
    expect(document.activeElement).toBe(tileAt(1).element);
    await tileAt(1).trigger('keydown', { key: 'ArrowRight' });
    await flushPromises();
    expect(router.currentRoute.value.params.id).toBe(idOf(2));
    expect(document.activeElement).toBe(tileAt(2).element);
  });

  it('finds the neighbours of one that is far down', async () => {
    const { router, named } = await open(3000, `/canvas/${idOf(2345)}`);
    await flushPromises();
    await named('Next')?.trigger('click');
    await flushPromises();
    expect(router.currentRoute.value.params.id).toBe(idOf(2346));
  });

  it('zooms by buttons and keys', async () => {
    const { wrapper, named } = await open(1, `/canvas/${idOf(0)}`);
    const percent = () => wrapper.find('.percent').text();
    const width = () => (wrapper.find('.board').element as HTMLElement).style.width;
    expect(percent()).toBe('100%');
    await named('Zoom in')?.trigger('click');
    expect([percent(), width()]).toEqual(['150%', '600px']);
    window.dispatchEvent(new KeyboardEvent('keydown', { key: '+' }));
    await flushPromises();
    expect([percent(), width()]).toEqual(['200%', '800px']);
    expect(wrapper.find('.stage img').classes()).not.toContain('pixelated');
    await named('Zoom in')?.trigger('click');
    expect(wrapper.find('.stage img').classes()).toContain('pixelated');
    window.dispatchEvent(new KeyboardEvent('keydown', { key: '0' }));
    await flushPromises();
    expect(percent()).toBe('100%');
  });

  it('zooms by the wheel without scrolling the page', async () => {
    const { wrapper } = await open(1, `/canvas/${idOf(0)}`);
    const turn = new WheelEvent('wheel', { deltaY: -120, cancelable: true });
    wrapper.find('.stage').element.dispatchEvent(turn);
    await flushPromises();
    expect(turn.defaultPrevented).toBe(true);
    expect(parseInt(wrapper.find('.percent').text())).toBeGreaterThan(120);
  });

  it('is copied and saved as its bytes, under its title', async () => {
    const copyImage = vi.fn(async () => undefined);
    const saveFile = vi.fn(async () => true);
    const { named } = await open(1, `/canvas/${idOf(0)}`, { native: { copyImage, saveFile } });
    await named('Copy picture')?.trigger('click');
    await named('Save as…')?.trigger('click');
    await flushPromises();
    expect(copyImage).toHaveBeenCalledWith(expect.any(Blob));
    expect(saveFile).toHaveBeenCalledWith('Picture 0.png', expect.any(Blob));
    expect(useToasts().shown.value.map(({ text }) => text)).toEqual(['Picture copied']);
  });

  it('says why it could not be copied', async () => {
    vi.stubGlobal('fetch', async () => new Response(null, { status: 404 }));
    const { named, wrapper } = await open(1, `/canvas/${idOf(0)}`);
    await named('Copy picture')?.trigger('click');
    await flushPromises();
    expect(wrapper.find('[role=alert]').text()).toContain('The picture could not be loaded.');
    expect(wrapper.find('[role=alert]').text()).toContain('picture_not_readable');
  });

  it('gives its script to the scratchpad', async () => {
    const { named, router } = await open(1, `/canvas/${idOf(0)}`);
    await named('Edit and run')?.trigger('click');
    await flushPromises();
    expect(scratch.code).toBe('// Picture 0');
    expect(router.currentRoute.value.path).toBe('/canvas/scratchpad');
    expect(takeArrival()).toBe(false);
  });

  it('that is not there is said, with a way back to the gallery', async () => {
    const { wrapper } = await open(2, '/canvas/unknown');
    expect(wrapper.find('[role=alert]').text()).toContain('artifact_not_found');
    expect(wrapper.find('.picture-grid').exists()).toBe(true);
  });
});

describe('deleting', () => {
  it('shows the next one, and undo brings the picture back', async () => {
    const { named, router, shelf, transport, tiles } = await open(3, `/canvas/${idOf(1)}`);
    await named('Delete')?.trigger('click');
    await flushPromises();
    const names = transport.calls.filter(
      ({ params }) => (params as { id?: string }).id === idOf(1),
    );
    // It is shown once, removed, and not asked for again.
    expect(names.map(({ name }) => name)).toEqual(['artifact.show', 'artifact.remove']);
    expect(router.currentRoute.value.params.id).toBe(idOf(2));
    expect(tiles()).toHaveLength(2);
    const [toast] = useToasts().shown.value;
    expect(toast?.text).toBe('“Picture 1” deleted');
    expect(toast?.action?.label).toBe('Undo');
    toast?.action?.run();
    await flushPromises();
    expect(shelf.pictures.map(({ id }) => id)).toEqual([idOf(0), idOf(1), idOf(2)]);
    expect(router.currentRoute.value.params.id).toBe(idOf(1));
    expect(tiles()).toHaveLength(3);
  });

  it('leaves the focus to whoever writes in a dialog when the picture comes back', async () => {
    const { named, router } = await open(1, `/canvas/${idOf(0)}`);
    await named('Delete')?.trigger('click');
    await flushPromises();
    const undo = useToasts().shown.value[0]?.action;
    document.body.insertAdjacentHTML('beforeend', '<div role="dialog"><input id="field"></div>');
    const field = document.getElementById('field');
    field?.focus();
    undo?.run();
    await flushPromises();
    expect(router.currentRoute.value.params.id).toBe(idOf(0));
    expect(document.activeElement).toBe(field);
    field?.parentElement?.remove();
  });

  it('works by key in the grid, without opening anything', async () => {
    const { tileAt, router, shelf } = await open(3);
    await tileAt(0).trigger('keydown', { key: 'Delete' });
    await flushPromises();
    expect(shelf.pictures).toHaveLength(2);
    expect(router.currentRoute.value.path).toBe('/canvas');
    useToasts().shown.value[0]?.action?.run();
    await flushPromises();
    expect(shelf.pictures).toHaveLength(3);
    expect(router.currentRoute.value.path).toBe('/canvas');
  });

  it('leads to the gallery when it was the last one', async () => {
    const { named, router, wrapper } = await open(1, `/canvas/${idOf(0)}`);
    await named('Delete')?.trigger('click');
    await flushPromises();
    expect(router.currentRoute.value.path).toBe('/canvas');
    expect(wrapper.text()).toContain('No pictures yet');
  });

  it('that fails is said on the page, and the picture stays', async () => {
    const { CallError } = await import('@/platform');
    const refuse = () => {
      throw new CallError({ code: 'store_failed', message: 'the disk is full' });
    };
    const { named, router, wrapper } = await open(2, `/canvas/${idOf(0)}`, {
      handlers: { 'artifact.remove': refuse },
    });
    await named('Delete')?.trigger('click');
    await flushPromises();
    await vi.waitFor(() => expect(wrapper.text()).toContain('the disk is full'));
    expect(wrapper.find('[role=alert]').text()).toContain('store_failed');
    await flushPromises();
    expect(router.currentRoute.value.params.id).toBe(idOf(0));
    expect(useToasts().shown.value).toEqual([]);
  });
});
