/**
 * Shows a person what a step is about: an outline, for a moment. It takes no room, is met by no pointer and is no change
 * of the page that anyone who watches it would hear of.
 */

import { idOf, MARK } from './ids';
import { viewOf } from './pointer';

/** Milliseconds. */
const SHOWN = 1_200;
/** Seen on light and on dark: a line of one colour within one of the other. */
const LOOK =
  'outline:3px solid #d6336c!important;outline-offset:1px!important;box-shadow:0 0 0 5px #fff!important';

/** What is outlined now. */
let shown: { element: Element; end: () => void; gone: number } | undefined;

export function highlight(element: Element): void {
  // Asked for again and again where an element is waited for: the same outline goes on.
  if (shown?.element === element) {
    clearTimeout(shown.gone);
    shown.gone = window.setTimeout(shown.end, SHOWN);
    return;
  }
  shown?.end();
  const root = element.getRootNode() as Document | ShadowRoot;
  const sheet = new (viewOf(element).CSSStyleSheet)();
  sheet.replaceSync(`[${MARK}="${idOf(element)}"]{${LOOK}}`);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  const end = () => {
    clearTimeout(shown?.gone);
    shown = undefined;
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((one) => one !== sheet);
  };
  shown = { element, end, gone: window.setTimeout(end, SHOWN) };
}
