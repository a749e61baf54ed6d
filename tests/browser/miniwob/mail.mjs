// Tasks in a mailbox. Its icons have no names: classes and places tell them apart.

import { titled } from './hand.mjs';
import { isIn, isInput, isOf, quoted } from './words.mjs';

const isLetter = isOf('email-thread');

/** What is to be done with whose letter; wishes are also said in people's own words. */
function meant(wish, senders) {
  const words = wish.replace(/".*"/u, '').matchAll(/(^|[.?!] | )([A-Z][\w-]+)/gu);
  // What begins a sentence is a name only where nothing else is.
  const [names, others] = [[], []];
  for (const [, begins, word] of words) (begins === ' ' ? names : others).push(word);
  names.push(...others);
  const isFrom = (name) =>
    new RegExp(`(by|from|mail|message|Get) ${name}\\b.*|${name}('s| sent| wrote| wants his)`, 'u').test(
      wish,
    );
  const known = names.filter((name) => senders.includes(name));
  const by = known.find(isFrom) ?? known[0];
  return { by, to: names.find((name) => name !== by) };
}

async function letterOf(hand, sender) {
  return hand.find(
    `a letter by ${sender}`,
    (one) => isLetter(one) && titled(one).startsWith(`${sender} `),
  );
}

async function icon(hand, sender, name) {
  const letter = await letterOf(hand, sender);
  const icons = await hand.all(isOf(name));
  await hand.click(icons.find(isIn(letter)));
}

/** The last of the two in the head of a letter that is written: the first leaves it. */
async function send(hand) {
  const icons = await hand.all((one) => one.tagName === 'span' && titled(one) === '');
  await hand.click(icons.sort((one, other) => other.rect.x - one.rect.x)[0]);
}

async function handle(hand, wish) {
  const letters = await hand.all(isLetter);
  const { by, to } = meant(
    wish,
    letters.map((one) => titled(one).split(' ')[0]),
  );
  if (/trash|[Dd]elete|[Rr]emove/u.test(wish)) await icon(hand, by, 'trash');
  else if (/star|important/iu.test(wish)) await icon(hand, by, 'star');
  else if (/reply|respond|answer|write/iu.test(wish) || quoted(wish).length > 0) {
    await hand.click(await letterOf(hand, by));
    await hand.click(await hand.find('Reply', isOf('email-reply')));
    const area = await hand.find('a text', ({ tagName }) => tagName === 'textarea');
    await hand.input(area, quoted(wish)[0]);
    await send(hand);
  } else {
    await hand.click(await letterOf(hand, by));
    await hand.click(await hand.find('Forward', isOf('email-forward')));
    await hand.input(await hand.find('a field', isInput), to);
    await send(hand);
  }
}

export const mail = Object.fromEntries(
  [
    'email-inbox',
    'email-inbox-delete',
    'email-inbox-forward',
    'email-inbox-forward-nl',
    'email-inbox-forward-nl-turk',
    'email-inbox-important',
    'email-inbox-nl-turk',
    'email-inbox-noscroll',
    'email-inbox-reply',
    'email-inbox-star-reply',
  ].map((task) => [task, handle]),
);
