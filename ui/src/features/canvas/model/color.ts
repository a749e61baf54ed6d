/** `#rrggbbaa`, from the bytes of one pixel. */
export function hexOf(rgba: ArrayLike<number>): string {
  const two = (index: number) => (rgba[index] ?? 0).toString(16).padStart(2, '0');
  return `#${two(0)}${two(1)}${two(2)}${two(3)}`;
}
