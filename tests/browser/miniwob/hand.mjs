// All that a solver has of a page: what the assistant's script says of it, and the assistant's steps. Steps are done in
// two ways: by events of the browser, where the script only says where to point, as a driver does it; or by events of
// the script's own.

const MORE = 300;
/** Milliseconds in which what is waited for has to appear. */
const PATIENCE = 5_000;

class Hand {
  constructor(page) {
    this.page = page;
  }

  /** The elements of the page as they are now, as `scan` lists them. */
  async look() {
    const seen = await this.page.evaluate((more) => pmPage.scan(more), MORE);
    return seen.elements;
  }

  /** The text of an element, or of the whole page. */
  async read(element) {
    const { text } = await this.perform('extract', element);
    return text;
  }

  /** Looks until there is an element like this. */
  async find(what, so) {
    const isIt = typeof what === 'string' && !so ? (one) => titled(one) === what : so;
    return this.until(typeof what === 'string' ? what : 'an element', (all) => all.find(isIt));
  }

  async all(so) {
    return (await this.look()).filter(so);
  }

  /** Looks until there is something to be had of the elements; waits in between until the page is still. */
  async until(what, of) {
    const end = performance.now() + PATIENCE;
    for (;;) {
      const all = await this.look();
      const found = await of(all);
      if (found) return found;
      if (performance.now() > end) {
        const names = all.map((one) => `${one.tagName} ${titled(one) || one.className}`);
        throw new Error(`${what} is not seen among: ${names.join(', ')}`);
      }
      await this.page.evaluate(() => pmPage.quiet(20, 500));
    }
  }

  /** Waits until the page has been still for a moment. */
  async still() {
    if (!(await this.page.evaluate(() => pmPage.quiet(100, 5000))))
      throw new Error('the page does not get still');
  }

  /** For so many milliseconds, where the wish says so. */
  wait(milliseconds) {
    return this.page.waitForTimeout(Math.max(0, milliseconds));
  }

  async perform(type, element, value) {
    const step = { type, id: element?.id, name: element?.name, value };
    const outcome = await this.page.evaluate((step) => pmPage.perform(step), step);
    if (!outcome.success) refuse(type, element, outcome.refusal);
    return outcome;
  }

  click(element) {
    return this.perform('click', element);
  }

  hover(element) {
    return this.perform('hover', element);
  }

  input(element, value) {
    return this.perform('input', element, value);
  }

  key(element, value) {
    return this.perform('key', element, value);
  }

  scroll(element, value) {
    return this.perform('scroll', element, value);
  }

  select(element, value) {
    return this.perform('select', element, value);
  }

  /** Clicks what is called so. */
  async press(name) {
    await this.click(await this.find(name));
  }
}

/** Fields into which nobody types character by character. */
const SET = ['date', 'time', 'color', 'range'];

class RealHand extends Hand {
  async point(type, element) {
    const { id, name } = element;
    const point = await this.page.evaluate(([id, name]) => pmPage.prepare(id, name), [id, name]);
    if (typeof point === 'string') refuse(type, element, point);
    return point;
  }

  async click(element) {
    await this.hover(element);
    await this.page.mouse.down();
    await this.page.mouse.up();
  }

  /** Pages change under the pointer (a picture that is first loaded then); it is met once it stays where it is. */
  async hover(element) {
    const end = performance.now() + PATIENCE;
    let at = await this.point('hover', element);
    // As the product's session does it: what opened under the pointer hears of a move there first.
    if (this.pointer) await this.page.mouse.move(this.pointer.x - 1, this.pointer.y);
    for (;;) {
      await this.page.mouse.move(at.x, at.y);
      this.pointer = at;
      await this.page.evaluate(() => new Promise(requestAnimationFrame));
      const { id, name } = element;
      const now = await this.page.evaluate(([id, name]) => pmPage.prepare(id, name), [id, name]);
      if (now.x === at.x && now.y === at.y) return;
      if (typeof now === 'object') at = now;
      else if (performance.now() > end) refuse('hover', element, now);
    }
  }

  async input(element, value) {
    if (SET.includes(element.type)) {
      await this.perform('input', element, value);
      return;
    }
    await this.point('input', element);
    await this.focus(element);
    await this.page.keyboard.press('Control+A');
    await this.page.keyboard.press('Delete');
    await this.page.keyboard.type(value);
  }

  /** By the selector that each step has. */
  focus({ id }) {
    return this.page.locator(`[data-agent-id="${id}"]`).focus();
  }

  async key(element, value) {
    if (element) {
      await this.point('key', element);
      await this.focus(element);
    }
    await this.page.keyboard.press(value);
  }
}

export const titled = ({ name, text }) => name || text;

function refuse(type, element, refusal) {
  throw new Error(`${type} ${element?.tagName} "${element && titled(element)}": ${refusal}`);
}

export const HANDS = { real: RealHand, own: Hand };
