// @vitest-environment happy-dom
import { mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import { h, nextTick, ref } from 'vue';
import { webNative } from '@/platform';
import { NATIVE } from '@/shared/data/native';
import { setLanguage } from '@/shared/i18n';
import { useTitle } from './title';

it('names the window after what is chosen, and follows it', async () => {
  setLanguage('en');
  const chosen = ref<string>();
  const named: string[] = [];
  const nameWindow = (title: string) => Promise.resolve(void named.push(title));
  const page = mount(
    {
      setup() {
        useTitle(() => [chosen.value]);
        return () => h('main');
      },
    },
    { global: { provide: { [NATIVE as symbol]: { ...webNative(), nameWindow } } } },
  );
  expect(document.title).toBe('Prompt Manager');
  chosen.value = 'filesystem';
  await nextTick();
  expect(document.title).toBe('filesystem · Prompt Manager');
  chosen.value = '';
  await nextTick();
  expect(document.title).toBe('Prompt Manager');
  expect(named).toEqual(['Prompt Manager', 'filesystem · Prompt Manager', 'Prompt Manager']);
  page.unmount();
});
