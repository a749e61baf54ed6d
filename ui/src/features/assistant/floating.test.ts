import { expect, test } from 'vitest';
import { Press, within } from './floating';
import { isSendable } from './model';

/** The same numbers each time. */
function numbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state % below;
  };
}

// Seed 003, property 2: 500 drags of any length, way and pauses.
test('a drag that lasts longer than 100 ms is never a click', () => {
  const next = numbers(2);
  for (let nth = 0; nth < 500; nth += 1) {
    const from = { x: next(2000), y: next(1000) };
    const press = new Press(from, 1000);
    for (let move = next(6); move >= 0; move -= 1) {
      press.move({ x: from.x + next(400) - 200, y: from.y + next(400) - 200 });
    }
    press.move({ x: from.x + 5 + next(100), y: from.y });
    // Back where it began: it was a drag all the same.
    if (next(2) === 0) press.move(from);
    expect(press.end(1101 + next(5000))).toBe(false);
  }
});

test('a hand that slips while it clicks has clicked, however long it takes', () => {
  const next = numbers(3);
  for (let nth = 0; nth < 500; nth += 1) {
    const press = new Press({ x: 100, y: 100 }, 0);
    expect(press.move({ x: 97 + next(7), y: 97 + next(7) })).toBeUndefined();
    expect(press.end(next(10_000))).toBe(true);
  }
});

test('wherever it is put it is to be seen', () => {
  const next = numbers(4);
  for (let nth = 0; nth < 500; nth += 1) {
    const view = { width: 44 + next(3000), height: 44 + next(2000) };
    const { x, y } = within({ x: next(9000) - 3000, y: next(9000) - 3000 }, 44, view);
    expect(x >= 0 && y >= 0 && x + 44 <= view.width && y + 44 <= view.height).toBe(true);
  }
});

// Property 4: white space of every kind.
test('nothing but white space cannot be sent', () => {
  const next = numbers(5);
  const blanks = ' \t\n\r\u00a0\u3000\u2003\u2028\ufeff';
  for (let nth = 0; nth < 500; nth += 1) {
    let text = '';
    for (let count = next(12); count > 0; count -= 1) text += blanks[next(blanks.length)];
    expect(isSendable(text)).toBe(false);
    expect(isSendable(`${text}买${text}`)).toBe(true);
  }
});
