// What libraries ask of an element before they draw on it: its name, its size on a page, its listeners.
// There is no page: sizes are the picture's own, nothing is ever laid out, focused or clicked.
(function (native, shared) {
  'use strict';
  const { need } = shared;
  const styles = new WeakMap();

  // `size` gives [width, height], and throws for what is not such an element.
  shared.element = (localName, size) => {
    const always = (element, value) => {
      size(element);
      return value;
    };
    return {
      get localName() { return always(this, localName); },
      get tagName() { return always(this, localName.toUpperCase()); },
      get nodeName() { return always(this, localName.toUpperCase()); },
      get nodeType() { return always(this, 1); },
      get ownerDocument() { return always(this, shared.document); },
      get parentNode() { return always(this, null); },
      get parentElement() { return always(this, null); },
      get isConnected() { return always(this, false); },
      // Kept and given back: it changes no pixel.
      get style() {
        if (!styles.has(always(this, this))) styles.set(this, {});
        return styles.get(this);
      },
      get clientWidth() { return size(this)[0]; },
      get clientHeight() { return size(this)[1]; },
      get offsetWidth() { return size(this)[0]; },
      get offsetHeight() { return size(this)[1]; },
      getBoundingClientRect() { return shared.newRect([0, 0, ...size(this)]); },
    };
  };

  // For events that never come.
  shared.listeners = (size) => ({
    addEventListener(_type, _listener) {
      size(this);
      need('addEventListener', arguments.length, 2);
    },
    removeEventListener(_type, _listener) {
      size(this);
      need('removeEventListener', arguments.length, 2);
    },
  });
})
