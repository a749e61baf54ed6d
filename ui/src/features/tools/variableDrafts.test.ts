// @vitest-environment happy-dom
import { flushPromises } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ToolConfigure } from '@/generated/calls';
import toolbox from '@/platform/fake/tools';
import { mountPart, type Mounted } from '@/shared/testing';
import ConfigureTab from './ConfigureTab.vue';
import { dropAllVariableDrafts, keepVariableDraft, variableDraft } from './variableDrafts';

let mounted: Mounted;

async function tab() {
  mounted = await mountPart(ConfigureTab, {
    props: { tool: 'weather', level: 3 },
    handlers: toolbox('full'),
  });
  await flushPromises();
}

beforeEach(dropAllVariableDrafts);
afterEach(() => mounted.wrapper.unmount());

const row = (name: string) => mounted.wrapper.find(`li[aria-label="${name}"]`);
const field = (name: string) => row(name).find<HTMLInputElement>('input, select, textarea');
const saved = () =>
  mounted.transport.calls
    .filter(({ name }) => name === 'tool.configure')
    .map(({ params }) => (params as ToolConfigure).values);

async function key(name: string, pressed: string, more = {}) {
  await field(name).trigger('keydown', { key: pressed, ...more });
  await flushPromises();
}

async function paste(name: string, text: string) {
  const event = new Event('paste', { bubbles: true, cancelable: true });
  Object.assign(event, { clipboardData: { getData: () => text } });
  field(name).element.dispatchEvent(event);
  await flushPromises();
}

async function elsewhereAndBack() {
  mounted.wrapper.unmount();
  await tab();
}

describe('what was typed and not saved', () => {
  it('is still there after a look into another tab, until it is saved', async () => {
    await tab();
    await field('HOME_PLACE').setValue('Lisbon');
    await elsewhereAndBack();
    expect(field('HOME_PLACE').element.value).toBe('Lisbon');
    await key('HOME_PLACE', 'Enter');
    expect(saved()).toEqual([{ HOME_PLACE: 'Lisbon' }]);
    expect(variableDraft('weather', 'HOME_PLACE')).toBeUndefined();
  });

  it('is gone for good after Escape', async () => {
    await tab();
    const before = field('BASE_URL').element.value;
    await field('BASE_URL').setValue('http://elsewhere');
    await key('BASE_URL', 'Escape');
    await elsewhereAndBack();
    expect(field('BASE_URL').element.value).toBe(before);
  });

  it('belongs to one tool and is not kept without end', async () => {
    await tab();
    keepVariableDraft('other', 'BASE_URL', 'x');
    expect(variableDraft('weather', 'BASE_URL')).toBeUndefined();
    for (let count = 0; count < 100; count += 1) keepVariableDraft('other', `V${count}`, 'x');
    expect(variableDraft('other', 'BASE_URL')).toBeUndefined();
    expect(variableDraft('other', 'V0')).toBe('x');
  });
});

describe('a secret of several lines', () => {
  const masked = () => field('API_KEY').element.closest('.masked') !== null;

  it('is masked, and the next one gets a masked field of one line', async () => {
    await tab();
    await paste('API_KEY', '-----BEGIN-----\nabc\n');
    expect(field('API_KEY').element.tagName).toBe('TEXTAREA');
    expect(masked()).toBe(true);
    await key('API_KEY', 'Enter', { ctrlKey: true });
    expect(saved()).toHaveLength(1);
    expect(field('API_KEY').element.tagName).toBe('INPUT');
    expect(field('API_KEY').attributes('type')).toBe('password');
  });

  it('can be read when it was asked for', async () => {
    await tab();
    await mounted.wrapper.find('button[aria-label="Show the value of API_KEY"]').trigger('click');
    await flushPromises();
    await paste('API_KEY', 'a\nb');
    expect(field('API_KEY').element.tagName).toBe('TEXTAREA');
    expect(masked()).toBe(false);
  });
});
