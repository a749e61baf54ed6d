/**
 * What a schema looks like as a field. Everything that has no field of its own is a field for
 * JSON, so that no part of a schema vanishes.
 */

import { isObject, type Json } from './json';
import { names, numberOf, resolved, merged, textOf, type Schema } from './schema';

/** One of a list; `label` is what a person reads. */
export interface Option {
  value: Json;
  label: string;
}

export interface Branch {
  schema: Schema;
  label: string;
}

export interface FieldRule {
  name: string;
  schema: Schema;
  required: boolean;
}

/** How texts are written: in a line, in lines, chosen as a file, picked as a folder. */
export type TextLook = 'line' | 'lines' | 'date' | 'moment' | 'path' | 'file';

export type Shape = (
  | { kind: 'text'; look: TextLook }
  | { kind: 'number'; integer: boolean }
  | { kind: 'boolean' }
  | { kind: 'choice'; options: Option[] }
  | { kind: 'const'; value: Json }
  | { kind: 'object'; fields: FieldRule[]; extra: Schema; open: boolean }
  | { kind: 'array' }
  | { kind: 'union'; branches: Branch[] }
  | { kind: 'json' }
) & { schema: Schema; nullable: boolean };

/** A form in a form in a form: beyond this, JSON. */
const DEEPEST_FORM = 16;

export function shapeOf(given: unknown, root: Schema, name = '', depth = 0): Shape {
  if (!isObject(given)) return { kind: 'json', schema: {}, nullable: false };
  const schema = resolved(given, root);
  if (!schema || depth > DEEPEST_FORM) {
    return { kind: 'json', schema: schema ?? words(given), nullable: false };
  }
  return { ...lookAt(schema, root, name) };
}

/** What can be said about a schema that could not be read. */
function words(schema: Schema): Schema {
  const { title, description } = schema;
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
  };
}

function lookAt(schema: Schema, root: Schema, name: string): Shape {
  const plain = { schema, nullable: false };
  if ('const' in schema) return { ...plain, kind: 'const', value: schema.const as Json };
  if (Array.isArray(schema.enum) && schema.enum.length > 0) {
    const labels = names(schema.enumNames ?? schema['x-enumNames']);
    const options = (schema.enum as Json[]).map((value, index) => ({
      value,
      label: labels[index] ?? spelled(value),
    }));
    return { ...plain, kind: 'choice', options };
  }
  for (const key of ['oneOf', 'anyOf'] as const) {
    if (Array.isArray(schema[key]) && !onlyRestricts(schema, key)) {
      return ofBranches(schema, key, root, name);
    }
  }
  const types = typeof schema.type === 'string' ? [schema.type] : names(schema.type);
  const others = types.filter((type) => type !== 'null');
  if (others.length > 1) {
    const branches = others.map((type) => ({ schema: { ...schema, type }, label: type }));
    return { ...plain, nullable: others.length < types.length, kind: 'union', branches };
  }
  if (others.length === 0 && types.length > 0) return { ...plain, kind: 'const', value: null };
  const one = { ...schema, type: others[0] ?? guessed(schema) };
  return { ...ofOne(one, name), schema, nullable: others.length < types.length };
}

/** The type that a schema means and does not say. */
function guessed(schema: Schema): string | undefined {
  const has = (...keys: string[]) => keys.some((key) => key in schema);
  if (has('properties', 'additionalProperties', 'patternProperties')) return 'object';
  if (has('items', 'prefixItems')) return 'array';
  if (has('minLength', 'maxLength', 'pattern', 'format', 'contentEncoding')) return 'string';
  if (has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf')) {
    return 'number';
  }
  return undefined;
}

function ofOne(schema: Schema, name: string): Shape {
  const plain = { schema, nullable: false };
  switch (schema.type) {
    case 'string':
      return { ...plain, kind: 'text', look: textLook(schema, name) };
    case 'number':
    case 'integer':
      return { ...plain, kind: 'number', integer: schema.type === 'integer' };
    case 'boolean':
      return { ...plain, kind: 'boolean' };
    case 'array':
      return 'items' in schema || 'prefixItems' in schema
        ? { ...plain, kind: 'array' }
        : { ...plain, kind: 'json' };
    case 'object':
      return ofObject(schema);
    default:
      return { ...plain, kind: 'json' };
  }
}

function ofObject(schema: Schema): Shape {
  const plain = { schema, nullable: false };
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = new Set(names(schema.required));
  const known = Object.keys(properties);
  const all = [...known, ...[...required].filter((name) => !Object.hasOwn(properties, name))];
  const extra = schema.additionalProperties;
  const open =
    extra === true ||
    isObject(extra) ||
    (isObject(schema.patternProperties) && Object.keys(schema.patternProperties).length > 0);
  // An object that says nothing about its parts.
  if (all.length === 0 && !open && extra !== false) return { ...plain, kind: 'json' };
  const fields = all.map((name) => {
    const one = Object.hasOwn(properties, name) ? properties[name] : {};
    return { name, schema: isObject(one) ? one : {}, required: required.has(name) };
  });
  return { ...plain, kind: 'object', fields, open, extra: isObject(extra) ? extra : {} };
}

/** `anyOf: [{required: ['a']}, {required: ['b']}]` says what goes together, not what is there. */
function onlyRestricts(schema: Schema, key: 'oneOf' | 'anyOf'): boolean {
  const branches = schema[key] as unknown[];
  return (
    isObject(schema.properties) &&
    branches.every(
      (one) =>
        isObject(one) &&
        Object.keys(one).every((word) =>
          ['required', 'not', 'title', 'description'].includes(word),
        ),
    )
  );
}

function ofBranches(schema: Schema, key: 'oneOf' | 'anyOf', root: Schema, name: string): Shape {
  const { [key]: given, ...base } = schema;
  const plain = { schema, nullable: false };
  const other = key === 'oneOf' ? 'anyOf' : 'oneOf';
  const branches: Schema[] = [];
  for (const one of given as unknown[]) {
    const found = isObject(one) ? resolved(one, root) : undefined;
    if (!found || other in base) return { ...plain, kind: 'json' };
    branches.push(found);
  }
  const consts = branches.filter((one) => 'const' in one);
  if (consts.length === branches.length) {
    const options = consts.map((one) => ({
      value: one.const as Json,
      label: textOf(one, 'title') ?? spelled(one.const as Json),
    }));
    return { ...plain, kind: 'choice', options };
  }
  const solid = branches.filter((one) => one.type !== 'null');
  const nullable = solid.length < branches.length;
  const whole = solid.map((one) => merged(withoutWords(base), one));
  if (whole.some((one) => one === undefined)) return { ...plain, kind: 'json' };
  const [first, ...rest] = whole as Schema[];
  if (first && rest.length === 0) {
    const inner = lookAt({ ...first, ...pickWords(base) }, root, name);
    return { ...inner, nullable: nullable || inner.nullable };
  }
  return {
    ...plain,
    nullable,
    kind: 'union',
    branches: (whole as Schema[]).map((one, index) => ({
      schema: one,
      label: branchLabel(one) ?? `${index + 1}`,
    })),
  };
}

const OWN_WORDS = ['title', 'description', 'default', 'examples', 'example'];

function withoutWords(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !OWN_WORDS.includes(key)));
}

function pickWords(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => OWN_WORDS.includes(key)));
}

/** A branch by its title, by what tells it from the others, or by its type. */
function branchLabel(schema: Schema): string | undefined {
  const title = textOf(schema, 'title');
  if (title) return title;
  if ('const' in schema) return spelled(schema.const as Json);
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  for (const [name, one] of properties) {
    if (isObject(one) && 'const' in one) return `${name}: ${spelled(one.const as Json)}`;
  }
  if (properties.length > 0)
    return properties
      .map(([name]) => name)
      .slice(0, 3)
      .join(', ');
  const format = textOf(schema, 'format');
  if (format) return format;
  const type = typeof schema.type === 'string' ? schema.type : guessed(schema);
  if (type === 'array' && isObject(schema.items) && typeof schema.items.type === 'string') {
    return `${schema.items.type}[]`;
  }
  return type;
}

/** Strings as they are, everything else as JSON. */
export function spelled(value: Json): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

const LONG_FORMATS = ['textarea', 'markdown', 'multiline', 'text', 'code', 'html', 'sql', 'yaml'];
const LONG_NAMES =
  /^(content|contents|text|body|code|script|prompt|message|markdown|html|sql|yaml|template)$/i;
const LONG_WORDS = /multi-?line|markdown|source code|多行|正文|代码|全文/i;

function textLook(schema: Schema, name: string): TextLook {
  const format = textOf(schema, 'format');
  const description = textOf(schema, 'description') ?? '';
  if (schema.contentEncoding === 'base64' || format === 'binary' || format === 'byte')
    return 'file';
  if (format === 'date') return 'date';
  if (format === 'date-time') return 'moment';
  if (format && ['path', 'file', 'directory', 'folder', 'file-path'].includes(format))
    return 'path';
  if (format && LONG_FORMATS.includes(format)) return 'lines';
  if (format) return 'line';
  if (/(path|directory|folder|dir)$/i.test(name)) return 'path';
  if (`${schema.default ?? ''}`.includes('\n')) return 'lines';
  const most = numberOf(schema, 'maxLength');
  if (most !== undefined && most <= 120) return 'line';
  return LONG_NAMES.test(name) || LONG_WORDS.test(description) ? 'lines' : 'line';
}
