// @vitest-environment happy-dom
import type { EditorView } from '@codemirror/view';
import { mount, type VueWrapper } from '@vue/test-utils';
import { nextTick } from 'vue';
import { afterEach, expect, it } from 'vitest';
import { i18n } from '@/shared/i18n';
import CodeEditor from './CodeEditor.vue';

let page: VueWrapper | undefined;
afterEach(() => page?.unmount());

async function show(props: Record<string, unknown>) {
  page = mount(CodeEditor, {
    props: { label: 'Code', ...props },
    global: { plugins: [i18n] },
    attachTo: document.body,
  });
  await nextTick();
  const { view } = page.vm as unknown as { view: EditorView };
  return { page, view };
}

it('has a name, and says how to leave it', async () => {
  const { page: editor } = await show({ language: 'json' });
  const content = editor.find('.cm-content');
  expect(content.attributes('aria-label')).toBe('Code');
  const hint = document.getElementById(content.attributes('aria-describedby') ?? '');
  expect(hint?.textContent).toContain('Escape');
});

it('tells what was typed and takes what is written from outside, without an echo', async () => {
  const { page: editor, view } = await show({ modelValue: 'a', language: 'javascript' });
  view.dispatch({ changes: { from: 1, insert: 'b' } });
  expect(editor.emitted('update:modelValue')).toEqual([['ab']]);
  await editor.setProps({ modelValue: 'other' });
  expect(view.state.doc.toString()).toBe('other');
  expect(editor.emitted('update:modelValue')).toHaveLength(1);
});

it('marks problems where they are, or as near as the text allows', async () => {
  const { page: editor } = await show({
    modelValue: 'one\ntwo',
    problems: [{ line: 2, column: 1, message: 'wrong' }],
  });
  expect(editor.find('.cm-lintRange-error').text()).toBe('two');
  await editor.setProps({ problems: [{ line: 99, column: 99, message: 'far' }] });
  expect(editor.find('.cm-lintRange-error').exists()).toBe(false);
});

it('does not change when it is only read', async () => {
  const { view } = await show({ modelValue: 'fixed', readonly: true });
  expect(view.state.readOnly).toBe(true);
  expect(view.contentDOM.getAttribute('aria-readonly')).toBe('true');
});

it('puts no style element into the page: its policy forbids them', async () => {
  await show({ modelValue: 'x' });
  const styles = [...document.querySelectorAll('style')].map((one) => one.textContent ?? '');
  expect(styles.filter((text) => text.includes('.cm-'))).toEqual([]);
});
