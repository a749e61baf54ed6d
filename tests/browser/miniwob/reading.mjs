// Tasks whose answer is to be read, or worked out, on the page.

import { isButton, isInput, linesOf, nth, part } from './words.mjs';

const isArea = ({ tagName }) => tagName === 'textarea';

async function answer(hand, text) {
  await hand.input(await hand.find('a field', isInput), String(text));
  await hand.press('Submit');
}

/** By halves, as the page says higher or lower. */
async function guess(hand, wish) {
  let [low, high] = [0, 9];
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    await answer(hand, middle);
    const said = (await linesOf(hand, wish)).join(' ');
    if (said.includes('higher than')) low = middle + 1;
    else if (said.includes('lower than')) high = middle - 1;
    else return;
  }
}

const COUNT = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  x: (a, b) => a * b,
  '*': (a, b) => a * b,
};

async function arithmetic(hand, wish) {
  const [, a, sign, b] = /(\d+) ?([-+x*]) ?(\d+) ?=/u.exec((await linesOf(hand, wish)).join(' '));
  await answer(hand, COUNT[sign](Number(a), Number(b)));
}

async function algebra(hand, wish) {
  const [, a, sign, b, sum] = /(\w+) ?([-+]) ?(\w+) ?= ?(-?\d+)/u.exec(
    (await linesOf(hand, wish)).join(' '),
  );
  const whole = Number(sum);
  if (b === 'x') await answer(hand, sign === '+' ? whole - Number(a) : Number(a) - whole);
  else await answer(hand, sign === '+' ? whole - Number(b) : whole + Number(b));
}

async function word(hand, wish) {
  const words = (await linesOf(hand, wish))[0].split(/\s+/u);
  await answer(hand, words[nth(wish)].replace(/[.,]/gu, ''));
}

/** Rows of two cells, as they are told: with a tab between. */
async function table(hand, wish) {
  const rows = (await linesOf(hand, wish)).map((line) => line.split('\t'));
  return new Map(rows.filter(({ length }) => length === 2));
}

async function readTable(hand, wish) {
  await answer(hand, (await table(hand, wish)).get(part(wish, /value of (.*) into/u)));
}

async function fillTable(hand, wish) {
  const values = await table(hand, wish);
  const labels = (await linesOf(hand, wish)).filter((line) => line.endsWith(':'));
  const fields = await hand.all(isInput);
  for (const [at, label] of labels.entries()) {
    await hand.input(fields[at], values.get(label.slice(0, -1)));
  }
  await hand.press('Submit');
}

async function copy(hand, at) {
  await answer(hand, await hand.read((await hand.all(isArea))[at]));
}

async function lastWord(hand) {
  const text = await hand.read(await hand.find('a text', isArea));
  await answer(hand, text.trim().split(/\s+/u).at(-1).replace(/\.$/u, ''));
}

/** More screens than any text of this task has. */
const SCREENS = 12;

async function scrolled(hand, wish) {
  const area = await hand.find('a text', isArea);
  const way = wish.includes('bottom') ? 'down' : 'up';
  for (let screen = 0; screen < SCREENS; screen += 1) await hand.scroll(area, way);
  await hand.press('Submit');
}

async function agreement(hand, wish) {
  if (wish === 'Click the cancel button.') {
    await hand.press('Cancel');
    return;
  }
  const [, name, button] = /name "(.*)" then press "(.*)"/u.exec(wish);
  const area = await hand.find('a text', isArea);
  const isFree = (one) => isInput(one) && !one.state.disabled;
  await hand.until('the end', async (all) => {
    if (all.some(isFree)) return true;
    await hand.scroll(area, 'down');
    return false;
  });
  await hand.input(await hand.find('a field', isFree), name);
  await hand.click(await hand.find(button, (one) => isButton(one) && one.text === button));
}

/** Typed key by key: the page has a field of its own for that, which nobody sees. */
async function terminal(hand, wish) {
  const screen = await hand.find('the terminal', ({ text }) => text.startsWith('terminal'));
  const type = async (text) => {
    for (const key of [...text, 'Enter']) await hand.key(undefined, key);
  };
  await hand.click(screen);
  await type('ls');
  const files = (await hand.read(screen)).split('\n').at(-2).trim().split(/\s+/u);
  const ending = /extension (\.\S+)/u.exec(wish)?.[1];
  await type(`rm ${files.find((file) => (ending ? file.endsWith(ending) : !file.includes('.')))}`);
}

export const reading = {
  'guess-number': guess,
  'simple-arithmetic': arithmetic,
  'simple-algebra': algebra,
  'find-word': word,
  'read-table': readTable,
  'read-table-2': fillTable,
  'copy-paste': (hand) => copy(hand, 0),
  'copy-paste-2': (hand, wish) => copy(hand, nth(wish)),
  'scroll-text': lastWord,
  'scroll-text-2': scrolled,
  'sign-agreement': agreement,
  terminal,
};
