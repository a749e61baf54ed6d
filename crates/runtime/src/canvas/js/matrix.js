// DOMMatrix and DOMMatrixReadOnly: 4x4, stored as m11, m12, … m44; "flat" is is2D.
(function (native, shared) {
  'use strict';
  const { need, dictionary } = shared;
  const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  const NAMES = [
    'm11', 'm12', 'm13', 'm14', 'm21', 'm22', 'm23', 'm24',
    'm31', 'm32', 'm33', 'm34', 'm41', 'm42', 'm43', 'm44',
  ];
  const ALIASES = { a: 0, b: 1, c: 4, d: 5, e: 12, f: 13 };
  const FLAT_INDICES = [0, 1, 4, 5, 12, 13];
  const radians = (degrees) => degrees * Math.PI / 180;

  const fromSix = ([a, b, c, d, e, f]) => [a, b, 0, 0, c, d, 0, 0, 0, 0, 1, 0, e, f, 0, 1];

  // outer × inner: points go through inner first.
  const product = (outer, inner) => {
    const out = new Array(16);
    for (let column = 0; column < 4; column++) {
      for (let row = 0; row < 4; row++) {
        let sum = 0;
        for (let k = 0; k < 4; k++) sum += outer[k * 4 + row] * inner[column * 4 + k];
        out[column * 4 + row] = sum;
      }
    }
    return out;
  };

  // Two dimensions without the zeros, so that infinities do not turn into NaN through them.
  const flatProduct = (outer, inner) => {
    const [a, b, c, d, e, f] = FLAT_INDICES.map((i) => outer[i]);
    const [g, h, i, j, k, l] = FLAT_INDICES.map((n) => inner[n]);
    return fromSix([
      a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f,
    ]);
  };

  // Gauss-Jordan with pivoting; null when there is no inverse.
  const inverse = (m) => {
    const rows = [0, 1, 2, 3].map((r) => [0, 1, 2, 3].map((c) => m[c * 4 + r])
      .concat([0, 1, 2, 3].map((c) => (c === r ? 1 : 0))));
    for (let column = 0; column < 4; column++) {
      let pivot = column;
      for (let r = column + 1; r < 4; r++) {
        if (Math.abs(rows[r][column]) > Math.abs(rows[pivot][column])) pivot = r;
      }
      const divisor = rows[pivot][column];
      if (divisor === 0 || !Number.isFinite(divisor)) return null;
      [rows[column], rows[pivot]] = [rows[pivot], rows[column]];
      rows[column] = rows[column].map((value) => value / divisor);
      for (let r = 0; r < 4; r++) {
        const factor = rows[r][column];
        if (r !== column && factor !== 0) rows[r] = rows[r].map((value, i) => value - factor * rows[column][i]);
      }
    }
    return NAMES.map((_, i) => rows[i % 4][4 + Math.trunc(i / 4)]);
  };

  const flatInverse = (m) => {
    const [a, b, c, d, e, f] = FLAT_INDICES.map((i) => m[i]);
    const det = a * d - b * c;
    if (det === 0 || !Number.isFinite(det)) return null;
    return fromSix([d / det, -b / det, -c / det, a / det, (c * f - d * e) / det, (b * e - a * f) / det]);
  };

  const translation = (x, y, z) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1];
  const scaling = (x, y, z) => [x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1];

  // Rotation about an axis; lengths other than 1 are normalised.
  const rotation = (x, y, z, degrees) => {
    const length = Math.hypot(x, y, z);
    if (length === 0) return IDENTITY;
    [x, y, z] = [x / length, y / length, z / length];
    const [s, c] = [Math.sin(radians(degrees)), Math.cos(radians(degrees))];
    const t = 1 - c;
    return [
      t * x * x + c, t * x * y + s * z, t * x * z - s * y, 0,
      t * x * y - s * z, t * y * y + c, t * y * z + s * x, 0,
      t * x * z + s * y, t * y * z - s * x, t * z * z + c, 0,
      0, 0, 0, 1,
    ];
  };
  const skew = (x, y) => [1, Math.tan(radians(y)), 0, 0, Math.tan(radians(x)), 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

  const same = (x, y) => x === y || (x !== x && y !== y);
  const numberOr = (value, fallback) => (value === undefined ? fallback : +value);

  // A pair of names for one element must agree; the fallback fills both.
  const paired = (name, init, short, long, fallback) => {
    const a = init[short] === undefined ? undefined : +init[short];
    const m = init[long] === undefined ? undefined : +init[long];
    if (a !== undefined && m !== undefined && !same(a, m)) throw new TypeError(`${name}: ${short} and ${long} differ`);
    return m ?? a ?? fallback;
  };

  const sixOf = (name, init) => [
    paired(name, init, 'a', 'm11', 1), paired(name, init, 'b', 'm12', 0), paired(name, init, 'c', 'm21', 0),
    paired(name, init, 'd', 'm22', 1), paired(name, init, 'e', 'm41', 0), paired(name, init, 'f', 'm42', 0),
  ];

  // DOMMatrix2DInit -> [a, b, c, d, e, f]
  shared.matrix2d = (name, value) => sixOf(name, dictionary(name, value));

  const isFlat = (m) => m.every((value, i) => FLAT_INDICES.includes(i) || value === IDENTITY[i]);

  // DOMMatrixInit -> { m, flat }
  const fromInit = (name, value) => {
    const init = dictionary(name, value);
    const m = fromSix(sixOf(name, init));
    for (const i of [2, 3, 6, 7, 8, 9, 10, 11, 14, 15]) m[i] = numberOr(init[NAMES[i]], IDENTITY[i]);
    const flat = isFlat(m);
    if (init.is2D !== undefined && init.is2D && !flat) throw new TypeError(`${name}: the matrix is not 2D`);
    return { m, flat: init.is2D === undefined ? flat : Boolean(init.is2D) };
  };

  const syntaxError = (text) => new DOMException(`DOMMatrix: '${text}' is not a transform list`, 'SyntaxError');
  const DEGREES = { deg: 1, grad: 0.9, rad: 180 / Math.PI, turn: 360 };
  const PIXELS = { px: 1, pt: 96 / 72, pc: 16, in: 96, cm: 96 / 2.54, mm: 96 / 25.4, q: 96 / 101.6 };

  // One argument of a transform function: a number with the unit that its place allows.
  const argument = (text, kind) => {
    const [, number, given] = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]*|%)$/i.exec(text.trim()) ?? [];
    if (number === undefined) throw syntaxError(text);
    const [value, unit] = [+number, given.toLowerCase()];
    if (kind === 'angle' && Object.hasOwn(DEGREES, unit)) return value * DEGREES[unit];
    if (kind === 'length' && Object.hasOwn(PIXELS, unit)) return value * PIXELS[unit];
    if (kind === 'share' && unit === '%') return value / 100;
    const bare = unit === '' && (kind === 'number' || kind === 'share' || value === 0);
    if (!bare) throw syntaxError(text);
    return value;
  };

  // name: [kind of its arguments or of each, fewest, most, matrix]
  const FUNCTIONS = {
    matrix: ['number', 6, 6, (...v) => fromSix(v)],
    matrix3d: ['number', 16, 16, (...v) => v],
    translate: ['length', 1, 2, (x, y = 0) => translation(x, y, 0)],
    translatex: ['length', 1, 1, (x) => translation(x, 0, 0)],
    translatey: ['length', 1, 1, (y) => translation(0, y, 0)],
    translatez: ['length', 1, 1, (z) => translation(0, 0, z)],
    translate3d: ['length', 3, 3, translation],
    scale: ['share', 1, 2, (x, y = x) => scaling(x, y, 1)],
    scalex: ['share', 1, 1, (x) => scaling(x, 1, 1)],
    scaley: ['share', 1, 1, (y) => scaling(1, y, 1)],
    scalez: ['share', 1, 1, (z) => scaling(1, 1, z)],
    scale3d: ['share', 3, 3, scaling],
    rotate: ['angle', 1, 1, (angle) => rotation(0, 0, 1, angle)],
    rotatex: ['angle', 1, 1, (angle) => rotation(1, 0, 0, angle)],
    rotatey: ['angle', 1, 1, (angle) => rotation(0, 1, 0, angle)],
    rotatez: ['angle', 1, 1, (angle) => rotation(0, 0, 1, angle)],
    rotate3d: [['number', 'number', 'number', 'angle'], 4, 4, rotation],
    perspective: ['length', 1, 1, (depth) => {
      if (depth < 0) throw syntaxError(`perspective(${depth}px)`);
      return [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -1 / Math.max(depth, 1), 0, 0, 0, 1];
    }],
    skew: ['angle', 1, 2, (x, y = 0) => skew(x, y)],
    skewx: ['angle', 1, 1, (x) => skew(x, 0)],
    skewy: ['angle', 1, 1, (y) => skew(0, y)],
  };
  const SPATIAL = new Set(['matrix3d', 'translatez', 'translate3d', 'scalez', 'scale3d', 'rotatex', 'rotatey', 'rotatez', 'rotate3d', 'perspective']);

  const parse = (text) => {
    let rest = native.foldedCss(text).trim();
    if (rest === '' || rest.toLowerCase() === 'none') return { m: IDENTITY, flat: true };
    let m = IDENTITY;
    let flat = true;
    while (rest !== '') {
      const [whole, rawName, list] = /^([a-z0-9]+)\(([^()]*)\)\s*/i.exec(rest) ?? [];
      const name = rawName?.toLowerCase();
      if (name === undefined || !Object.hasOwn(FUNCTIONS, name)) throw syntaxError(text);
      const [kind, fewest, most, build] = FUNCTIONS[name];
      const values = list.split(',').map((item, i) => argument(item, Array.isArray(kind) ? kind[i] : kind));
      if (values.length < fewest || values.length > most) throw syntaxError(text);
      m = product(m, build(...values));
      flat = flat && !SPATIAL.has(name);
      rest = rest.slice(whole.length);
    }
    return { m, flat };
  };

  const fromElements = (list) => {
    const values = list.map((value) => +value);
    if (values.length === 6) return { m: fromSix(values), flat: true };
    if (values.length === 16) return { m: values, flat: false };
    throw new TypeError(`DOMMatrix: 6 or 16 numbers are expected, got ${values.length}`);
  };

  let read;
  let write;

  class DOMMatrixReadOnly {
    #m;
    #flat;

    constructor(init = undefined) {
      let from = { m: IDENTITY, flat: true };
      if (shared.isObject(init) && typeof init[Symbol.iterator] === 'function') from = fromElements([...init]);
      else if (init !== undefined) from = parse(`${init}`);
      this.#m = [...from.m];
      this.#flat = from.flat;
    }

    static {
      read = (matrix) => ({ m: matrix.#m, flat: matrix.#flat });
      write = (matrix, { m, flat }) => {
        matrix.#m = [...m];
        matrix.#flat = flat;
        return matrix;
      };
    }

    static fromMatrix(other = undefined) { return write(new this(), fromInit('fromMatrix', other)); }
    static fromFloat32Array(array) { return typed(this, 'Float32Array', array); }
    static fromFloat64Array(array) { return typed(this, 'Float64Array', array); }

    get is2D() { return this.#flat; }
    get isIdentity() { return this.#m.every((value, i) => value === IDENTITY[i]); }

    translate(x = 0, y = 0, z = 0) { return copy(this).translateSelf(x, y, z); }
    scale(x = 1, y = x, z = 1, ox = 0, oy = 0, oz = 0) { return copy(this).scaleSelf(x, y, z, ox, oy, oz); }
    scaleNonUniform(x = 1, y = 1) { return copy(this).scaleSelf(x, y); }
    scale3d(s = 1, ox = 0, oy = 0, oz = 0) { return copy(this).scale3dSelf(s, ox, oy, oz); }
    rotate(x = 0, y = undefined, z = undefined) { return copy(this).rotateSelf(x, y, z); }
    rotateFromVector(x = 0, y = 0) { return copy(this).rotateFromVectorSelf(x, y); }
    rotateAxisAngle(x = 0, y = 0, z = 0, angle = 0) { return copy(this).rotateAxisAngleSelf(x, y, z, angle); }
    skewX(angle = 0) { return copy(this).skewXSelf(angle); }
    skewY(angle = 0) { return copy(this).skewYSelf(angle); }
    multiply(other = undefined) { return copy(this).multiplySelf(other); }
    flipX() { return append(copy(this), scaling(-1, 1, 1), true); }
    flipY() { return append(copy(this), scaling(1, -1, 1), true); }
    inverse() { return copy(this).invertSelf(); }
    transformPoint(point = {}) { return shared.transformPoint(read(this).m, point); }
    toFloat32Array() { return new Float32Array(this.#m); }
    toFloat64Array() { return new Float64Array(this.#m); }

    toJSON() {
      const json = {};
      for (const [name, i] of Object.entries(ALIASES)) json[name] = this.#m[i];
      NAMES.forEach((name, i) => { json[name] = this.#m[i]; });
      return Object.assign(json, { is2D: this.is2D, isIdentity: this.isIdentity });
    }

    toString() {
      if (!this.#m.every(Number.isFinite)) {
        throw new DOMException('toString: the matrix has an element that is not finite', 'InvalidStateError');
      }
      return this.#flat
        ? `matrix(${FLAT_INDICES.map((i) => this.#m[i]).join(', ')})`
        : `matrix3d(${this.#m.join(', ')})`;
    }
  }

  class DOMMatrix extends DOMMatrixReadOnly {
    multiplySelf(other = undefined) {
      const { m, flat } = fromInit('multiply', other);
      return append(this, m, flat);
    }

    preMultiplySelf(other = undefined) {
      const by = fromInit('preMultiplySelf', other);
      const { m, flat } = read(this);
      const both = flat && by.flat;
      return write(this, { m: (both ? flatProduct : product)(by.m, m), flat: both });
    }

    translateSelf(x = 0, y = 0, z = 0) { return append(this, translation(+x, +y, +z), +z === 0); }

    scaleSelf(x = 1, y = x, z = 1, ox = 0, oy = 0, oz = 0) {
      this.translateSelf(ox, oy, oz);
      append(this, scaling(+x, +y, +z), +z === 1);
      return this.translateSelf(-ox, -oy, -oz);
    }

    scale3dSelf(s = 1, ox = 0, oy = 0, oz = 0) { return this.scaleSelf(s, s, s, ox, oy, oz); }

    rotateSelf(x = 0, y = undefined, z = undefined) {
      const angles = y === undefined && z === undefined ? [0, 0, +x] : [+x, numberOr(y, 0), numberOr(z, 0)];
      append(this, rotation(0, 0, 1, angles[2]), true);
      append(this, rotation(0, 1, 0, angles[1]), angles[1] === 0);
      return append(this, rotation(1, 0, 0, angles[0]), angles[0] === 0);
    }

    rotateFromVectorSelf(x = 0, y = 0) { return this.rotateSelf(Math.atan2(+y, +x) * 180 / Math.PI); }

    rotateAxisAngleSelf(x = 0, y = 0, z = 0, angle = 0) {
      return append(this, rotation(+x, +y, +z, +angle), +x === 0 && +y === 0);
    }

    skewXSelf(angle = 0) { return append(this, skew(+angle, 0), true); }
    skewYSelf(angle = 0) { return append(this, skew(0, +angle), true); }

    invertSelf() {
      const { m, flat } = read(this);
      const inverted = (flat ? flatInverse : inverse)(m);
      return write(this, inverted ? { m: inverted, flat } : { m: new Array(16).fill(NaN), flat: false });
    }

    setMatrixValue(text) {
      need('setMatrixValue', arguments.length, 1);
      read(this);
      return write(this, parse(`${text}`));
    }
  }

  const append = (matrix, by, byIsFlat) => {
    const { m, flat } = read(matrix);
    const both = flat && byIsFlat;
    return write(matrix, { m: (both ? flatProduct : product)(m, by), flat: both });
  };

  const copy = (matrix) => write(new DOMMatrix(), read(matrix));

  const typed = (constructor, name, array) => {
    if (shared.typedArrayName(array) !== name) throw new TypeError(`from${name}: a ${name} is expected`);
    return write(new constructor(), fromElements([...array]));
  };

  const element = (name, index) => {
    const get = { get [name]() { return read(this).m[index]; } };
    const getter = Object.getOwnPropertyDescriptor(get, name).get;
    Object.defineProperty(DOMMatrixReadOnly.prototype, name, { get: getter, enumerable: true, configurable: true });
    const setter = function (value) {
      const { m, flat } = read(this);
      const changed = [...m];
      changed[index] = +value;
      write(this, { m: changed, flat: flat && (FLAT_INDICES.includes(index) || changed[index] === IDENTITY[index]) });
    };
    Object.defineProperty(DOMMatrix.prototype, name, { get: getter, set: setter, enumerable: true, configurable: true });
  };
  NAMES.forEach(element);
  for (const [name, index] of Object.entries(ALIASES)) element(name, index);

  shared.publish(DOMMatrixReadOnly);
  shared.publish(DOMMatrix);
  shared.global('WebKitCSSMatrix', DOMMatrix);
  shared.matrixElements = (name, init) => fromInit(name, init).m;
})
