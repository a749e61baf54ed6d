/** The element that scrolls, and the exact place in a list that may be longer than elements are. */

import { computed, onMounted, onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue';
import {
  centre,
  endOf,
  heightOf,
  isAtEnd,
  offsetOf,
  placeAt,
  reveal,
  rowsAt,
  scrolled,
  START,
  type Place,
  type Size,
} from './scroll';

/** Height of a row in pixels; the style of a row has the same. */
export const ROW = 20;
/** Rows drawn beyond what is seen, so that a scroll shows text and not ground. */
const OVERSCAN = 12;
/** A list that is not drawn yet counts as this high. */
const UNMEASURED = 480;
/** Scrolling has ended when it rests so long. */
const REST_MS = 200;

export interface ScrollerOptions {
  total(): number;
  /** The view belongs at the end, whatever comes. */
  sticks(): boolean;
  onAway(): void;
  onEnd(): void;
}

export function useScroller(element: Readonly<Ref<HTMLElement | null>>, options: ScrollerOptions) {
  const view = ref(UNMEASURED);
  const place = shallowRef<Place>(START);
  const size = computed<Size>(() => ({ total: options.total(), row: ROW, view: view.value }));
  const rows = computed(() => rowsAt(size.value, place.value, OVERSCAN));
  let rest: ReturnType<typeof setTimeout> | undefined;

  /** `scrollTop` that the element has yet to get, and the one that it got from here. */
  let pending = false;
  let own: number | undefined;

  function go(to: Place) {
    if (to.top === place.value.top && to.physical === place.value.physical) return;
    place.value = to;
    pending = true;
  }

  /** Once the element has its new height. */
  function apply() {
    if (!pending || !element.value) return;
    pending = false;
    element.value.scrollTop = place.value.physical;
    // The element has the last word: it may not have its size yet.
    own = element.value.scrollTop;
  }

  function onScroll() {
    if (!element.value || pending) return;
    const physical = element.value.scrollTop;
    const byPage = own !== undefined && Math.abs(physical - own) < 1.5;
    own = undefined;
    // What the page itself has set is no wish of the person.
    if (byPage) return;
    place.value = scrolled(size.value, place.value, physical);
    if (isAtEnd(size.value, place.value)) options.onEnd();
    else options.onAway();
    clearTimeout(rest);
    rest = setTimeout(settle, REST_MS);
  }

  /** In a scaled list the element follows the list once the person has stopped. */
  function settle() {
    rest = undefined;
    go(placeAt(size.value, place.value.top));
  }

  // Before the rows are drawn, so that they are drawn where they will be.
  watch(
    [size, options.sticks],
    ([now, stick]) => {
      if (stick) go(placeAt(now, endOf(now)));
      else if (place.value.top > endOf(now) || rest === undefined) {
        go(placeAt(now, place.value.top));
      }
    },
    { immediate: true },
  );
  watch([place, size], apply, { flush: 'post' });

  function measure() {
    view.value = element.value?.clientHeight || UNMEASURED;
  }

  const observer = new ResizeObserver(measure);
  onMounted(() => {
    if (!element.value) return;
    // Before the first scroll event, which would look like the person's.
    measure();
    observer.observe(element.value);
    pending = true;
    apply();
  });
  onScopeDispose(() => {
    observer.disconnect();
    clearTimeout(rest);
  });

  return {
    /** First and last row to draw. */
    rows,
    /** More than the rows that are ever drawn at once. */
    slots: computed(() => Math.ceil(view.value / ROW) + 2 * OVERSCAN + 2),
    /** Rows that are seen whole. */
    page: computed(() => Math.max(1, Math.floor(view.value / ROW))),
    height: computed(() => heightOf(size.value)),
    /** Where a row lies in the element. */
    offset: (index: number) => offsetOf(size.value, place.value, index),
    view,
    first: () => Math.ceil(place.value.top / ROW),
    onScroll,
    top: (index: number) => go(placeAt(size.value, index * ROW)),
    reveal: (index: number) => go(reveal(size.value, place.value, index)),
    /** Into the middle, unless it is seen. */
    centre(index: number) {
      if (reveal(size.value, place.value, index) !== place.value) go(centre(size.value, index));
    },
    atEnd: () => isAtEnd(size.value, place.value),
  };
}
