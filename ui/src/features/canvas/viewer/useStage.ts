/**
 * Hands on the stage: wheel and pinch zoom where they are, dragging pans, a double click goes to
 * 1:1 and back. The arithmetic is model/zoom.ts.
 */

import { computed, onScopeDispose, ref, watch, type Ref } from 'vue';
import {
  bounded,
  centred,
  distance,
  fit,
  held,
  nextScale,
  pinched,
  pixelAt,
  restaged,
  wheelFactor,
  zoomAt,
  type Point,
  type Size,
  type View,
} from '../model/zoom';

const UNMEASURED: Size = { width: 800, height: 600 };
const PAN_STEP = 48;

export function useStage(element: Readonly<Ref<HTMLElement | null>>, picture: () => Size) {
  const stage = ref(UNMEASURED);
  /** While it is fitted it stays fitted, whatever size the stage has. */
  const fitted = ref(true);
  const free = ref<View>(fit(UNMEASURED, picture()));
  const pointer = ref<Point>();
  const dragging = ref(false);

  const view = computed<View>(() => {
    const { scale, x, y } = fitted.value ? fit(stage.value, picture()) : free.value;
    // Whole pixels of the screen: a picture at 1:1 is not blurred by half of one.
    return { scale, x: Math.round(x), y: Math.round(y) };
  });
  const pixel = computed(() =>
    pointer.value ? pixelAt(view.value, picture(), pointer.value) : undefined,
  );

  function show(next: View) {
    fitted.value = false;
    free.value = held(next, stage.value, picture());
  }

  function zoomTo(scale: number, at: Point = middle()) {
    show(zoomAt(view.value, bounded(scale, stage.value, picture()), at));
  }

  function middle(): Point {
    return { x: stage.value.width / 2, y: stage.value.height / 2 };
  }

  function placeOf(event: { clientX: number; clientY: number }): Point {
    const box = element.value?.getBoundingClientRect();
    return { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) };
  }

  function onWheel(event: WheelEvent) {
    event.preventDefault();
    // A pinch on a touch pad arrives as small steps with Control.
    const delta = event.ctrlKey ? event.deltaY * 3 : event.deltaY;
    zoomTo(view.value.scale * wheelFactor(delta, event.deltaMode), placeOf(event));
  }

  const fingers = new Map<number, Point>();

  function onDown(event: PointerEvent) {
    if (event.button !== 0 || fingers.size >= 2) return;
    element.value?.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, placeOf(event));
    dragging.value = true;
  }

  function onMove(event: PointerEvent) {
    const to = placeOf(event);
    pointer.value = to;
    const from = fingers.get(event.pointerId);
    if (!from) return;
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    fingers.set(event.pointerId, to);
    const { scale, x, y } = view.value;
    if (!other) {
      show({ scale, x: x + to.x - from.x, y: y + to.y - from.y });
      return;
    }
    const by = distance([to, other]) / Math.max(1, distance([from, other]));
    const next = bounded(scale * by, stage.value, picture());
    show(pinched(view.value, [from, other], [to, other], next));
  }

  function onUp(event: PointerEvent) {
    fingers.delete(event.pointerId);
    dragging.value = fingers.size > 0;
  }

  function onLeave() {
    pointer.value = undefined;
  }

  function onDouble(event: MouseEvent) {
    if (view.value.scale === 1 && !fitted.value) fitted.value = true;
    else zoomTo(1, placeOf(event));
  }

  watch(
    element,
    (now, _, onCleanup) => {
      if (!now) return;
      const measure = () => {
        const { clientWidth: width, clientHeight: height } = now;
        const next = width > 0 && height > 0 ? { width, height } : UNMEASURED;
        free.value = held(restaged(free.value, stage.value, next), next, picture());
        stage.value = next;
      };
      const observer = new ResizeObserver(measure);
      observer.observe(now);
      // Vue would listen passively to none of them; the wheel must be taken from the page.
      now.addEventListener('wheel', onWheel, { passive: false });
      measure();
      onCleanup(() => {
        observer.disconnect();
        now.removeEventListener('wheel', onWheel);
      });
    },
    { immediate: true, flush: 'post' },
  );
  onScopeDispose(() => fingers.clear());

  return {
    stage,
    view,
    fitted,
    pixel,
    pointer,
    dragging,
    zoomTo,
    zoomIn: () => zoomTo(nextScale(view.value.scale, 1)),
    zoomOut: () => zoomTo(nextScale(view.value.scale, -1)),
    fit: () => (fitted.value = true),
    actual: () => show(centred(stage.value, picture(), 1)),
    pan(right: number, down: number) {
      const { scale, x, y } = view.value;
      show({ scale, x: x - right * PAN_STEP, y: y - down * PAN_STEP });
    },
    on: {
      pointerdown: onDown,
      pointermove: onMove,
      pointerup: onUp,
      pointercancel: onUp,
      pointerleave: onLeave,
      dblclick: onDouble,
    },
  };
}
