/**
 * 一次给模型多少：按行取一段，再按词元数截短。
 *
 * 词元数是估计：没有哪个模型的分词表，中日韩一个字约一个，其他文字约四个字符一个，
 * 标点和数字更密。估计宁多勿少，这样不会超出。
 */

/** @param {string} text */
export function tokensOf(text) {
  let quarters = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code >= 0x2e80) quarters += 4;
    else if (code >= 0x80) quarters += 2;
    else if ((code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x20) quarters += 1;
    else quarters += 2;
  }
  return Math.ceil(quarters / 4);
}

/** 最多 `budget` 个词元的开头，不把一个字分成两半。 */
export function head(text, budget) {
  let low = 0;
  let high = Math.min(text.length, budget * 4);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (tokensOf(text.slice(0, middle)) <= budget) low = middle;
    else high = middle - 1;
  }
  const last = text.charCodeAt(low - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? low - 1 : low);
}

/**
 * 从第 `offset` 项起，取到 `limit` 项或 `budget` 个词元为止；至少取一项，太长的一项截短。
 *
 * @template T
 * @param {T[]} items
 * @param {{offset: number, limit: number, budget: number, textOf: (item: T) => string, shorten: (item: T, budget: number) => T}} options
 */
export function part(items, { offset, limit, budget, textOf, shorten }) {
  const taken = [];
  let tokens = 0;
  let shortened = false;
  for (let i = offset; i < items.length && taken.length < limit; i += 1) {
    const cost = tokensOf(textOf(items[i]));
    if (tokens + cost > budget) {
      if (taken.length === 0) {
        taken.push(shorten(items[i], budget));
        tokens = budget;
        shortened = true;
      }
      break;
    }
    tokens += cost;
    taken.push(items[i]);
  }
  const next = offset + taken.length;
  const more = next < items.length;
  return { items: taken, tokens, shortened, truncated: more || shortened, ...(more ? { nextOffset: next } : {}) };
}

/** @param {string} text */
export function linesOf(text) {
  return text === '' ? [] : (text.match(/[^\n]*\n|[^\n]+$/g) ?? []);
}
