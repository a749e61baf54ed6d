/**
 * One tooltip for the whole page: the directive tells it where and what, TooltipHost draws it.
 * A list of a thousand rows with icon buttons so costs listeners, not components.
 */

import { shallowRef, type Directive } from 'vue';

export interface Tip {
  text: string;
  shortcut?: string | undefined;
}

export interface ShownTip extends Tip {
  anchor: HTMLElement;
}

/** Long enough that passing over a toolbar does not flicker. */
const WAIT_MS = 450;
/** A next tooltip so soon after the last one comes at once. */
const WARM_MS = 400;

export const shownTip = shallowRef<ShownTip>();

let timer: ReturnType<typeof setTimeout> | undefined;
let hiddenAt = -Infinity;

const tips = new WeakMap<HTMLElement, Tip>();
const offs = new WeakMap<HTMLElement, () => void>();

function show(anchor: HTMLElement, wait: number): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const tip = tips.get(anchor);
    if (tip && tip.text !== '' && anchor.isConnected) shownTip.value = { ...tip, anchor };
  }, wait);
}

export function hideTip(): void {
  clearTimeout(timer);
  if (shownTip.value) hiddenAt = performance.now();
  shownTip.value = undefined;
}

function listen(anchor: HTMLElement): () => void {
  const events: Record<string, (event: Event) => void> = {
    pointerenter: (event) => {
      if ((event as PointerEvent).pointerType === 'touch') return;
      show(anchor, performance.now() - hiddenAt < WARM_MS ? 0 : WAIT_MS);
    },
    pointerleave: hideTip,
    pointerdown: hideTip,
    focus: () => {
      if (anchor.matches(':focus-visible')) show(anchor, 0);
    },
    blur: hideTip,
  };
  for (const [name, run] of Object.entries(events)) anchor.addEventListener(name, run);
  return () => {
    for (const [name, run] of Object.entries(events)) anchor.removeEventListener(name, run);
  };
}

export const vTip: Directive<HTMLElement, Tip> = {
  mounted(anchor, { value }) {
    tips.set(anchor, value);
    offs.set(anchor, listen(anchor));
  },
  updated(anchor, { value }) {
    tips.set(anchor, value);
    if (shownTip.value?.anchor === anchor) shownTip.value = { ...value, anchor };
  },
  beforeUnmount(anchor) {
    offs.get(anchor)?.();
    if (shownTip.value?.anchor === anchor) hideTip();
  },
};
