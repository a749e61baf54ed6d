// Segmenter: the places are the native half's, and found as far as they are asked for.
const locale = require('internal/intl/locale');

const states = new WeakMap();
const texts = new WeakMap();
class Segmenter {
  constructor(locales, options) {
    const requested = locale.canonicalList(locales);
    const given = locale.objectOf(options);
    locale.matcher(given);
    const found = locale.resolve(requested);
    states.set(this, { ...found, granularity: locale.option(given, 'granularity', ['grapheme', 'word', 'sentence'], 'grapheme') });
  }
  segment(input) {
    const { granularity } = locale.held(states, this, 'Intl.Segmenter.prototype.segment');
    const text = String(input);
    const segments = Object.create(prototype);
    texts.set(segments, { granularity, text, places: [], cuts: native.cuts(granularity, text.toWellFormed()) });
    return segments;
  }
  resolvedOptions() {
    const { locale: name, granularity } = locale.held(states, this, 'Intl.Segmenter.prototype.resolvedOptions');
    return { locale: name, granularity };
  }
}
// More at a time the further one goes: most look at the beginning alone.
const MOST = 512;
/** Whether there is a piece of that number. `places` are its end and whether it is like a word. */
function reaches(state, number) {
  const { places } = state;
  while (places.length <= number && state.cuts !== undefined) {
    const count = Math.min(places.length + 8, MOST);
    const flat = native.nextCuts(state.cuts, count);
    // The first place is the beginning, where nothing ends.
    for (let n = 0; n < flat.length; n += 2) if (flat[n] > 0) places.push([flat[n], flat[n + 1] === 1]);
    if (flat.length < 2 * count) state.cuts = undefined;
  }
  return number < places.length;
}
function piece({ text, granularity, places: ends }, n) {
  const index = n === 0 ? 0 : ends[n - 1][0];
  const [end, word] = ends[n];
  const result = { segment: text.slice(index, end), index, input: text };
  if (granularity === 'word') result.isWordLike = word;
  return result;
}
const iterators = new WeakMap();
const iteratorPrototype = Object.create(Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())), {
  next: {
    value() {
      const state = locale.held(iterators, this, '%SegmentIterator.prototype%.next');
      if (!reaches(state.of, state.at)) return { value: undefined, done: true };
      return { value: piece(state.of, state.at++), done: false };
    },
    writable: true, configurable: true,
  },
  [Symbol.toStringTag]: { value: 'Segmenter String Iterator', configurable: true },
});
const prototype = {
  containing(index) {
    const state = locale.held(texts, this, '%Segments.prototype%.containing');
    const at = Math.trunc(Number(index)) || 0;
    if (at < 0 || at >= state.text.length) return undefined;
    while ((state.places.at(-1)?.[0] ?? 0) <= at && reaches(state, state.places.length));
    let [low, high] = [0, state.places.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (state.places[middle][0] > at) high = middle;
      else low = middle + 1;
    }
    return piece(state, low);
  },
  [Symbol.iterator]() {
    const iterator = Object.create(iteratorPrototype);
    iterators.set(iterator, { at: 0, of: locale.held(texts, this, '%Segments.prototype%[Symbol.iterator]') });
    return iterator;
  },
};

module.exports = { Segmenter: locale.define('Segmenter', Segmenter) };
