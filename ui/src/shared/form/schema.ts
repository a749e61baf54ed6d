/**
 * JSON Schema as far as a form reads it: local references followed, `allOf` merged where that has
 * one meaning, the spellings that tools use put right.
 *
 * Deliberately not here: remote references, `$dynamicRef`, annotations that only tools for schemas
 * read. What stays unread becomes a field for JSON, never nothing (shape.ts).
 */

import { isObject, type Json } from './json';

export interface Schema {
  [keyword: string]: unknown;
}

/** References in references end here; a schema of people has two or three. */
const DEEPEST = 32;

/** What the parameters' schema should have been, out of what tools write (as the toolbox reads it). */
export function parametersSchema(given: unknown): Schema {
  if (!isObject(given)) return { type: 'object' };
  const bare =
    !('properties' in given) &&
    !('type' in given) &&
    !('$ref' in given) &&
    Object.keys(given).length > 0 &&
    Object.values(given).every(isObject);
  return { type: 'object', ...mended(bare ? { properties: given } : given) };
}

/** `required: true` on a property belongs into the list of its object. */
function mended(schema: Schema, depth = 0): Schema {
  if (depth > DEEPEST) return schema;
  const result: Schema = { ...schema };
  if (isObject(schema.properties)) {
    const properties: Record<string, unknown> = {};
    const required = new Set(names(schema.required));
    for (const [name, one] of Object.entries(schema.properties)) {
      if (isObject(one) && one.required === true) required.add(name);
      properties[name] = isObject(one) ? mended(one, depth + 1) : one;
    }
    result.properties = properties;
    if (required.size > 0) result.required = [...required];
  }
  if (!Array.isArray(result.required)) delete result.required;
  if (isObject(schema.items)) result.items = mended(schema.items, depth + 1);
  return result;
}

/** The schema with its reference followed and `allOf` merged; `undefined` where that fails. */
export function resolved(schema: Schema, root: Schema, depth = 0): Schema | undefined {
  if (depth > DEEPEST) return undefined;
  if (typeof schema.$ref === 'string') {
    const target = pointed(root, schema.$ref);
    if (target === undefined) return undefined;
    const found = resolved(target, root, depth + 1);
    const beside = Object.entries(schema).filter(([key]) => key !== '$ref');
    return found && merged(found, Object.fromEntries(beside));
  }
  if (Array.isArray(schema.allOf)) {
    const { allOf, ...own } = schema;
    let all: Schema | undefined = own;
    for (const part of allOf as unknown[]) {
      const found = isObject(part) ? resolved(part, root, depth + 1) : undefined;
      all = all && found && merged(all, found);
    }
    return all;
  }
  return schema;
}

/** What `#/$defs/name` points to. */
export function pointed(root: Schema, reference: string): Schema | undefined {
  if (!reference.startsWith('#')) return undefined;
  let found: unknown = root;
  for (const part of reference.slice(1).split('/').slice(1)) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  if (found === true) return {};
  return isObject(found) ? found : undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}

/** Words about a schema: of two, the outer ones are nearer to where they are shown. */
const WORDS = new Set(['title', 'description', 'default', 'examples', 'example', '$comment']);

/** Both schemas as one; `undefined` when they say different things about the same. */
export function merged(one: Schema, other: Schema): Schema | undefined {
  const result: Schema = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const had = result[key];
    if (had === undefined || WORDS.has(key) || JSON.stringify(had) === JSON.stringify(value)) {
      result[key] = value;
    } else if (key === 'required') {
      result[key] = [...new Set([...names(had), ...names(value)])];
    } else if (key === '$defs' || key === 'definitions') {
      result[key] = { ...(had as Schema), ...(value as Schema) };
    } else if (key === 'properties' && isObject(had) && isObject(value)) {
      const properties = mergedProperties(had, value);
      if (!properties) return undefined;
      result[key] = properties;
    } else if (key === 'minimum' || key === 'minLength' || key === 'minItems') {
      result[key] = Math.max(Number(had), Number(value));
    } else if (key === 'maximum' || key === 'maxLength' || key === 'maxItems') {
      result[key] = Math.min(Number(had), Number(value));
    } else {
      return undefined;
    }
  }
  return result;
}

function mergedProperties(one: Schema, other: Schema): Schema | undefined {
  const result: Schema = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const had = Object.hasOwn(result, name) ? result[name] : undefined;
    const both =
      had === undefined ? value : isObject(had) && isObject(value) ? merged(had, value) : undefined;
    if (both === undefined) return undefined;
    result[name] = both;
  }
  return result;
}

/** The strings of a list; none when it is no list. */
export function names(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}

export function numberOf(schema: Schema, key: string): number | undefined {
  const value = schema[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function textOf(schema: Schema, key: string): string | undefined {
  const value = schema[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** `default` of a schema; `undefined` when there is none. */
export function defaultOf(schema: Schema): Json | undefined {
  return schema.default as Json | undefined;
}
