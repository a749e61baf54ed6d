// Tasks of a click or a few, each on what the wish names.

import { titled } from './hand.mjs';
import { isButton, isIn, isInput, linesOf, nth, part, quoted } from './words.mjs';

async function pressQuoted(hand, wish) {
  // An x is called what it does.
  const name = quoted(wish)[0].replace(/^x$/u, 'Close');
  await hand.click(await hand.find(name, (one) => isButton(one) && titled(one) === name));
}

/** What each kind of widget is, of the words that the wish uses. */
const WIDGETS = {
  button: ({ tagName }) => tagName === 'button',
  textarea: ({ tagName }) => tagName === 'textarea',
  text: ({ tagName, type }) => tagName === 'input' && type === 'text',
  radio: ({ type }) => type === 'radio',
  checkbox: ({ type }) => type === 'checkbox',
};

async function grid(hand, wish) {
  const [x, y] = [part(wish, /\((-?\d),/u), part(wish, /,(-?\d)\)/u)].map(Number);
  const points = await hand.all(({ tagName }) => tagName === 'circle');
  const middle = (of) => (Math.min(...points.map(of)) + Math.max(...points.map(of))) / 2;
  const [left, top] = [(one) => one.rect.x, (one) => one.rect.y];
  const step = (Math.max(...points.map(left)) - middle(left)) / 2;
  const wanted = [middle(left) + x * step, middle(top) - y * step];
  const far = (one) => Math.hypot(left(one) - wanted[0], top(one) - wanted[1]);
  await hand.click(points.sort((one, other) => far(one) - far(other))[0]);
}

const SHAPES = { rect: 'Rectangle', circle: 'Circle', polygon: 'Triangle' };

async function shape(hand) {
  const drawn = await hand.find(
    'a figure',
    (one) => one.tagName === 'text' || one.tagName in SHAPES,
  );
  const letter = /^\d$/u.test(titled(drawn)) ? 'Number' : 'Letter';
  await hand.press(SHAPES[drawn.tagName] ?? letter);
}

async function oddOrEven(hand, wish) {
  const numbers = (await linesOf(hand, wish)).map(Number).filter(Number.isInteger);
  const buttons = await hand.all(isButton);
  for (const [row, number] of numbers.entries()) {
    await hand.click(buttons[row * 2 + (number % 2 === 0 ? 1 : 0)]);
  }
  await hand.press('Submit');
}

async function generate(hand, wish) {
  const bound = Number(/than (\d+)/u.exec(wish)?.[1]);
  const isRight = wish.includes('less than')
    ? (number) => number < bound
    : wish.includes('greater than')
      ? (number) => number > bound
      : (number) => (number % 2 === 0) === wish.includes('even');
  for (let number = NaN; !isRight(number);) {
    await hand.press('Generate');
    number = Number((await linesOf(hand, wish))[0]);
  }
  await hand.press('Submit');
}

async function greatest(hand) {
  const cards = await hand.all((one) => !isButton(one));
  await hand.click(cards.sort((one, other) => Number(other.text) - Number(one.text))[0]);
  await hand.press('Submit');
}

async function ascending(hand) {
  const numbers = await hand.all(({ tagName }) => tagName === 'text');
  // They are covered after the first: it is a task for the memory.
  for (const number of numbers.sort((one, other) => Number(one.text) - Number(other.text))) {
    const isThere = (one) => isIn(one)(number) && /^(text|rect)$/u.test(one.tagName);
    await hand.click(await hand.find(number.text, isThere));
  }
}

export const buttons = {
  'click-test': (hand) => hand.press('Click Me!'),
  'click-test-2': (hand, wish) => hand.press(part(wish, /button (\w+)\./u)),
  'click-test-transfer': (hand, wish) => hand.press(part(wish, /button (\w+)\./u)),
  'click-button': pressQuoted,
  'unicode-test': pressQuoted,
  'click-dialog': pressQuoted,
  'click-dialog-2': pressQuoted,
  'click-link': (hand, wish) => hand.press(quoted(wish)[0]),
  'click-widget': async (hand, wish) => {
    const [kind] = quoted(wish);
    await hand.click(await hand.find(kind, WIDGETS[kind]));
  },
  'click-tab': async (hand, wish) => {
    const name = part(wish, /(Tab #\d)/u);
    await hand.click(await hand.find(name, (one) => one.tagName === 'a' && titled(one) === name));
  },
  'focus-text': async (hand) => hand.click(await hand.find('a field', isInput)),
  'focus-text-2': async (hand, wish) => hand.click((await hand.all(isInput))[nth(wish)]),
  'click-button-sequence': async (hand) => {
    await hand.press('ONE');
    await hand.press('TWO');
  },
  'ascending-numbers': ascending,
  'grid-coordinate': grid,
  'identify-shape': shape,
  'odd-or-even': oddOrEven,
  'generate-number': generate,
  'find-greatest': greatest,
};
