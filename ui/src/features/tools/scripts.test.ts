// @vitest-environment happy-dom
import { flushPromises, type VueWrapper } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import { CallError } from '@/platform';
import { handlersOf, type FakeHandlers } from '@/platform/fake';
import { mountPart } from '@/shared/testing';
import DependenciesTab from './DependenciesTab.vue';

let wrapper: VueWrapper | undefined;
afterEach(() => {
  wrapper?.unmount();
  document.body.replaceChildren();
});

async function tab(more: FakeHandlers = {}) {
  const mounted = await mountPart(DependenciesTab, {
    handlers: { ...handlersOf('full'), ...more },
    props: { tool: 'chart-maker' },
  });
  wrapper = mounted.wrapper;
  await flushPromises();
  return mounted;
}

const button = (name: string) => {
  const found = [...document.querySelectorAll('button')].find(
    (one) => (one.getAttribute('aria-label') ?? one.textContent?.trim()) === name,
  );
  if (!found) throw new Error(`no button ${name}: ${document.body.textContent}`);
  return found;
};

async function allow() {
  button('Allow the scripts of sharp@0.34.5').click();
  await flushPromises();
  expect(document.querySelector('[role=dialog]')?.textContent).toContain('without network');
  document
    .querySelector('form.form-dialog')
    ?.dispatchEvent(new Event('submit', { cancelable: true }));
  await flushPromises();
  await flushPromises();
}

it('allows the scripts of a package after asking, and takes that back', async () => {
  const { transport } = await tab();
  expect(document.querySelector('.script-list')?.textContent).toContain('not run');
  await allow();
  expect(document.querySelector('[role=dialog]')).toBeNull();
  expect(document.querySelector('.script-list')?.textContent).toContain('allowed');
  button('Do not run the scripts of sharp@0.34.5 any more').click();
  await flushPromises();
  await flushPromises();
  expect(document.querySelector('.script-list')?.textContent).toContain('not run');
  const asked = transport.calls.filter(({ name }) => name === 'tool.script');
  expect(asked.map(({ params }) => params)).toEqual([
    { tool: 'chart-maker', package: 'sharp@0.34.5', allowed: true },
    { tool: 'chart-maker', package: 'sharp@0.34.5', allowed: false },
  ]);
});

it('says in the dialog why it could not be allowed', async () => {
  await tab({
    'tool.script': () => {
      throw new CallError({ code: 'package_script_unknown', message: 'It is not in the lock' });
    },
  });
  await allow();
  expect(document.querySelector('[role=dialog]')?.textContent).toContain('It is not in the lock');
});
