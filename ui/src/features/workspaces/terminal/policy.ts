/**
 * How xterm.js gets past the page's policy (`style-src 'self'`), which forbids style elements and
 * `style` attributes that are written as text. It makes both: three style elements, and attributes
 * for colours that are not among the sixteen.
 *
 * xterm.js takes another document to make its elements with. The one it gets here is the page's,
 * but its style elements keep their rules in adopted sheets, and its elements set their style
 * through the object model, which the policy allows. In two places xterm.js asks the page's own
 * document after all: for the scroll bar's style element, so the page's document makes the same
 * elements while a terminal opens; and for the characters, whose maker is told another one. That is
 * a field of its inside: tests/browser/workspaces.mjs fails when it is no longer there.
 */

import type { Terminal } from '@xterm/xterm';

const made = Document.prototype.createElement;

function create(name: string, options?: ElementCreationOptions): HTMLElement {
  if (name === 'style') return sheetElement();
  const element = made.call(document, name, options);
  element.setAttribute = setAttribute;
  return element;
}

function setAttribute(this: HTMLElement, name: string, value: string): void {
  if (name === 'style') this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
}

/** Stands where a style element would; what is written into it is in force for the document. */
function sheetElement(): HTMLElement {
  const sheet = new CSSStyleSheet();
  const element = made.call(document, 'template');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  Object.defineProperty(element, 'textContent', {
    get: () => '',
    set: (text: string) => sheet.replaceSync(text),
  });
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    Element.prototype.remove.call(element);
  };
  return element;
}

/** The document to be given to a terminal as `documentOverride`. */
export function obedientDocument(): Document {
  return new Proxy(document, {
    get(target, key) {
      if (key === 'createElement') return create;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
  });
}

interface Inside {
  _core?: {
    _renderService?: { _renderer?: { value?: { _rowFactory?: { _document: Document } } } };
  };
}

export function openObediently(terminal: Terminal, parent: HTMLElement): void {
  Object.defineProperty(document, 'createElement', { value: create, configurable: true });
  try {
    terminal.open(parent);
  } finally {
    Reflect.deleteProperty(document, 'createElement');
  }
  const rows = (terminal as Inside)._core?._renderService?._renderer?.value?._rowFactory;
  if (rows) rows._document = obedientDocument();
}
