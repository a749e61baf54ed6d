/** JSON values: what they are, whether two are the same, their texts. */

import { jsonLanguage } from '@codemirror/lang-json';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same value; the order of names in objects does not matter. */
export function same(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((value, index) => same(value, other[index]));
  }
  if (isObject(one) && isObject(other)) {
    const keys = Object.keys(one);
    return (
      keys.length === Object.keys(other).length &&
      keys.every((key) => Object.hasOwn(other, key) && same(one[key], other[key]))
    );
  }
  return false;
}

export type TypeName = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

export function typeOf(value: Json): TypeName {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as TypeName;
}

export function pretty(value: Json): string {
  return JSON.stringify(value, null, 2);
}

export type Parsed =
  { ok: true; value: Json } | { ok: false; message: string; line: number; column: number };

/** Reads JSON; a failure says where. Engines word and place it differently, or not at all. */
export function parseJson(text: string): Parsed {
  try {
    return { ok: true, value: JSON.parse(text) as Json };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { ok: false, message: error.message, ...placeOf(text, failureAt(text)) };
  }
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Offset of the first sign that cannot stand where it does; engines tell it in many ways. */
function failureAt(text: string): number {
  let found = text.trimEnd().length;
  jsonLanguage.parser.parse(text).iterate({
    enter: ({ type, from }) => {
      if (type.isError) found = Math.min(found, from);
    },
  });
  return found;
}
