// What wishes and pages say, taken apart.

/** What stands in quotation marks. */
export const quoted = (wish) => [...wish.matchAll(/"([^"]*)"/gu)].map(([, inner]) => inner);

/** The first group of a pattern that the text must fit. */
export function part(text, pattern) {
  const found = pattern.exec(text);
  if (!found) throw new Error(`"${text}" is not like ${pattern}`);
  return found[1];
}

/** 1st, 2nd, 3rd: as an index. */
export const nth = (text) => Number(part(text, /(\d+)(?:st|nd|rd|th)/u)) - 1;

/** Lines of a page's text, without the wish above them and what the package counts below them. */
export async function linesOf(hand, wish) {
  const text = await hand.read();
  const lines = text.split('\n').map((line) => line.trim());
  const begin = lines.findIndex(
    (line) => line.length > 0 && collapsed(wish).includes(collapsed(line)),
  );
  const end = lines.findIndex((line) => line.startsWith('Last reward:'));
  const own = [...lines.slice(begin + 1, end), ...lines.slice(end + 4)];
  return own.filter((line) => line.length > 0);
}

export const collapsed = (text) => text.replace(/\s+/gu, ' ').trim();

/** Kinds of elements. */
export const isButton = ({ tagName, type }) =>
  tagName === 'button' || (tagName === 'input' && ['submit', 'button'].includes(type));
export const isInput = ({ tagName, type }) =>
  tagName === 'input' && !['submit', 'button', 'checkbox', 'radio'].includes(type);
export const isOf = (name) => (one) => one.className.split(/\s+/u).includes(name);

/** Whether the middle of one lies in the other. */
export const isIn = (outer) => (inner) => {
  const x = inner.rect.x + inner.rect.width / 2;
  const y = inner.rect.y + inner.rect.height / 2;
  const { rect } = outer;
  return x >= rect.x && y >= rect.y && x <= rect.x + rect.width && y <= rect.y + rect.height;
};
