/**
 * A value against its schema, as a list of what is wrong and where.
 *
 * It interprets: validators that compile schemas need `eval`, which the page's policy forbids. The
 * toolbox checks again and decides; this is for telling people before they wait. A keyword that is
 * not read here refuses nothing.
 */

import { fitsFormat } from './formats';
import { isObject, same, typeOf, type Json } from './json';
import { names, numberOf, pointed, type Schema } from './schema';

export type Path = readonly (string | number)[];

/** `code` names the words: `form.problem.{code}`. */
export interface Problem {
  path: Path;
  code: ProblemCode;
  args?: Record<string, string | number>;
}

export type ProblemCode =
  | 'required'
  | 'type'
  | 'enum'
  | 'const'
  | 'minimum'
  | 'maximum'
  | 'exclusiveMinimum'
  | 'exclusiveMaximum'
  | 'multipleOf'
  | 'minLength'
  | 'maxLength'
  | 'pattern'
  | 'format'
  | 'minItems'
  | 'maxItems'
  | 'uniqueItems'
  | 'contains'
  | 'minProperties'
  | 'maxProperties'
  | 'unknown'
  | 'never'
  | 'noBranch'
  | 'manyBranches'
  | 'not'
  | 'duplicate'
  | 'syntax'
  | 'unsafe';

export interface Choices {
  /** The branch that the person has chosen there: its problems are told, not those of all. */
  chosen?(path: Path): Schema | undefined;
}

/** Schemas that nest for ever with a value that does not. */
const DEEPEST = 64;

interface Check extends Choices {
  root: Schema;
  depth: number;
}

export function validate(schema: Schema, value: Json, choices: Choices = {}): Problem[] {
  return check(schema, value, [], { ...choices, root: schema, depth: 0 });
}

/** A schema that stands inside `root`, whose references lead there. */
export function validateInside(root: Schema, schema: Schema, value: Json): Problem[] {
  return check(schema, value, [], { root, depth: 0 });
}

function check(schema: unknown, value: Json, path: Path, outer: Check): Problem[] {
  if (schema === false) return [{ path, code: 'never' }];
  if (!isObject(schema) || outer.depth > DEEPEST) return [];
  const at: Check = { ...outer, depth: outer.depth + 1 };
  const target = typeof schema.$ref === 'string' && pointed(at.root, schema.$ref);
  const referred = target ? check(target, value, path, at) : [];
  const typed = ofType(schema, value, path);
  return [
    ...referred,
    ...typed,
    // Of the wrong type: what else the schema says is about something else.
    ...(typed.length > 0 ? [] : ofValue(schema, value, path, at)),
    ...combined(schema, value, path, at),
  ];
}

function ofType(schema: Schema, value: Json, path: Path): Problem[] {
  const wanted = typeof schema.type === 'string' ? [schema.type] : names(schema.type);
  if (wanted.length === 0) return [];
  const found = typeOf(value);
  const fits = wanted.some(
    (one) => one === found || (one === 'integer' && Number.isInteger(value)),
  );
  return fits ? [] : [{ path, code: 'type', args: { type: wanted.join(' | ') } }];
}

function ofValue(schema: Schema, value: Json, path: Path, at: Check): Problem[] {
  const problems: Problem[] = [];
  if (Array.isArray(schema.enum) && !schema.enum.some((one) => same(one, value))) {
    problems.push({ path, code: 'enum' });
  }
  if ('const' in schema && !same(schema.const, value)) {
    problems.push({ path, code: 'const', args: { value: JSON.stringify(schema.const) } });
  }
  if (typeof value === 'number') problems.push(...ofNumber(schema, value, path));
  else if (typeof value === 'string') problems.push(...ofText(schema, value, path));
  else if (Array.isArray(value)) problems.push(...ofList(schema, value, path, at));
  else if (isObject(value)) problems.push(...ofObject(schema, value, path, at));
  return problems;
}

/** One problem where the bound that `code` names exists and is broken. */
function bound(
  schema: Schema,
  code: ProblemCode,
  path: Path,
  broken: (limit: number) => boolean,
): Problem[] {
  const limit = numberOf(schema, code);
  return limit !== undefined && broken(limit) ? [{ path, code, args: { limit } }] : [];
}

function ofNumber(schema: Schema, value: number, path: Path): Problem[] {
  return [
    ...bound(schema, 'minimum', path, (limit) => value < limit),
    ...bound(schema, 'maximum', path, (limit) => value > limit),
    ...bound(schema, 'exclusiveMinimum', path, (limit) => value <= limit),
    ...bound(schema, 'exclusiveMaximum', path, (limit) => value >= limit),
    ...bound(schema, 'multipleOf', path, (limit) => limit > 0 && !isMultiple(value, limit)),
  ];
}

/** 0.3 is a multiple of 0.1, whatever binary fractions say. */
function isMultiple(value: number, of: number): boolean {
  const times = value / of;
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times));
}

function ofText(schema: Schema, value: string, path: Path): Problem[] {
  const length = [...value].length;
  const problems = [
    ...bound(schema, 'minLength', path, (limit) => length < limit),
    ...bound(schema, 'maxLength', path, (limit) => length > limit),
  ];
  if (typeof schema.pattern === 'string' && expression(schema.pattern)?.test(value) === false) {
    problems.push({ path, code: 'pattern', args: { pattern: schema.pattern } });
  }
  if (typeof schema.format === 'string' && !fitsFormat(value, schema.format)) {
    problems.push({ path, code: 'format', args: { format: schema.format } });
  }
  return problems;
}

/** `(a+)+`: a repetition in a repetition may take for ever, and a tool's pattern is not trusted. */
const TWICE_REPEATED = /[+*}]\??[^()]*\)[+*{]/;

/** A pattern that is none in JavaScript, or may not end, is not held against the value. */
function expression(pattern: string): RegExp | undefined {
  if (pattern.length > 500 || TWICE_REPEATED.test(pattern)) return undefined;
  try {
    return new RegExp(pattern, 'u');
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function ofList(schema: Schema, value: Json[], path: Path, at: Check): Problem[] {
  const problems = [
    ...bound(schema, 'minItems', path, (limit) => value.length < limit),
    ...bound(schema, 'maxItems', path, (limit) => value.length > limit),
  ];
  if (schema.uniqueItems === true) {
    const twice = value.some((one, index) =>
      value.slice(0, index).some((earlier) => same(earlier, one)),
    );
    if (twice) problems.push({ path, code: 'uniqueItems' });
  }
  if (
    isObject(schema.contains) &&
    !value.some((one) => check(schema.contains, one, path, at).length === 0)
  ) {
    problems.push({ path, code: 'contains' });
  }
  const [first, rest] = tuple(schema);
  value.forEach((one, index) => {
    const item = index < first.length ? first[index] : rest;
    problems.push(...check(item, one, [...path, index], at));
  });
  return problems;
}

/** Schemas of the first items, and of all others, in the old and the new spelling. */
export function tuple(schema: Schema): [first: unknown[], rest: unknown] {
  if (Array.isArray(schema.prefixItems)) return [schema.prefixItems, schema.items];
  if (Array.isArray(schema.items)) return [schema.items, schema.additionalItems];
  return [[], schema.items];
}

function ofObject(schema: Schema, value: Record<string, Json>, path: Path, at: Check): Problem[] {
  const keys = Object.keys(value);
  const problems = [
    ...bound(schema, 'minProperties', path, (limit) => keys.length < limit),
    ...bound(schema, 'maxProperties', path, (limit) => keys.length > limit),
  ];
  const required = [...names(schema.required), ...dependent(schema, value)];
  for (const name of new Set(required)) {
    if (!Object.hasOwn(value, name)) problems.push({ path: [...path, name], code: 'required' });
  }
  const properties = isObject(schema.properties) ? schema.properties : {};
  const patterns = isObject(schema.patternProperties) ? schema.patternProperties : {};
  for (const name of keys) {
    const inside = [...path, name];
    const one = value[name] as Json;
    const known = Object.hasOwn(properties, name);
    if (known) problems.push(...check(properties[name], one, inside, at));
    const fitting = Object.keys(patterns).filter((pattern) => expression(pattern)?.test(name));
    for (const pattern of fitting) problems.push(...check(patterns[pattern], one, inside, at));
    if (isObject(schema.propertyNames)) {
      const wrong = check(schema.propertyNames, name, inside, at);
      problems.push(...wrong.map((problem) => ({ ...problem, path: inside })));
    }
    if (known || fitting.length > 0) continue;
    if (schema.additionalProperties === false) problems.push({ path: inside, code: 'unknown' });
    else problems.push(...check(schema.additionalProperties, one, inside, at));
  }
  return problems;
}

/** Names that are required because others are there. */
function dependent(schema: Schema, value: Record<string, Json>): string[] {
  if (!isObject(schema.dependentRequired)) return [];
  return Object.entries(schema.dependentRequired).flatMap(([name, needs]) =>
    Object.hasOwn(value, name) ? names(needs) : [],
  );
}

function combined(schema: Schema, value: Json, path: Path, at: Check): Problem[] {
  const problems: Problem[] = [];
  const passes = (one: unknown) => check(one, value, path, at).length === 0;
  for (const one of list(schema.allOf)) problems.push(...check(one, value, path, at));
  for (const key of ['anyOf', 'oneOf'] as const) {
    const branches = list(schema[key]);
    if (branches.length === 0) continue;
    const fitting = branches.filter(passes).length;
    if (fitting === 0) problems.push(...nearest(branches, value, path, at));
    if (fitting > 1 && key === 'oneOf') problems.push({ path, code: 'manyBranches' });
  }
  if ('not' in schema && passes(schema.not)) problems.push({ path, code: 'not' });
  if ('if' in schema) {
    problems.push(...check(passes(schema.if) ? schema.then : schema.else, value, path, at));
  }
  if (isObject(schema.dependentSchemas) && isObject(value)) {
    for (const [name, one] of Object.entries(schema.dependentSchemas)) {
      if (Object.hasOwn(value, name)) problems.push(...check(one, value, path, at));
    }
  }
  return problems;
}

/** What is wrong in the branch that was chosen; else in the one that is least wrong. */
function nearest(branches: unknown[], value: Json, path: Path, at: Check): Problem[] {
  const chosen = at.chosen?.(path);
  const found = chosen ? check(chosen, value, path, at) : [];
  if (found.length > 0) return found;
  const byBranch = branches.map((one) => check(one, value, path, at));
  const weight = (problems: Problem[]) =>
    problems.reduce(
      (sum, { code }) => sum + (code === 'type' || code === 'const' || code === 'enum' ? 10 : 1),
      0,
    );
  byBranch.sort((one, other) => weight(one) - weight(other));
  return byBranch[0] ?? [{ path, code: 'noBranch' }];
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
