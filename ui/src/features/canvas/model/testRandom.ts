/** Numbers that look random and are the same in every run. */
export function seeded(seed: number): (low: number, high: number) => number {
  let state = seed >>> 0;
  return (low, high) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return low + (state / 2 ** 32) * (high - low);
  };
}
