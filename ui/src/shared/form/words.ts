/** What a form says: names of fields, what is wrong, what would be there without a value. */

import type { Located } from './form';
import type { FormNode } from './nodes';
import { spelled } from './shape';
import { defaultOf, textOf } from './schema';
import type { Json } from './json';

type Translate = (key: string, args?: Record<string, unknown>) => string;

export function labelOf(node: FormNode): string {
  return textOf(node.shape.schema, 'title') ?? node.name;
}

/** `default: 5`, `e.g. notes.md`, or nothing. */
export function placeholderOf(node: FormNode, t: Translate): string {
  const { schema } = node.shape;
  const given = defaultOf(schema);
  if (given !== undefined) return t('form.default', { value: cut(given) });
  const examples = Array.isArray(schema.examples) ? (schema.examples as Json[]) : [];
  const example = (schema.example as Json | undefined) ?? examples[0];
  return example === undefined || example === null
    ? ''
    : t('form.example', { value: cut(example) });
}

function cut(value: Json): string {
  const text = spelled(value).replace(/\s+/g, ' ');
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** `items[2].name`, as the toolbox writes it. */
export function pathText(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, step) =>
      typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`,
    '',
  );
}

export function problemText(problem: Located, t: Translate): string {
  const { node, code, args = {} } = problem;
  // An empty place in a list is `null` to a schema and "missing" to a person.
  const missing = code === 'type' && problem.exact && !node.set;
  const said = t(`form.problem.${missing ? 'required' : code}`, args);
  if (problem.exact) return said;
  return t('form.problem.inside', { path: pathText(problem.path), problem: said });
}
