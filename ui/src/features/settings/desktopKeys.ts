/** Keys as the shell writes them (src-tauri/src/shortcut.rs): `ctrl+alt+p`, by their places on the keyboard. */

const HELD = [
  ['ctrl', 'ctrlKey'],
  ['alt', 'altKey'],
  ['shift', 'shiftKey'],
  ['super', 'metaKey'],
] as const;

/** Undefined while only keys that are held with others are down. */
export function desktopKeys(event: KeyboardEvent): string | undefined {
  if (!event.code || /^(Control|Alt|Shift|Meta|OS)/.test(event.code)) return undefined;
  const held = HELD.filter(([, name]) => event[name]).map(([key]) => key);
  return [...held, event.code.replace(/^(Key|Digit)/, '').toLowerCase()].join('+');
}
