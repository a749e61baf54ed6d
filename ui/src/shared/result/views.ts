/**
 * Which views show a result: pictures where there are some, a table for rows, the tree and the text
 * for everything.
 */

import { isObject, type Json } from '@/shared/form/json';

export type View = 'picture' | 'table' | 'text' | 'tree';

/** A picture in a result: its bytes, or the name of an artifact. */
export type Picture =
  { kind: 'bytes'; data: string; mimeType: string } | { kind: 'artifact'; id: string };

export interface Table {
  columns: string[];
  rows: Record<string, Json>[];
}

export interface Views {
  views: View[];
  pictures: Picture[];
  table: Table | undefined;
}

/** What browsers draw; SVG only as a picture, where its scripts do not run. */
const DRAWN = /^image\/(png|jpeg|gif|webp|bmp|svg\+xml|avif)$/;
const ARTIFACT = /^(?:artifact:)?([\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12})(?:\.png)?$/i;
const DATA_URL = /^data:(image\/[\w.+-]+);base64,([A-Za-z\d+/]+=*)$/;
const MOST_PICTURES = 24;
const DEEPEST = 4;
const MOST_COLUMNS = 24;

export function viewsOf(value: unknown): Views {
  const pictures = picturesIn(value);
  const found = tableOf(value);
  // A table of pictures is base64 to read.
  const table = found?.columns.includes('mimeType') && pictures.length > 0 ? undefined : found;
  const plain = typeof value === 'string';
  const views: View[] = [
    ...(pictures.length > 0 ? (['picture'] as const) : []),
    ...(table ? (['table'] as const) : []),
    ...(plain ? (['text', 'tree'] as const) : (['tree', 'text'] as const)),
  ];
  return { views, pictures, table };
}

export function picturesIn(value: unknown): Picture[] {
  const found: Picture[] = [];
  const look = (one: unknown, depth: number): void => {
    if (found.length >= MOST_PICTURES || depth > DEEPEST) return;
    if (typeof one === 'string') {
      const url = one.length > 30 && one.startsWith('data:image/') ? DATA_URL.exec(one) : null;
      if (url) add(found, url[2], url[1]);
    } else if (Array.isArray(one)) {
      one.slice(0, 200).forEach((item) => look(item, depth + 1));
    } else if (isObject(one)) {
      if (add(found, one.data ?? one.base64, one.mimeType)) return;
      for (const [key, inner] of Object.entries(one)) {
        if (key === 'images' && Array.isArray(inner)) artifacts(found, inner);
        look(inner, depth + 1);
      }
    }
  };
  look(value, 0);
  return found.slice(0, MOST_PICTURES);
}

function add(found: Picture[], data: unknown, mimeType: unknown): boolean {
  if (typeof data !== 'string' || typeof mimeType !== 'string') return false;
  if (data === '' || !DRAWN.test(mimeType)) return false;
  found.push({ kind: 'bytes', data, mimeType });
  return true;
}

function artifacts(found: Picture[], names: unknown[]): void {
  for (const name of names) {
    const id = typeof name === 'string' ? ARTIFACT.exec(name)?.[1] : undefined;
    if (id) found.push({ kind: 'artifact', id });
  }
}

/** Rows of a list of flat objects, or of the only such list that an object has. */
export function tableOf(value: unknown): Table | undefined {
  if (Array.isArray(value)) return rowsOf(value);
  if (!isObject(value)) return undefined;
  const tables = Object.values(value).flatMap((one) =>
    Array.isArray(one) ? (rowsOf(one) ?? []) : [],
  );
  return tables.length === 1 ? tables[0] : undefined;
}

function rowsOf(list: unknown[]): Table | undefined {
  if (list.length === 0 || !list.every(isFlat)) return undefined;
  const columns = new Set<string>();
  for (const row of list) for (const name of Object.keys(row)) columns.add(name);
  if (columns.size === 0 || columns.size > MOST_COLUMNS) return undefined;
  return { columns: [...columns], rows: list };
}

/** Cells are single values; short lists of them (tags) still are a cell. */
function isFlat(row: unknown): row is Record<string, Json> {
  return (
    isObject(row) &&
    Object.values(row).every(
      (cell) =>
        typeof cell !== 'object' ||
        cell === null ||
        (Array.isArray(cell) && cell.length <= 12 && cell.every((one) => typeof one !== 'object')),
    )
  );
}

export function cellText(cell: Json | undefined): string {
  if (cell === undefined || cell === null) return '';
  if (typeof cell === 'object') return Array.isArray(cell) ? cell.join(', ') : JSON.stringify(cell);
  return String(cell);
}

/** Numbers by size, everything else as words; what is not there comes last, both ways. */
export function sorted(table: Table, column: string, down: boolean, language: string): Table {
  const words = new Intl.Collator(language, { numeric: true, sensitivity: 'base' });
  const empty = (cell: Json | undefined) => cell === undefined || cell === null || cell === '';
  const rows = [...table.rows].sort((one, other) => {
    const [left, right] = [one[column], other[column]];
    if (empty(left) || empty(right)) return Number(empty(left)) - Number(empty(right));
    const order =
      typeof left === 'number' && typeof right === 'number'
        ? left - right
        : words.compare(cellText(left), cellText(right));
    return down ? -order : order;
  });
  return { columns: table.columns, rows };
}

/** Comma-separated, as spreadsheets read it; nothing in it is taken for a formula. */
export function csv({ columns, rows }: Table): string {
  const cell = (text: string) => {
    const safe = /^[=+@\t\r]|^-(?!\d)/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const lines = rows.map((row) => columns.map((name) => cell(cellText(row[name]))).join(','));
  return [columns.map(cell).join(','), ...lines].join('\r\n');
}
