// The two context interfaces: native members, and the calls that need dictionaries or other objects.
(function (native, shared) {
  'use strict';
  const { need, long, dictionary } = shared;

  const members = {
    setTransform(a, b, c, d, e, f) {
      const given = arguments.length;
      if (given >= 6) {
        native.setTransformOf(this, a, b, c, d, e, f);
      } else if (given < 2) {
        native.setTransformOf(this, ...shared.matrix2d('setTransform', a));
      } else {
        throw new TypeError('setTransform: a matrix or 6 numbers are expected');
      }
    },

    getTransform() {
      return new shared.DOMMatrix(native.transformOf(this));
    },

    beginLayer(options = undefined) {
      const { filter } = dictionary('beginLayer', options);
      native.beginLayerOf(this, shared.filterOf(filter));
    },

    setLineDash(segments) {
      need('setLineDash', arguments.length, 1);
      const numbers = shared.sequence('setLineDash', segments).map((value) => +value);
      native.setLineDashOf(this, numbers);
    },

    measureText(text) {
      need('measureText', arguments.length, 1);
      return shared.newTextMetrics(native.measure(this, text), native.measured(this, text));
    },

    createImageData(width, height, settings = undefined) {
      need('createImageData', arguments.length, 1);
      const own = native.spaceOf(this);
      if (arguments.length === 1) {
        shared.imageParts('createImageData', width);
        return new shared.ImageData(width.width, width.height, width);
      }
      width = Math.abs(long('createImageData', width));
      height = Math.abs(long('createImageData', height));
      return new shared.ImageData(width, height, shared.imageSettings(settings, own));
    },

    getImageData(x, y, width, height, settings = undefined) {
      need('getImageData', arguments.length, 4);
      x = long('getImageData', x);
      y = long('getImageData', y);
      width = long('getImageData', width);
      height = long('getImageData', height);
      const wanted = shared.imageSettings(settings, native.spaceOf(this));
      const bytes = new Uint8ClampedArray(native.readPixels(this, x, y, width, height, wanted.colorSpace));
      return shared.newImageData(shared.inFormat(bytes, wanted.pixelFormat), Math.abs(width), Math.abs(height), wanted);
    },

    putImageData(image, x, y, dirtyX, dirtyY, dirtyWidth, dirtyHeight) {
      need('putImageData', arguments.length, 3);
      const [data, width, height, space] = shared.imageParts('putImageData', image);
      x = long('putImageData', x);
      y = long('putImageData', y);
      if (arguments.length === 3) {
        native.writePixels(this, data, width, height, space, x, y);
        return;
      }
      need('putImageData', arguments.length, 7);
      native.writePixels(
        this, data, width, height, space, x, y,
        long('putImageData', dirtyX), long('putImageData', dirtyY),
        long('putImageData', dirtyWidth), long('putImageData', dirtyHeight));
    },
  };

  // Nothing is ever in focus: the arguments are looked at, and that is all.
  const userInterface = {
    drawFocusIfNeeded(pathOrElement, element) {
      need('drawFocusIfNeeded', arguments.length, 1);
      const given = arguments.length > 1 ? element : pathOrElement;
      native.transformOf(this);
      if (!shared.isElement(given)) {
        throw new TypeError('drawFocusIfNeeded: the argument is not an element');
      }
    },
  };
  Object.defineProperty(userInterface.drawFocusIfNeeded, 'length', { value: 1, configurable: true });

  // length counts the required arguments of the shortest overload.
  for (const [name, value] of [
    ['setTransform', 0], ['beginLayer', 0], ['createImageData', 1], ['getImageData', 4], ['putImageData', 3],
  ]) {
    Object.defineProperty(members[name], 'length', { value, configurable: true });
  }

  shared.DOMMatrix = native.globals.DOMMatrix;
  shared.ImageData = native.globals.ImageData;
  for (const name of ['CanvasRenderingContext2D', 'OffscreenCanvasRenderingContext2D']) {
    const prototype = {};
    shared.mixin(prototype, native.context);
    shared.mixin(prototype, shared.roundRect);
    shared.mixin(prototype, members);
    shared.mixin(prototype, shared.textClusters);
    if (name === 'CanvasRenderingContext2D') shared.mixin(prototype, userInterface);
    shared[name] = shared.illegal(name, prototype);
    shared.publish(shared[name]);
  }

  shared.publish(shared.illegal('CanvasGradient', native.gradientPrototype));

  shared.mixin(native.patternPrototype, {
    setTransform(transform = {}) {
      native.setPatternTransform(this, ...shared.matrix2d('setTransform', transform));
    },
  });
  shared.publish(shared.illegal('CanvasPattern', native.patternPrototype));
})
