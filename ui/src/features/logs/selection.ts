/** Which rows are chosen: one, or from one to another. */

export interface Selection {
  /** Where it began. */
  anchor: number;
  /** The row that the keys move. */
  cursor: number;
}

export function spanOf({ anchor, cursor }: Selection): [first: number, last: number] {
  return anchor < cursor ? [anchor, cursor] : [cursor, anchor];
}

export function holds(selection: Selection | undefined, index: number): boolean {
  if (!selection) return false;
  const [first, last] = spanOf(selection);
  return index >= first && index <= last;
}

export interface Move {
  total: number;
  /** Rows of a page. */
  page: number;
  /** Where the cursor starts when there is none. */
  start: number;
}

/** Where a key moves the cursor; nothing for a key that does not. */
export function moved(from: Selection | undefined, key: string, move: Move): number | undefined {
  const last = move.total - 1;
  const at = from?.cursor;
  const by = (step: number) =>
    at === undefined ? move.start : Math.min(Math.max(at + step, 0), last);
  switch (key) {
    case 'ArrowUp':
      return by(-1);
    case 'ArrowDown':
      return by(1);
    case 'PageUp':
      return by(-move.page);
    case 'PageDown':
      return by(move.page);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}
