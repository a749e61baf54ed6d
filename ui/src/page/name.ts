/** What an element is called: the part of the accessible-name rules that pages use (WAI-ARIA accname-1.2, section 4). */

import { is } from './kind';
import { collapsed, textOf } from './text';

const SVG = 'http://www.w3.org/2000/svg';

export function nameOf(element: Element): string {
  return collapsed(
    labelledBy(element) ||
      (element.getAttribute('aria-label') ?? '') ||
      native(element) ||
      (fromContent(element) ? textOf(element) : '') ||
      (element.getAttribute('title') ?? '') ||
      (element.getAttribute('placeholder') ?? ''),
  );
}

function labelledBy(element: Element): string {
  const ids = element.getAttribute('aria-labelledby')?.split(/\s+/u).filter(Boolean) ?? [];
  const root = element.getRootNode() as Document | ShadowRoot;
  const parts = ids.map((id) => {
    const other = root.getElementById(id);
    return other ? (other.getAttribute('aria-label') ?? textOf(other)) : '';
  });
  return parts.join(' ').trim();
}

function native(element: Element): string {
  if (is(element, 'input')) {
    if (element.type === 'submit') return element.value || labels(element) || 'Submit';
    if (element.type === 'reset') return element.value || labels(element) || 'Reset';
    if (element.type === 'button') return element.value || labels(element);
    if (element.type === 'image') return element.alt || element.value;
    return labels(element);
  }
  if (is(element, 'select') || is(element, 'textarea')) return labels(element);
  if (is(element, 'img') || is(element, 'area')) return element.alt;
  if (is(element, 'fieldset'))
    return textOf(element.querySelector('legend') ?? document.createTextNode(''));
  if (element.namespaceURI === SVG) {
    const title = element.querySelector(':scope > title');
    return title ? (title.textContent ?? '') : '';
  }
  if (is(element, 'details'))
    return textOf(element.querySelector('summary') ?? document.createTextNode(''));
  return '';
}

function labels(element: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement): string {
  return [...(element.labels ?? [])].map((label) => textOf(label)).join(' ');
}

/** Fields say what is typed into them, not what they are called. */
function fromContent(element: Element): boolean {
  return !(is(element, 'input') || is(element, 'select') || is(element, 'textarea'));
}
