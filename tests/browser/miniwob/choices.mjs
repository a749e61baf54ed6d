// Tasks of lists, boxes and what opens: menus, tabs, sections, trees.

import { titled } from './hand.mjs';
import { isButton, isOf, part, quoted } from './words.mjs';

async function checkboxes(hand, wish) {
  const wanted = part(wish, /^Select (.*) and click Submit/u);
  const names = wanted === 'nothing' ? [] : wanted.split(/, ?/u);
  for (const name of names) {
    await hand.click(
      await hand.find(name, (one) => one.type === 'checkbox' && titled(one) === name),
    );
  }
  await hand.press('Submit');
}

async function option(hand, wish) {
  const name = part(wish, /^Select (.*) and click Submit/u);
  await hand.click(await hand.find(name, (one) => one.type === 'radio' && titled(one) === name));
  await hand.press('Submit');
}

async function list(hand, wish) {
  const field = await hand.find('a list', ({ tagName }) => tagName === 'select');
  for (const name of part(wish, /^Select (.*) from the/u).split(', '))
    await hand.select(field, name);
  await hand.press('Submit');
}

async function section(hand) {
  const header = await hand.find('a section', ({ tagName }) => tagName === 'h3');
  await hand.click(header);
  await hand.until('an open section', (all) => all.find(isStill(header.id)));
  await hand.click(await hand.find('Submit', isButton));
}

const isStill = (id) => (one) => one.id === id && one.state.expanded === true;

/** Opens one after the other until the link is there; what is open at the same place is closed by it. */
const within = (isOpener) => async (hand, wish) => {
  const [name] = quoted(wish);
  const isLink = (one) => isOf('alink')(one) && titled(one) === name;
  for (const opener of await hand.all(isOpener)) {
    if (opener.state.expanded !== true) {
      await hand.click(opener);
      await hand.until(`${titled(opener)} open`, (all) => all.find(isStill(opener.id)));
    }
    // It may be on its way yet: a section slides, and what it has comes into view with it.
    await hand.still();
    const link = (await hand.all(isLink))[0];
    if (link) {
      await hand.click(link);
      return;
    }
  }
  throw new Error(`no link "${name}" is in any of them`);
};

async function menu(hand, wish) {
  const names = part(wish, /^Select (.*)$/u).split('>');
  const item = (name) => (one) => one.visible && one.role === 'menuitem' && titled(one) === name;
  const last = names.pop();
  for (const name of names) await hand.hover(await hand.find(name, item(name)));
  await hand.click(await hand.find(last, item(last)));
}

async function tree(hand, wish) {
  const [name] = quoted(wish);
  const opened = new Set();
  for (;;) {
    const all = await hand.look();
    const wanted = all.find((one) => titled(one) === name && !isOf('hitarea')(one));
    if (wanted) {
      await hand.click(wanted);
      return;
    }
    const next = all.find((one) => isOf('expandable-hitarea')(one) && !opened.has(one.id));
    if (!next) throw new Error(`no "${name}" in the tree`);
    opened.add(next.id);
    await hand.click(next);
    await hand.still();
  }
}

async function pie(hand, wish) {
  const [name] = quoted(wish);
  await hand.click(await hand.find('the middle', (one) => one.visible && titled(one) === '+'));
  const isOut = (one) => one.visible && one.tagName === 'text' && titled(one) === name;
  await hand.until(name, (all) => all.find(isOut));
  await hand.still();
  await hand.click(await hand.find(name, isOut));
}

const sections = within((one) => one.role === 'tab' && one.tagName === 'h3');
const tabs = within((one) => one.role === 'tab');

export const choices = {
  'click-checkboxes': checkboxes,
  'click-checkboxes-large': checkboxes,
  'click-checkboxes-transfer': checkboxes,
  'click-option': option,
  'choose-list': list,
  'click-scroll-list': list,
  'click-collapsible': section,
  'click-collapsible-nodelay': section,
  'click-collapsible-2': sections,
  'click-collapsible-2-nodelay': sections,
  'click-tab-2': tabs,
  'click-tab-2-easy': tabs,
  'click-tab-2-medium': tabs,
  'click-tab-2-hard': tabs,
  'click-menu': menu,
  'navigate-tree': tree,
  'click-pie': pie,
  'click-pie-nodelay': pie,
};
