/** Marks of the rulers along the stage's edges, in pixels of the picture. */

export interface Tick {
  /** Place on the stage. */
  at: number;
  /** Pixel of the picture. */
  value: number;
  /** Long marks carry their number. */
  long: boolean;
}

/** Numbers stand at least so far apart. */
const APART = 64;

/** Distance of numbered marks: 1, 2 or 5 times a power of ten, whole pixels at least. */
export function spacing(scale: number): number {
  const wanted = Math.max(1, APART / scale);
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].find((one) => one * power >= wanted * (1 - 1e-9)) ?? 10;
  return Math.max(1, Math.round(step * power));
}

/** The marks that are seen on `length` pixels of stage; pixel 0 of the picture lies at `offset`. */
export function ticks(scale: number, offset: number, length: number): Tick[] {
  const long = spacing(scale);
  const parts = long % 5 === 0 ? 5 : long % 2 === 0 ? 2 : 1;
  const short = long / parts;
  const first = Math.ceil(-offset / scale / short);
  const last = Math.floor((length - offset) / scale / short);
  const all: Tick[] = [];
  for (let number = first; number <= last; number += 1) {
    const value = number * short;
    all.push({ at: value * scale + offset, value, long: number % parts === 0 });
  }
  return all;
}
