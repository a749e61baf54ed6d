// @vitest-environment happy-dom
import { effectScope, nextTick, ref } from 'vue';
import { expect, it } from 'vitest';
import { setLanguage } from '@/shared/i18n';
import { useTitle } from './title';

it('names the window after what is chosen, and follows it', async () => {
  setLanguage('en');
  const chosen = ref<string>();
  const scope = effectScope();
  scope.run(() => useTitle(() => [chosen.value]));
  expect(document.title).toBe('Prompt Manager');
  chosen.value = 'filesystem';
  await nextTick();
  expect(document.title).toBe('filesystem · Prompt Manager');
  chosen.value = '';
  await nextTick();
  expect(document.title).toBe('Prompt Manager');
  scope.stop();
});
