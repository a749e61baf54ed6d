/**
 * For tests: schemas and values by a seeded generator, and a person who fills the form in through
 * what is on the page.
 */

import type { VueWrapper } from '@vue/test-utils';
import { nextTick } from 'vue';
import { fieldId, type Form } from './form';
import type { Json } from './json';
import type { FormNode } from './nodes';
import { isObject } from './json';
import type { Schema } from './schema';

export type Random = () => number;

/** mulberry32: the same numbers for the same seed, everywhere. */
export function random(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function pick<T>(next: Random, list: readonly T[]): T {
  return list[Math.floor(next() * list.length)] as T;
}

const whole = (next: Random, from: number, to: number) =>
  from + Math.floor(next() * (to - from + 1));

const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'note', 'query', 'limit', 'target', 'mode'];

/** An object's schema with every kind of field that the issue names. */
export function objectSchema(next: Random, depth = 0): Schema {
  const count = whole(next, depth === 0 ? 2 : 1, depth === 0 ? 6 : 3);
  const properties: Record<string, Schema> = {};
  for (let index = 0; index < count; index += 1) {
    properties[`${pick(next, WORDS)}${index}`] = anySchema(next, depth);
  }
  const required = Object.keys(properties).filter(() => next() < 0.45);
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    ...(next() < 0.3 && { additionalProperties: false }),
  };
}

function anySchema(next: Random, depth: number): Schema {
  const kinds = ['text', 'number', 'integer', 'boolean', 'enum', 'format', 'nullable'];
  if (depth < 3) kinds.push('object', 'array', 'array', 'union', 'map');
  switch (pick(next, kinds)) {
    case 'number':
      return numberSchema(next, 'number');
    case 'integer':
      return numberSchema(next, 'integer');
    case 'boolean':
      return { type: 'boolean', ...(next() < 0.3 && { default: next() < 0.5 }) };
    case 'enum':
      return enumSchema(next);
    case 'format':
      return { type: 'string', format: pick(next, ['date', 'date-time', 'uri', 'email']) };
    case 'nullable':
      return { ...numberSchema(next, 'integer'), type: ['integer', 'null'] };
    case 'object':
      return objectSchema(next, depth + 1);
    case 'array':
      return arraySchema(next, depth + 1);
    case 'union':
      return unionSchema(next, depth + 1);
    case 'map':
      return { type: 'object', additionalProperties: textSchema(next) };
    default:
      return textSchema(next);
  }
}

function textSchema(next: Random): Schema {
  const minLength = next() < 0.4 ? whole(next, 1, 4) : undefined;
  return {
    type: 'string',
    ...(minLength !== undefined && { minLength }),
    ...(next() < 0.4 && { maxLength: (minLength ?? 0) + whole(next, 3, 8) }),
    ...(next() < 0.2 && { pattern: '^[a-z]+$' }),
    ...(next() < 0.2 && { default: 'preset' }),
    ...(next() < 0.2 && { description: 'Several lines, Markdown.' }),
  };
}

function numberSchema(next: Random, type: 'number' | 'integer'): Schema {
  const low = whole(next, -20, 20);
  return {
    type,
    ...(next() < 0.5 && { [pick(next, ['minimum', 'exclusiveMinimum'])]: low }),
    ...(next() < 0.5 && {
      [pick(next, ['maximum', 'exclusiveMaximum'])]: low + whole(next, 5, 40),
    }),
    ...(next() < 0.2 && { multipleOf: pick(next, type === 'integer' ? [2, 5] : [0.5, 0.1]) }),
    ...(next() < 0.2 && { default: low + 1 }),
  };
}

function enumSchema(next: Random): Schema {
  const all: Json[] = pick(next, [
    ['red', 'green', 'blue', 'black', 'white'],
    ['low', 'high'],
    [1, 2, 3, 5, 8],
    ['auto', 1, null, true],
  ]);
  return { enum: all, ...(next() < 0.3 && { default: all[0] }) };
}

function arraySchema(next: Random, depth: number): Schema {
  const minItems = next() < 0.4 ? whole(next, 1, 2) : undefined;
  return {
    type: 'array',
    items: anySchema(next, depth),
    ...(minItems !== undefined && { minItems }),
    ...(next() < 0.4 && { maxItems: (minItems ?? 0) + whole(next, 1, 2) }),
    ...(next() < 0.2 && { uniqueItems: true }),
  };
}

function unionSchema(next: Random, depth: number): Schema {
  const branch = (kind: string): Schema => {
    const inner = objectSchema(next, depth + 1);
    return {
      ...inner,
      properties: { kind: { const: kind }, ...(inner.properties as object) },
      required: ['kind', ...((inner.required as string[] | undefined) ?? [])],
    };
  };
  if (next() < 0.5) return { oneOf: [branch('a'), branch('b')] };
  return { anyOf: [numberSchema(next, 'number'), { type: 'boolean' }] };
}

/** A text for one kind of text field; one in four does not fit. */
function textFor(next: Random, schema: Schema): string {
  const bad = next() < 0.25;
  switch (schema.format) {
    case 'date':
      return pick(next, ['2026-02-28', '2024-02-29', '1999-12-31']);
    case 'date-time':
      return bad ? '2026-13-01T00:00:00Z' : '2026-01-31T09:30:00Z';
    case 'uri':
      return bad ? 'no address' : 'https://example.org/a?b=1';
    case 'email':
      return bad ? 'nobody' : 'a.b@example.org';
  }
  const least = (schema.minLength as number | undefined) ?? 0;
  const most = (schema.maxLength as number | undefined) ?? least + 6;
  if (!bad) return 'abcdefghijklmnop'.slice(0, whole(next, Math.max(1, least), most));
  return pick(next, ['x'.repeat(most + 2), 'x'.repeat(Math.max(1, least - 1)), 'Ä ö']);
}

function numberFor(next: Random, schema: Schema): string {
  if (next() < 0.1) return pick(next, ['abc', '1,5', '12px']);
  const low = Number(schema.minimum ?? schema.exclusiveMinimum ?? -10);
  const value = low + whole(next, -3, 30);
  return String(next() < 0.15 ? value + 0.25 : value);
}

/** Fills a mounted form in and answers with the JSON that should come out. */
export class Person {
  constructor(
    private readonly page: VueWrapper,
    private readonly form: Form,
    private readonly next: Random,
  ) {}

  async fillIn(): Promise<Json> {
    return (await this.object(this.form.root)) as Json;
  }

  private element(node: FormNode, suffix = ''): HTMLElement {
    const found = this.page.element.ownerDocument.getElementById(fieldId(node) + suffix);
    if (!found) throw new Error(`the page has no field ${node.name}${suffix}`);
    return found;
  }

  private async click(element: Element | null | undefined): Promise<void> {
    if (!(element instanceof HTMLElement)) throw new Error('nothing to click');
    element.click();
    await nextTick();
  }

  private async type(element: HTMLElement, text: string): Promise<void> {
    (element as HTMLInputElement).value = text;
    element.dispatchEvent(new Event('input', { bubbles: true }));
    await nextTick();
  }

  private async object(node: FormNode): Promise<Json> {
    const result: Record<string, Json> = {};
    for (const field of [...node.fields]) {
      const value = await this.field(field);
      if (value !== undefined) result[field.name] = value;
    }
    if (node.shape.kind === 'object' && node.shape.open) {
      const element = this.page.element.ownerDocument.getElementById(fieldId(node));
      for (const name of ['k1', 'k2'].slice(0, whole(this.next, 0, 2))) {
        await this.click([...(element?.children ?? [])].findLast((one) => one.matches('button')));
        const extra = node.extras.at(-1);
        if (!extra) throw new Error('no entry was added');
        await this.type(this.element(extra.node, '-key'), name);
        result[name] = (await this.field(extra.node, true)) ?? null;
      }
    }
    return result;
  }

  /** One field: left alone, filled in, or made null; what should then be in the JSON. */
  private async field(node: FormNode, placed = false): Promise<Json | undefined> {
    const leave = this.next() < (placed ? 0 : node.required ? 0.15 : 0.4);
    if (leave) return untouched(node);
    if (node.shape.nullable && this.next() < 0.3) {
      await this.click(this.element(node, '-shell').querySelector('button.null'));
      return null;
    }
    return this.value(node);
  }

  private async value(node: FormNode): Promise<Json | undefined> {
    const { shape } = node;
    switch (shape.kind) {
      case 'text': {
        const text = textFor(this.next, shape.schema);
        await this.type(this.element(node), text);
        return text;
      }
      case 'number': {
        const text = numberFor(this.next, shape.schema);
        await this.type(this.element(node), text);
        return Number.isNaN(Number(text)) ? text : Number(text);
      }
      case 'boolean': {
        const on = this.next() < 0.5;
        await this.click(this.element(node).querySelector(`input[value="${on ? 1 : 0}"]`));
        return on;
      }
      case 'choice':
        return this.choice(
          node,
          shape.options.map(({ value }) => value),
        );
      case 'const':
        return shape.value;
      case 'array':
        return this.list(node);
      case 'union':
        return this.branch(node, shape.branches.length);
      case 'object':
        if (!node.set) await this.click(this.element(node));
        return this.object(node);
      case 'json':
        throw new Error('the generator makes no field for JSON');
    }
  }

  private async choice(node: FormNode, values: Json[]): Promise<Json | undefined> {
    const index = whole(this.next, 0, values.length - 1);
    await this.select(this.element(node), index);
    return values[index];
  }

  private async select(element: HTMLElement, index: number): Promise<void> {
    if (element instanceof HTMLSelectElement) {
      element.value = String(index);
      element.dispatchEvent(new Event('change', { bubbles: true }));
      await nextTick();
    } else {
      await this.click(element.querySelector(`input[value="${index}"]`));
    }
  }

  private async list(node: FormNode): Promise<Json> {
    const result: Json[] = [];
    for (let count = whole(this.next, 1, 3); count > 0; count -= 1) {
      const add = this.element(node, '-add') as HTMLButtonElement;
      if (add.disabled) break;
      await this.click(add);
      const item = node.items.at(-1);
      if (!item) throw new Error('no item was added');
      result.push((await this.field(item, true)) ?? null);
    }
    return result;
  }

  private async branch(node: FormNode, count: number): Promise<Json | undefined> {
    await this.select(this.element(node), whole(this.next, 0, count - 1));
    const branch = node.items[node.chosen];
    if (!branch) throw new Error('no branch was chosen');
    return this.value(branch);
  }
}

/** What a field means that nobody has touched: only required ones mean anything. */
function untouched(node: FormNode): Json | undefined {
  if (!node.required) return undefined;
  return started(node.shape.schema, node);
}

function started(schema: Schema, node: FormNode): Json | undefined {
  if (schema.default !== undefined) return schema.default as Json;
  if (node.shape.kind === 'const') return node.shape.value;
  if (node.shape.kind === 'array') return [];
  if (node.shape.kind === 'object') return startedObject(schema);
  if (node.shape.kind === 'union') return startedUnion(schema);
  return undefined;
}

/** By the schema alone, so that the form is not its own witness. */
function startedObject(schema: Schema): Json {
  const result: Record<string, Json> = {};
  for (const name of (schema.required as string[] | undefined) ?? []) {
    const one = (schema.properties as Record<string, Schema>)[name];
    const value = one && startedValue(one);
    if (value !== undefined) result[name] = value;
  }
  return result;
}

function startedValue(schema: Schema): Json | undefined {
  if (schema.default !== undefined) return schema.default as Json;
  if ('const' in schema) return schema.const as Json;
  if (schema.type === 'array') return [];
  if (schema.type === 'object') return startedObject(schema);
  return startedUnion(schema);
}

function startedUnion(schema: Schema): Json | undefined {
  const branches = (schema.oneOf ?? schema.anyOf) as Schema[] | undefined;
  return isObject(branches?.[0]) ? startedValue(branches[0]) : undefined;
}
