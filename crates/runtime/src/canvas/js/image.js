// ImageData and TextMetrics.
(function (native, shared) {
  'use strict';
  const { need, unsignedLong, dictionary } = shared;

  const settingsOf = (value) => {
    const { colorSpace = 'srgb', pixelFormat = 'rgba-unorm8' } = dictionary('ImageData', value);
    if (`${colorSpace}` !== 'srgb') throw new TypeError(`ImageData: colour space '${colorSpace}' is not supported`);
    if (`${pixelFormat}` !== 'rgba-unorm8') {
      throw new TypeError(`ImageData: pixel format '${pixelFormat}' is not supported`);
    }
  };
  shared.imageSettings = settingsOf;

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

    constructor(first, second) {
      need('ImageData', arguments.length, 2);
      if (shared.typedArrayName(first) === 'Uint8ClampedArray') {
        this.#width = unsignedLong('ImageData', second);
        const height = arguments[2] === undefined ? undefined : unsignedLong('ImageData', arguments[2]);
        settingsOf(arguments[3]);
        this.#height = heightOf(first, this.#width);
        if (height !== undefined && height !== this.#height) throw indexSize('the height does not fit the data');
        this.#data = first;
        return;
      }
      this.#width = unsignedLong('ImageData', first);
      this.#height = unsignedLong('ImageData', second);
      settingsOf(arguments[2]);
      if (this.#width === 0 || this.#height === 0) throw indexSize('the width or height is zero');
      this.#data = new Uint8ClampedArray(this.#width * this.#height * 4);
    }

    get width() { return this.#width; }
    get height() { return this.#height; }
    get data() { return this.#data; }
    get colorSpace() { this.#width; return 'srgb'; }
    get pixelFormat() { this.#width; return 'rgba-unorm8'; }

    static {
      shared.imageParts = (name, value) => {
        if (!shared.isObject(value) || !(#data in value)) throw new TypeError(`${name}: argument 1 is not an ImageData`);
        return [value.#data, value.#width, value.#height];
      };
    }
  }
  shared.publish(ImageData);
  shared.newImageData = (data, width, height) => new ImageData(data, width, height);

  const key = {};

  class TextMetrics {
    #values;

    constructor() {
      if (arguments[0] !== key) throw new TypeError('Illegal constructor');
      this.#values = arguments[1];
    }

    get width() { return this.#values[0]; }
    get actualBoundingBoxLeft() { return this.#values[1]; }
    get actualBoundingBoxRight() { return this.#values[2]; }
    get fontBoundingBoxAscent() { return this.#values[3]; }
    get fontBoundingBoxDescent() { return this.#values[4]; }
    get actualBoundingBoxAscent() { return this.#values[5]; }
    get actualBoundingBoxDescent() { return this.#values[6]; }
    get emHeightAscent() { return this.#values[7]; }
    get emHeightDescent() { return this.#values[8]; }
    get hangingBaseline() { return this.#values[9]; }
    get alphabeticBaseline() { return this.#values[10]; }
    get ideographicBaseline() { return this.#values[11]; }
  }
  shared.publish(TextMetrics);
  shared.newTextMetrics = (values) => new TextMetrics(key, values);
})
