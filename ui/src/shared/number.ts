/** Numbers as people write them into fields. */

/** `undefined` of an empty text, `NaN` of one that is no number of so many digits before and behind the point. */
export function numberIn(text: string, digits: number, decimals = 0): number | undefined {
  const written = text.trim();
  if (written === '') return undefined;
  const [whole = '', ...rest] = written.split('.');
  const isRight = (part: string, most: number) => /^\d+$/.test(part) && part.length <= most;
  const right =
    isRight(whole, digits) && rest.length < 2 && rest.every((part) => isRight(part, decimals));
  return right ? Number(written) : NaN;
}
