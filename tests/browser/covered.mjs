// Text and a control which it does not belong to, drawn over each other.

/** Each such text with its control. Code and dialogs may lie under what floats above them. */
export async function covered(page) {
  return page.evaluate(() => {
    /** Less than this is the air around letters. */
    const AIR = 3;
    const meet = (a, b) => ({
      left: Math.max(a.left, b.left),
      right: Math.min(a.right, b.right),
      top: Math.max(a.top, b.top),
      bottom: Math.min(a.bottom, b.bottom),
    });
    const some = ({ left, right, top, bottom }) => right - left > AIR && bottom - top > AIR;
    /** What its ancestors let be seen of a rectangle. */
    function seen(rect, element) {
      let left = rect;
      for (let at = element; at; at = at.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(at);
        if (overflowX === 'visible' && overflowY === 'visible') continue;
        if (at.matches('pre, [role=dialog], .cm-scroller')) return undefined;
        left = meet(left, at.getBoundingClientRect());
      }
      return some(left) ? left : undefined;
    }
    /** Whether any part of a line of text lies on top. */
    function visible({ left, right, top, bottom }, element) {
      const steps = Array.from({ length: 9 }, (_, step) => left + ((right - left) * (step + 0.5)) / 9);
      return steps.some((x) => element.contains(document.elementFromPoint(x, (top + bottom) / 2)));
    }
    const root = document.querySelector('main') ?? document.body;
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const found = new Set();
    const controls = [...root.querySelectorAll('button, a, select')];
    while (texts.nextNode()) {
      const { currentNode: node } = texts;
      const element = node.parentElement;
      if (!node.textContent.trim() || !element.checkVisibility() || element.closest('.visually-hidden'))
        continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const line of range.getClientRects()) {
        const shown = seen(line, element);
        if (!shown) continue;
        for (const control of controls) {
          if (control.contains(element) || element.contains(control)) continue;
          const both = meet(shown, control.getBoundingClientRect());
          if (!some(both)) continue;
          const top = document.elementFromPoint((both.left + both.right) / 2, (both.top + both.bottom) / 2);
          // Else something third lies over both, as a dialog does.
          if (!control.contains(top) && !element.contains(top)) continue;
          // Under a bar that stays while it is scrolled nothing of the line is seen.
          if (!visible(shown, element)) continue;
          const name = control.getAttribute('aria-label') ?? control.textContent.trim();
          found.add(`"${node.textContent.trim()}" and "${name}" are drawn over each other`);
        }
      }
    }
    return [...found];
  });
}
