// Tasks on made-up sites: a search, a shop, a timeline, a book of contacts, flights.

import { titled } from './hand.mjs';
import { complete, pickDate } from './forms.mjs';
import { isButton, isInput, isOf, linesOf, nth, part, quoted } from './words.mjs';

const RESULTS = 3;

async function search(hand, wish) {
  const place = nth(wish);
  await hand.input(await hand.find('a field', isInput), quoted(wish)[0]);
  await hand.press('Search');
  const leaf = String(Math.floor(place / RESULTS) + 1);
  await hand.click(await hand.find(leaf, (one) => isOf('page-link')(one) && titled(one) === leaf));
  await hand.click((await hand.all(isOf('search-title')))[place % RESULTS]);
}

async function contact(hand, wish) {
  const [, name, what] = /Find (.*) in the contact book and click on their (\w+)/u.exec(wish);
  while ((await linesOf(hand, wish))[0] !== name) await hand.press('>');
  await hand.click(await hand.find(what, isOf(what)));
}

/** Books what is least, or most, by how long it takes or by how much it is. */
async function best(hand, wish, isBook, of, sign) {
  const lines = (await linesOf(hand, wish)).join(' ');
  const all = [...lines.matchAll(/(\d+)h (\d+)m Book (?:flight )?for \$(\d+)/gu)].map(
    ([, hours, minutes, price]) => ({
      long: Number(hours) * 60 + Number(minutes),
      price: Number(price),
    }),
  );
  const least = all.reduce((one, other) => (sign * other[of] < sign * one[of] ? other : one));
  await hand.click((await hand.all(isBook))[all.indexOf(least)]);
}

async function ticket(hand, wish) {
  const of = wish.includes('duration') ? 'long' : 'price';
  await best(hand, wish, isButton, of, /longest|most/u.test(wish) ? -1 : 1);
}

/** Who wrote each post, from the first to the last. */
async function authors(hand, wish) {
  const lines = await linesOf(hand, wish);
  return lines.flatMap((line) => /^\S+ (@\S+)/u.exec(line)?.[1] ?? []);
}

/** What a post is answered with by a click, or in its menu. */
async function post(hand, wish) {
  const [, user, button] = /user (@\S+), click on the "(.*)" button/u.exec(wish);
  const place = (await authors(hand, wish)).indexOf(user);
  const own = (await hand.all(isOf(button.toLowerCase())))[place];
  if (own) {
    await hand.click(own);
    return;
  }
  await hand.click((await hand.all(isOf('more')))[place]);
  await hand.click(
    await hand.find(button, (one) => one.tagName === 'li' && titled(one).startsWith(button)),
  );
}

async function posts(hand, wish) {
  const [button] = quoted(wish);
  const user = part(wish, /by (@\S+)/u);
  const most = Number(/on (\d+) post/u.exec(wish)?.[1] ?? Infinity);
  const places = (await authors(hand, wish)).flatMap((author, at) => (author === user ? at : []));
  const all = await hand.all(isOf(button.toLowerCase()));
  for (const place of places.slice(0, most)) await hand.click(all[place]);
  await hand.press('Submit');
}

async function flight(hand, wish) {
  const [, way, from, to, date] =
    /Book the (\w+) one-way flight from: (.*) to: (.*) on (.*)\./u.exec(wish);
  const fields = await hand.all(isInput);
  await complete(hand, fields[0], from, '');
  await complete(hand, fields[1], to, '');
  await pickDate(hand, fields[2], date);
  await hand.press('Search');
  const isBook = (one) => isButton(one) && titled(one).startsWith('Book');
  await hand.find('flights', isBook);
  await best(hand, wish, isBook, way === 'shortest' ? 'long' : 'price', 1);
}

export const sites = {
  'search-engine': search,
  'phone-book': contact,
  'buy-ticket': ticket,
  'book-flight': flight,
  'book-flight-nodelay': flight,
  'social-media': post,
  'social-media-all': posts,
  'social-media-some': posts,
};
