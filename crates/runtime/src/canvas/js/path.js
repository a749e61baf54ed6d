// Path2D, and the radii of roundRect, which contexts share.
(function (native, shared) {
  'use strict';
  const { need, isObject, dictionary } = shared;

  const corner = (value) => {
    if (isObject(value) || value === undefined || value === null) {
      const { x = 0, y = 0 } = dictionary('roundRect', value);
      return [+x, +y];
    }
    const radius = +value;
    return [radius, radius];
  };

  // (number or DOMPointInit or a sequence of them) -> [x, y, x, y, …]
  const radiiOf = (value) => {
    if (isObject(value)) {
      const iterator = value[Symbol.iterator];
      if (iterator !== undefined && iterator !== null) return [...value].flatMap(corner);
    }
    return corner(value);
  };

  shared.roundRect = {
    roundRect(x, y, w, h, radii = 0) {
      need('roundRect', arguments.length, 4);
      native.roundRect(this, +x, +y, +w, +h, radiiOf(radii));
    },
  };
  Object.defineProperty(shared.roundRect.roundRect, 'length', { value: 4, configurable: true });

  class Path2D {
    constructor(path = undefined) {
      return native.newPath(new.target.prototype, path);
    }

    addPath(path, transform = {}) {
      need('addPath', arguments.length, 1);
      native.addPath(this, path, ...shared.matrix2d('addPath', transform));
    }
  }
  shared.mixin(Path2D.prototype, native.path);
  shared.mixin(Path2D.prototype, shared.roundRect);
  shared.publish(Path2D);
})
