// @vitest-environment happy-dom
import { mount } from '@vue/test-utils';
import { expect, it, vi } from 'vitest';
import { defineComponent, h } from 'vue';
import { normal, onSubmitKeys, useShortcuts } from './shortcuts';

it('writes keys in one way', () => {
  expect(normal('Shift+Ctrl+P')).toBe('ctrl+shift+p');
  expect(normal('/')).toBe('/');
  expect(normal('ctrl++')).toBe('ctrl++');
});

it('leaves plain keys to whoever types, and ends with its component', () => {
  const slash = vi.fn();
  const run = vi.fn();
  const Part = defineComponent(() => {
    useShortcuts({ '/': slash, 'ctrl+enter': run });
    return () => h('input');
  });
  const wrapper = mount(Part, { attachTo: document.body });
  const press = (target: EventTarget, init: KeyboardEventInit) => {
    const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init });
    target.dispatchEvent(event);
    return event;
  };
  expect(press(document.body, { key: '/' }).defaultPrevented).toBe(true);
  expect(press(wrapper.element, { key: '/' }).defaultPrevented).toBe(false);
  press(wrapper.element, { key: 'Enter', ctrlKey: true });
  press(wrapper.element, { key: 'Enter', ctrlKey: true, isComposing: true });
  press(wrapper.element, { key: 'Enter', ctrlKey: true, shiftKey: true });
  expect(slash).toHaveBeenCalledTimes(1);
  expect(run).toHaveBeenCalledTimes(1);
  wrapper.unmount();
  press(document.body, { key: '/' });
  expect(slash).toHaveBeenCalledTimes(1);
});

it('takes Ctrl+Enter from an editor alone', () => {
  const run = vi.fn();
  const onKey = onSubmitKeys(run);
  const press = (init: KeyboardEventInit) => {
    const event = new KeyboardEvent('keydown', { cancelable: true, ...init });
    onKey(event);
    return event.defaultPrevented;
  };
  expect(press({ key: 'Enter', ctrlKey: true })).toBe(true);
  expect(press({ key: 'Enter' })).toBe(false);
  expect(press({ key: 'Enter', ctrlKey: true, isComposing: true })).toBe(false);
  expect(press({ key: 'a', ctrlKey: true })).toBe(false);
  expect(run).toHaveBeenCalledTimes(1);
});
