/** The addresses of a list and of what it holds: each thing has tabs, and the first needs no name. */

export interface Places<Tab extends string> {
  /** Where the list is, with nothing chosen. */
  root: string;
  /** The tab that an address names; the first where it names none or one that is not there. */
  tabOf(text: unknown): Tab;
  addressOf(key: string, tab?: Tab): string;
}

export function placesOf<Tab extends string>(
  root: string,
  tabs: readonly [Tab, ...Tab[]],
): Places<Tab> {
  const [first] = tabs;
  return {
    root,
    tabOf: (text) => tabs.find((tab) => tab === text) ?? first,
    addressOf(key, tab = first) {
      const address = `${root}/${encodeURIComponent(key)}`;
      return tab === first ? address : `${address}/${tab}`;
    },
  };
}
