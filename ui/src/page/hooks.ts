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

/** Where it is listened for those within that are like this. */
export interface Delegate {
  within: Node;
  selector: string;
}

/** jQuery listens at what is around and keeps for whom, until version 4. */
interface JQuery {
  _data?: (node: Node, key: 'events') => Partial<Record<string, { selector?: unknown }[]>>;
}

export function delegatesOf(within: Document | ShadowRoot | Element): Delegate[] {
  const document = within.ownerDocument ?? (within as Document);
  const { jQuery } = (document.defaultView ?? {}) as { jQuery?: JQuery };
  if (typeof jQuery?._data !== 'function') return [];
  try {
    const events = jQuery._data(within, 'events') ?? {};
    const selectors = [...POINTED]
      .flatMap((type) => events[type] ?? [])
      .map(({ selector }) => selector)
      .filter((selector) => typeof selector === 'string' && isOfSome(selector, document));
    return [...new Set(selectors as string[])].map((selector) => ({ within, selector }));
  } catch {
    // It is the page's own, which may have put anything there.
    return [];
  }
}

/** Some that jQuery knows are none of a browser's; and who listens for all means nobody. */
function isOfSome(selector: string, document: Document): boolean {
  if (selector.trim() === '*') return false;
  try {
    document.createDocumentFragment().querySelector(selector);
    return true;
  } catch {
    return false;
  }
}

export function isMeant(element: Element, delegates: readonly Delegate[]): boolean {
  return delegates.some(
    ({ within, selector }) =>
      within !== element && within.contains(element) && element.matches(selector),
  );
}

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
