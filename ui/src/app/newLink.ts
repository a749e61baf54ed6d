/**
 * A one-time link that is opened in a tab that already shows the page.
 *
 * Browsers only change the fragment then and load nothing. The page starts over with the code:
 * opening a session is done once, before anything else.
 */

import { codeOf } from '@/platform/session';

/**
 * Starts over whenever a code comes into the address. To be called before the router is made: it
 * would take the code for an unknown page and put another one in its place.
 */
export function watchForLinks(startOver: () => void = () => window.location.reload()): () => void {
  const look = (event: Event) => {
    if (codeOf(window.location.hash) === undefined) return;
    event.stopImmediatePropagation();
    startOver();
  };
  const moves = ['popstate', 'hashchange'] as const;
  for (const move of moves) window.addEventListener(move, look, { capture: true });
  return () => {
    for (const move of moves) window.removeEventListener(move, look, { capture: true });
  };
}
