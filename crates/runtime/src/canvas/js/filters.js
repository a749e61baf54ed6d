// CanvasFilter: filters as objects, by the names and attributes of SVG's.
(function (native, shared) {
  'use strict';
  const { need } = shared;

  const bad = (what) => new TypeError(`CanvasFilter: ${what}`);
  const number = (options, key, fallback) => {
    const value = key in options ? +options[key] : fallback;
    if (!Number.isFinite(value)) throw bad(`${options.name}'s ${key} is not a finite number`);
    return value;
  };
  // One number, or two of them.
  const pair = (options, key, fallback) => {
    const given = options[key];
    const values = Array.isArray(given) && given.length === 2 ? given.map(Number) : [number(options, key, fallback)];
    if (!values.every(Number.isFinite)) throw bad(`${options.name}'s ${key} is not made of finite numbers`);
    return [values[0], values.at(-1)];
  };
  const unsigned = (values, options, key) => {
    if (values.some((value) => value < 0)) throw bad(`${options.name}'s ${key} is negative`);
    return values;
  };
  const word = (options, key, known) => {
    const value = key in options ? `${options[key]}` : known[0];
    if (!known.includes(value)) throw bad(`${options.name}'s ${key} is none of ${known.join(', ')}`);
    return known.indexOf(value);
  };
  const list = (options, key) => {
    const given = options[key];
    if (!shared.isObject(given) || typeof given[Symbol.iterator] !== 'function') throw bad(`${options.name}'s ${key} is not a list`);
    const values = [...given].map(Number);
    if (!values.every(Number.isFinite)) throw bad(`${options.name}'s ${key} is not made of finite numbers`);
    return values;
  };

  // A curve as what becomes of each of 256 values.
  const sampled = (curve) => Array.from({ length: 256 }, (_, i) => Math.round(Math.min(Math.max(curve(i / 255), 0), 1) * 255));
  const CURVES = {
    identity: () => (v) => v,
    table(options) {
      const values = list(options, 'tableValues');
      const last = values.length - 1;
      if (last < 0) return (v) => v;
      if (last === 0) return () => values[0];
      return (v) => {
        const step = Math.min(Math.floor(v * last), last - 1);
        return values[step] + (v * last - step) * (values[step + 1] - values[step]);
      };
    },
    discrete(options) {
      const values = list(options, 'tableValues');
      return values.length === 0 ? (v) => v : (v) => values[Math.min(Math.floor(v * values.length), values.length - 1)];
    },
    linear(options) {
      const [slope, intercept] = [number(options, 'slope', 1), number(options, 'intercept', 0)];
      return (v) => slope * v + intercept;
    },
    gamma(options) {
      const [amplitude, exponent, offset] = [number(options, 'amplitude', 1), number(options, 'exponent', 1), number(options, 'offset', 0)];
      return (v) => amplitude * v ** exponent + offset;
    },
  };
  const curve = (options) => {
    if (options === undefined || options === null) return sampled((v) => v);
    const type = `${options.type ?? 'identity'}`;
    if (!Object.hasOwn(CURVES, type)) throw bad(`'${type}' is no curve`);
    return sampled(CURVES[type]({ name: 'componentTransfer', ...options }));
  };

  // The matrices of feColorMatrix's short forms.
  const turned = (degrees) => {
    const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
    const part = (base, c, s) => base + c * cos + s * sin;
    return [
      part(0.213, 0.787, -0.213), part(0.715, -0.715, -0.715), part(0.072, -0.072, 0.928), 0, 0,
      part(0.213, -0.213, 0.143), part(0.715, 0.285, 0.14), part(0.072, -0.072, -0.283), 0, 0,
      part(0.213, -0.213, -0.787), part(0.715, -0.715, 0.715), part(0.072, 0.928, 0.072), 0, 0,
      0, 0, 0, 1, 0,
    ];
  };
  const saturated = (s) => [
    0.213 + 0.787 * s, 0.715 - 0.715 * s, 0.072 - 0.072 * s, 0, 0,
    0.213 - 0.213 * s, 0.715 + 0.285 * s, 0.072 - 0.072 * s, 0, 0,
    0.213 - 0.213 * s, 0.715 - 0.715 * s, 0.072 + 0.928 * s, 0, 0,
    0, 0, 0, 1, 0,
  ];
  const TO_ALPHA = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.2125, 0.7154, 0.0721, 0, 0];
  const MATRICES = {
    matrix(options) {
      const values = list(options, 'values');
      if (values.length !== 20) throw bad('a colorMatrix has 20 values');
      return values;
    },
    hueRotate: (options) => turned(number(options, 'values', 0)),
    saturate: (options) => saturated(number(options, 'values', 1)),
    luminanceToAlpha: () => TO_ALPHA,
  };

  // Each gives [its name, its numbers, its colour], as the natives take it.
  const FILTERS = {
    gaussianBlur: (options) => pair(options, 'stdDeviation'),
    dropShadow: (options) => [
      number(options, 'dx', 2), number(options, 'dy', 2), ...pair(options, 'stdDeviation', 2), number(options, 'floodOpacity', 1),
    ],
    colorMatrix(options) {
      const type = `${options.type ?? 'matrix'}`;
      if (!Object.hasOwn(MATRICES, type)) throw bad(`'${type}' is no kind of colorMatrix`);
      return MATRICES[type](options);
    },
    componentTransfer: ({ funcR, funcG, funcB, funcA }) => [funcR, funcG, funcB, funcA].flatMap(curve),
    turbulence: (options) => [
      ...unsigned(pair(options, 'baseFrequency', 0), options, 'baseFrequency'),
      ...unsigned([number(options, 'numOctaves', 1)], options, 'numOctaves'), number(options, 'seed', 0),
      word(options, 'stitchTiles', ['noStitch', 'stitch']), word(options, 'type', ['turbulence', 'fractalNoise']),
    ],
    convolveMatrix(options) {
      const given = options.kernelMatrix;
      if (!Array.isArray(given) || given.length === 0 || !given.every(Array.isArray)) throw bad('a kernelMatrix is a list of lists');
      const rows = given.map((row) => row.map(Number));
      const columns = rows[0].length;
      if (rows.some((row) => row.length !== columns)) throw bad("a kernelMatrix's rows are equally long");
      const kernel = rows.flat();
      if (!kernel.every(Number.isFinite)) throw bad('a kernelMatrix is made of finite numbers');
      // One empty row: there is nothing to be done.
      if (kernel.length === 0 && rows.length === 1) return null;
      if (kernel.length === 0) throw bad('a kernelMatrix has numbers');
      const sum = kernel.reduce((a, b) => a + b, 0);
      const target = (key, size) => Math.trunc(number(options, key, Math.floor(size / 2)));
      return [
        columns, number(options, 'divisor', sum === 0 ? 1 : sum), number(options, 'bias', 0),
        target('targetX', columns), target('targetY', rows.length), options.preserveAlpha === true ? 1 : 0, ...kernel,
      ];
    },
  };

  const primitive = (options) => {
    if (!shared.isObject(options)) throw bad('an object is expected');
    const name = `${options.name}`;
    // What is not known is left out, as the draft says.
    if (!Object.hasOwn(FILTERS, name)) return [];
    const numbers = FILTERS[name](options);
    return numbers === null ? [] : [[name, numbers, `${'floodColor' in options ? options.floodColor : 'black'}`]];
  };

  class CanvasFilter {
    constructor(init) {
      need('CanvasFilter', arguments.length, 1);
      const all = Array.isArray(init) ? init : [init];
      return native.newFilter(new.target.prototype, all.flatMap(primitive));
    }
  }
  shared.publish(CanvasFilter);

  // What beginLayer takes: an object or text as it is, otherwise the dictionaries of a CanvasFilter.
  shared.filterOf = (value) => {
    if (value === null || value === undefined) return 'none';
    return shared.isObject(value) && !(value instanceof CanvasFilter) ? new CanvasFilter(value) : value;
  };
})
