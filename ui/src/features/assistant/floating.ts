/**
 * The floating button (seed 003, properties 1 and 2): a press is a click and toggles, or a drag and moves. A drag that
 * lasts longer than 100 ms never toggles.
 */

export interface Point {
  x: number;
  y: number;
}

/** Pixels in which a hand that clicks may slip. */
const SLIP = 4;
/** Milliseconds. */
const DRAG = 100;

export class Press {
  #moved = false;
  readonly #from: Point;
  readonly #at: number;

  /** `at`: milliseconds of any clock, the same throughout. */
  constructor(from: Point, at: number) {
    this.#from = from;
    this.#at = at;
  }

  /** How far it has come; nothing as long as it may be a click. */
  move(to: Point): Point | undefined {
    const by = { x: to.x - this.#from.x, y: to.y - this.#from.y };
    if (Math.abs(by.x) > SLIP || Math.abs(by.y) > SLIP) this.#moved = true;
    return this.#moved ? by : undefined;
  }

  /** Whether it was a click. */
  end(at: number): boolean {
    return !(this.#moved && at - this.#at > DRAG);
  }
}

/** The nearest place in which the whole button is to be seen. */
export function within(place: Point, size: number, view: { width: number; height: number }): Point {
  const limit = (value: number, most: number) => Math.max(0, Math.min(value, Math.max(0, most)));
  return { x: limit(place.x, view.width - size), y: limit(place.y, view.height - size) };
}
