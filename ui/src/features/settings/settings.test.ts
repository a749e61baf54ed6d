// @vitest-environment happy-dom
import { flushPromises, type VueWrapper } from '@vue/test-utils';
import { afterEach, describe, expect, it } from 'vitest';
import { defineComponent, h } from 'vue';
import { CallError } from '@/platform';
import { handlersOf, type FakeHandlers } from '@/platform/fake';
import { useToasts } from '@/shared/composables/toasts';
import { currentLanguage } from '@/shared/i18n';
import { mountPart } from '@/shared/testing';
import type { Doctor } from '@/generated/calls';
import AboutSection from './AboutSection.vue';
import ConnectSection from './ConnectSection.vue';
import DataSection from './DataSection.vue';
import GeneralSection from './GeneralSection.vue';
import IsolationSection from './IsolationSection.vue';
import ServerSection from './ServerSection.vue';
import TokensSection from './TokensSection.vue';
import { useOwnersLanguage } from './settings';

const TOKEN = 'pm_4f1c9a7e2b8d40c6a3e5f7091b2d8c64';
/** A new owner for each test: what one changes the other must not see. */
function owner(): FakeHandlers {
  document.documentElement.lang = 'en';
  return handlersOf('full');
}

let wrapper: VueWrapper | undefined;
afterEach(() => wrapper?.unmount());

function button(name: string): HTMLElement {
  const all = [...document.querySelectorAll<HTMLElement>('button')];
  const found = all.find((one) =>
    [one.getAttribute('aria-label'), one.textContent?.trim()].includes(name),
  );
  if (!found) throw new Error(`no button “${name}”`);
  return found;
}

describe('language', () => {
  const choose = (value: string) =>
    wrapper?.find<HTMLInputElement>(`input[value="${value}"]`).setValue(true);

  it('switches the page at once and tells the owner', async () => {
    const part = await mountPart(GeneralSection, { handlers: owner() });
    wrapper = part.wrapper;
    await choose('zh-CN');
    expect(currentLanguage()).toBe('zh-CN');
    expect(wrapper.text()).toContain('语言');
    expect(document.documentElement.lang).toBe('zh-CN');
    expect(part.transport.calls).toContainEqual({
      name: 'settings.change',
      params: { language: 'zh-CN' },
    });
  });

  it('goes back and says why when the owner refuses', async () => {
    const handlers = owner();
    handlers['settings.change'] = () => {
      throw new CallError({ code: 'disk_full', message: 'No space is left.' });
    };
    ({ wrapper } = await mountPart(GeneralSection, { handlers }));
    await choose('zh-CN');
    await flushPromises();
    expect(currentLanguage()).toBe('en');
    expect(wrapper.find('[role=alert]').text()).toContain('No space is left.');
    expect(wrapper.find('[role=alert]').text()).toContain('disk_full');
  });

  it("follows the owner's, also when it changes elsewhere", async () => {
    const handlers = owner();
    let language = 'zh-CN';
    handlers['settings.show'] = () => ({ language, languageChosen: true });
    const Follower = defineComponent(() => {
      useOwnersLanguage();
      return () => h('p');
    });
    const part = await mountPart(Follower, { handlers });
    wrapper = part.wrapper;
    expect(currentLanguage()).toBe('zh-CN');
    language = 'en';
    await part.client.invalidateQueries();
    expect(currentLanguage()).toBe('en');
  });

  it('tells the owner what the system speaks while nobody has chosen', async () => {
    const handlers = owner();
    let settings = { language: 'zh-CN', languageChosen: false };
    handlers['settings.show'] = () => settings;
    handlers['settings.change'] = ({ language }: { language: string }) =>
      (settings = { language, languageChosen: true });
    const Follower = defineComponent(() => {
      useOwnersLanguage();
      return () => h('p');
    });
    const part = await mountPart(Follower, { handlers });
    wrapper = part.wrapper;
    await flushPromises();
    expect(currentLanguage()).toBe('en');
    expect(settings).toEqual({ language: 'en', languageChosen: true });
    await part.client.invalidateQueries();
    const told = part.transport.calls.filter(({ name }) => name === 'settings.change');
    expect(told).toHaveLength(1);
  });
});

describe('server', () => {
  it('masks the token until asked, and copies it whole', async () => {
    const part = await mountPart(ServerSection, { handlers: owner() });
    wrapper = part.wrapper;
    expect(wrapper.html()).not.toContain(TOKEN);
    button('Copy: Token').click();
    expect(part.copied).toEqual([TOKEN]);
    button('Show the token').click();
    await flushPromises();
    expect(wrapper.text()).toContain(TOKEN);
    button('Hide the token').click();
    await flushPromises();
    expect(wrapper.html()).not.toContain(TOKEN);
  });

  it('asks before it opens the endpoint, warns while it is open, and closes without a question', async () => {
    const part = await mountPart(ServerSection, { handlers: owner() });
    wrapper = part.wrapper;
    const changes = () =>
      part.transport.calls
        .filter(({ name }) => name === 'settings.change')
        .map((one) => one.params);
    const toggle = () => wrapper?.find<HTMLElement>('[role=switch]').element.click();

    toggle();
    await flushPromises();
    expect(document.querySelector('[role=dialog]')?.textContent).toContain(
      'Let every local program in?',
    );
    button('Cancel').click();
    await flushPromises();
    expect(changes()).toEqual([]);

    toggle();
    await flushPromises();
    button('Let them in').click();
    await flushPromises();
    expect(changes()).toEqual([{ openMcpOnLoopback: true }]);
    expect(wrapper.text()).toContain('Every program on this machine can use your tools now.');

    toggle();
    await flushPromises();
    expect(changes()).toEqual([{ openMcpOnLoopback: true }, { openMcpOnLoopback: false }]);
    expect(wrapper.text()).not.toContain('Every program on this machine');
  });
});

describe('questions about commands', () => {
  it('are put in clients until a person says otherwise', async () => {
    const part = await mountPart(ServerSection, { handlers: owner() });
    wrapper = part.wrapper;
    const toggle = wrapper.findAll<HTMLElement>('[role=switch]')[1];
    expect(toggle?.attributes('aria-checked')).toBe('true');
    toggle?.element.click();
    await flushPromises();
    const changed = part.transport.calls.filter(({ name }) => name === 'settings.change');
    expect(changed.map(({ params }) => params)).toEqual([{ askInMcpClients: false }]);
    expect(wrapper.text()).not.toContain('Your rules about commands');
  });

  it('tell of rules that are broken', async () => {
    const broken = {
      code: 'policy_rule_field',
      message: 'Rule mine has a field colour, which there is not.',
      args: {},
    };
    const handlers = owner();
    handlers['settings.show'] = () => ({
      language: 'en',
      host: '127.0.0.1',
      port: 5621,
      openMcpOnLoopback: false,
      askInMcpClients: true,
      rulesError: broken,
    });
    wrapper = (await mountPart(ServerSection, { handlers })).wrapper;
    expect(wrapper.text()).toContain('Your rules about commands');
    expect(wrapper.text()).toContain(broken.message);
  });
});

describe('connecting a client', () => {
  const choose = (name: string) =>
    wrapper
      ?.findAll('[role=tab]')
      .find((tab) => tab.text() === name)
      ?.trigger('click');

  it('writes the entry into the file of a client of this computer, and takes it out', async () => {
    const part = await mountPart(ConnectSection, { handlers: owner() });
    wrapper = part.wrapper;
    await choose('VS Code');
    expect(wrapper.text()).toContain('VS Code does not know Prompt Manager yet');
    expect(wrapper.text()).toContain('/home/lin/.config/Code/User/mcp.json');
    expect(wrapper.find('pre').text()).toContain('"vs-code"');
    button('Write into the file').click();
    await flushPromises();
    expect(wrapper.text()).toContain('VS Code is connected');
    button('Undo').click();
    await flushPromises();
    expect(wrapper.text()).toContain('VS Code does not know Prompt Manager yet');
    const made = part.transport.calls.filter(({ name }) => /^connect\.(write|undo)$/.test(name));
    expect(made).toEqual([
      { name: 'connect.write', params: { client: 'vs-code' } },
      { name: 'connect.undo', params: { client: 'vs-code' } },
    ]);
  });

  it('says when a client was here, and what is wrong with its file', async () => {
    const handlers = owner();
    handlers['connect.write'] = () => {
      throw new CallError({ code: 'client_file_io', message: 'It is read-only.' });
    };
    ({ wrapper } = await mountPart(ConnectSection, { handlers }));
    expect(wrapper.text()).toContain('Claude Code is connected');
    expect(wrapper.text()).toContain('Last here 3m ago');
    await choose('Zed');
    expect(wrapper.text()).toContain('Unexpected token on line 12');
    expect(button('Write into the file').hasAttribute('disabled')).toBe(true);
    await choose('Windsurf');
    expect(wrapper.text()).toContain('Windsurf does not seem to be installed');
    await choose('Cursor');
    expect(wrapper.text()).toContain('another entry');
    button('Write into the file').click();
    await flushPromises();
    expect(wrapper.find('[role=alert]').text()).toContain('It is read-only.');
  });

  it('shows the configuration over HTTP masked and copies it ready', async () => {
    const part = await mountPart(ConnectSection, { handlers: owner() });
    wrapper = part.wrapper;
    await wrapper.find('input[value="http"]').setValue(true);
    await flushPromises();
    expect(wrapper.find('pre').text()).toContain('claude mcp add --transport http');
    expect(wrapper.html()).not.toContain(TOKEN);
    button('Copy: configuration').click();
    expect(part.copied[0]).toContain(`--header "Authorization: Bearer ${TOKEN}"`);

    await choose('VS Code');
    button('Copied').click();
    expect(JSON.parse(part.copied[1] ?? '')).toEqual({
      servers: {
        'prompt-manager': {
          type: 'http',
          url: 'http://127.0.0.1:5621/mcp',
          headers: { Authorization: `Bearer ${TOKEN}` },
        },
      },
    });
  });

  it('proves that the endpoint answers', async () => {
    ({ wrapper } = await mountPart(ConnectSection, { handlers: owner() }));
    button('Test').click();
    await flushPromises();
    expect(wrapper.text()).toContain('Answered in 12 ms');
    expect(wrapper.text()).toContain('run_javascript');
  });

  it('shows the problem when it does not', async () => {
    const handlers = owner();
    handlers['server.check'] = () => ({
      ok: false,
      tools: [],
      milliseconds: 3,
      problem: { code: 'port_closed', message: 'Nobody listens on the port.' },
    });
    ({ wrapper } = await mountPart(ConnectSection, { handlers }));
    button('Test').click();
    await flushPromises();
    expect(wrapper.find('[role=alert]').text()).toContain('Nobody listens on the port.');
  });
});

describe('isolation', () => {
  it('says what is used, what each tier is, and what a tier does not give', async () => {
    const part = await mountPart(IsolationSection, { handlers: owner() });
    wrapper = part.wrapper;
    await flushPromises();
    const tiers = wrapper.findAll('article').map((tier) => tier.text());
    expect(tiers).toHaveLength(2);
    expect(tiers[0]).toContain('Tools, scripts and commands run in this tier');
    expect(tiers[0]).toContain('A command reads a file of the host');
    expect(tiers[0]).not.toContain('does not give');
    expect(tiers[1]).toContain('What this tier does not give (2)');
    expect(tiers[1]).toContain('hooks and settings of git');
    expect(wrapper.find('[role=alert]').exists()).toBe(false);
  });

  it('says which walls did not hold, and what is used instead', async () => {
    const handlers = owner();
    const report = handlers['doctor.report']?.({}) as Doctor;
    const instead = 'The walls of tier full failed their self-test; reduced is used instead.';
    handlers['doctor.report'] = () => ({ ...report, tier: 'reduced', instead });
    ({ wrapper } = await mountPart(IsolationSection, { handlers }));
    await flushPromises();
    expect(wrapper.find('[role=alert]').text()).toBe(instead);
  });
});

describe('tokens', () => {
  it('lists clients, what each may use and when it was last here', async () => {
    ({ wrapper } = await mountPart(TokensSection, { handlers: owner() }));
    const text = wrapper.text();
    for (const part of [
      'claude-code',
      'All tools',
      'kiosk',
      'Tools: tool://todolist',
      'Not seen yet',
      'node',
    ])
      expect(text).toContain(part);
  });

  it('makes one with its limits and shows the secret once', async () => {
    const part = await mountPart(TokensSection, { handlers: owner() });
    wrapper = part.wrapper;
    button('New token').click();
    await flushPromises();
    const fill = async (label: string, value: string) => {
      const found = [...document.querySelectorAll('label')].find(
        (one) => one.textContent === label,
      );
      const input = document.getElementById(found?.htmlFor ?? '') as HTMLInputElement;
      input.value = value;
      input.dispatchEvent(new Event('input'));
      await flushPromises();
    };
    await fill('Name of the client', 'cursor');
    await fill('Tools it may use (empty: all)', 'tool://todolist, run_javascript');
    button('Make it').click();
    await flushPromises();
    expect(part.transport.calls).toContainEqual({
      name: 'token.new',
      params: { name: 'cursor', scope: { tools: ['tool://todolist', 'run_javascript'] } },
    });
    expect(document.body.textContent).toContain('pmt_');
    button('Close').click();
    await flushPromises();
    expect(document.body.textContent).not.toContain('pmt_');
  });

  it('takes one back after asking', async () => {
    const part = await mountPart(TokensSection, { handlers: owner() });
    wrapper = part.wrapper;
    button('Take back the token of kiosk').click();
    await flushPromises();
    expect(part.transport.calls.some(({ name }) => name === 'token.revoke')).toBe(false);
    const dialog = [...document.querySelectorAll<HTMLElement>('[role="dialog"] button')];
    dialog.find((one) => one.textContent?.trim() === 'Take back')?.click();
    await flushPromises();
    expect(part.transport.calls).toContainEqual({
      name: 'token.revoke',
      params: { name: 'kiosk' },
    });
  });
});

describe('backup', () => {
  const field = () => document.querySelector<HTMLInputElement>('[role="dialog"] input');

  it('goes where the person says, and says how it comes back', async () => {
    const part = await mountPart(DataSection, { handlers: owner() });
    wrapper = part.wrapper;
    await flushPromises();
    button('Back up…').click();
    await flushPromises();
    const input = field();
    if (!input) throw new Error('no field');
    // Beside the data folder, under a name of its own.
    expect(input.value).toMatch(/^\/home\/lin\/prompt-manager-[\d-]+\.tar\.gz$/);

    const write = async (path: string) => {
      input.value = path;
      input.dispatchEvent(new Event('input'));
      await flushPromises();
      button('Back up').click();
      await flushPromises();
    };
    await write('/nowhere/b.tar.gz');
    expect(document.body.textContent).toContain('cannot be read or written');
    await write("/mnt/it's.tar.gz");
    expect(part.transport.calls.at(-1)).toEqual({
      name: 'home.backup',
      params: { path: "/mnt/it's.tar.gz" },
    });
    expect(document.body.textContent).toContain('4,312 files');
    expect(document.body.textContent).toContain("pm restore '/mnt/it'\\''s.tar.gz'");
    // All of it is to be read, not only its beginning.
    expect(document.querySelector('.command code')?.classList.contains('cut')).toBe(false);
  });

  it('is told of elsewhere when the dialog was closed meanwhile', async () => {
    let finish: (() => void) | undefined;
    const handlers: FakeHandlers = {
      ...owner(),
      'home.backup': ({ path }) =>
        new Promise((resolve) => {
          finish = () => resolve({ path, files: 4312, bytes: 1, packed: 1 });
        }),
    };
    wrapper = (await mountPart(DataSection, { handlers })).wrapper;
    await flushPromises();
    const press = async (name: string) => {
      button(name).click();
      await flushPromises();
    };
    const toasts = useToasts();
    const told = () => toasts.shown.value.map(({ text }) => text).join();
    await press('Back up…');
    await press('Back up');
    await press('Close');
    expect(field()).toBeNull();
    // It is still the same one.
    await press('Back up…');
    expect(button('Back up').hasAttribute('disabled')).toBe(true);
    await press('Close');
    finish?.();
    await flushPromises();
    expect(told()).toContain('4,312 files');
  });

  it('says why no folder could be chosen', async () => {
    const pickFolder = () => Promise.reject(new CallError({ code: 'not_a_path' }));
    const part = await mountPart(DataSection, { handlers: owner(), native: { pickFolder } });
    wrapper = part.wrapper;
    await flushPromises();
    button('Back up…').click();
    await flushPromises();
    button('Choose a folder').click();
    await flushPromises();
    expect(document.querySelector('[role=dialog] [role=alert]')?.textContent).toContain(
      'no folder on this machine',
    );
    expect(field()?.value).toMatch(/tar\.gz$/);
  });
});

describe('diagnostics', () => {
  it('are asked for when they are wanted, and shown before they are copied', async () => {
    const part = await mountPart(AboutSection, { handlers: owner() });
    wrapper = part.wrapper;
    await flushPromises();
    const asked = () => part.transport.calls.filter(({ name }) => name === 'server.diagnostics');
    expect(asked()).toHaveLength(0);
    button('Show diagnostics').click();
    await flushPromises();
    expect(asked()).toHaveLength(1);
    expect(document.querySelector('pre')?.textContent).toContain('## Isolation');
    expect(button('Copy: Diagnostics')).toBeTruthy();
  });
});
