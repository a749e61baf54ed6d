// The page in the real window, through WebDriver. Nothing waits for a time: everything waits for
// what a person would see.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
/** Longest wait for anything; two cores may be busy with other work. */
const LIMIT_MS = 45_000;
const POLL_MS = 50;

/** Resolves with the first result of `look` that holds; says `what` when none comes. */
export async function until(what, look, limit = LIMIT_MS) {
  const end = Date.now() + limit;
  let last;
  for (;;) {
    try {
      const found = await look();
      if (found) return found;
      last = found;
    } catch (error) {
      // What is looked for may be gone between two questions about it.
      last = error;
    }
    if (Date.now() > end) {
      const why = last instanceof Error ? `: ${last.message}` : '';
      throw new Error(`not seen in ${limit} ms: ${what}${why}`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Runs in the page: elements that are shown, by role and accessible name. */
const FIND = `
  const [role, name, within] = arguments;
  const roles = {
    button: 'button, [role=button]', link: 'a[href], [role=link]', tab: '[role=tab]',
    textbox: 'input:not([type]), input[type=text], input[type=search], textarea, [role=textbox], [contenteditable=true]',
    combobox: '[role=combobox], select', option: '[role=option]', menuitem: '[role=menuitem]',
    heading: 'h1, h2, h3, [role=heading]', img: 'img, canvas, [role=img]', row: '[role=row], [role=listitem], [role=option], li',
    switch: '[role=switch]', status: '[role=status]', alert: '[role=alert]', dialog: '[role=dialog], dialog',
    any: '*',
  };
  const named = (element) => {
    const by = element.getAttribute('aria-labelledby');
    const label = by && by.split(/\\s+/).map((id) => document.getElementById(id)?.textContent ?? '').join(' ');
    const own = label || element.getAttribute('aria-label') || element.labels?.[0]?.textContent
      || element.getAttribute('alt') || element.textContent || element.getAttribute('title') || '';
    return own.replace(/\\s+/g, ' ').trim();
  };
  const matches = (text) => name === null
    || (name.pattern === undefined ? text === name.text : new RegExp(name.pattern, name.flags).test(text));
  const top = within ? document.querySelector(within) : document;
  return [...(top?.querySelectorAll(roles[role] ?? role) ?? [])].filter((element) => {
    // A tab is a button of another role.
    const other = ['button', 'link', 'textbox'].includes(role) && (element.getAttribute('role') ?? role) !== role;
    const box = element.getBoundingClientRect();
    return !other && box.width > 0 && box.height > 0 && matches(named(element));
  });
`;

/** Runs in the page: what is in an element is chosen, so that keys replace it. */
const SELECT = `
  const [element] = arguments;
  if (element.select) element.select();
  else getSelection().selectAllChildren(element);
`;

export class Page {
  #base;
  #session;

  constructor(base, session) {
    this.#base = base;
    this.#session = session;
  }

  /** Starts the program and takes hold of its window. */
  static async open(base, application, args = []) {
    const answer = await ask('POST', `${base}/session`, {
      capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': { binary: application, args } } },
    });
    return new Page(base, answer.sessionId);
  }

  async #ask(method, path, body) {
    return ask(method, `${this.#base}/session/${this.#session}${path}`, body);
  }

  async script(code, ...args) {
    return this.#ask('POST', '/execute/sync', { script: code, args });
  }

  /** What a promise of the page's own comes to: its value, or the text of its refusal. */
  async outcome(expression, ...args) {
    return this.#ask('POST', '/execute/async', {
      script: `
        const done = arguments[arguments.length - 1];
        Promise.resolve().then(() => ${expression}).then(
          (value) => done({ value: value === undefined ? null : value }),
          (error) => done({ refused: String(error?.code ?? error?.message ?? error) }));`,
      args,
    });
  }

  /** The elements of this role and name (a text, or a RegExp), within a selector. */
  async all(role, name = null, within = null) {
    const wanted =
      name === null
        ? null
        : name instanceof RegExp
          ? { pattern: name.source, flags: name.flags }
          : { text: name };
    return this.script(FIND, role, wanted, within);
  }

  async see(role, name, within) {
    return until(`${role} ${name ?? ''}`, async () => (await this.all(role, name, within))[0]);
  }

  async miss(role, name, within) {
    await until(
      `no ${role} ${name ?? ''}`,
      async () => (await this.all(role, name, within)).length === 0,
    );
  }

  async count(role, name, within) {
    return (await this.all(role, name, within)).length;
  }

  /** A real click, at what is there when it can be clicked. */
  async click(role, name, within) {
    await until(`click on ${role} ${name ?? ''}`, async () => {
      const [element] = await this.all(role, name, within);
      if (!element) return false;
      await this.#ask('POST', `/element/${element[ELEMENT]}/click`, {});
      return true;
    });
  }

  /** Real keys, into what has the given name, instead of what was there. */
  async fill(role, name, text, within) {
    await until(`text into ${role} ${name}`, async () => {
      const [element] = await this.all(role, name, within);
      if (!element) return false;
      const id = element[ELEMENT];
      await this.#ask('POST', `/element/${id}/click`, {});
      await this.script(SELECT, element);
      await this.#ask('POST', `/element/${id}/value`, { text });
      return true;
    });
  }

  /** Chooses one of a list that the system itself would open. */
  async choose(name, option) {
    await until(`${option} of ${name}`, async () => {
      const [list] = await this.all('combobox', name);
      const found =
        list &&
        (await this.script(
          'return [...arguments[0].options].find(({ text }) => text.trim() === arguments[1])',
          list,
          option,
        ));
      if (!found) return false;
      await this.#ask('POST', `/element/${found[ELEMENT]}/click`, {});
      return true;
    });
  }

  /** Puts the pointer on the middle of what has the given name. */
  async hover(role, name, within) {
    const element = await this.see(role, name, within);
    const [x, y] = await this.script(
      `const box = arguments[0].getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2].map(Math.round)`,
      element,
    );
    const move = { type: 'pointerMove', origin: 'viewport', x, y, duration: 0 };
    await this.#ask('POST', '/actions', {
      actions: [
        {
          type: 'pointer',
          id: 'hand',
          parameters: { pointerType: 'mouse' },
          // Twice: some listen to moves, not to where the pointer is.
          actions: [move, { ...move, x: x + 4, y: y + 4 }],
        },
      ],
    });
  }

  /** Keys where the focus is. */
  async keys(text) {
    const focused = await this.#ask('GET', '/element/active');
    await this.#ask('POST', `/element/${focused[ELEMENT]}/value`, { text });
  }

  async text() {
    return this.script('return document.body.innerText');
  }

  async says(pattern) {
    return until(`the words ${pattern}`, async () => pattern.test(await this.text()));
  }

  /** Whether the window is on the screen as far as the page knows. */
  async visible() {
    return this.script('return document.visibilityState === "visible"');
  }

  async resize(width, height) {
    await this.#ask('POST', '/window/rect', { width, height });
  }

  /** Goes to a place of the page, as a link would. */
  async go(place) {
    await this.script('location.hash = arguments[0]', place);
    await this.see('heading');
  }

  /** What is on the screen, as bytes of a PNG, when it has been painted. */
  async picture() {
    await this.#ask('POST', '/execute/async', {
      script:
        'const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));',
      args: [],
    });
    return Buffer.from(await this.#ask('GET', '/screenshot'), 'base64');
  }

  /** Keeps what there is to see, for whoever has to find out what went wrong. */
  async keep(folder, name) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}.html`), await this.#ask('GET', '/source'));
    writeFileSync(
      join(folder, `${name}.png`),
      Buffer.from(await this.#ask('GET', '/screenshot'), 'base64'),
    );
  }

  /** Lets go of the window; the program may have ended already. */
  async leave() {
    await this.#ask('DELETE', '').catch(() => undefined);
  }
}

/** Keys that are no characters. */
export const KEY = {
  none: '\uE000',
  ctrl: '\uE009',
  alt: '\uE00A',
  enter: '\uE007',
  escape: '\uE00C',
  tab: '\uE004',
};

async function ask(method, url, body) {
  const response = await fetch(url, {
    method,
    ...(body && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
    signal: AbortSignal.timeout(2 * LIMIT_MS),
  });
  const { value } = await response.json();
  if (!response.ok) throw new Error(`${value?.error}: ${value?.message}`);
  return value;
}
