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

/** `code` names the words: `form.problem.{code}`. */
export type Parsed =
  | { ok: true; value: Json }
  | { ok: false; code: 'syntax' | 'unsafe'; message: string; line: number; column: number };

/** Reads JSON; a failure says where. Engines word and place it differently, or not at all. */
export function parseJson(text: string): Parsed {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const place = placeOf(text, failureAt(text));
    return { ok: false, code: 'syntax', message: error.message, ...place };
  }
  const unsafe = unsafeAt(text);
  if (unsafe === undefined) return { ok: true, value };
  const message = 'a whole number is too large to be exact';
  return { ok: false, code: 'unsafe', message, ...placeOf(text, unsafe) };
}

const WHOLE = /^([+-]?\d+)(\.0*)?$/;

/**
 * A whole number that would be sent as another one: as JavaScript has numbers, those beyond 2^53
 * are rounded. What JavaScript itself writes comes out as it went in, and is never refused.
 */
export function isUnsafe(text: string): boolean {
  const digits = WHOLE.exec(text.trim())?.[1];
  if (digits === undefined) return false;
  const value = Number(digits);
  if (Number.isSafeInteger(value) || !Number.isFinite(value)) return false;
  return BigInt(digits) !== wholeOf(String(value));
}

/** The number that `1.5e+21` or `15` stands for, exactly. */
function wholeOf(written: string): bigint {
  const [mantissa = '', exponent = '0'] = written.split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return BigInt(whole + fraction.padEnd(Number(exponent), '0'));
}

/** Offset of the first such number; the text is JSON. */
function unsafeAt(text: string): number | undefined {
  // Fewer digits are always exact.
  if (!/\d{16}/.test(text)) return undefined;
  const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (!token.startsWith('"') && isUnsafe(token)) return index;
  }
  return undefined;
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
