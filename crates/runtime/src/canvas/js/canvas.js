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
        attributes.get(this)?.set('width', `${width}`);
      },
      enumerable: true, configurable: true,
    },
    height: {
      get: nativeSize.height.get,
      set(value) {
        const height = convertHeight(value);
        native.resize(this, widthOf(this), height);
        attributes.get(this)?.set('height', `${height}`);
      },
      enumerable: true, configurable: true,
    },
  });

  // A reflected "unsigned long" attribute with a default.
  const reflected = (fallback) => (value) => {
    const number = value >>> 0;
    return number > 2147483647 ? fallback : number;
  };

  // What is not known becomes PNG, as in the standard.
  const blobOf = (canvas, type = 'image/png', quality = undefined) => {
    const [became, bytes] = native.encode(canvas, `${type}`, quality);
    return new HostBlob([bytes], { type: became });
  };

  // What is no dictionary settles nothing. A canvas of halves is not made: its attributes say so.
  // `vector` is ours: what is drawn is kept as shapes, for toBuffer('image/svg+xml').
  const settings = (options) => {
    const given = shared.isObject(options) ? options : {};
    const { alpha = true, colorSpace = 'srgb', colorType = 'unorm8', vector = false } = given;
    if (`${colorType}` !== 'unorm8' && `${colorType}` !== 'float16') {
      throw new TypeError(`getContext: '${colorType}' is no colour type`);
    }
    return [Boolean(alpha), shared.colorSpace('getContext', colorSpace), Boolean(vector)];
  };

  const SVG = 'image/svg+xml';
  const asBuffer = (bytes) => (typeof globalThis.Buffer === 'function' ? globalThis.Buffer.from(bytes) : new Uint8Array(bytes));

  // Attributes as markup has them: those of the size are the size, others are only kept.
  const attributes = new WeakMap();
  const attributesOf = (canvas) => {
    widthOf(canvas);
    if (!attributes.has(canvas)) attributes.set(canvas, new Map());
    return attributes.get(canvas);
  };
  const sides = { width: 300, height: 150 };
  const nameOf = (name) => `${name}`.toLowerCase();
  // A side as the parser reads it: leading digits, or the default.
  const parsedSide = (name, text) => {
    const digits = /^\s*\+?(\d+)/.exec(text);
    return digits === null || digits[1] > 2147483647 ? sides[name] : Number(digits[1]);
  };

  class HTMLCanvasElement {
    constructor() {
      throw new TypeError('Illegal constructor');
    }

    getContext(contextId, options = null) {
      need('getContext', arguments.length, 1);
      const id = `${contextId}`;
      widthOf(this);
      return id === '2d' ? native.contextOf(this, contextPrototype, ...settings(options)) : null;
    }

    getAttribute(name) {
      return attributesOf(this).get(nameOf(name)) ?? null;
    }

    hasAttribute(name) {
      return attributesOf(this).has(nameOf(name));
    }

    setAttribute(name, value) {
      need('setAttribute', arguments.length, 2);
      const [key, text] = [nameOf(name), `${value}`];
      const kept = attributesOf(this);
      if (Object.hasOwn(sides, key)) this[key] = parsedSide(key, text);
      kept.set(key, text);
    }

    removeAttribute(name) {
      const key = nameOf(name);
      const kept = attributesOf(this);
      if (Object.hasOwn(sides, key)) this[key] = sides[key];
      kept.delete(key);
    }

    toDataURL(type = 'image/png', quality = undefined) {
      return isEmpty(this) ? 'data:,' : native.dataUrl(this, `${type}`, quality);
    }

    // As in node-canvas: a Buffer where there is one, else a Uint8Array; a type that is not known
    // is an error. Quality is 0..1, or 2..100 as other bindings have it, alone or in an object; for PNG
    // a compressionLevel from 7 to 9 is for few bytes, every other for speed. A
    // canvas that keeps shapes gives SVG where nothing else is asked for.
    toBuffer(mimeType = undefined, config = undefined) {
      const type = `${mimeType ?? (native.records(this) ? SVG : 'image/png')}`;
      if (type === SVG) return asBuffer(native.svgOf(this));
      const given = shared.isObject(config) ? config.quality : config;
      const quality = typeof given === 'number' && given > 1 ? given / 100 : given;
      const small = shared.isObject(config) && config.compressionLevel >= 7;
      const [became, bytes] = native.encode(this, type, quality, small);
      if (became !== type) {
        throw new TypeError(`toBuffer: '${type}' is not supported, 'image/png', 'image/jpeg', 'image/webp' and '${SVG}' are`);
      }
      return asBuffer(bytes);
    }
  }
  Object.defineProperties(HTMLCanvasElement.prototype, sizeAttributes(reflected(300), reflected(150)));
  const sizeOf = (canvas) => [widthOf(canvas), heightOf(canvas)];
  shared.mixin(HTMLCanvasElement.prototype, shared.element('canvas', sizeOf));
  shared.mixin(HTMLCanvasElement.prototype, shared.listeners(sizeOf));

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
      return id === '2d' ? native.contextOf(this, offscreenContextPrototype, ...settings(options)) : null;
    }
  }
  shared.mixin(OffscreenCanvas.prototype, {
    transferToImageBitmap() {
      if (isEmpty(this)) throw new DOMException('transferToImageBitmap: the canvas has no pixels', 'InvalidStateError');
      if (!native.hasContext(this)) throw new DOMException('transferToImageBitmap: the canvas has no context', 'InvalidStateError');
      return shared.takeBitmap(this);
    },
  });
  Object.defineProperties(OffscreenCanvas.prototype, sizeAttributes(offscreenSize, offscreenSize));

  if (typeof HostBlob === 'function') {
    shared.mixin(HTMLCanvasElement.prototype, {
      toBlob(callback, type = undefined, quality = undefined) {
        need('toBlob', arguments.length, 1);
        if (typeof callback !== 'function') throw new TypeError('toBlob: argument 1 is not a function');
        const blob = isEmpty(this) ? null : blobOf(this, type, quality);
        Promise.resolve().then(() => callback(blob));
      },
    });
    shared.mixin(OffscreenCanvas.prototype, {
      async convertToBlob(options = undefined) {
        if (isEmpty(this)) throw new DOMException('convertToBlob: the canvas has no pixels', 'IndexSizeError');
        const { type, quality } = shared.dictionary('convertToBlob', options);
        return blobOf(this, type, quality);
      },
    });
  }

  shared.isElement = (value) => value instanceof HTMLCanvasElement || value instanceof shared.HTMLImageElement;
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
    if (main === null || !native.hasMain()) {
      main = native.newCanvas(HTMLCanvasElement.prototype, side('width', width), side('height', height), true);
    }
    return main;
  });
})
