// Image, ImageBitmap, createImageBitmap.
(function (native, shared) {
  'use strict';
  const { need, long, dictionary } = shared;
  const isBytes = (value) => value instanceof ArrayBuffer || ArrayBuffer.isView(value);
  // Bytes as the natives take them, without a copy.
  const plainBytes = (value) => (value instanceof ArrayBuffer
    ? value : new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  shared.isBytes = isBytes;
  shared.plainBytes = plainBytes;

  // The bytes behind an address: data:, file:, or a path. Others cannot be fetched here.
  shared.bytesAt = (address) => {
    if (/^data:/i.test(address)) {
      const bytes = native.dataOf(address);
      if (bytes === null) throw new DOMException('the data: address cannot be read', 'EncodingError');
      return bytes;
    }
    if (/^[a-z][a-z0-9+.-]+:/i.test(address) && !/^file:/i.test(address)) {
      throw new DOMException(`'${address.slice(0, 60)}' cannot be fetched here: read it first and give its bytes`, 'NetworkError');
    }
    const path = /^file:\/\//i.test(address) ? decodeURIComponent(address.slice(7)) : address;
    return native.fileOf(path);
  };

  // A page's image element, as much of it as drawing needs. Bytes are there at once, as in
  // node-canvas; what an address names comes later, as the standard says. Either way `load` or
  // `error` follows.
  class HTMLImageElement {
    constructor() {
      throw new TypeError('Illegal constructor');
    }
  }
  const states = new WeakMap();
  const stateOf = (image) => {
    const state = states.get(image);
    if (state === undefined) throw new TypeError('Illegal invocation');
    return state;
  };

  const fire = (image, type, error) => {
    const event = { type, target: image, currentTarget: image, error, message: error?.message };
    const state = stateOf(image);
    const handler = state[`on${type}`];
    const handlers = [...(typeof handler === 'function' ? [handler] : []), ...state.listeners.filter((l) => l.type === type)
      .map((l) => l.listener)];
    state.listeners = state.listeners.filter((l) => !(l.once && l.type === type));
    // An error handler gets the error itself, as in node-canvas; it has the event's fields.
    for (const listener of handlers) {
      if (typeof listener === 'function') listener.call(image, error === undefined ? event : Object.assign(error, { type, target: image }));
      else listener.handleEvent(event);
    }
  };

  const finish = (image, state, turn, error) => {
    if (state.turn !== turn) return;
    state.complete = true;
    const { waiting } = state;
    state.waiting = [];
    for (const { resolve, reject } of waiting) {
      if (error === undefined) resolve();
      else reject(error);
    }
    fire(image, error === undefined ? 'load' : 'error', error);
  };

  const fill = (image, bytes) => {
    try {
      native.fillImage(image, bytes());
      return undefined;
    } catch (error) {
      native.emptyImage(image, true);
      return error;
    }
  };

  const setSource = (image, value) => {
    const state = stateOf(image);
    state.turn += 1;
    const { turn } = state;
    native.emptyImage(image, false);
    state.complete = false;
    if (isBytes(value)) {
      state.source = '';
      const error = fill(image, () => plainBytes(value));
      state.complete = true;
      Promise.resolve().then(() => finish(image, state, turn, error));
      return;
    }
    state.source = `${value}`;
    Promise.resolve().then(() => {
      if (state.turn !== turn) return;
      const error = state.source === ''
        ? new DOMException('the address is empty', 'EncodingError')
        : fill(image, () => shared.bytesAt(state.source));
      finish(image, state, turn, error);
    });
  };

  const side = (index, name) => ({
    get() {
      const set = stateOf(this)[name];
      return set === undefined ? native.imageSize(this)[index] : set;
    },
    set(value) {
      stateOf(this)[name] = value >>> 0;
    },
    enumerable: true, configurable: true,
  });
  const handler = (name) => ({
    get() { return stateOf(this)[name]; },
    set(value) { stateOf(this)[name] = typeof value === 'function' ? value : null; },
    enumerable: true, configurable: true,
  });
  Object.defineProperties(HTMLImageElement.prototype, {
    width: side(0, 'width'),
    height: side(1, 'height'),
    onload: handler('onload'),
    onerror: handler('onerror'),
  });
  shared.mixin(HTMLImageElement.prototype, {
    get src() { return stateOf(this).source; },
    set src(value) { setSource(this, value); },
    get currentSrc() { return stateOf(this).source; },
    get complete() { return stateOf(this).complete; },
    get naturalWidth() { return native.imageSize(this)[0]; },
    get naturalHeight() { return native.imageSize(this)[1]; },
    decode() {
      const state = stateOf(this);
      return new Promise((resolve, reject) => {
        if (!state.complete) state.waiting.push({ resolve, reject });
        else if (native.imageSize(this)[0] > 0) resolve();
        else reject(new DOMException('the picture cannot be decoded', 'EncodingError'));
      });
    },
    addEventListener(type, listener, options = undefined) {
      need('addEventListener', arguments.length, 2);
      if (listener === null || listener === undefined) return;
      stateOf(this).listeners.push({ type: `${type}`, listener, once: options?.once === true });
    },
    removeEventListener(type, listener) {
      const state = stateOf(this);
      state.listeners = state.listeners.filter((l) => l.type !== `${type}` || l.listener !== listener);
    },
  });
  shared.mixin(HTMLImageElement.prototype, shared.element('img', (image) => [stateOf(image) && image.width, image.height]));
  // Of no effect on pixels, but pages set them.
  for (const name of ['alt', 'crossOrigin', 'decoding', 'loading']) {
    Object.defineProperty(HTMLImageElement.prototype, name, {
      get() { return stateOf(this)[name] ?? ''; },
      set(value) { stateOf(this)[name] = `${value}`; },
      enumerable: true, configurable: true,
    });
  }

  const newImage = (prototype) => {
    const image = native.newImage(prototype);
    states.set(image, {
      turn: 0, source: '', complete: true, waiting: [], listeners: [], onload: null, onerror: null,
    });
    return image;
  };
  shared.newImage = () => newImage(HTMLImageElement.prototype);
  function Image(width, height) {
    if (new.target === undefined) throw new TypeError("Image: 'new' is needed");
    const image = newImage(new.target === Image ? HTMLImageElement.prototype : new.target.prototype);
    if (width !== undefined) image.width = width;
    if (height !== undefined) image.height = height;
    return image;
  }
  Image.prototype = HTMLImageElement.prototype;
  Object.defineProperty(Image, 'prototype', { writable: false });
  shared.publish(HTMLImageElement);
  shared.HTMLImageElement = HTMLImageElement;
  shared.global('Image', Image);

  const prototype = {
    get width() { return native.bitmapSize(this)[0]; },
    get height() { return native.bitmapSize(this)[1]; },
    close() { native.closeBitmap(this); },
  };
  const ImageBitmap = shared.illegal('ImageBitmap', prototype);
  shared.publish(ImageBitmap);
  shared.takeBitmap = (canvas) => native.takeBitmap(prototype, canvas);

  const words = (name, value, known) => {
    const word = `${value}`;
    if (!known.includes(word)) throw new TypeError(`createImageBitmap: '${word}' is no ${name}`);
    return word;
  };

  // [x, y, w, h, width, height] of the part and of what it becomes.
  const frame = (whole, part, options) => {
    const [x, y, w, h] = part ?? [0, 0, ...whole];
    if (w === 0 || h === 0) throw new RangeError('createImageBitmap: the width or height is zero');
    let { resizeWidth: width, resizeHeight: height } = options;
    for (const size of [width, height]) {
      if (size !== undefined && !(Math.trunc(size) > 0)) {
        throw new DOMException('createImageBitmap: a size is not positive', 'InvalidStateError');
      }
    }
    const [wide, high] = [Math.abs(w), Math.abs(h)];
    if (width === undefined) width = height === undefined ? wide : Math.ceil((wide * height) / high);
    if (height === undefined) height = Math.ceil((high * width) / wide);
    return [x, y, w, h, Math.trunc(width), Math.trunc(height)];
  };

  const sizeOf = (source) => {
    if (source instanceof HTMLImageElement) return [source.naturalWidth, source.naturalHeight];
    return [source.width, source.height];
  };

  const bitmapOf = async (source, part, options) => {
    if (source instanceof shared.ImageData) {
      const [data, width, height, space] = shared.imageParts('createImageBitmap', source);
      return native.newBitmapOfData(prototype, data, ...frame([width, height], part, options), width, height, space);
    }
    if (isBytes(source) || (typeof globalThis.Blob === 'function' && source instanceof globalThis.Blob)) {
      const bytes = isBytes(source) ? plainBytes(source) : await source.arrayBuffer();
      let whole;
      try {
        whole = native.newBitmapOfBytes(prototype, bytes);
      } catch (error) {
        throw new DOMException(error.message, 'InvalidStateError');
      }
      if (part === undefined && options.resizeWidth === undefined && options.resizeHeight === undefined) return whole;
      return native.newBitmap(prototype, whole, ...frame(sizeOf(whole), part, options));
    }
    if (!shared.isObject(source)) throw new TypeError('createImageBitmap: argument 1 is not a picture');
    const size = sizeOf(source);
    if (size[0] === 0 || size[1] === 0) {
      throw new DOMException('createImageBitmap: the picture has no pixels', 'InvalidStateError');
    }
    return native.newBitmap(prototype, source, ...frame(size, part, options));
  };

  shared.global('createImageBitmap', async function createImageBitmap(source, ...rest) {
    need('createImageBitmap', arguments.length, 1);
    const part = rest.length >= 4 ? rest.slice(0, 4).map((value) => long('createImageBitmap', value)) : undefined;
    const options = dictionary('createImageBitmap', part === undefined ? rest[0] : rest[4]);
    const { imageOrientation = 'from-image', resizeQuality = 'low' } = options;
    // The last two change nothing here: pixels are kept premultiplied, and in the space of the picture.
    const { premultiplyAlpha = 'default', colorSpaceConversion = 'default' } = options;
    words('orientation', imageOrientation, ['from-image', 'flipY', 'none']);
    words('way of alpha', premultiplyAlpha, ['default', 'none', 'premultiply']);
    words('conversion', colorSpaceConversion, ['default', 'none']);
    words('quality', resizeQuality, ['pixelated', 'low', 'medium', 'high']);
    const bitmap = await bitmapOf(source, part, options);
    if (imageOrientation === 'flipY') native.flipBitmap(bitmap);
    return bitmap;
  });
})
