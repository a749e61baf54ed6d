// ImageData.
(function (native, shared) {
  'use strict';
  const { need, unsignedLong, dictionary } = shared;

  // The arrays of the formats. Halves are kept for the script; canvases have eight bits a channel.
  const ARRAYS = { 'rgba-unorm8': Uint8ClampedArray, 'rgba-float16': Float16Array };
  shared.colorSpace = (name, value) => {
    const word = `${value}`;
    if (word !== 'srgb' && word !== 'display-p3') throw new TypeError(`${name}: '${word}' is no colour space`);
    return word;
  };
  const settingsOf = (value, ownSpace = 'srgb') => {
    const { colorSpace = ownSpace, pixelFormat = 'rgba-unorm8' } = dictionary('ImageData', value);
    const format = `${pixelFormat}`;
    if (!Object.hasOwn(ARRAYS, format)) throw new TypeError(`ImageData: '${format}' is no pixel format`);
    return { colorSpace: shared.colorSpace('ImageData', colorSpace), pixelFormat: format };
  };
  shared.imageSettings = settingsOf;
  // From bytes to what a format has, and back.
  shared.inFormat = (bytes, format) => (format === 'rgba-float16' ? Float16Array.from(bytes, (v) => v / 255) : bytes);
  const inBytes = (data) => (shared.typedArrayName(data) === 'Float16Array' ? Uint8ClampedArray.from(data, (v) => v * 255) : data);

  // Pixels that are all blank. What the interpreter has no memory for is too many, as in a browser.
  const blank = (format, width, height) => {
    try {
      return new ARRAYS[format](width * height * 4);
    } catch (error) {
      if (error.name !== 'InternalError') throw error;
      throw new RangeError(`ImageData: there is no memory for ${width} x ${height} pixels`);
    }
  };

  const indexSize = (message) => new DOMException(`ImageData: ${message}`, 'IndexSizeError');

  // The height that the bytes give; they must be whole rows.
  const heightOf = (data, width) => {
    if (data.length === 0 || data.length % 4 !== 0) {
      throw new DOMException('ImageData: the data is not made of whole pixels', 'InvalidStateError');
    }
    const pixels = data.length / 4;
    if (width === 0 || pixels % width !== 0) throw indexSize('the data is not made of whole rows');
    return pixels / width;
  };

  class ImageData {
    #width;
    #height;
    #data;
    #settings;

    constructor(first, second) {
      need('ImageData', arguments.length, 2);
      const given = shared.typedArrayName(first);
      if (given === 'Uint8ClampedArray' || given === 'Float16Array') {
        this.#width = unsignedLong('ImageData', second);
        const height = arguments[2] === undefined ? undefined : unsignedLong('ImageData', arguments[2]);
        this.#settings = settingsOf(arguments[3]);
        if (ARRAYS[this.#settings.pixelFormat].name !== given) {
          throw new DOMException(`ImageData: ${given} does not hold ${this.#settings.pixelFormat}`, 'InvalidStateError');
        }
        this.#height = heightOf(first, this.#width);
        if (height !== undefined && height !== this.#height) throw indexSize('the height does not fit the data');
        this.#data = first;
        return;
      }
      this.#width = unsignedLong('ImageData', first);
      this.#height = unsignedLong('ImageData', second);
      this.#settings = settingsOf(arguments[2]);
      if (this.#width === 0 || this.#height === 0) throw indexSize('the width or height is zero');
      this.#data = blank(this.#settings.pixelFormat, this.#width, this.#height);
    }

    get width() { return this.#width; }
    get height() { return this.#height; }
    get data() { return this.#data; }
    get colorSpace() { return this.#settings.colorSpace; }
    get pixelFormat() { return this.#settings.pixelFormat; }

    static {
      // [bytes, width, height, colour space]
      shared.imageParts = (name, value) => {
        if (!shared.isObject(value) || !(#data in value)) throw new TypeError(`${name}: argument 1 is not an ImageData`);
        return [inBytes(value.#data), value.#width, value.#height, value.#settings.colorSpace];
      };
    }
  }
  shared.publish(ImageData);
  shared.newImageData = (data, width, height, settings) => new ImageData(data, width, height, settings);
})
