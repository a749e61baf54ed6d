/** Waiting for what is not there yet. */

import { prepare } from './act';

/** Whether it came in so many milliseconds: an element that can be used, or a text of the page. */
export function until(wanted: { id: number } | { text: string }, most: number): Promise<boolean> {
  const isThere =
    'id' in wanted
      ? () => typeof prepare(wanted.id) !== 'string'
      : () => document.body?.innerText.includes(wanted.text) ?? false;
  return new Promise((resolve) => {
    const end = (came: boolean) => {
      observer.disconnect();
      clearTimeout(last);
      clearInterval(again);
      resolve(came);
    };
    const look = () => {
      if (isThere()) end(true);
    };
    const observer = new MutationObserver(look);
    const last = setTimeout(() => end(false), most);
    // What changes by style alone, as an animation does, is no mutation.
    const again = setInterval(look, 250);
    observer.observe(document, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
    look();
  });
}
