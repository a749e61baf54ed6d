// @vitest-environment happy-dom
/**
 * Generated schemas through the real form: a seeded person types, clicks and chooses; the JSON must
 * be what was entered, and the errors must be where ajv, an independent validator, has them.
 */
import { mount } from '@vue/test-utils';
import Ajv2020, { type ErrorObject } from 'ajv/dist/2020';
import formats from 'ajv-formats';
import { nextTick } from 'vue';
import { afterEach, describe, expect, it } from 'vitest';
import { i18n } from '@/shared/i18n';
import { createForm, fieldId, type Form } from './form';
import { parametersSchema, type Schema } from './schema';
import SchemaForm from './SchemaForm.vue';
import { objectSchema, Person, random } from './testing';

const ajv = new Ajv2020({ allErrors: true, strict: false });
formats(ajv);

/** Filled in three times each, by different persons. */
const TIMES = 3;
const seen = { valid: 0, invalid: 0 };
let unmount = () => {};
afterEach(() => unmount());

function show(schema: Schema) {
  const form = createForm(parametersSchema(schema));
  const page = mount(SchemaForm, {
    props: { form },
    global: { plugins: [i18n] },
    attachTo: document.body,
  });
  unmount = () => page.unmount();
  return { form, page };
}

function pathOf({ instancePath, keyword, params }: ErrorObject): string {
  if (keyword === 'required') return `${instancePath}/${params.missingProperty}`;
  if (keyword === 'additionalProperties') return `${instancePath}/${params.additionalProperty}`;
  return instancePath;
}

const unique = (list: string[]) => [...new Set(list)].sort();
const formPaths = (form: Form) =>
  unique(form.problems.value.map(({ path }) => path.map((step) => `/${step}`).join('')));

async function compare(schema: Schema, seed: number) {
  const { form, page } = show(schema);
  const expected = await new Person(page, form, random(seed)).fillIn();
  expect(form.json.value).toEqual(expected);

  const fits = ajv.compile(schema);
  const valid = fits(expected);
  const errors = fits.errors ?? [];
  const ours = formPaths(form);
  expect({ valid: ours.length === 0, ours, errors }).toMatchObject({ valid });
  seen[valid ? 'valid' : 'invalid'] += 1;
  // Of `oneOf` ajv tells what is wrong in every branch, the form what is wrong in the chosen one.
  const theirs = unique(errors.map(pathOf));
  if (!errors.some(({ keyword }) => keyword === 'oneOf' || keyword === 'anyOf')) {
    expect(ours).toEqual(theirs);
  } else expect(ours.filter((path) => !theirs.includes(path))).toEqual([]);

  // Only of fields that were left is told what is wrong; once sent, every problem stands at its own.
  const left = new Set(form.problems.value.map(({ node }) => node).filter((node) => node.touched));
  expect(page.findAll('.wrong')).toHaveLength(left.size);
  form.submitted.value = true;
  await nextTick();
  for (const { node, exact } of form.problems.value) {
    expect(exact).toBe(true);
    expect(document.getElementById(`${fieldId(node)}-wrong`)?.textContent).toBeTruthy();
  }
  expect(page.findAll('.summary li')).toHaveLength(Math.min(6, form.problems.value.length));
  unmount();
}

for (const [title, from] of [
  ['40 generated schemas through the form', 1],
  ['40 more', 41],
  ['and 40 more', 81],
] as const) {
  describe(title, () => {
    const seeds = Array.from({ length: 40 }, (_, index) => from + index);
    it.each(seeds)('schema %i: right JSON out, right errors', async (seed) => {
      const schema = objectSchema(random(seed));
      for (let time = 0; time < TIMES; time += 1) await compare(schema, seed * 1000 + time);
    });
  });
}

it('has seen many values of both kinds', () => {
  expect(seen.valid).toBeGreaterThan(60);
  expect(seen.invalid).toBeGreaterThan(60);
});
