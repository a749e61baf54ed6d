/** Of many rows of one height, those that are on the screen. */

import { observeElementRect, useVirtualizer } from '@tanstack/vue-virtual';
import { computed, toValue, type ComputedRef, type MaybeRefOrGetter, type Ref } from 'vue';

export interface ShownRow {
  index: number;
  start: number;
}

export interface Rows {
  shown: ComputedRef<ShownRow[]>;
  height: ComputedRef<number>;
  scrollTo(index: number): void;
}

/** A frame that has no height yet, or is not drawn at all, starts with this much. */
const UNMEASURED = 400;

export function useRows(
  scroller: Readonly<Ref<HTMLElement | null>>,
  count: MaybeRefOrGetter<number>,
  size: number,
): Rows {
  const list = useVirtualizer<HTMLElement, Element>(
    computed(() => ({
      count: toValue(count),
      getScrollElement: () => scroller.value,
      estimateSize: () => size,
      overscan: 12,
      observeElementRect: (instance, tell) =>
        observeElementRect(instance, ({ width, height }) =>
          tell({ width, height: height || UNMEASURED }),
        ),
    })),
  );
  return {
    shown: computed(() =>
      list.value.getVirtualItems().map(({ index, start }) => ({ index, start })),
    ),
    height: computed(() => list.value.getTotalSize()),
    scrollTo: (index) => list.value.scrollToIndex(index, { align: 'auto' }),
  };
}
