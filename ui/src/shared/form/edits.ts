/** What a person does to a field. Components change nodes through these alone. */

import { activate, makeExtra, makeItem, unset, type FormNode } from './nodes';
import { numberOf } from './schema';

/** Fields in which an empty text is a text: `replace with ""` is a wish, an empty date is none. */
export function keepsEmpty({ shape }: FormNode): boolean {
  return (
    shape.kind === 'text' &&
    (shape.look === 'line' || shape.look === 'lines') &&
    !('format' in shape.schema && shape.schema.format !== 'textarea') &&
    (numberOf(shape.schema, 'minLength') ?? 0) === 0
  );
}

export function write(node: FormNode, text: string): void {
  node.text = text;
  node.isNull = false;
  node.misfit = undefined;
  node.set = text !== '' || keepsEmpty(node);
}

/** A misfit is edited as JSON. */
export function writeMisfit(node: FormNode, text: string): void {
  node.misfit = { text };
}

export function choose(node: FormNode, index: number): void {
  node.chosen = index;
  node.isNull = false;
  node.misfit = undefined;
  node.set = index !== -1;
}

export function setNull(node: FormNode, on: boolean): void {
  if (on) Object.assign(node, { set: true, isNull: true, misfit: undefined });
  else if (node.required || isWritten(node)) activate(node);
  else unset(node);
  // The text of an item may be empty; without it the item would still be null.
  if (!on && node.shape.kind === 'text') node.set = node.text !== '' || node.placed;
}

/** Whether the field holds something that `null` only hides. */
function isWritten({ text, chosen, fields, extras, items }: FormNode): boolean {
  return text !== '' || chosen !== -1 || [fields, extras, items].some(({ length }) => length > 0);
}

export function touch(node: FormNode): void {
  node.touched = true;
}

/** Adds an empty item at the end and returns it. */
export function addItem(node: FormNode): FormNode | undefined {
  if (!node.set) activate(node);
  node.items.push(makeItem(node, node.items.length));
  return node.items.at(-1);
}

export function removeItem(node: FormNode, index: number): void {
  node.items.splice(index, 1);
}

/** Moves an item by `step` places; whether it moved. */
export function moveItem(node: FormNode, index: number, step: number): boolean {
  const to = index + step;
  const [item] = to < 0 || to >= node.items.length ? [] : node.items.splice(index, 1);
  if (item) node.items.splice(to, 0, item);
  return item !== undefined;
}

export function addExtra(node: FormNode): FormNode | undefined {
  if (!node.set) activate(node);
  node.extras.push(makeExtra(node, ''));
  return node.extras.at(-1)?.node;
}

export function renameExtra(node: FormNode, id: number, name: string): void {
  const extra = node.extras.find((one) => one.id === id);
  if (!extra) return;
  extra.name = name;
  extra.node.name = name;
}

export function removeExtra(node: FormNode, id: number): void {
  node.extras = node.extras.filter((one) => one.id !== id);
}

export { activate, chooseBranch, unset } from './nodes';
