// @vitest-environment happy-dom
import { flushPromises, type VueWrapper } from '@vue/test-utils';
import { afterEach, describe, expect, it } from 'vitest';
import { handlersOf, type FakeHandlers } from '@/platform/fake';
import { mountPart } from '@/shared/testing';
import ModelsSection from './ModelsSection.vue';

let wrapper: VueWrapper | undefined;
afterEach(() => {
  wrapper?.unmount();
  document.body.replaceChildren();
});

async function settle() {
  for (let turn = 0; turn < 4; turn += 1) await flushPromises();
}

async function section(handlers: FakeHandlers = handlersOf('full')) {
  const part = await mountPart(ModelsSection, { handlers });
  wrapper = part.wrapper;
  await settle();
  return part;
}

function button(name: string): HTMLElement {
  const all = [...document.querySelectorAll<HTMLElement>('button')];
  const found = all.find((one) =>
    [one.getAttribute('aria-label'), one.textContent?.trim()].includes(name),
  );
  if (!found) throw new Error(`no button “${name}”`);
  return found;
}

function field(label: string): HTMLInputElement {
  const all = [
    ...document.querySelectorAll<HTMLInputElement>('[role=dialog] input, [role=dialog] select'),
  ];
  const found = all.find((one) => one.labels?.[0]?.textContent?.trim() === label);
  if (!found) throw new Error(`no field “${label}”`);
  return found;
}

function write(label: string, text: string) {
  const one = field(label);
  one.value = text;
  one.dispatchEvent(new Event(one.tagName === 'SELECT' ? 'change' : 'input', { bubbles: true }));
}

const submit = () =>
  document
    .querySelector('form.form-dialog')
    ?.dispatchEvent(new Event('submit', { cancelable: true }));

describe('model services', () => {
  it('say what agents count with, which must be numbers', async () => {
    const { transport } = await section();
    button('Edit work').click();
    await settle();
    expect(field('Context, in tokens').value).toBe('200000');
    write('Price of what it reads', 'three');
    await settle();
    expect(field('Price of what it reads').getAttribute('aria-invalid')).toBe('true');
    submit();
    await settle();
    expect(transport.calls.some(({ name }) => name === 'models.save')).toBe(false);
    write('Price of what it reads', '2.5');
    write('Price of what it writes', '');
    await settle();
    submit();
    await settle();
    const saved = transport.calls.find(({ name }) => name === 'models.save')?.params;
    expect(saved).toMatchObject({ was: 'work', terms: { window: 200_000, inputPrice: 2.5 } });
    expect(saved).not.toHaveProperty('terms.outputPrice');
  });

  it('are added with their key, which is shown nowhere afterwards', async () => {
    const { transport } = await section(handlersOf('empty'));
    expect(document.body.textContent).toContain('No model service yet');
    expect(document.body.textContent).toContain('secrets/models.json');
    button('Add a service').click();
    await settle();
    write('Name', 'mine');
    write('Protocol', 'anthropic');
    write('Model', 'claude');
    write('Key', 'sk-secret');
    expect(field('Key').type).toBe('password');
    await settle();
    submit();
    await settle();
    expect(transport.calls.find(({ name }) => name === 'models.save')?.params).toEqual({
      name: 'mine',
      protocol: 'anthropic',
      model: 'claude',
      key: 'sk-secret',
    });
    expect(document.body.textContent).toContain('key is kept');
    expect(document.body.innerHTML).not.toContain('sk-secret');
    button('Edit mine').click();
    await settle();
    expect(field('Key').value).toBe('');
  });

  it('keep their key unless it is written anew or forgotten', async () => {
    const { transport } = await section();
    const saved = () => transport.calls.filter(({ name }) => name === 'models.save').at(-1)?.params;
    button('Edit work').click();
    await settle();
    write("Address (empty: the maker's own)", '');
    await settle();
    submit();
    await settle();
    expect(saved()).toEqual({ was: 'work', name: 'work', protocol: 'openai', model: 'gpt-5-mini' });
    button('Edit work').click();
    await settle();
    document.querySelector<HTMLElement>('[role=dialog] [role=checkbox]')?.click();
    await settle();
    submit();
    await settle();
    expect(saved()).toMatchObject({ key: '' });
  });

  it('say whether they answer, or why not', async () => {
    await section();
    button('Test local').click();
    await settle();
    expect(document.querySelector('.answered')?.textContent).toContain('“Yes”');
    button('Test work').click();
    await settle();
    expect(document.querySelector('[role=alert]')?.textContent).toContain(
      'does not accept the key',
    );
  });

  it('have one that is meant by default, and leave only when asked twice', async () => {
    const { transport } = await section();
    button('Make work the default').click();
    await settle();
    expect(transport.calls.find(({ name }) => name === 'models.default')?.params).toEqual({
      name: 'work',
    });
    button('Make local the default');
    button('Remove work').click();
    await settle();
    expect(transport.calls.some(({ name }) => name === 'models.remove')).toBe(false);
    button('Remove').click();
    await settle();
    expect(transport.calls.find(({ name }) => name === 'models.remove')?.params).toEqual({
      name: 'work',
    });
  });
});
