/** Keys that work on the whole page while a component lives. */

import { onScopeDispose } from 'vue';

type Run = (event: KeyboardEvent) => void;

const MODIFIERS = ['ctrl', 'alt', 'shift'] as const;

/** On a Mac the command key takes the place of Control. */
export const isMac = /mac|iphone|ipad/i.test(navigator.platform);

/**
 * `{ 'ctrl+enter': run, '/': focusSearch }`. Keys without a modifier are left to whoever types.
 * A shortcut that ran has taken its key: the browser does not act on it as well.
 */
export function useShortcuts(shortcuts: Record<string, Run>): void {
  const known = new Map(Object.entries(shortcuts).map(([keys, run]) => [normal(keys), run]));
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing || event.defaultPrevented) return;
    const keys = keysOf(event);
    const run = known.get(keys);
    if (!run || (typesText(event.target) && !keys.includes('ctrl+') && !isFunctionKey(keys)))
      return;
    event.preventDefault();
    run(event);
  };
  window.addEventListener('keydown', onKey);
  onScopeDispose(() => window.removeEventListener('keydown', onKey));
}

/** Ctrl+Enter in an editor, to which it is a new line: taken before it, by `@keydown.capture`. */
export function onSubmitKeys(run: () => unknown): Run {
  return (event) => {
    if (event.isComposing || keysOf(event) !== 'ctrl+enter') return;
    event.preventDefault();
    event.stopPropagation();
    run();
  };
}

/** `Shift+Ctrl+P` -> `ctrl+shift+p`. */
export function normal(keys: string): string {
  const parts = keys.toLowerCase().split('+');
  const key = parts.pop() || '+';
  return [...MODIFIERS.filter((one) => parts.includes(one)), key].join('+');
}

/** What was pressed, as {@link normal} writes it. */
export function keysOf(event: KeyboardEvent): string {
  const key = event.key.toLowerCase();
  const pressed = {
    ctrl: event.ctrlKey || event.metaKey,
    alt: event.altKey,
    // A character that needs Shift already says so: `?`, not `shift+/`.
    shift: event.shiftKey && (key.length > 1 || /[a-z]/.test(key)),
  };
  return [...MODIFIERS.filter((one) => pressed[one]), key].join('+');
}

function isFunctionKey(keys: string): boolean {
  return /(^|\+)(f\d+|escape)$/.test(keys);
}

function typesText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName);
}
