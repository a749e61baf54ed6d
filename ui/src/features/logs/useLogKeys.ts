/** What keys do in the rows of a log. */

import type { Ref } from 'vue';
import { moved, type Selection } from './selection';
import type { Log } from './useLog';

export interface LogKeys {
  log: Log;
  selection: Ref<Selection | undefined>;
  /** Whether the chosen record is shown whole. */
  open: Ref<boolean>;
  list: Readonly<Ref<{ first(): number; reveal(index: number): void; page: number } | null>>;
  choose(index: number, how: 'one' | 'extend'): void;
  copy(): void;
}

export function useLogKeys(options: LogKeys): (event: KeyboardEvent) => void {
  const { log, selection, open, list } = options;

  function move(event: KeyboardEvent): boolean {
    const { total } = log.numbers.value;
    const start = log.sticks.value ? total - 1 : (list.value?.first() ?? 0);
    const to = moved(selection.value, event.key, { total, page: list.value?.page ?? 1, start });
    if (to === undefined) return false;
    options.choose(to, event.shiftKey ? 'extend' : 'one');
    list.value?.reveal(to);
    // The end is where following begins again.
    if (event.key === 'End' && !event.shiftKey) log.newest();
    return true;
  }

  function act(event: KeyboardEvent): boolean {
    const control = event.ctrlKey || event.metaKey;
    if (control && event.key.toLowerCase() === 'c') {
      // Text that was marked with the pointer is the browser's to copy.
      if (document.getSelection()?.isCollapsed === false) return false;
      options.copy();
      return true;
    }
    if (control || event.altKey) return false;
    if (event.key === ' ') log.togglePause();
    else if (event.key === 'Enter' && selection.value) open.value = !open.value;
    else if (event.key === 'Escape' && open.value) open.value = false;
    else if (event.key === 'Escape' && selection.value) selection.value = undefined;
    else return move(event);
    return true;
  }

  return (event) => {
    if (act(event)) event.preventDefault();
  };
}
