// getCanvas, HTMLCanvasElement, OffscreenCanvas.
(function (native, shared) {
  'use strict';
  const { need, unsignedLongLong } = shared;
  const nativeSize = Object.getOwnPropertyDescriptors(native.canvas);
  const widthOf = (canvas) => Reflect.apply(nativeSize.width.get, canvas, []);
  const heightOf = (canvas) => Reflect.apply(nativeSize.height.get, canvas, []);
  const isEmpty = (canvas) => widthOf(canvas) === 0 || heightOf(canvas) === 0;
  const contextPrototype = shared.CanvasRenderingContext2D.prototype;
  const offscreenContextPrototype = shared.OffscreenCanvasRenderingContext2D.prototype;
  const HostBlob = globalThis.Blob;

  const sizeAttributes = (convertWidth, convertHeight) => ({
    width: {
      get: nativeSize.width.get,
      set(value) {
        const width = convertWidth(value);
        native.resize(this, width, heightOf(this));
      },
      enumerable: true, configurable: true,
    },
    height: {
      get: nativeSize.height.get,
      set(value) {
        const height = convertHeight(value);
        native.resize(this, widthOf(this), height);
      },
      enumerable: true, configurable: true,
    },
  });

  // A reflected "unsigned long" attribute with a default.
  const reflected = (fallback) => (value) => {
    const number = value >>> 0;
    return number > 2147483647 ? fallback : number;
  };

  const pngBlob = (canvas) => new HostBlob([native.png(canvas)], { type: 'image/png' });

  class HTMLCanvasElement {
    constructor() {
      throw new TypeError('Illegal constructor');
    }

    getContext(contextId, options = null) {
      need('getContext', arguments.length, 1);
      const id = `${contextId}`;
      widthOf(this);
      return id === '2d' ? native.contextOf(this, contextPrototype) : null;
    }

    // PNG is what every other type falls back to, as in the standard.
    toDataURL(type = undefined, quality = undefined) {
      return isEmpty(this) ? 'data:,' : `data:image/png;base64,${native.pngBase64(this)}`;
    }

    // As in node-canvas: a Buffer where there is one, else a Uint8Array.
    toBuffer(mimeType = 'image/png') {
      const type = `${mimeType}`;
      if (type !== 'image/png') throw new TypeError(`toBuffer: '${type}' is not supported, 'image/png' is`);
      const bytes = native.png(this);
      return typeof globalThis.Buffer === 'function' ? globalThis.Buffer.from(bytes) : new Uint8Array(bytes);
    }
  }
  Object.defineProperties(HTMLCanvasElement.prototype, sizeAttributes(reflected(300), reflected(150)));

  // Sides that no bitmap can have are refused natively.
  const offscreenSize = (value) => unsignedLongLong('OffscreenCanvas', value);
  const offscreenIds = ['2d', 'bitmaprenderer', 'webgl', 'webgl2', 'webgpu'];

  class OffscreenCanvas {
    constructor(width, height) {
      need('OffscreenCanvas', arguments.length, 2);
      const w = offscreenSize(width);
      return native.newCanvas(new.target.prototype, w, offscreenSize(height), false);
    }

    getContext(contextId, options = null) {
      need('getContext', arguments.length, 1);
      const id = `${contextId}`;
      widthOf(this);
      if (!offscreenIds.includes(id)) throw new TypeError(`getContext: '${id}' is not a context's name`);
      return id === '2d' ? native.contextOf(this, offscreenContextPrototype) : null;
    }
  }
  shared.mixin(OffscreenCanvas.prototype, {
    transferToImageBitmap() {
      if (isEmpty(this)) throw new DOMException('transferToImageBitmap: the canvas has no pixels', 'InvalidStateError');
      return shared.takeBitmap(this);
    },
  });
  Object.defineProperties(OffscreenCanvas.prototype, sizeAttributes(offscreenSize, offscreenSize));

  if (typeof HostBlob === 'function') {
    shared.mixin(HTMLCanvasElement.prototype, {
      toBlob(callback, type = undefined, quality = undefined) {
        need('toBlob', arguments.length, 1);
        if (typeof callback !== 'function') throw new TypeError('toBlob: argument 1 is not a function');
        const blob = isEmpty(this) ? null : pngBlob(this);
        Promise.resolve().then(() => callback(blob));
      },
    });
    shared.mixin(OffscreenCanvas.prototype, {
      async convertToBlob(options = undefined) {
        if (isEmpty(this)) throw new DOMException('convertToBlob: the canvas has no pixels', 'IndexSizeError');
        return pngBlob(this);
      },
    });
  }

  shared.newCanvas = (width, height) => native.newCanvas(HTMLCanvasElement.prototype, width, height, false);
  shared.publish(HTMLCanvasElement);
  shared.publish(OffscreenCanvas);

  let main = null;
  const side = (name, value) => {
    if (!Number.isInteger(value) || value < 1 || value > 16384) {
      throw new RangeError(`getCanvas: ${name} is not an integer from 1 to 16384`);
    }
    return value;
  };
  shared.global('getCanvas', function getCanvas(width = 800, height = 600) {
    if (main === null) {
      main = native.newCanvas(HTMLCanvasElement.prototype, side('width', width), side('height', height), true);
    }
    return main;
  });
})
