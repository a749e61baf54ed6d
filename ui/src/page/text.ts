/** Texts of elements: collapsed, trimmed, then cut (CONTRACT, Ava). */

import { is, isElement } from './kind';

/** UTF-16 units. */
const LENGTH = 50;

export function collapsed(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}

/** At most 50 units, no character split: then 49. */
export function cut(text: string): string {
  const whole = collapsed(text);
  if (whole.length <= LENGTH) return whole;
  const last = whole.charCodeAt(LENGTH - 1);
  const isSplit = last >= 0xd800 && last <= 0xdbff;
  return whole.slice(0, isSplit ? LENGTH - 1 : LENGTH);
}

/** More is not read of an element: it is cut anyhow. */
const READ = 2_000;

/** What an element says to who looks at it: scripts, styles and what is hidden are not read. */
export function textOf(node: Node): string {
  const parts: string[] = [];
  let length = 0;
  // What is not to be seen itself may still be what others are called by.
  const isSeen = (one: Element) => getComputedStyle(one).visibility === 'visible';
  const sees = isElement(node) && isSeen(node) ? isSeen : () => true;
  const read = (one: Node) => {
    if (length > READ) return;
    if (one.nodeType === Node.TEXT_NODE) {
      if (one.parentElement && !sees(one.parentElement)) return;
      const text = one.nodeValue ?? '';
      parts.push(text);
      length += text.length;
      return;
    }
    if (!isElement(one)) {
      if (one.nodeType === Node.DOCUMENT_FRAGMENT_NODE) one.childNodes.forEach(read);
      return;
    }
    if (SILENT.has(one.localName) || one.getAttribute('aria-hidden') === 'true') return;
    if (getComputedStyle(one).display === 'none') return;
    if (is(one, 'img')) {
      if (sees(one)) parts.push(` ${one.alt} `);
      return;
    }
    const isBlock = !INLINE.has(one.localName);
    if (isBlock) parts.push(' ');
    (one.shadowRoot ?? one).childNodes.forEach(read);
    if (isBlock) parts.push(' ');
  };
  if (isElement(node)) (node.shadowRoot ?? node).childNodes.forEach(read);
  else read(node);
  return collapsed(parts.join(''));
}

const SILENT = new Set(['script', 'style', 'template', 'noscript', 'head', 'select', 'textarea']);
const INLINE = new Set([
  'a',
  'abbr',
  'b',
  'bdi',
  'code',
  'em',
  'i',
  'kbd',
  'mark',
  'q',
  's',
  'small',
  'span',
  'strong',
  'sub',
  'sup',
  'tspan',
  'u',
]);
