/**
 * A form's state: a tree of nodes, one a field. A node holds what a person has written, fitting or
 * not; {@link toJson} says what that means, {@link setJson} writes a value into it. Whatever value
 * is written comes out again: what does not fit a field stays there as a misfit.
 *
 * Nodes are made plain and become reactive at the root (form.ts). Deliberately not here: what is
 * wrong with a value (validate.ts).
 */

import { isObject, isUnsafe, parseJson, pretty, same, typeOf, type Json } from './json';
import { defaultOf, type Schema } from './schema';
import { shapeOf, type Shape } from './shape';
import { tuple, validateInside, type Path } from './validate';

export interface Extra {
  id: number;
  name: string;
  node: FormNode;
}

export interface FormNode {
  id: number;
  shape: Shape;
  /** Its own name in the object, or its number in the list. */
  name: string;
  required: boolean;
  /** It is there because its place is: an item, an extra name. */
  placed: boolean;
  /** Optional fields are not there until somebody touches them. */
  set: boolean;
  isNull: boolean;
  touched: boolean;
  /** A value that this kind of field cannot hold. */
  misfit: { text: string } | undefined;
  /** Of texts, numbers and JSON. */
  text: string;
  /** Chosen option or branch; -1 when none is. Of booleans 1 is true. */
  chosen: number;
  /** Fields of an object that were made, in the schema's order. */
  fields: FormNode[];
  extras: Extra[];
  /** Items of a list; branches of a union that were looked at. */
  items: FormNode[];
  depth: number;
  root: Schema;
}

let last = 0;

interface Making {
  root: Schema;
  required: boolean;
  name?: string;
  depth?: number;
}

export function makeNode(
  schema: unknown,
  { root, required, name = '', depth = 0 }: Making,
): FormNode {
  last += 1;
  const node: FormNode = {
    id: last,
    shape: shapeOf(schema, root, name, depth),
    name,
    required,
    placed: false,
    set: false,
    isNull: false,
    touched: false,
    misfit: undefined,
    text: '',
    chosen: -1,
    fields: [],
    extras: [],
    items: [],
    depth,
    root,
  };
  if (required) start(node);
  return node;
}

/** A required field starts with what can be known: its default, the only choice, no items. */
function start(node: FormNode): void {
  const given = defaultOf(node.shape.schema);
  if (given !== undefined) setJson(node, given);
  else if (isGroup(node) || onlyOne(node)) activate(node);
}

/** Fields that are there before anything is written into them. */
export function isGroup({ shape }: FormNode): boolean {
  return shape.kind === 'object' || shape.kind === 'array' || shape.kind === 'union';
}

function onlyOne({ shape }: FormNode): boolean {
  return shape.kind === 'const' || (shape.kind === 'choice' && shape.options.length === 1);
}

/** Makes a field that is not there be there: with its default, or as empty as it can be. */
export function activate(node: FormNode): void {
  const { shape } = node;
  const given = defaultOf(shape.schema);
  if (given !== undefined && !node.set) return setJson(node, given);
  node.set = true;
  node.isNull = false;
  node.misfit = undefined;
  if (shape.kind === 'object') makeFields(node);
  else if (shape.kind === 'union') chooseBranch(node, Math.max(0, node.chosen));
  else if (shape.kind === 'choice' && shape.options.length === 1) node.chosen = 0;
}

/** The field is not there any more. */
export function unset(node: FormNode): void {
  setJson(node, undefined);
}

function makeFields(node: FormNode): void {
  if (node.shape.kind !== 'object' || node.fields.length > 0) return;
  node.fields = node.shape.fields.map(({ name, schema, required }) =>
    makeNode(schema, { root: node.root, required, name, depth: node.depth + 1 }),
  );
}

export function makeItem(node: FormNode, index: number): FormNode {
  const [first, rest] = tuple(node.shape.schema);
  const schema = index < first.length ? first[index] : rest;
  return child(node, schema, `${index + 1}`);
}

export function makeExtra(node: FormNode, name: string): Extra {
  const schema = node.shape.kind === 'object' ? node.shape.extra : {};
  const inner = child(node, schema, name);
  last += 1;
  return { id: last, name, node: inner };
}

/** A part that is there because its place is: an item, an extra name. */
function child(node: FormNode, schema: unknown, name: string): FormNode {
  const made = makeNode(schema, { root: node.root, required: true, name, depth: node.depth + 1 });
  made.placed = true;
  // An item is there as soon as it was added; its text may be empty.
  if (made.shape.kind === 'text') made.set = true;
  return made;
}

/** Changes the branch; what was written into others is kept for coming back. */
export function chooseBranch(node: FormNode, index: number): void {
  if (node.shape.kind !== 'union') return;
  while (node.items.length < node.shape.branches.length) {
    const { schema } = node.shape.branches[node.items.length] ?? { schema: {} };
    node.items.push(
      makeNode(schema, { root: node.root, required: true, name: node.name, depth: node.depth + 1 }),
    );
  }
  node.chosen = index;
  node.set = true;
  node.isNull = false;
  node.misfit = undefined;
}

/** What the field means; `undefined` when it is not there. */
export function toJson(node: FormNode): Json | undefined {
  if (!node.set) return undefined;
  if (node.isNull) return null;
  if (node.misfit) return meaning(node.misfit.text);
  const { shape } = node;
  switch (shape.kind) {
    case 'text':
      return node.text;
    case 'number':
      return numberFrom(node.text);
    case 'boolean':
      return node.chosen === -1 ? undefined : node.chosen === 1;
    case 'choice':
      return shape.options[node.chosen]?.value;
    case 'const':
      return shape.value;
    case 'json':
      return meaning(node.text);
    case 'union':
      return node.items[node.chosen] && toJson(node.items[node.chosen] as FormNode);
    case 'array':
      return node.items.map((item) => toJson(item) ?? null);
    case 'object':
      return Object.fromEntries(
        [...entries(node)].filter(([, value]) => value !== undefined),
      ) as Json;
  }
}

function* entries(node: FormNode): Generator<[string, Json | undefined]> {
  for (const field of node.fields) yield [field.name, toJson(field)];
  for (const { name, node: inner } of node.extras) yield [name, toJson(inner) ?? null];
}

function meaning(text: string): Json | undefined {
  if (text.trim() === '') return undefined;
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : undefined;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** A text that is no number stays a text, which is then refused; so does one that would change. */
function numberFrom(text: string): Json | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const value = NUMBER.test(trimmed) && !isUnsafe(trimmed) ? Number(trimmed) : NaN;
  return Number.isFinite(value) ? value : text;
}

/** Writes a value into the field; `undefined` takes the field away. */
export function setJson(node: FormNode, value: Json | undefined): void {
  if (same(toJson(node), value) && value !== undefined) return;
  node.set = value !== undefined;
  node.isNull = false;
  node.misfit = undefined;
  if (value === undefined) clear(node);
  else if (value === null && node.shape.nullable) node.isNull = true;
  else if (!hold(node, value)) node.misfit = { text: pretty(value) };
}

function clear(node: FormNode): void {
  Object.assign(node, { text: '', chosen: -1, fields: [], extras: [], items: [] });
}

/** Whether this kind of field could take the value. */
function hold(node: FormNode, value: Json): boolean {
  const { shape } = node;
  switch (shape.kind) {
    case 'text':
      if (typeof value === 'string') node.text = value;
      return typeof value === 'string';
    case 'number':
      return holdNumber(node, value);
    case 'boolean':
      if (typeof value === 'boolean') node.chosen = value ? 1 : 0;
      return typeof value === 'boolean';
    case 'choice':
      node.chosen = shape.options.findIndex((option) => same(option.value, value));
      return node.chosen !== -1;
    case 'const':
      return same(shape.value, value);
    case 'json':
      node.text = pretty(value);
      return true;
    case 'array':
      return Array.isArray(value) && holdList(node, value);
    case 'object':
      return isObject(value) && holdObject(node, value);
    case 'union':
      return holdBranch(node, value);
  }
}

function holdNumber(node: FormNode, value: Json): boolean {
  if (typeof value === 'number') node.text = String(value);
  // What a person typed in vain comes back from the JSON beside the form as it was.
  else if (typeof value === 'string' && numberFrom(value) === value) node.text = value;
  else return false;
  return true;
}

function holdList(node: FormNode, value: Json[]): boolean {
  node.items = value.map((one, index) => {
    const item = node.items[index] ?? makeItem(node, index);
    // An item that is not filled in is null in JSON.
    if (!(one === null && toJson(item) === undefined)) setJson(item, one);
    return item;
  });
  return true;
}

function holdObject(node: FormNode, value: Record<string, Json>): boolean {
  makeFields(node);
  const known = new Set(node.fields.map(({ name }) => name));
  for (const field of node.fields) {
    setJson(field, Object.hasOwn(value, field.name) ? value[field.name] : undefined);
  }
  const had = new Map(node.extras.map((extra) => [extra.name, extra]));
  node.extras = Object.keys(value)
    .filter((name) => !known.has(name))
    .map((name) => {
      const extra = had.get(name) ?? makeExtra(node, name);
      const one = value[name] as Json;
      if (!(one === null && toJson(extra.node) === undefined)) setJson(extra.node, one);
      return extra;
    });
  return true;
}

/** The branch that takes the value; the one that is chosen comes first. */
function holdBranch(node: FormNode, value: Json): boolean {
  if (node.shape.kind !== 'union') return false;
  const wrong = node.shape.branches.map(({ schema }) => {
    const problems = validateInside(node.root, schema, value);
    return (
      problems.length +
      (problems.some(({ path, code }) => path.length === 0 && code === 'type') ? 1000 : 0)
    );
  });
  const best = wrong.indexOf(Math.min(...wrong));
  const keep = node.chosen !== -1 && wrong[node.chosen] === wrong[best];
  chooseBranch(node, keep ? node.chosen : best);
  const branch = node.items[node.chosen];
  if (!branch) return false;
  setJson(branch, value);
  return true;
}

/** The node at a path, or the last one on the way there; `exact` tells which. */
export function nodeAt(root: FormNode, path: Path): { node: FormNode; exact: boolean } {
  let node = through(root);
  for (const step of path) {
    const next =
      node.misfit || node.isNull
        ? undefined
        : node.shape.kind === 'array'
          ? node.items[Number(step)]
          : (node.fields.find(({ name }) => name === step) ??
            node.extras.find(({ name }) => name === step)?.node);
    if (!next) return { node, exact: false };
    node = through(next);
  }
  return { node, exact: true };
}

/** A union is its branch, but for what is wrong with the choice itself. */
function through(node: FormNode): FormNode {
  const branch = node.shape.kind === 'union' && !node.misfit && !node.isNull && node.set;
  const chosen = branch ? node.items[node.chosen] : undefined;
  return chosen ? through(chosen) : node;
}

/** The union that stands at a path, with the branch that is chosen in it. */
export function branchAt(root: FormNode, path: Path): Schema | undefined {
  let node = root;
  for (const step of path) {
    node = through(node);
    const next =
      node.shape.kind === 'array'
        ? node.items[Number(step)]
        : (node.fields.find(({ name }) => name === step) ??
          node.extras.find(({ name }) => name === step)?.node);
    if (!next) return undefined;
    node = next;
  }
  return node.shape.kind === 'union' ? node.shape.branches[node.chosen]?.schema : undefined;
}

/** Every node that is there, with its path. */
export function* walk(node: FormNode, path: Path = []): Generator<[FormNode, Path]> {
  yield [node, path];
  if (!node.set || node.isNull || node.misfit) return;
  if (node.shape.kind === 'union') {
    const branch = node.items[node.chosen];
    if (branch) yield* walk(branch, path);
    return;
  }
  for (const field of node.fields) yield* walk(field, [...path, field.name]);
  for (const extra of node.extras) yield* walk(extra.node, [...path, extra.name]);
  for (const [index, item] of node.items.entries()) yield* walk(item, [...path, index]);
}

/** The kind of the value that a misfit holds, for telling what is wrong. */
export function kindOf(node: FormNode): string {
  const value = toJson(node);
  return value === undefined ? 'undefined' : typeOf(value);
}
