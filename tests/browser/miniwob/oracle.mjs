// Which elements win a task of one click: found by trying them all, each in the same episode begun anew. It looks into
// the page as no solver may, and says only whether what wins is among what the assistant's script lists.

/** Tasks that a single click, or the focus of one element, wins. */
export const ONE_CLICK = [
  'buy-ticket',
  'click-button',
  'click-color',
  'click-dialog',
  'click-dialog-2',
  'click-link',
  'click-shape',
  'click-tab',
  'click-test',
  'click-test-2',
  'click-test-transfer',
  'click-widget',
  'count-shape',
  'count-sides',
  'email-inbox-delete',
  'email-inbox-important',
  'focus-text',
  'focus-text-2',
  'grid-coordinate',
  'identify-shape',
  'unicode-test',
];

/** How many elements win this episode, and which of them are listed. */
export const winners = (page, seed) =>
  page.evaluate((seed) => {
    const restart = () => {
      core.endEpisode(0);
      Math.seedrandom(seed);
      core.startEpisodeReal();
    };
    // What the package draws around the task is not of the task.
    const isAround = (one) =>
      one.closest('#query,#reward-display,#sync-task-cover,#click-canvas,script,style') !== null;
    const all = () => [...document.querySelectorAll('body *')].filter((one) => !isAround(one));
    const tried = (one) => {
      const { x, y, width, height } = one.getBoundingClientRect();
      if (width === 0 || height === 0) return false;
      const at = { clientX: x + width / 2, clientY: y + height / 2 };
      one.focus?.();
      for (const type of ['mousedown', 'mouseup', 'click']) {
        one.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true, ...at }));
      }
      return WOB_RAW_REWARD_GLOBAL === 1;
    };
    restart();
    const winning = [];
    for (let at = 0; at < all().length; at += 1) {
      if (tried(all()[at])) winning.push(at);
      restart();
    }
    pmPage.scan(500);
    const won = winning.map((at) => all()[at]);
    const listed = won.filter((one) => one.hasAttribute('data-agent-id'));
    return { won: won.map((one) => one.outerHTML.slice(0, 80)), listed: listed.length };
  }, seed);
