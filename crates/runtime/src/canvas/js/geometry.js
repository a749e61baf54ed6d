// DOMPoint, DOMRect and DOMQuad, as much of them as a canvas needs.
(function (native, shared) {
  'use strict';
  const { dictionary } = shared;

  // A read-only interface and a writable one over the same named numbers.
  const pair = (name, fields, defaults) => {
    let slots;
    const ReadOnly = {
      [`${name}ReadOnly`]: class {
        #values;

        constructor(...given) {
          this.#values = defaults.map((value, i) => (given[i] === undefined ? value : +given[i]));
        }

        static { slots = (object) => object.#values; }
      },
    }[`${name}ReadOnly`];
    const Writable = { [name]: class extends ReadOnly {} }[name];
    fields.forEach((field, i) => {
      const shape = {
        get [field]() { return slots(this)[i]; },
        set [field](value) { slots(this)[i] = +value; },
      };
      const { get, set } = Object.getOwnPropertyDescriptor(shape, field);
      Object.defineProperty(ReadOnly.prototype, field, { get, enumerable: true, configurable: true });
      Object.defineProperty(Writable.prototype, field, { get, set, enumerable: true, configurable: true });
    });
    for (const constructor of [ReadOnly, Writable]) {
      const from = (init) => {
        const values = dictionary(name, init);
        return new constructor(...fields.map((field) => values[field]));
      };
      Object.defineProperty(constructor, `from${name.slice(3)}`, {
        value: { [`from${name.slice(3)}`]: (other = undefined) => from(other) }[`from${name.slice(3)}`],
        writable: true, enumerable: true, configurable: true,
      });
      Object.defineProperty(constructor, 'length', { value: 0, configurable: true });
    }
    return [ReadOnly, Writable, slots];
  };

  const json = (object, names) => Object.fromEntries(names.map((name) => [name, object[name]]));

  const pointFields = ['x', 'y', 'z', 'w'];
  const [DOMPointReadOnly, DOMPoint] = pair('DOMPoint', pointFields, [0, 0, 0, 1]);

  shared.transformPoint = (m, init) => {
    const { x = 0, y = 0, z = 0, w = 1 } = dictionary('transformPoint', init);
    const point = [+x, +y, +z, +w];
    const row = (r) => m[r] * point[0] + m[4 + r] * point[1] + m[8 + r] * point[2] + m[12 + r] * point[3];
    return new DOMPoint(row(0), row(1), row(2), row(3));
  };

  shared.mixin(DOMPointReadOnly.prototype, {
    matrixTransform(matrix = {}) {
      return shared.transformPoint(shared.matrixElements('matrixTransform', matrix), this);
    },
    toJSON() { return json(this, pointFields); },
  });
  shared.publish(DOMPointReadOnly);
  shared.publish(DOMPoint);

  const rectFields = ['x', 'y', 'width', 'height'];
  const [DOMRectReadOnly, DOMRect, rect] = pair('DOMRect', rectFields, [0, 0, 0, 0]);

  shared.mixin(DOMRectReadOnly.prototype, {
    get top() { const [, y, , h] = rect(this); return Math.min(y, y + h); },
    get right() { const [x, , w] = rect(this); return Math.max(x, x + w); },
    get bottom() { const [, y, , h] = rect(this); return Math.max(y, y + h); },
    get left() { const [x, , w] = rect(this); return Math.min(x, x + w); },
    toJSON() { return json(this, [...rectFields, 'top', 'right', 'bottom', 'left']); },
  });
  shared.publish(DOMRectReadOnly);
  shared.publish(DOMRect);

  let corners;
  class DOMQuad {
    #points;

    constructor(...given) {
      this.#points = [0, 1, 2, 3].map((i) => DOMPoint.fromPoint(given[i]));
    }

    static { corners = (quad) => quad.#points; }

    static fromRect(other = undefined) {
      const { x, y, width, height } = DOMRect.fromRect(other);
      return new DOMQuad({ x, y }, { x: x + width, y }, { x: x + width, y: y + height }, { x, y: y + height });
    }

    static fromQuad(other = undefined) {
      const { p1, p2, p3, p4 } = dictionary('fromQuad', other);
      return new DOMQuad(p1, p2, p3, p4);
    }

    get p1() { return corners(this)[0]; }
    get p2() { return corners(this)[1]; }
    get p3() { return corners(this)[2]; }
    get p4() { return corners(this)[3]; }

    getBounds() {
      const [xs, ys] = ['x', 'y'].map((field) => corners(this).map((point) => point[field]));
      const [x, y] = [Math.min(...xs), Math.min(...ys)];
      return new DOMRect(x, y, Math.max(...xs) - x, Math.max(...ys) - y);
    }

    toJSON() {
      const [p1, p2, p3, p4] = corners(this).map((point) => point.toJSON());
      return { p1, p2, p3, p4 };
    }
  }
  for (const name of ['fromRect', 'fromQuad']) Object.defineProperty(DOMQuad, name, { enumerable: true });
  shared.publish(DOMQuad);
  shared.newRect = (values) => new DOMRect(...values);
})
