/**
 * Whether the page is about to be left: the next one is asked for, and this one is still there. A webview says it to
 * nobody, and neither does WebDriver.
 */

/** A page that is not left by then stays: what was asked for was a download, or nobody answers. Milliseconds. */
const LONGEST = 30_000;

let since = -Infinity;

export function noteLeaving(): void {
  if (window.top === window) {
    window.addEventListener('beforeunload', () => (since = performance.now()));
  }
}

export const isLeaving = (): boolean => performance.now() - since < LONGEST;
