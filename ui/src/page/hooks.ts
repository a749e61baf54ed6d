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

const HANDLERS = [...POINTED].map((type) => `on${type}`);

/** By the type of event; listeners of the capture phase are others than those after it. */
type Listeners = Map<string, { captures: Set<unknown>; rest: Set<unknown> }>;
type Options = boolean | AddEventListenerOptions | undefined;

const listened = new WeakMap<EventTarget, Listeners>();

export function install(target: { EventTarget: typeof EventTarget }): void {
  const { prototype } = target.EventTarget;
  const { addEventListener, removeEventListener } = prototype;
  prototype.addEventListener = function (this: EventTarget, type, listener, options) {
    // Without a receiver it is the window's.
    const receiver = this ?? globalThis;
    if (listener && POINTED.has(type)) {
      const gone = note(receiver, type, listener, options);
      // These go without being removed by anyone.
      if (typeof options === 'object' && gone) {
        if (options.once) addEventListener.call(receiver, type, gone, options);
        if (options.signal) addEventListener.call(options.signal, 'abort', gone, { once: true });
      }
    }
    return addEventListener.call(this, type, listener, options);
  };
  prototype.removeEventListener = function (this: EventTarget, type, listener, options) {
    setOf(this ?? globalThis, type, options)?.delete(listener);
    return removeEventListener.call(this, type, listener, options);
  };
}

function setOf(target: EventTarget, type: string, options: Options) {
  const captures = typeof options === 'object' ? options?.capture : options;
  return listened.get(target)?.get(type)?.[captures ? 'captures' : 'rest'];
}

/** What forgets it again; `undefined` if it will not be added either. */
function note(target: EventTarget, type: string, listener: unknown, options: Options) {
  if (typeof options === 'object' && options?.signal?.aborted) return undefined;
  const types: Listeners = listened.get(target) ?? new Map();
  listened.set(target, types);
  if (!types.has(type)) types.set(type, { captures: new Set(), rest: new Set() });
  const all = setOf(target, type, options);
  all?.add(listener);
  return () => {
    all?.delete(listener);
  };
}

/** Whether it listens to a pointer: by a listener, an `on` property or attribute, or by its framework. */
export function isListening(element: Element): boolean {
  // In a frame its own script has seen who listens.
  const view = element.ownerDocument.defaultView;
  if (view && view !== window && view.pmPage) return view.pmPage.isListening(element);
  const types = listened.get(element);
  for (const { captures, rest } of types?.values() ?? []) {
    if (captures.size + rest.size > 0) return true;
  }
  const handlers = element as unknown as Record<string, unknown>;
  return HANDLERS.some((name) => typeof handlers[name] === 'function') || isDelegating(element);
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
  'onTouchStart',
  'onTouchEnd',
].flatMap((name) => [name, `${name}Capture`]);

/** Where it is listened for those within that are like this. */
export interface Delegate {
  within: Node;
  selector: string;
}

/** jQuery listens at what is around and keeps for whom, until version 4. */
export interface JQuery {
  _data: (node: Node, key: 'events') => Partial<Record<string, { selector?: unknown }[]>>;
}

/** The jQuery of a window, where there is one that can be asked. */
export function jQueryOf(view: Window): JQuery | undefined {
  const { jQuery } = view as { jQuery?: Partial<JQuery> };
  return typeof jQuery?._data === 'function' ? (jQuery as JQuery) : undefined;
}

export function delegatesOf(within: Document | ShadowRoot | Element, jQuery: JQuery): Delegate[] {
  const document = within.ownerDocument ?? (within as Document);
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
    if (REACT_ROOT.some((name) => key.startsWith(name))) return true;
  }
  return false;
}

/** The last is also of where React's portals lead to. */
const REACT_ROOT = ['__reactContainer$', '_reactRootContainer', '_reactListening'];
