// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest';
import { CallError, type Native } from '@/platform';
import { button, mountPart, settle, words, type Mounted } from '@/shared/testing';
import FolderField from './FolderField.vue';

let mounted: Mounted | undefined;
afterEach(() => mounted?.wrapper.unmount());

async function field(of: 'file' | 'either' | undefined, native: Partial<Native>) {
  mounted = await mountPart(FolderField, {
    props: { label: 'Where', placeholder: '/a', modelValue: '', ...(of && { of }) },
    native,
  });
  return mounted.wrapper;
}

const pickers: Partial<Native> = {
  pickFolder: async () => '/home/ada/folder',
  pickFile: async () => '/home/ada/tool.zip',
};
const offered = () =>
  [...document.querySelectorAll('button')].map((one) => one.textContent?.trim());

it.each([
  [undefined, ['Choose a folder']],
  ['file' as const, ['Choose a file']],
  ['either' as const, ['Choose a folder', 'Choose a file']],
])('offers the pickers of what is wanted: %s', async (of, labels) => {
  await field(of, pickers);
  expect(offered()).toEqual(labels);
});

it('takes what was chosen, and nothing where nothing was', async () => {
  const chosen = [undefined, '/home/ada/tool.zip'];
  const wrapper = await field('either', { ...pickers, pickFile: async () => chosen.shift() });
  button('Choose a file').click();
  await settle();
  expect(wrapper.emitted('update:modelValue')).toBeUndefined();
  button('Choose a file').click();
  await settle();
  expect(wrapper.emitted('update:modelValue')).toEqual([['/home/ada/tool.zip']]);
});

it('says why nothing could be chosen', async () => {
  const refuse = async () => {
    throw new CallError({ code: 'no_picker', message: 'There is no desktop portal.' });
  };
  await field('file', { ...pickers, pickFile: refuse });
  button('Choose a file').click();
  await settle();
  expect(words()).toContain('There is no desktop portal.');
});

it('is a text alone in a browser', async () => {
  await field('either', {});
  expect(offered()).toEqual([]);
});
