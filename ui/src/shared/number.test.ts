import { expect, it } from 'vitest';
import { numberIn } from './number';

it('reads what is a number of so many digits, and says of all else that it is none', () => {
  expect(['', '  ', ' 12 ', '007'].map((text) => numberIn(text, 3))).toEqual([
    undefined,
    undefined,
    12,
    7,
  ]);
  expect(['2.5', '0.000001', '1234567'].map((text) => numberIn(text, 7, 6))).toEqual([
    2.5, 0.000001, 1234567,
  ]);
  for (const wrong of ['-1', '1e3', '1,5', '.5', '5.', '1.2.3', 'x', '12345678', '1.1234567']) {
    expect(numberIn(wrong, 7, 6), wrong).toBeNaN();
  }
  expect(numberIn('2.5', 7)).toBeNaN();
});
