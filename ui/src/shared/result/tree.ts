/**
 * A JSON value as the rows that are seen of it. Only what is open is walked, so a large value costs
 * what is looked at.
 */

import { isObject, type Json } from '@/shared/form/json';

export interface TreeRow {
  /** JSON pointer; names the row while the value stays. */
  id: string;
  /** `items[2].name`, to paste into code. */
  path: string;
  label: string;
  value: Json;
  level: number;
  open: boolean | undefined;
  /** Parts inside, of lists and objects. */
  count: number;
  /** Place among its siblings and how many they are. */
  position: number;
  siblings: number;
}

const PLAIN = /^[A-Za-z_$][\w$]*$/;

export function childPath(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  if (!PLAIN.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

export function childCount(value: Json): number {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}

/** Rows from top to bottom; `isOpen` says which groups show their parts. */
export function rowsOf(value: Json, isOpen: (id: string, level: number) => boolean): TreeRow[] {
  const rows: TreeRow[] = [];
  const visit = (
    one: Json,
    place: Pick<TreeRow, 'id' | 'path' | 'label' | 'level' | 'position' | 'siblings'>,
  ): void => {
    const group = typeof one === 'object' && one !== null;
    const count = childCount(one);
    const open = group && count > 0 ? isOpen(place.id, place.level) : undefined;
    rows.push({ ...place, value: one, open, count });
    if (open !== true) return;
    const parts: [string | number, Json][] = Array.isArray(one)
      ? one.map((item, index) => [index, item])
      : Object.entries(one as Record<string, Json>);
    parts.forEach(([key, inner], index) =>
      visit(inner, {
        id: `${place.id}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`,
        path: childPath(place.path, key),
        label: String(key),
        level: place.level + 1,
        position: index + 1,
        siblings: count,
      }),
    );
  };
  visit(value, { id: '', path: '', label: '', level: 1, position: 1, siblings: 1 });
  return rows;
}

/** Groups that a person sees open at first: as long as they fit on a page. */
export function openAtFirst(value: Json, most = 200): Set<string> {
  const open = new Set<string>();
  let level: [string, Json][] = [['', value]];
  let shown = 1;
  while (level.length > 0) {
    const next: [string, Json][] = [];
    for (const [id, one] of level) {
      const count = childCount(one);
      if (count === 0 || (id !== '' && shown + count > most)) continue;
      open.add(id);
      shown += count;
      if (shown > most) continue;
      for (const [key, inner] of Object.entries(one as Record<string, Json>)) {
        next.push([`${id}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, inner]);
      }
    }
    level = next;
  }
  return open;
}
