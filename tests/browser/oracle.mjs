// What of a page is meant to be used, known without the assistant's script: what authors marked (pages.mjs), beside who
// listens to a pointer. It is put into pages before their own code and before the script, and shares nothing with it.
//
// What is wanted is the union of both where they agree that it can be used:
// - marked `u`: its author says so. Whether anything listens there is not asked: a link needs no listener, and of what
//   listens for its parts (delegation) only the author knows the parts.
// - unmarked, but listens directly (a listener or an `on` handler of a pointer) and is drawn, takes room, is not inert
//   and meets pointers: its author forgot it, and it counts as if it were marked.
// - unmarked and `n`: its author says that it listens for others or for nothing (a delegating list, a mount point) and
//   is not what anyone would use. This is the one way to contradict a listener, and it stands in the page to be seen.
// `html` and `body` are never wanted unless marked.

export const oracle = () => {
  const POINTED = ['click', 'dblclick', 'mousedown', 'mouseup'].concat(
    ['pointerdown', 'pointerup', 'touchstart', 'touchend'], // of fingers and pens too
  );
  const added = new WeakMap();
  const setsOf = (target) => {
    if (!added.has(target)) added.set(target, new Map());
    return added.get(target);
  };
  const keyOf = (type, options) =>
    `${type} ${Boolean(typeof options === 'object' ? options?.capture : options)}`;
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  EventTarget.prototype.addEventListener = function (type, listener, options) {
    const target = this ?? globalThis;
    const signal = options?.signal;
    if (listener && POINTED.includes(type) && !signal?.aborted) {
      const key = keyOf(type, options);
      const all = setsOf(target);
      if (!all.has(key)) all.set(key, new Set());
      all.get(key).add(listener);
      const gone = () => all.get(key).delete(listener);
      if (signal) addEventListener.call(signal, 'abort', gone);
      if (options?.once) addEventListener.call(target, type, gone, options);
    }
    return addEventListener.call(target, type, listener, options);
  };
  EventTarget.prototype.removeEventListener = function (type, listener, options) {
    const target = this ?? globalThis;
    added.get(target)?.get(keyOf(type, options))?.delete(listener);
    return removeEventListener.call(target, type, listener, options);
  };
  for (const { prototype } of [HTMLElement, SVGElement]) {
    for (const type of POINTED) {
      const was = Object.getOwnPropertyDescriptor(prototype, `on${type}`);
      if (!was?.set) continue;
      Object.defineProperty(prototype, `on${type}`, {
        ...was,
        set(handler) {
          setsOf(this).set(`on${type}`, new Set(typeof handler === 'function' ? [handler] : []));
          was.set.call(this, handler);
        },
      });
    }
  }

  /** Whether this element itself listens; `on` attributes come from the parser and are looked up. */
  const listens = (element) =>
    [...(added.get(element)?.values() ?? [])].some(({ size }) => size > 0) ||
    POINTED.some((type) => element.hasAttribute(`on${type}`));

  const isUsable = (element) => {
    const { documentElement, body } = element.ownerDocument;
    if (element === documentElement || element === body || element.closest('[inert]')) return false;
    const { width, height } = element.getBoundingClientRect();
    return (
      width >= 1 &&
      height >= 1 &&
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
      getComputedStyle(element).pointerEvents !== 'none'
    );
  };

  /** All elements, through open shadows and frames of the same origin. */
  const every = (root = document, all = []) => {
    for (const element of root.querySelectorAll('*')) {
      all.push(element);
      if (element.shadowRoot) every(element.shadowRoot, all);
      if (element.localName === 'iframe' && element.contentDocument)
        every(element.contentDocument, all);
    }
    return all;
  };

  const meant = () => {
    const wanted = { marked: [], both: 0, heard: [] };
    for (const element of every()) {
      // A frame has an oracle of its own.
      const heard = element.ownerDocument.defaultView.oracle.listens(element);
      if (element.hasAttribute('u')) {
        wanted.marked.push(element);
        if (heard) wanted.both += 1;
      } else if (heard && isUsable(element) && !element.hasAttribute('n')) {
        wanted.heard.push(element);
      }
    }
    return wanted;
  };
  globalThis.oracle = { listens, meant, every };
};
