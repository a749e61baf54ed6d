// @vitest-environment happy-dom
import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMemoryHistory, createWebHashHistory } from 'vue-router';
import type { RunRow, ToolRef } from '@/generated/calls';
import { i18n, setLanguage } from '@/shared/i18n';
import GeneralSection from '@/features/settings/GeneralSection.vue';
import NoSession from '@/features/session/NoSession.vue';
import { CallError } from '@/platform';
import { mountPart } from '@/shared/testing';
import FirstSteps from './FirstSteps.vue';
import LinkBanner from './LinkBanner.vue';
import { watchForLinks } from './newLink';
import { roomOf } from './rooms';
import { lastIn, pageRouter } from './router';

let wrapper: VueWrapper | undefined;
beforeEach(() => {
  localStorage.clear();
  setLanguage('en');
});
afterEach(() => {
  wrapper?.unmount();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('link banner', () => {
  const GRACE_MS = 600;
  const banner = () =>
    mount(LinkBanner, { props: { link: 'connecting' }, global: { plugins: [i18n] } });

  it('says nothing while the page opens, and nothing about a quick restart', async () => {
    vi.useFakeTimers();
    const shown = (wrapper = banner());
    await vi.advanceTimersByTimeAsync(GRACE_MS * 2);
    expect(shown.text()).toBe('');
    await shown.setProps({ link: 'open' });
    await shown.setProps({ link: 'lost' });
    await vi.advanceTimersByTimeAsync(GRACE_MS / 2);
    await shown.setProps({ link: 'open' });
    await vi.advanceTimersByTimeAsync(GRACE_MS * 2);
    expect(shown.text()).toBe('');
  });

  it('says that the server is away, since when, and goes when it is back', async () => {
    vi.useFakeTimers({ now: new Date(2026, 10, 20, 14, 3, 7) });
    const shown = (wrapper = banner());
    await shown.setProps({ link: 'open' });
    await shown.setProps({ link: 'lost' });
    await vi.advanceTimersByTimeAsync(GRACE_MS);
    expect(shown.text()).toContain('The server is away.');
    expect(shown.text()).toContain('as of 14:03:07');
    expect(shown.text()).toContain('Will try again shortly.');
    // Trying again is still away, and does not move the time.
    await shown.setProps({ link: 'connecting' });
    expect(shown.text()).toContain('as of 14:03:07');
    expect(shown.text()).toContain('Trying to reconnect…');
    await shown.setProps({ link: 'open' });
    expect(shown.text()).toBe('');
  });

  it('does not claim an age for what never came', async () => {
    vi.useFakeTimers();
    const shown = (wrapper = banner());
    await shown.setProps({ link: 'lost' });
    await vi.advanceTimersByTimeAsync(GRACE_MS);
    expect(shown.text()).toContain('It has not answered yet.');
  });
});

describe('rooms', () => {
  it('knows the room of an address', () => {
    expect(roomOf('/tools/filesystem/run')).toBe('tools');
    expect(roomOf('/settings')).toBe('settings');
    expect(roomOf('/toolsmith')).toBeUndefined();
  });

  it('comes back to a room as it was left', async () => {
    const router = pageRouter(createMemoryHistory());
    await router.push('/activity?run=1');
    await router.push('/settings/data');
    expect(lastIn('activity')).toBe('/activity?run=1');
    expect(lastIn('settings')).toBe('/settings/data');
  });

  it('takes unknown addresses to the tools', async () => {
    const router = pageRouter(createMemoryHistory());
    await router.push('/nowhere/at/all');
    expect(router.currentRoute.value.path).toBe('/tools');
  });
});

describe('a link in a tab that is open', () => {
  let unwatch = () => {};
  afterEach(() => {
    unwatch();
    history.replaceState(null, '', '#/');
  });

  it.each(['popstate', 'hashchange'])('starts the page over, told by %s', async (move) => {
    const startOver = vi.fn();
    unwatch = watchForLinks(startOver);
    history.replaceState(null, '', '#/activity');
    const router = pageRouter(createWebHashHistory());
    await router.push('/activity');

    history.replaceState(history.state, '', '#code=one-time');
    window.dispatchEvent(new Event(move));
    await flushPromises();
    expect(startOver).toHaveBeenCalled();
    // The router did not see it: the code is still there for the page that comes.
    expect(location.hash).toBe('#code=one-time');
    expect(router.currentRoute.value.path).toBe('/activity');
  });

  it('leaves all other addresses to the router', async () => {
    const startOver = vi.fn();
    unwatch = watchForLinks(startOver);
    history.replaceState(null, '', '#/activity');
    const router = pageRouter(createWebHashHistory());
    await router.push('/activity');
    history.replaceState(history.state, '', '#/settings/data');
    window.dispatchEvent(new Event('popstate'));
    await vi.waitFor(() => expect(router.currentRoute.value.path).toBe('/settings/data'));
    expect(startOver).not.toHaveBeenCalled();
  });

  it.each([
    ['server_not_reachable', true],
    ['link_refused', false],
  ])('can be tried again after %s: %s', async (code, again) => {
    const props = { error: new CallError({ code }), lost: false };
    const part = await mountPart(NoSession, { props });
    wrapper = part.wrapper;
    const names = wrapper.findAll('[role=alert] button').map((one) => one.text());
    expect(names.includes(i18n.global.t('common.retry'))).toBe(again);
  });
});

describe('first steps', () => {
  const run = (subject: string, kind: RunRow['actor']['kind']): RunRow => ({
    id: subject + kind,
    subject,
    startedAt: 0,
    durationMs: 1,
    success: true,
    actor: { kind, name: 'x' },
  });

  const NO_GRANTS = {
    requested: [],
    effective: [],
    network: { requested: [], granted: [], effective: [] },
    processes: { requested: false, granted: false, effective: false },
  };

  async function steps(runs: RunRow[], pictures = 0, folders: string[] = []) {
    const handlers = {
      'run.list': () => ({ runs: [...runs], total: runs.length }),
      'artifact.list': () => ({ artifacts: [], total: pictures }),
      'tool.grants': ({ tool }: ToolRef) => ({ ...NO_GRANTS, tool, granted: [...folders] }),
    };
    const part = await mountPart(FirstSteps, { handlers });
    wrapper = part.wrapper;
    return part;
  }

  it('greets who never ran anything, and stays until all is done', async () => {
    const runs: RunRow[] = [];
    const folders: string[] = [];
    const { client, wrapper: shown } = await steps(runs, 0, folders);
    expect(shown.findAll('li')).toHaveLength(3);
    expect(shown.findAll('li.done')).toHaveLength(0);

    runs.push(run('filesystem', 'mcp_client'));
    await client.invalidateQueries();
    await flushPromises();
    expect(shown.findAll('li.done')).toHaveLength(1);
    folders.push('/home/ada/notes');
    await client.invalidateQueries();
    await flushPromises();
    expect(shown.findAll('li.done')).toHaveLength(2);
  });

  it('is over once a picture was drawn as well', async () => {
    localStorage.setItem('pm.firstSteps', 'begun');
    const { wrapper: shown } = await steps([run('filesystem', 'mcp_client')], 1, ['/a']);
    expect(shown.find('section').exists()).toBe(false);
  });

  it('never troubles who has runs already', async () => {
    const { wrapper: shown } = await steps([run('filesystem', 'person')]);
    expect(shown.find('section').exists()).toBe(false);
  });

  it('is gone for good when it was dismissed', async () => {
    const first = await steps([]);
    await first.wrapper.find('button').trigger('click');
    expect(first.wrapper.find('section').exists()).toBe(false);
    first.wrapper.unmount();
    const again = await steps([]);
    expect(again.wrapper.find('section').exists()).toBe(false);
    expect(again.transport.calls).toEqual([]);
  });

  it('comes back to a browser that refuses its storage as well', async () => {
    const refuse = () => {
      throw new DOMException('no', 'SecurityError');
    };
    vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse });
    const first = await steps([run('filesystem', 'person')]);
    expect(first.wrapper.find('section').exists()).toBe(false);
    first.wrapper.unmount();
    const settings = await mountPart(GeneralSection, { at: '/settings/general' });
    const show = settings.wrapper.findAll('button').find((one) => one.text() === 'Show again');
    await show?.trigger('click');
    settings.wrapper.unmount();
    const again = await steps([run('filesystem', 'person')]);
    expect(again.wrapper.findAll('li')).toHaveLength(3);
    // A storage that takes it again counts again.
    vi.unstubAllGlobals();
    await again.wrapper.find('button').trigger('click');
    localStorage.clear();
    again.wrapper.unmount();
    const fresh = await steps([]);
    expect(fresh.wrapper.find('section').exists()).toBe(true);
  });

  it('comes back when the settings ask for it, and stays until it is dismissed', async () => {
    localStorage.setItem('pm.firstSteps', 'over');
    const settings = await mountPart(GeneralSection, { at: '/settings/general' });
    const show = settings.wrapper.findAll('button').find((one) => one.text() === 'Show again');
    await show?.trigger('click');
    await flushPromises();
    expect(settings.router.currentRoute.value.path).toBe('/tools');
    settings.wrapper.unmount();
    const done = await steps([run('filesystem', 'mcp_client')], 1, ['/a']);
    expect(done.wrapper.findAll('li.done')).toHaveLength(3);
    await done.wrapper.find('button').trigger('click');
    expect(done.wrapper.find('section').exists()).toBe(false);
  });
});
