/**
 * The part of the gallery that exists as elements: follows the scroller's size and position, and
 * keeps what is read in its place when pictures come, go, or become known.
 */

import { computed, nextTick, onScopeDispose, ref, watch, type Ref } from 'vue';
import { groupByDay } from '../model/days';
import { indexAt, layOut, slicesIn, topOf, type Slice } from '../model/grid';
import { indexOf, rowAt } from '../model/pages';
import type { Gallery } from './gallery';

export interface TileSize {
  minTile: number;
  gap: number;
  caption: number;
  /** At both sides of the grid. */
  edge: number;
}

const HEADING = 40;
const AFTER = 0;
/** Elements exist so far beyond what is seen. */
const BEYOND = 480;
/** A scroller that has not moved for so long has come to rest. */
const REST_MS = 120;
/** A scroller that is not drawn yet, or never (tests), counts as so large. */
const UNMEASURED = { width: 960, height: 720 };

function isSame(before: readonly Slice[], now: readonly Slice[]): boolean {
  const same = ({ section, from, to }: Slice, at: number) =>
    before[at]?.section === section && before[at].from === from && before[at].to === to;
  return before.length === now.length && now.every(same);
}

export function useGridView(
  scroller: Readonly<Ref<HTMLElement | null>>,
  gallery: Gallery,
  tile: () => TileSize,
) {
  const size = ref(UNMEASURED);
  const top = ref(0);
  const moving = ref(false);

  const groups = computed(() => {
    const { total, times } = gallery.pages.value;
    return groupByDay(total, (index) => times[index]);
  });
  const grid = computed(() => {
    const { minTile, gap, caption, edge } = tile();
    const width = size.value.width - 2 * edge;
    return layOut(groups.value, { width, minTile, gap, caption, heading: HEADING, after: AFTER });
  });
  const slices = computed<Slice[]>((before) => {
    const now = slicesIn(grid.value, top.value - BEYOND, top.value + size.value.height + BEYOND);
    // Most steps of a scroll show nothing new.
    return before && isSame(before, now) ? before : now;
  });

  watch(
    slices,
    (now) => {
      const last = now.at(-1);
      if (now[0] && last) gallery.see(now[0].from, last.to);
    },
    { immediate: true },
  );

  watch(
    () => ({ grid: grid.value, pages: gallery.pages.value }),
    async (now, before) => {
      const element = scroller.value;
      // At the very top, new pictures are what one wants to see.
      if (!element || element.scrollTop < HEADING) return;
      const index = indexAt(before.grid, element.scrollTop);
      const id = rowAt(before.pages, index)?.id;
      const next = (id === undefined ? undefined : indexOf(now.pages, id)) ?? index;
      const by = topOf(now.grid, next) - topOf(before.grid, index);
      await nextTick();
      if (by !== 0) element.scrollTop += by;
    },
  );

  watch(scroller, (element, _, onCleanup) => {
    if (!element) return;
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = element;
      size.value = width > 0 && height > 0 ? { width, height } : UNMEASURED;
    };
    let rest: ReturnType<typeof setTimeout> | undefined;
    const follow = () => {
      // Moved by a step of the keys or by what came: `reveal` has said where to.
      if (element.scrollTop === top.value) return;
      top.value = element.scrollTop;
      moving.value = true;
      clearTimeout(rest);
      rest = setTimeout(() => (moving.value = false), REST_MS);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', follow, { passive: true });
    measure();
    onCleanup(() => {
      observer.disconnect();
      clearTimeout(rest);
      moving.value = false;
      element.removeEventListener('scroll', follow);
    });
  });
  onScopeDispose(() => (top.value = 0));

  /** Scrolls as little as shows the picture, below its day's heading. */
  async function reveal(index: number): Promise<void> {
    const element = scroller.value;
    if (!element) return;
    const from = topOf(grid.value, index) - HEADING;
    const to = from + HEADING + grid.value.row;
    const height = size.value.height;
    if (from < element.scrollTop) element.scrollTop = from;
    else if (to > element.scrollTop + height) element.scrollTop = to - height;
    top.value = element.scrollTop;
    await nextTick();
  }

  return { grid, slices, moving, reveal };
}
