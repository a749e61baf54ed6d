import { describe, expect, it } from 'vitest';
import { createForm } from './form';
import { parseJson, same, type Json } from './json';
import { addItem, choose, moveItem, setNull, unset, write } from './edits';
import type { FormNode } from './nodes';
import { parametersSchema, type Schema } from './schema';
import { objectSchema, pick, random, type Random } from './testing';

const form = (properties: Record<string, unknown>, more: Schema = {}) =>
  createForm(parametersSchema({ type: 'object', properties, ...more }));
const field = (of: { root: FormNode }, name: string): FormNode => {
  const found = of.root.fields.find((one) => one.name === name);
  if (!found) throw new Error(`no field ${name}`);
  return found;
};
const codes = (of: ReturnType<typeof form>) =>
  of.problems.value.map(({ path, code }) => `${path.join('.')}: ${code}`);

/** Any JSON at all, now and then with the names that the schema knows. */
function anyJson(next: Random, names: string[], depth = 0): Json {
  const kind = pick(next, depth < 3 ? ['object', 'array', 'value', 'value'] : ['value']);
  if (kind === 'value') return pick<Json>(next, [null, true, 0, -1.5, 'a', '', '5', 'x\ny']);
  const count = Math.floor(next() * 4);
  const parts = Array.from({ length: count }, () => anyJson(next, names, depth + 1));
  if (kind === 'array') return parts;
  return Object.fromEntries(
    parts.map((part) => [pick(next, [...names, 'other', '__proto__']), part]),
  );
}

describe('nothing vanishes', () => {
  it('gives back every object that is written into any form: 300 schemas', () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const next = random(seed);
      const schema = objectSchema(next);
      const made = createForm(parametersSchema(schema));
      const names = Object.keys(schema.properties as object);
      for (let time = 0; time < 3; time += 1) {
        const count = Math.floor(next() * 5);
        const value = Object.fromEntries(
          Array.from({ length: count }, () => [
            pick(next, [...names, 'more', '__proto__']),
            anyJson(next, ['name', ...names]),
          ]),
        );
        made.set(value);
        expect({
          seed,
          same: same(made.json.value, value),
          value,
          got: made.json.value,
        }).toMatchObject({
          same: true,
        });
      }
    }
  });

  it('has a field for JSON where the schema says nothing that a form can show', () => {
    const kinds = (schema: unknown) => field(form({ a: schema }), 'a').shape.kind;
    expect(kinds({})).toBe('json');
    expect(kinds({ type: 'object' })).toBe('json');
    expect(kinds({ $ref: 'https://example.org/x.json' })).toBe('json');
    expect(kinds({ allOf: [{ pattern: 'a' }, { pattern: 'b' }], type: 'string' })).toBe('json');
    expect(kinds({ oneOf: [{ type: 'string' }, true] })).toBe('json');
    expect(kinds(true)).toBe('json');
  });
});

describe('fields', () => {
  it('are unset until touched, and can be unset again', () => {
    const made = form({ a: { type: 'string' }, b: { type: 'integer' }, c: { type: 'boolean' } });
    expect(made.json.value).toEqual({});
    write(field(made, 'a'), 'x');
    write(field(made, 'b'), '7');
    choose(field(made, 'c'), 0);
    expect(made.json.value).toEqual({ a: 'x', b: 7, c: false });
    for (const one of made.root.fields) unset(one);
    expect(made.json.value).toEqual({});
    // An emptied text is a text, an emptied number is none.
    write(field(made, 'a'), '');
    write(field(made, 'b'), '');
    expect(made.json.value).toEqual({ a: '' });
  });

  it('follow local references, also those that refer to themselves', () => {
    const node = {
      type: 'object',
      properties: { name: { type: 'string' }, next: { $ref: '#/$defs/n' } },
    };
    const made = form({ list: { $ref: '#/$defs/n' } }, { $defs: { n: node } });
    made.set({ list: { name: 'a', next: { name: 'b', next: { name: 3 } } } });
    expect(codes(made)).toEqual(['list.next.next.name: type']);
  });

  it('know null from unset', () => {
    const made = form({
      due: { type: ['string', 'null'] },
      size: { anyOf: [{ type: 'number' }, { type: 'null' }] },
    });
    setNull(field(made, 'due'), true);
    setNull(field(made, 'size'), true);
    expect(made.json.value).toEqual({ due: null, size: null });
    setNull(field(made, 'due'), false);
    expect(made.json.value).toEqual({ size: null });
  });

  it('have what was in them when they are not null any more', () => {
    const list = { type: ['array', 'null'], items: { type: 'string' } };
    const map = { type: ['object', 'null'], properties: { x: { type: 'integer' } } };
    const made = form({ list, map, never: list });
    made.set({ list: ['a', 'b'], map: { x: 1, other: true } });
    for (const one of made.root.fields) setNull(one, true);
    expect(made.json.value).toEqual({ list: null, map: null, never: null });
    for (const one of made.root.fields) setNull(one, false);
    expect(made.json.value).toEqual({ list: ['a', 'b'], map: { x: 1, other: true } });
  });

  it('are an empty text in a list or a map, as shown, when they are not null any more', () => {
    const text = { type: ['string', 'null'] };
    const made = form({ list: { type: 'array', items: text } }, { additionalProperties: text });
    made.set({ list: [null], more: null });
    const item = field(made, 'list').items[0];
    const extra = made.root.extras[0]?.node;
    if (!item || !extra) throw new Error('nothing to toggle');
    expect([item.isNull, extra.isNull]).toEqual([true, true]);
    for (const one of [item, extra]) setNull(one, false);
    expect(made.json.value).toEqual({ list: [''], more: '' });
  });

  it('refuse whole numbers that would be sent as others', () => {
    const made = form({ id: { type: 'integer' }, any: {}, n: { type: 'number' } });
    write(field(made, 'id'), '9007199254740993');
    write(field(made, 'any'), '{"id": 9007199254740993}');
    write(field(made, 'n'), '100000000000000000000');
    expect(codes(made)).toEqual(['id: unsafe', 'any: unsafe']);
    // Never the rounded number, and back from the JSON beside the form as it was typed.
    expect(made.json.value).toEqual({ id: '9007199254740993', n: 1e20 });
    made.set({ id: '9007199254740993' });
    expect(field(made, 'id').text).toBe('9007199254740993');
    write(field(made, 'id'), '9007199254740991');
    write(field(made, 'any'), '');
    expect(codes(made)).toEqual([]);
  });

  it('move with what was written into them', () => {
    const made = form({ list: { type: 'array', items: { type: 'integer', minimum: 5 } } });
    for (const text of ['1', '8', 'x']) {
      const item = addItem(field(made, 'list'));
      if (item) write(item, text);
    }
    expect(codes(made)).toEqual(['list.0: minimum', 'list.2: type']);
    expect(moveItem(field(made, 'list'), 2, -1)).toBe(true);
    expect(moveItem(field(made, 'list'), 0, -1)).toBe(false);
    expect(made.json.value).toEqual({ list: [1, 'x', 8] });
    expect(codes(made)).toEqual(['list.0: minimum', 'list.1: type']);
  });

  it('tell what is wrong in the branch that was chosen', () => {
    const branch = (kind: string, name: string) => ({
      type: 'object',
      properties: { kind: { const: kind }, [name]: { type: 'string', minLength: 2 } },
      required: ['kind', name],
    });
    const made = form({ from: { oneOf: [branch('file', 'path'), branch('text', 'text')] } });
    made.set({ from: { kind: 'text', text: 'x' } });
    expect(codes(made)).toEqual(['from.text: minLength']);
  });
});

describe('parametersSchema', () => {
  it('reads what tools write', () => {
    expect(parametersSchema(null)).toEqual({ type: 'object' });
    expect(parametersSchema({ path: { type: 'string', required: true } })).toMatchObject({
      type: 'object',
      required: ['path'],
    });
    expect(parametersSchema({ properties: {}, required: true })).not.toHaveProperty('required');
  });

  it('does not hold a pattern against a value that may take for ever', () => {
    const made = form({
      a: { type: 'string', pattern: '^(a+)+$' },
      b: { type: 'string', pattern: '(' },
    });
    made.set({ a: `${'a'.repeat(40)}!`, b: 'x' });
    expect(codes(made)).toEqual([]);
  });
});

describe('parseJson', () => {
  it.each([
    ['{"a": 1,}', 1, 9],
    ['{\n  "a": tru\n}', 2, 8],
    ['[1, 2', 1, 6],
    ['{"a" 1}', 1, 6],
  ])('tells where %j ends to be JSON', (text, line, column) => {
    expect(parseJson(text)).toMatchObject({ ok: false, code: 'syntax', line, column });
  });

  it.each([
    ['{\n  "id": 9007199254740993\n}', 2, 9],
    ['[1, -12345678901234567890]', 1, 5],
    ['["9007199254740993 \\"", 9007199254740993.0]', 1, 25],
    ['100000000000000000000001', 1, 1],
  ])('tells where %j has a number that would be another one', (text, line, column) => {
    expect(parseJson(text)).toMatchObject({ ok: false, code: 'unsafe', line, column });
  });

  it('takes every number that JavaScript writes, and digits in texts', () => {
    const whole = [9007199254740991, 2 ** 53 + 2, 1e20, 1.2345678901234567e20, 2 ** 70, 1e300];
    const value = [...whole, -(2 ** 64), 0.1234567890123456, '12345678901234567890', '\\"1'];
    expect(parseJson(JSON.stringify(value))).toEqual({ ok: true, value });
    expect(parseJson('[1000000000000000000000, 12345678901234567.25]').ok).toBe(true);
  });
});
