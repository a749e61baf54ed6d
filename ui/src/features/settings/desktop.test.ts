// @vitest-environment happy-dom
import { flushPromises, type VueWrapper } from '@vue/test-utils';
import { afterEach, describe, expect, it } from 'vitest';
import { CallError, type DesktopShortcut, type Offered } from '@/platform';
import { handlersOf } from '@/platform/fake';
import { mountPart } from '@/shared/testing';
import AboutSection from './AboutSection.vue';
import GeneralSection from './GeneralSection.vue';
import { desktopKeys } from './desktopKeys';

let wrapper: VueWrapper | undefined;
afterEach(() => wrapper?.unmount());

const button = (name: string) => {
  const all = [...document.querySelectorAll<HTMLButtonElement>('button')];
  return all.find((one) =>
    [one.getAttribute('aria-label'), one.textContent?.trim()].includes(name),
  );
};

async function click(name: string) {
  const found = button(name);
  if (!found) throw new Error(`no button “${name}”`);
  found.click();
  await flushPromises();
}

describe('keys of the whole desktop', () => {
  const desktop = (now: DesktopShortcut, refuses?: CallError) => {
    const asked: (string | null)[] = [];
    return {
      asked,
      shortcut: {
        get: async () => now,
        set: async (keys: string | null) => {
          asked.push(keys);
          if (refuses) throw refuses;
          now = { ...now, keys, held: keys !== null };
        },
      },
    };
  };

  async function press(init: KeyboardEventInit) {
    const field = button('Press the keys…');
    field?.dispatchEvent(
      new KeyboardEvent('keydown', { ...init, bubbles: true, cancelable: true }),
    );
    await flushPromises();
  }

  const open = async (native: object) =>
    ({ wrapper } = await mountPart(GeneralSection, { handlers: handlersOf('full'), native }));

  it('are recorded, shown and taken away', async () => {
    const { asked, shortcut } = desktop({ keys: null, held: false, possible: true });
    await open({ shortcut });
    await click('Choose keys');
    await press({ code: 'ControlLeft', key: 'Control', ctrlKey: true });
    expect(asked).toEqual([]);
    await press({ code: 'KeyP', key: 'π', ctrlKey: true, altKey: true });
    expect(asked).toEqual(['ctrl+alt+p']);
    expect(wrapper?.text()).toContain('CtrlAltP');
    await click('Remove the keys');
    expect(asked).toEqual(['ctrl+alt+p', null]);
    expect(button('Choose keys')).toBeDefined();
  });

  it('are left by Escape', async () => {
    const { asked, shortcut } = desktop({ keys: null, held: false, possible: true });
    await open({ shortcut });
    await click('Choose keys');
    await press({ code: 'Escape', key: 'Escape' });
    expect(asked).toEqual([]);
    expect(button('Choose keys')).toBeDefined();
  });

  it('are refused with the reason', async () => {
    const refuses = new CallError({ code: 'shortcut_taken', message: '' });
    const { shortcut } = desktop({ keys: null, held: false, possible: true }, refuses);
    await open({ shortcut });
    await click('Choose keys');
    await press({ code: 'KeyP', key: 'p', ctrlKey: true });
    expect(wrapper?.find('[role=alert]').text()).toContain('belong to another program');
  });

  it('say where the desktop gives none, and when somebody else has them', async () => {
    await open(desktop({ keys: null, held: false, possible: false }));
    expect(wrapper?.text()).toContain('prompt-manager --find');
    expect(button('Choose keys')).toBeUndefined();
    wrapper?.unmount();
    await open(desktop({ keys: 'ctrl+alt+p', held: false, possible: true }));
    expect(wrapper?.text()).toContain('These keys are not ours now');
  });

  it('are named by their places', () => {
    const keys = (init: KeyboardEventInit) => desktopKeys(new KeyboardEvent('keydown', init));
    expect(keys({ code: 'Digit1', key: '!', shiftKey: true, metaKey: true })).toBe('shift+super+1');
    expect(keys({ code: 'ArrowUp', ctrlKey: true })).toBe('ctrl+arrowup');
    expect(keys({ code: 'F5', altKey: true })).toBe('alt+f5');
    expect(keys({ code: 'MetaLeft', metaKey: true })).toBeUndefined();
  });
});

describe('updates', () => {
  const channel = (update: Offered | null, refuses?: CallError) => {
    const did: string[] = [];
    return {
      did,
      updates: {
        channel: async () => ({ channel: true, busy: false }),
        check: async () => {
          did.push('check');
          return { channel: true, update };
        },
        install: async () => {
          did.push('install');
          if (refuses) throw refuses;
        },
        progress: async () => ({ busy: false, fetching: null }),
        giveUp: async () => undefined,
      },
    };
  };

  const open = async (native: object, at = '/') =>
    ({ wrapper } = await mountPart(AboutSection, { handlers: handlersOf('full'), native, at }));

  it('are looked for when asked, and there may be none', async () => {
    const { did, updates } = channel(null);
    await open({ updates });
    expect(did).toEqual([]);
    await click('Check for updates');
    expect(did).toEqual(['check']);
    const said = wrapper?.findAll('[role=status]').map((one) => one.text());
    expect(said).toContain('This is the newest version.');
  });

  it('are told with their notes, and say why they were not installed', async () => {
    const refuses = new CallError({ code: 'update_not_installed', message: '' });
    const { did, updates } = channel({ version: '9.0.0', notes: 'All is **better**.' }, refuses);
    await open({ updates });
    await click('Check for updates');
    expect(document.body.textContent).toContain('Version 9.0.0 is there');
    expect(document.querySelector('[role=dialog] strong')?.textContent).toBe('better');
    await click('Install and restart');
    expect(did).toEqual(['check', 'install']);
    expect(document.querySelector('[role=dialog] [role=alert]')?.textContent).toContain(
      'this one goes on',
    );
  });

  it('say how far they are, and are given up while they are fetched', async () => {
    const { did, updates } = channel({ version: '9.0.0', notes: null });
    let refuse: ((failure: CallError) => void) | undefined;
    await open({
      updates: {
        ...updates,
        install: () => new Promise<void>((_, reject) => (refuse = reject)),
        progress: async () => ({
          busy: refuse !== undefined,
          fetching: refuse ? { fetched: 5_000_000, total: 20_000_000 } : null,
        }),
        giveUp: async () => {
          did.push('giveUp');
          refuse?.(new CallError({ code: 'update_given_up' }));
        },
      },
    });
    await click('Check for updates');
    await click('Install and restart');
    const dialog = () => document.querySelector('[role=dialog]');
    await expect.poll(() => dialog()?.textContent).toContain('Fetching: 5 MB of 20 MB');
    const bar = dialog()?.querySelector('[role=progressbar]');
    expect(bar?.getAttribute('aria-valuenow')).toBe('25');
    await click('Stop fetching');
    expect(did).toEqual(['check', 'giveUp']);
    expect(dialog()?.querySelector('[role=alert], [role=progressbar]')).toBeNull();
    expect(button('Install and restart')?.disabled).toBe(false);
  });

  it('begun by an earlier page are followed to their end', async () => {
    const { updates } = channel(null);
    let running = true;
    await open({
      updates: {
        ...updates,
        channel: async () => ({ channel: true, busy: true }),
        progress: async () => ({
          busy: running,
          fetching: running ? { fetched: 1500, total: null } : null,
        }),
      },
    });
    await expect.poll(() => wrapper?.text()).toContain('Fetching: 1.5 kB');
    expect(button('Check for updates')?.disabled).toBe(true);
    running = false;
    await expect.poll(() => button('Check for updates')?.disabled).toBe(false);
  });

  it('are looked for when the tray asks', async () => {
    const { did, updates } = channel(null);
    await open({ updates }, '/settings/about?update=1');
    await flushPromises();
    expect(did).toEqual(['check']);
  });

  it('are not offered where there is no channel, nor in a browser', async () => {
    await open({
      updates: { ...channel(null).updates, channel: async () => ({ channel: false, busy: false }) },
    });
    expect(wrapper?.text()).toContain('No update channel is set');
    expect(button('Check for updates')).toBeUndefined();
    wrapper?.unmount();
    await open({});
    expect(wrapper?.text()).not.toContain('update channel');
  });
});

it('the release notes are those of this build', async () => {
  ({ wrapper } = await mountPart(AboutSection, { handlers: handlersOf('full') }));
  await click('Read');
  await import('./ReleaseNotes.vue');
  await flushPromises();
  expect(document.querySelector('[role=dialog]')?.textContent).toContain('Unreleased');
});
