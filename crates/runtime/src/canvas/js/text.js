// TextMetrics and TextCluster, and the calls that draw clusters.
(function (native, shared) {
  'use strict';
  const { need, unsignedLong, dictionary } = shared;
  const key = {};

  const ALIGN = ['start', 'end', 'left', 'right', 'center'];
  const BASELINE = ['top', 'hanging', 'middle', 'alphabetic', 'ideographic', 'bottom'];

  const oneOf = (name, value, known) => {
    if (value === undefined) return undefined;
    value = `${value}`;
    if (!known.includes(value)) throw new TypeError(`${name}: '${value}' is none of ${known.join(', ')}`);
    return value;
  };

  const finite = (name, value, otherwise) => {
    if (value === undefined) return otherwise;
    value = +value;
    if (!Number.isFinite(value)) throw new TypeError(`${name}: a number is not finite`);
    return value;
  };

  const within = (name, right) => {
    if (!right) throw new DOMException(`${name}: the index is outside the text`, 'IndexSizeError');
  };

  class TextMetrics {
    #values;
    #text;

    constructor() {
      if (arguments[0] !== key) throw new TypeError('Illegal constructor');
      this.#values = arguments[1];
      this.#text = arguments[2];
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

    getSelectionRects(start, end) {
      const text = this.#text;
      need('getSelectionRects', arguments.length, 2);
      start = unsignedLong('getSelectionRects', start);
      end = unsignedLong('getSelectionRects', end);
      const length = native.textLength(text);
      within('getSelectionRects', start <= length && end <= length);
      const numbers = native.textSelection(text, start, end);
      const rects = [];
      for (let at = 0; at < numbers.length; at += 4) rects.push(shared.newRect(numbers.slice(at, at + 4)));
      return rects;
    }

    getActualBoundingBox(start, end) {
      const text = this.#text;
      need('getActualBoundingBox', arguments.length, 2);
      start = unsignedLong('getActualBoundingBox', start);
      end = unsignedLong('getActualBoundingBox', end);
      const length = native.textLength(text);
      within('getActualBoundingBox', start < length && end <= length);
      return shared.newRect(native.textInk(text, start, end));
    }

    getIndexFromOffset(offset) {
      const text = this.#text;
      need('getIndexFromOffset', arguments.length, 1);
      return native.textIndexAt(text, finite('getIndexFromOffset', offset, NaN));
    }

    // (options), or (start, end, options)
    getTextClusters(start = undefined, end = undefined, options = undefined) {
      const text = this.#text;
      const length = native.textLength(text);
      if (arguments.length < 2) {
        options = start;
        [start, end] = [0, length];
      }
      start = unsignedLong('getTextClusters', start);
      end = unsignedLong('getTextClusters', end);
      const { align, baseline } = dictionary('getTextClusters', options);
      const ways = [oneOf('getTextClusters', align, ALIGN), oneOf('getTextClusters', baseline, BASELINE)];
      within('getTextClusters', (start < length || length === 0) && end <= length);
      return native.textClusters(text, start, end, ...ways).map((values) => new TextCluster(key, text, values));
    }
  }
  shared.publish(TextMetrics);
  shared.newTextMetrics = (values, text) => new TextMetrics(key, values, text);

  let parts;

  class TextCluster {
    #text;
    #values;

    constructor() {
      if (arguments[0] !== key) throw new TypeError('Illegal constructor');
      this.#text = arguments[1];
      this.#values = arguments[2];
    }

    get start() { return this.#values[0]; }
    get end() { return this.#values[1]; }
    get x() { return this.#values[2]; }
    get y() { return this.#values[3]; }
    get align() { return this.#values[4]; }
    get baseline() { return this.#values[5]; }

    static {
      parts = (name, value) => {
        if (!shared.isObject(value) || !(#text in value)) throw new TypeError(`${name}: argument 1 is not a TextCluster`);
        return [value.#text, ...value.#values];
      };
    }
  }
  shared.publish(TextCluster);

  // What native drawing takes, with what `options` put in the place of the cluster's own.
  const drawn = (name, given, cluster, x, y, options) => {
    need(name, given, 3);
    const [text, start, , ownX, ownY, ownAlign, ownBaseline] = parts(name, cluster);
    const at = [+x, +y];
    const { align, baseline, x: otherX, y: otherY } = dictionary(name, options);
    return [
      text, start, ...at,
      finite(name, otherX, ownX), finite(name, otherY, ownY),
      oneOf(name, align, ALIGN) ?? ownAlign, oneOf(name, baseline, BASELINE) ?? ownBaseline,
    ];
  };

  shared.textClusters = {
    fillTextCluster(cluster, x, y, options = undefined) {
      native.fillTextCluster(this, ...drawn('fillTextCluster', arguments.length, cluster, x, y, options));
    },

    strokeTextCluster(cluster, x, y, options = undefined) {
      native.strokeTextCluster(this, ...drawn('strokeTextCluster', arguments.length, cluster, x, y, options));
    },
  };
})
