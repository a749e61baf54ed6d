/**
 * Who listens to what: installed before the page's own code, since a listener that was added cannot be asked for.
 * The page runs beside it and may lie to it; what it says is never a permission.
 */

/** What a pointer does, by which something is used. */
const POINTED = new Set([
  'click',
  'dblclick',
  'mousedown',
  'mouseup',
  'pointerdown',
  'pointerup',
  'touchstart',
  'touchend',
]);

type Listeners = Map<string, Set<unknown>>;

const listened = new WeakMap<EventTarget, Listeners>();

export function install(target: { EventTarget: typeof EventTarget }): void {
  const { prototype } = target.EventTarget;
  const { addEventListener, removeEventListener } = prototype;
  prototype.addEventListener = function (this: EventTarget, type, listener, options) {
    // Without a receiver it is the window's.
    if (listener && POINTED.has(type)) note(this ?? globalThis, type, listener);
    return addEventListener.call(this, type, listener, options);
  };
  prototype.removeEventListener = function (this: EventTarget, type, listener, options) {
    listened
      .get(this ?? globalThis)
      ?.get(type)
      ?.delete(listener);
    return removeEventListener.call(this, type, listener, options);
  };
}

function note(target: EventTarget, type: string, listener: unknown) {
  const types = listened.get(target) ?? new Map<string, Set<unknown>>();
  listened.set(target, types);
  const all = types.get(type) ?? new Set();
  types.set(type, all);
  all.add(listener);
}

/** Whether it listens to a pointer: by a listener, an `on` property or attribute, or by its framework. */
export function isListening(element: Element): boolean {
  // In a frame its own script has seen who listens.
  const view = element.ownerDocument.defaultView;
  if (view && view !== window && view.pmPage) return view.pmPage.isListening(element);
  const types = listened.get(element);
  for (const type of POINTED) {
    if ((types?.get(type)?.size ?? 0) > 0) return true;
    if (typeof (element as unknown as Record<string, unknown>)[`on${type}`] === 'function')
      return true;
  }
  return isDelegating(element);
}

/** React listens at the root and keeps what each element is for in a property of its own. */
function isDelegating(element: Element): boolean {
  for (const key of Object.keys(element)) {
    if (!key.startsWith('__react')) continue;
    if (!key.startsWith('__reactProps$') && !key.startsWith('__reactEventHandlers$')) continue;
    const props: unknown = (element as unknown as Record<string, unknown>)[key];
    if (typeof props !== 'object' || props === null) continue;
    return REACT.some((name) => typeof (props as Record<string, unknown>)[name] === 'function');
  }
  return false;
}

const REACT = [
  'onClick',
  'onDoubleClick',
  'onMouseDown',
  'onMouseUp',
  'onPointerDown',
  'onPointerUp',
];

/** Whether it is where a framework listens for all that is in it. */
export function isRoot(element: Element): boolean {
  const { documentElement, body } = element.ownerDocument;
  if (element === documentElement || element === body) return true;
  if ('__vue_app__' in element) return true;
  for (const key of Object.keys(element)) {
    if (key.startsWith('__reactContainer$') || key === '_reactRootContainer') return true;
  }
  return false;
}
