// @vitest-environment happy-dom
import { flushPromises, type DOMWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Grants, ToolConfigure } from '@/generated/calls';
import { CallError } from '@/platform';
import type { FakeHandlers } from '@/platform/fake';
import { SECRET, variablesOf } from '@/platform/fake/data/tools';
import toolbox from '@/platform/fake/tools';
import { useToasts } from '@/shared/composables';
import { i18n } from '@/shared/i18n';
import { mountPart, type Mounted, type Mounting } from '@/shared/testing';
import ConfigureTab from './ConfigureTab.vue';
import { dropAllVariableDrafts } from './variableDrafts';

let mounted: Mounted;
const toasts = useToasts();

async function tab(more: FakeHandlers = {}, how: Mounting = {}): Promise<Mounted> {
  mounted = await mountPart(ConfigureTab, {
    props: { tool: 'weather', level: 3 },
    handlers: { ...toolbox('full'), ...more },
    ...how,
  });
  await flushPromises();
  return mounted;
}

beforeEach(() => {
  toasts.shown.value.forEach(({ id }) => toasts.dismiss(id));
  dropAllVariableDrafts();
});
afterEach(() => mounted.wrapper.unmount());

const row = (name: string) => mounted.wrapper.find(`li[aria-label="${name}"]`);
const field = (name: string) => row(name).find<HTMLInputElement>('input, select, textarea');
const button = (label: string) => mounted.wrapper.find(`button[aria-label="${label}"]`);
/** Name, state and what can be done, of one right. */
const told = (right: DOMWrapper<Element>) =>
  [...right.element.children].map((part) => part.textContent?.trim()).join(' ');
const changes = () =>
  mounted.transport.calls
    .filter(({ name }) => name === 'tool.configure')
    .map(({ params }) => params as ToolConfigure);

async function click(target: DOMWrapper<Element>) {
  await target.trigger('click');
  await flushPromises();
}

async function key(target: DOMWrapper<Element>, name: string, more = {}) {
  await target.trigger('keydown', { key: name, ...more });
  await flushPromises();
}

describe('secrets that stand in .env', () => {
  const moved = () =>
    mounted.transport.calls.filter(({ name }) => name === 'tool.move_secrets').length;
  const offer = () => mounted.wrapper.find('[role=note]');

  it('are moved when the person says so, and the offer goes', async () => {
    await tab();
    expect(offer().text()).toContain('API_KEY stands in .env as it is.');
    expect(row('API_KEY').text()).toContain('.env');
    expect(moved()).toBe(0);
    await click(offer().find('button'));
    expect(moved()).toBe(1);
    expect(offer().exists()).toBe(false);
    expect(row('API_KEY').text()).toContain('keychain');
    expect(toasts.shown.value.map(({ text }) => text)).toEqual(['Moved out of .env: API_KEY']);
  });

  it('stay with words when they cannot be moved', async () => {
    await tab({
      'tool.move_secrets': () => {
        throw new CallError({ code: 'secret_no_keychain', message: 'No keychain', hint: 'Log in' });
      },
    });
    await click(offer().find('button'));
    expect(offer().text()).toContain('No keychain');
  });

  it('are left alone where the settings want them there', async () => {
    await tab({
      'tool.variables': () => ({
        state: 'configured',
        file: '.env',
        variables: variablesOf('weather'),
      }),
    });
    expect(offer().exists()).toBe(false);
  });
});

describe('a variable', () => {
  it('gets the control of its schema', async () => {
    await tab();
    expect(field('API_KEY').attributes('type')).toBe('password');
    expect(field('BASE_URL').attributes('type')).toBe('text');
    expect(field('UNITS').element.tagName).toBe('SELECT');
    expect(field('TIMEOUT_SECONDS').attributes('inputmode')).toBe('decimal');
    expect(row('CACHE').find('[role=switch]').attributes('aria-checked')).toBe('true');
    expect(field('HOME_PLACE').attributes('aria-required')).toBe('true');
    expect(row('HOME_PLACE').text()).toContain('required');
    expect(mounted.wrapper.text()).toContain('Partly configured');
  });

  it('is saved by Enter, and not before anything has changed', async () => {
    await tab();
    await key(field('HOME_PLACE'), 'Enter');
    expect(changes()).toEqual([]);
    expect(button('Save HOME_PLACE').exists()).toBe(false);
    await field('HOME_PLACE').setValue('Lisbon');
    expect(button('Save HOME_PLACE').exists()).toBe(true);
    await key(field('HOME_PLACE'), 'Enter');
    expect(changes()).toEqual([{ tool: 'weather', values: { HOME_PLACE: 'Lisbon' }, remove: [] }]);
    expect(button('Save HOME_PLACE').exists()).toBe(false);
    expect(field('HOME_PLACE').element.value).toBe('Lisbon');
    expect(row('HOME_PLACE').text()).toContain('.env');
    expect(row('HOME_PLACE').find('[role=status]').text()).toBe('HOME_PLACE saved');
    expect(mounted.wrapper.text()).toContain('Everything that is required is set');
  });

  it('is not saved by the Enter that ends the input of a character', async () => {
    await tab();
    await field('HOME_PLACE').setValue('里斯本');
    await key(field('HOME_PLACE'), 'Enter', { isComposing: true });
    expect(changes()).toEqual([]);
  });

  it('is what it was after Escape', async () => {
    await tab();
    await field('BASE_URL').setValue('http://elsewhere');
    await key(field('BASE_URL'), 'Escape');
    expect(field('BASE_URL').element.value).toBe('https://api.weather.example/v2');
    expect(button('Save BASE_URL').exists()).toBe(false);
    expect(changes()).toEqual([]);
  });

  it('says at its row why the owner refused it, and keeps what was typed', async () => {
    const refuse = () => {
      throw new CallError({ code: 'configure_invalid', message: 'Refused', hint: 'See manual' });
    };
    await tab({ 'tool.configure': refuse });
    await field('BASE_URL').setValue('nonsense');
    await click(button('Save BASE_URL'));
    const alert = row('BASE_URL').find('[role=alert]');
    expect(alert.text()).toContain('Refused');
    expect(alert.text()).toContain('See manual');
    expect(alert.text()).toContain('configure_invalid');
    expect(field('BASE_URL').element.value).toBe('nonsense');
    await field('BASE_URL').setValue('nonsense, mended');
    expect(row('BASE_URL').find('[role=alert]').exists()).toBe(false);
  });

  it('is checked before it is sent, and shows what is wrong with what is saved', async () => {
    await tab();
    expect(row('TIMEOUT_SECONDS').text()).toContain('At most 60');
    expect(field('TIMEOUT_SECONDS').attributes('aria-invalid')).toBe('true');
    await field('TIMEOUT_SECONDS').setValue('1.5');
    expect(row('TIMEOUT_SECONDS').text()).toContain('This has to be a whole number');
    await key(field('TIMEOUT_SECONDS'), 'Enter');
    expect(changes()).toEqual([]);
    await field('TIMEOUT_SECONDS').setValue('30');
    expect(field('TIMEOUT_SECONDS').attributes('aria-invalid')).toBeUndefined();
    await key(field('TIMEOUT_SECONDS'), 'Enter');
    expect(changes()[0]?.values).toEqual({ TIMEOUT_SECONDS: '30' });
  });

  it('gets its default back, and the value by undo', async () => {
    await tab();
    await click(button('Reset TIMEOUT_SECONDS to its default'));
    expect(changes()).toEqual([{ tool: 'weather', values: {}, remove: ['TIMEOUT_SECONDS'] }]);
    expect(field('TIMEOUT_SECONDS').element.value).toBe('10');
    const toast = toasts.shown.value[0];
    expect(toast?.text).toBe('TIMEOUT_SECONDS has its default again');
    toast?.action?.run();
    await flushPromises();
    expect(changes()[1]?.values).toEqual({ TIMEOUT_SECONDS: '90' });
    expect(field('TIMEOUT_SECONDS').element.value).toBe('90');
  });

  it('says in words why it could not be brought back', async () => {
    await tab();
    await click(button('Reset TIMEOUT_SECONDS to its default'));
    mounted.transport.call = async () => {
      throw new CallError({ code: 'server_not_reachable' });
    };
    toasts.shown.value[0]?.action?.run();
    await flushPromises();
    const { tone, text } = toasts.shown.value.at(-1) ?? {};
    expect([tone, text]).toEqual(['bad', i18n.global.t('errors.server_not_reachable.message')]);
  });

  it('is taken out when it is emptied', async () => {
    await tab();
    await field('HTTP_PROXY').setValue('');
    await key(field('HTTP_PROXY'), 'Enter');
    expect(changes()).toEqual([{ tool: 'weather', values: {}, remove: ['HTTP_PROXY'] }]);
    expect(row('HTTP_PROXY').exists()).toBe(false);
  });

  it('saves a choice and a switch as text', async () => {
    await tab();
    await field('UNITS').setValue('imperial');
    await click(button('Save UNITS'));
    await click(row('CACHE').find('[role=switch]'));
    await click(button('Save CACHE'));
    expect(changes().map(({ values }) => values)).toEqual([
      { UNITS: 'imperial' },
      { CACHE: 'false' },
    ]);
  });

  it('keeps the lines of what is pasted', async () => {
    await tab();
    const data = { getData: () => '-----BEGIN-----\nabc\n-----END-----\n' };
    const paste = new Event('paste', { bubbles: true, cancelable: true });
    Object.assign(paste, { clipboardData: data });
    field('API_KEY').element.dispatchEvent(paste);
    await flushPromises();
    expect(paste.defaultPrevented).toBe(true);
    expect(field('API_KEY').element.tagName).toBe('TEXTAREA');
    await key(field('API_KEY'), 'Enter');
    expect(changes()).toEqual([]);
    await key(field('API_KEY'), 'Enter', { ctrlKey: true });
    expect(changes()[0]?.values).toEqual({ API_KEY: '-----BEGIN-----\nabc\n-----END-----\n' });
    expect(field('API_KEY').element.value).toBe('');
  });
});

describe('a secret', () => {
  const asked = () => mounted.transport.calls.filter(({ name }) => name === 'tool.secret');

  it('is fetched only when somebody wants to see it, and forgotten when hidden', async () => {
    await tab();
    expect(asked()).toEqual([]);
    expect(mounted.wrapper.html()).not.toContain(SECRET);
    await click(button('Show the value of API_KEY'));
    expect(asked()).toEqual([
      { name: 'tool.secret', params: { tool: 'weather', name: 'API_KEY' } },
    ]);
    expect(field('API_KEY').attributes('type')).toBe('text');
    expect(field('API_KEY').element.value).toBe(SECRET);
    expect(button('Save API_KEY').exists()).toBe(false);
    await click(button('Hide the value of API_KEY'));
    expect(field('API_KEY').attributes('type')).toBe('password');
    expect(field('API_KEY').element.value).toBe('');
    expect(
      JSON.stringify(
        mounted.client
          .getQueryCache()
          .getAll()
          .map((one) => one.state.data),
      ),
    )
      .not // prettier-ignore
      .toContain(SECRET);
  });

  it('says at its row why it cannot be shown', async () => {
    const refuse = () => {
      throw new CallError({ code: 'access_denied', message: 'Not for you' });
    };
    await tab({ 'tool.secret': refuse });
    await click(button('Show the value of API_KEY'));
    expect(row('API_KEY').find('[role=alert]').text()).toContain('access_denied');
  });

  it('is replaced without being shown', async () => {
    await tab();
    await field('API_KEY').setValue('new-one');
    await key(field('API_KEY'), 'Enter');
    expect(changes()[0]?.values).toEqual({ API_KEY: 'new-one' });
    expect(field('API_KEY').element.value).toBe('');
  });

  it('asks once before it is removed, because nothing could bring it back', async () => {
    await tab();
    await click(button('Remove API_KEY'));
    expect(changes()).toEqual([]);
    expect(document.body.textContent).toContain('Remove the secret API_KEY?');
    const sure = [...document.querySelectorAll<HTMLButtonElement>('[role=dialog] footer button')];
    sure.at(-1)?.click();
    await flushPromises();
    expect(changes()).toEqual([{ tool: 'weather', values: {}, remove: ['API_KEY'] }]);
    expect(toasts.shown.value[0]?.action).toBeUndefined();
  });
});

describe('other variables', () => {
  const inputs = () => mounted.wrapper.findAll<HTMLInputElement>('form.add-variable input');
  const submit = async () => {
    await mounted.wrapper.find('form.add-variable').trigger('submit');
    await flushPromises();
  };

  it('are listed apart and can be added', async () => {
    await tab();
    await inputs()[0]?.setValue('EXTRA_TOKEN');
    expect(inputs()[1]?.attributes('type')).toBe('password');
    await inputs()[1]?.setValue('t');
    await submit();
    expect(changes()).toEqual([{ tool: 'weather', values: { EXTRA_TOKEN: 't' } }]);
    expect(row('EXTRA_TOKEN').exists()).toBe(true);
    expect(inputs().map((one) => one.element.value)).toEqual(['', '']);
  });

  it.each([
    ['bad-name', 'Capital letters'],
    ['UNITS', 'There is a variable of this name already'],
  ])('refuses %s', async (name, why) => {
    await tab();
    await inputs()[0]?.setValue(name);
    await inputs()[1]?.setValue('x');
    expect(mounted.wrapper.find('form.add-variable').text()).toContain(why);
    await submit();
    expect(changes()).toEqual([]);
  });
});

describe('folders', () => {
  const list = () => mounted.wrapper.findAll('ul[aria-label="Folders of the tool"] li');
  const made = () =>
    mounted.transport.calls.filter(({ name }) => ['tool.grant', 'tool.revoke'].includes(name));

  it('grants what the tool asks for', async () => {
    await tab();
    expect(list().map((one) => one.find('.state-mark').text())).toEqual([
      'In use',
      'Waiting for you',
      'Not asked for',
    ]);
    await click(button('Grant /home/lin/Pictures/2026'));
    expect(list()[1]?.text()).toContain('In use');
    expect(button('Revoke the grant for /home/lin/Pictures/2026').exists()).toBe(true);
  });

  it('revokes without asking and undoes it', async () => {
    await tab();
    await click(button('Revoke the grant for /home/lin/old-project'));
    expect(list()).toHaveLength(2);
    toasts.shown.value[0]?.action?.run();
    await flushPromises();
    expect(made().map(({ name }) => name)).toEqual(['tool.revoke', 'tool.grant']);
    expect(list()).toHaveLength(3);
  });

  it('says so when what was revoked cannot be granted again', async () => {
    const refuse = () => {
      throw new CallError({ code: 'directory_missing', message: 'There is no directory' });
    };
    await tab({ 'tool.grant': refuse });
    await click(button('Revoke the grant for /home/lin/old-project'));
    toasts.shown.value[0]?.action?.run();
    await flushPromises();
    expect(toasts.shown.value.some(({ tone, text }) => tone === 'bad' && text !== '')).toBe(true);
  });

  it('says so in words of its own when the owner has none', async () => {
    const refuse = () => {
      throw new CallError({ code: 'server_not_reachable' });
    };
    await tab({ 'tool.grant': refuse });
    await click(button('Revoke the grant for /home/lin/old-project'));
    toasts.shown.value[0]?.action?.run();
    await flushPromises();
    const { tone, text } = toasts.shown.value.at(-1) ?? {};
    expect([tone, text]).toEqual(['bad', i18n.global.t('errors.server_not_reachable.message')]);
  });

  it('takes a typed folder where the host has no picker, and shows a refusal', async () => {
    await tab();
    const form = mounted.wrapper.find('form.typed');
    await form.find('input').setValue('relative');
    await form.trigger('submit');
    await flushPromises();
    expect(mounted.wrapper.find('.folders [role=alert]').text()).toContain('directory_relative');
    expect(form.find('input').element.value).toBe('relative');
    await form.find('input').setValue(' /srv/data ');
    await form.trigger('submit');
    await flushPromises();
    expect(made().at(-1)?.params).toEqual({ tool: 'weather', directory: '/srv/data' });
    expect(form.find('input').element.value).toBe('');
    expect(list()).toHaveLength(4);
  });

  it('uses the picker of the host, and grants nothing when none was chosen', async () => {
    const chosen = [undefined, '/srv/picked'];
    await tab({}, { native: { pickFolder: async () => chosen.shift() } });
    expect(mounted.wrapper.find('form.typed').exists()).toBe(false);
    const pick = () =>
      mounted.wrapper.findAll('button').find((one) => one.text().startsWith('Add folder'));
    await pick()?.trigger('click');
    await flushPromises();
    expect(made()).toEqual([]);
    await pick()?.trigger('click');
    await flushPromises();
    expect(made().map(({ params }) => params)).toEqual([
      { tool: 'weather', directory: '/srv/picked' },
    ]);
  });
});

describe('network', () => {
  const section = () => mounted.wrapper.find('section.network');
  const rows = () => section().findAll('ul li').map(told);
  const made = () =>
    mounted.transport.calls.filter(({ name }) => name === 'tool.network').map((one) => one.params);

  it('shows what is asked for against what is granted, gives it and takes it back', async () => {
    await tab();
    expect(rows()).toEqual([
      'api.forecast.example:443 Waiting for you Grant',
      'port 8090 of this machine In use Revoke',
      'old.example Not asked for Revoke',
    ]);
    await click(button('Grant api.forecast.example:443'));
    expect(rows()[0]).toBe('api.forecast.example:443 In use Revoke');
    expect(section().find('[role=status]').text()).toBe('api.forecast.example:443 was granted');
    await click(button('Revoke the grant for port 8090 of this machine'));
    expect(rows()[1]).toBe('port 8090 of this machine Waiting for you Grant');
    toasts.shown.value[0]?.action?.run();
    await flushPromises();
    expect(rows()[1]).toBe('port 8090 of this machine In use Revoke');
    expect(made()).toEqual([
      { tool: 'weather', grant: ['api.forecast.example:443'] },
      { tool: 'weather', revoke: ['localhost:8090'] },
      { tool: 'weather', grant: ['localhost:8090'] },
    ]);
  });

  it('takes one host where all are asked for, and shows why it was refused', async () => {
    const all: Grants = {
      tool: 'weather',
      requested: [],
      granted: [],
      effective: [],
      network: { requested: ['*'], granted: [], effective: [] },
      processes: { requested: false, granted: false, effective: false },
    };
    await tab({
      'tool.grants': () => all,
      'tool.network': () => {
        throw new CallError({ code: 'network_host_invalid', message: 'This is no host' });
      },
    });
    expect(rows()).toEqual(['every host Waiting for you Grant']);
    const form = section().find('form.typed');
    await form.find('input').setValue(' no host ');
    await form.trigger('submit');
    await flushPromises();
    expect(made()).toEqual([{ tool: 'weather', grant: ['no host'] }]);
    expect(section().find('[role=alert]').text()).toContain('This is no host');
    expect(form.find('input').element.value).toBe(' no host ');
    expect(mounted.wrapper.find('section.programs').text()).toContain('asks to start no programs');
  });

  it('has no field for a host where the tool names its own', async () => {
    await tab();
    expect(section().find('form').exists()).toBe(false);
  });
});

describe('programs', () => {
  it('are allowed and forbidden', async () => {
    await tab();
    const row = () => told(mounted.wrapper.find('section.programs li'));
    expect(row()).toBe('starting programs Waiting for you Grant');
    await click(button('Grant starting programs'));
    expect(row()).toBe('starting programs In use Revoke');
    await click(button('Revoke the grant for starting programs'));
    expect(row()).toBe('starting programs Waiting for you Grant');
    const made = mounted.transport.calls.filter(({ name }) => name === 'tool.processes');
    expect(made.map(({ params }) => params)).toEqual([
      { tool: 'weather', allow: true },
      { tool: 'weather', allow: false },
    ]);
  });
});
