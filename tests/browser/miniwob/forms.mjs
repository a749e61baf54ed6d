// Tasks of fields: what is written, chosen, or set by keys.

import { titled } from './hand.mjs';
import { isButton, isInput, isOf, linesOf, nth, part, quoted } from './words.mjs';

const isCheckbox = ({ type }) => type === 'checkbox';
const isRadio = ({ type }) => type === 'radio';
/** What opened over the button may still be closing. */
async function submit(hand) {
  const isSubmit = (one) => one.visible && isButton(one) && titled(one) === 'Submit';
  await hand.click(await hand.find('Submit', isSubmit));
}

/** Writes into the fields in their order, then submits. */
async function fill(hand, values, button = 'Submit') {
  const fields = await hand.all(isInput);
  for (const [at, value] of values.entries()) await hand.input(fields[at], value);
  await hand.press(button);
}

async function cased(hand, wish) {
  const [text] = quoted(wish);
  await fill(hand, [wish.includes('lower') ? text.toLowerCase() : text.toUpperCase()]);
}

async function date(hand, wish) {
  const [month, day, year] = part(wish, /([\d/]+) as the date/u).split('/');
  await fill(hand, [`${year}-${month}-${day}`]);
}

async function time(hand, wish) {
  const [, hour, minute, half] = /(\d+):(\d+)\s(AM|PM)/u.exec(wish);
  const hours = (Number(hour) % 12) + (half === 'PM' ? 12 : 0);
  await fill(hand, [`${String(hours).padStart(2, '0')}:${minute}`]);
}

async function login(hand, wish) {
  const values = quoted(wish);
  for (const [at, value] of values.entries()) {
    await hand.click((await hand.all(isInput))[at]);
    // Something may come between.
    const cancel = (await hand.all(isButton)).find((one) => titled(one) === 'Cancel');
    if (cancel) await hand.click(cancel);
    await hand.input((await hand.all(isInput))[at], value);
  }
  await hand.click((await hand.all(isButton))[0]);
}

const isHandle = isOf('ui-slider-handle');

/** Moves the nth slider until its value, which is told beside it, is the wanted one. */
async function slide(hand, wish, at, wanted, valueAt = at) {
  const handle = (await hand.all(isHandle))[at];
  const told = async () => Number((await linesOf(hand, wish))[valueAt]);
  await hand.key(handle, 'Home');
  for (let now = await told(); now !== wanted; now = await told()) {
    const left = wanted - now;
    for (let step = Math.abs(left); step > 0; step -= 1) {
      await hand.key(undefined, left > 0 ? 'ArrowRight' : 'ArrowLeft');
    }
  }
}

async function slider(hand, wish) {
  await slide(hand, wish, 0, Number(part(wish, /Select (-?\d+)/u)));
  await submit(hand);
}

/** It is one of those into which nobody can type. */
async function spin(hand, wish) {
  const wanted = Number(part(wish, /Select (-?\d+)/u));
  const way = wanted < 0 ? 'ui-spinner-down' : 'ui-spinner-up';
  const button = await hand.find(way, isOf(way));
  for (let step = Math.abs(wanted); step > 0; step -= 1) await hand.click(button);
  await submit(hand);
}

async function sliders(hand, wish) {
  const wanted = part(wish, /\[(.*)\]/u).split(',');
  for (const [at, value] of wanted.entries()) await slide(hand, wish, at, Number(value));
  await submit(hand);
}

async function sequence(hand, wish) {
  await slide(hand, wish, 0, Number(part(wish, /Select (-?\d+)/u)));
  await hand.click((await hand.all(isCheckbox))[nth(wish)]);
  await submit(hand);
}

async function radioAndText(hand, wish) {
  const [first, second] = wish.split(' and ');
  await hand.click((await hand.all(isRadio))[nth(first)]);
  await hand.input((await hand.all(isInput))[nth(second)], quoted(wish)[0]);
  await submit(hand);
}

async function dropdown(hand, wish) {
  const name = part(wish, /Choose (.*) from the/u);
  await hand.click(await hand.find('the dropdown', isOf('selectric')));
  await hand.click(await hand.find(name, (one) => one.tagName === 'li' && titled(one) === name));
  await hand.press(quoted(wish)[0]);
}

/** Types the beginning and takes what is offered. */
export async function complete(hand, field, begins, ends) {
  await hand.input(field, begins);
  const item = await hand.until(`${begins}…${ends}`, (all) => {
    const offered = all.filter(isOf('ui-menu-item'));
    // Those that were offered for less of it are taken away again. Capitals are all one to the page.
    const small = begins.toLowerCase();
    if (!offered.every((one) => titled(one).toLowerCase().includes(small))) return undefined;
    return offered.find((one) => titled(one).includes(begins) && titled(one).endsWith(ends));
  });
  await hand.click(item);
  const isTaken = ({ id, state }) => id === field.id && state.value === titled(item);
  await hand.until(titled(item), (all) => all.find(isTaken));
}

async function autocomplete(hand, wish) {
  const [begins, ends = ''] = quoted(wish);
  await complete(hand, await hand.find('a field', isInput), begins, ends);
  await submit(hand);
}

/** The fields have labels beside them, in the same order. */
async function movies(hand, wish) {
  const [, genre, director, year] = /for (.*) movies directed by (.*) from year (.*)\./u.exec(wish);
  const values = (await linesOf(hand, wish)).flatMap((line) => {
    if (line.includes('Genre')) return genre;
    if (line.includes('Director')) return director;
    return /Year|Date/u.test(line) ? year : [];
  });
  const fields = await hand.all(isInput);
  for (const [at, value] of values.entries()) await hand.input(fields[at], value);
  const buttons = await hand.all((one) => /^(Submit|Search|Go!)$/u.test(titled(one)));
  await hand.click(buttons[0]);
}

const MONTHS =
  'January February March April May June July August September October November December';

/** Turns the leaves of the calendar of a field, and takes a day. */
export async function pickDate(hand, field, wanted) {
  const [month, day, year] = wanted.split('/').map(Number);
  await hand.click(field);
  for (;;) {
    await hand.find('a calendar', ({ tagName }) => tagName === 'td');
    const text = await hand.read();
    const [, name, at] = new RegExp(`(${MONTHS.replaceAll(' ', '|')})\\s(\\d{4})`, 'u').exec(text);
    const left = (year - Number(at)) * 12 + month - 1 - MONTHS.split(' ').indexOf(name);
    if (left === 0) break;
    const way = left < 0 ? 'ui-datepicker-prev' : 'ui-datepicker-next';
    await hand.click(await hand.find(way, isOf(way)));
  }
  await hand.press(String(day));
  // It fades away, and lies over what is below until then.
  await hand.still();
}

async function chooseDate(hand, wish) {
  const field = await hand.find('a field', isInput);
  await pickDate(hand, field, part(wish, /Select ([\d/]+)/u));
  await hand.until('the date', (all) =>
    all.find(({ id, state }) => id === field.id && state.value),
  );
  await submit(hand);
}

/** As everybody knows them (CSS Color). */
const COLORS = {
  aqua: '00ffff',
  black: '000000',
  blue: '0000ff',
  gold: 'ffd700',
  gray: '808080',
  green: '008000',
  lime: '00ff00',
  magenta: 'ff00ff',
  maroon: '800000',
  navy: '000080',
  olive: '808000',
  orange: 'ffa500',
  pink: 'ffc0cb',
  purple: '800080',
  red: 'ff0000',
  silver: 'c0c0c0',
  teal: '008080',
  white: 'ffffff',
  yellow: 'ffff00',
};

async function color(hand, wish) {
  const field = await hand.find('a field', isInput);
  await hand.input(field, COLORS[part(wish, /Select (\w+) with/u)]);
  await submit(hand);
}

export const forms = {
  'enter-text': (hand, wish) => fill(hand, quoted(wish)),
  'enter-text-dynamic': (hand, wish) => fill(hand, quoted(wish)),
  'enter-text-2': cased,
  'enter-password': (hand, wish) => fill(hand, [quoted(wish)[0], quoted(wish)[0]]),
  'enter-date': date,
  'enter-time': time,
  'text-transform': async (hand, wish) => fill(hand, [(await linesOf(hand, wish))[0]]),
  'login-user': (hand, wish) => fill(hand, quoted(wish), 'Login'),
  'login-user-popup': login,
  'use-spinner': spin,
  'use-slider': slider,
  'use-slider-2': sliders,
  'form-sequence': sequence,
  'form-sequence-2': radioAndText,
  'form-sequence-3': dropdown,
  'use-autocomplete': autocomplete,
  'use-autocomplete-nodelay': autocomplete,
  'multi-layouts': movies,
  'multi-orderings': movies,
  'choose-date': chooseDate,
  'choose-date-easy': chooseDate,
  'choose-date-medium': chooseDate,
  'choose-date-nodelay': chooseDate,
  'use-colorwheel': color,
};
