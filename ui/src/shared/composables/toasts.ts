/** Short news at the edge of the page, mostly "done, undo?". Errors belong where they happened. */

import { ref, type Ref } from 'vue';

export type ToastTone = 'neutral' | 'ok' | 'warn' | 'bad';

export interface Toast {
  text: string;
  action?: { label: string; run: () => void };
  tone?: ToastTone;
}

export interface ShownToast extends Toast {
  id: number;
}

/** More than this at once is noise; the oldest go. */
const AT_ONCE = 3;

const shown = ref<ShownToast[]>([]);
let last = 0;

export interface Toasts {
  shown: Readonly<Ref<readonly ShownToast[]>>;
  show(toast: Toast): number;
  dismiss(id: number): void;
}

export function useToasts(): Toasts {
  return { shown, show, dismiss };
}

function show(toast: Toast): number {
  last += 1;
  shown.value = [...shown.value, { ...toast, id: last }].slice(-AT_ONCE);
  return last;
}

function dismiss(id: number): void {
  shown.value = shown.value.filter((toast) => toast.id !== id);
}
