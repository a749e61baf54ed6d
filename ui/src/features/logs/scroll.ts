/**
 * Where a list of rows of one height stands, exact for any number of rows.
 *
 * Browsers cap the height of an element (Firefox at 17.8 million pixels). A longer list gets an
 * element of {@link MAX_HEIGHT}, and two tops: the list's own and the element's. Small movements
 * count pixel by pixel in both; a jump (the scrollbar) is read as a part of the whole. Nothing here
 * touches the page.
 */

/** Pixels. Below every browser's limit; 400,000 rows of 20 px need no scaling. */
export const MAX_HEIGHT = 8_000_000;

export interface Size {
  /** Rows. */
  total: number;
  /** Height of a row. */
  row: number;
  /** Height of what is seen at once. */
  view: number;
  max?: number;
}

export interface Place {
  /** Pixels of the list above what is seen. */
  top: number;
  /** `scrollTop` of the element. */
  physical: number;
}

export const START: Place = { top: 0, physical: 0 };

/** Height of the element. */
export function heightOf(size: Size): number {
  return Math.min(size.total * size.row, size.max ?? MAX_HEIGHT);
}

/** The largest top of the list. */
export function endOf(size: Size): number {
  return Math.max(0, size.total * size.row - size.view);
}

/** The place with this top, and the `scrollTop` to set for it. */
export function placeAt(size: Size, top: number): Place {
  const end = endOf(size);
  const within = Math.min(Math.max(top, 0), end);
  const room = Math.max(0, heightOf(size) - size.view);
  return { top: within, physical: end === room ? within : (within / end) * room };
}

/** The place after the person scrolled the element to `physical`. */
export function scrolled(size: Size, from: Place, physical: number): Place {
  const end = endOf(size);
  const room = Math.max(0, heightOf(size) - size.view);
  if (end === room) return { top: Math.min(Math.max(physical, 0), end), physical };
  // At its ends the element cannot say more: they are the ends of the list.
  if (physical <= 0) return { top: 0, physical: 0 };
  if (physical >= room - 1) return { top: end, physical };
  const by = physical - from.physical;
  const top = Math.abs(by) <= size.view ? from.top + by : (physical / room) * end;
  return { top: Math.min(Math.max(top, 0), end), physical };
}

/** Whether the last row is seen whole. */
export function isAtEnd(size: Size, place: Place): boolean {
  return place.top >= endOf(size) - 1;
}

/** Numbers of the first and the last row to draw; `last` is -1 when there are none. */
export function rowsAt(size: Size, place: Place, overscan: number): [first: number, last: number] {
  const first = Math.floor(place.top / size.row) - overscan;
  const last = Math.ceil((place.top + size.view) / size.row) - 1 + overscan;
  return [Math.max(0, Math.min(first, size.total - 1)), Math.min(last, size.total - 1)];
}

/** Where the row lies in the element. */
export function offsetOf(size: Size, place: Place, index: number): number {
  return index * size.row - place.top + place.physical;
}

/** The smallest movement that shows the row whole. */
export function reveal(size: Size, place: Place, index: number): Place {
  const above = index * size.row;
  const below = above + size.row - size.view;
  if (place.top > above) return placeAt(size, above);
  return place.top < below ? placeAt(size, below) : place;
}

/** The place that has the row in the middle. */
export function centre(size: Size, index: number): Place {
  return placeAt(size, Math.round((index + 0.5) * size.row - size.view / 2));
}
