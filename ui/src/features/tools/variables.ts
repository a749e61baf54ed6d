/**
 * A variable of a tool as a field: which control, what it shows, what saving it means. The owner
 * checks every value again; what is checked here only saves a way that cannot succeed.
 */

import type { VariableRow } from '@/generated/calls';

export type Control = 'text' | 'number' | 'boolean' | 'choice' | 'secret' | 'lines';

/** Longer than this does not fit into one line of a field. */
const LONG = 100;
const NAME = /^[A-Z_][A-Z0-9_]*$/;
const SECRET_NAME = /(KEY|TOKEN|SECRET|PASSWORD)$/;

export function controlOf(row: Pick<VariableRow, 'schema' | 'secret' | 'value'>): Control {
  const { type, format } = row.schema;
  if (row.secret) return 'secret';
  if (choicesOf(row) !== undefined) return 'choice';
  if (type === 'boolean' && ['', 'true', 'false'].includes(row.value)) return 'boolean';
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'array' || type === 'object' || format === 'textarea') return 'lines';
  return row.value.includes('\n') || row.value.length > LONG ? 'lines' : 'text';
}

/** The values of an enumeration, as the text they are stored as. */
export function choicesOf(row: Pick<VariableRow, 'schema'>): string[] | undefined {
  const { enum: values } = row.schema;
  if (!Array.isArray(values) || values.length === 0) return undefined;
  return values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
}

/** What the field holds while nobody has typed: a secret is never here before it is asked for. */
export function shownValue(row: VariableRow): string {
  return row.secret ? '' : row.value;
}

/**
 * What saving `draft` asks the owner for; `undefined` when there is nothing to save. An emptied
 * field takes the variable out, so that its default holds again. `still` is what the field held
 * before somebody typed.
 */
export function changeOf(
  row: VariableRow,
  draft: string | undefined,
  still = shownValue(row),
): { values: Record<string, string>; remove: string[] } | undefined {
  if (draft === undefined || draft === still) return undefined;
  if (draft !== '') return { values: { [row.name]: draft }, remove: [] };
  return row.source === 'file' ? { values: {}, remove: [row.name] } : undefined;
}

export interface Complaint {
  /** Key below `tools.configure.wrong`. */
  key: 'number' | 'integer' | 'minimum' | 'maximum' | 'shorter' | 'longer';
  limit: number;
}

/** Why the owner would refuse the text, as far as one can see from here. */
export function complaintOf(schema: VariableRow['schema'], text: string): Complaint | undefined {
  if (text === '') return undefined;
  const limit = (name: string) => (typeof schema[name] === 'number' ? schema[name] : undefined);
  if (schema.type === 'number' || schema.type === 'integer') {
    const value = Number(text.trim());
    const minimum = limit('minimum');
    const maximum = limit('maximum');
    if (text.trim() === '' || !Number.isFinite(value)) return { key: 'number', limit: 0 };
    if (schema.type === 'integer' && !Number.isInteger(value)) return { key: 'integer', limit: 0 };
    if (minimum !== undefined && value < minimum) return { key: 'minimum', limit: minimum };
    if (maximum !== undefined && value > maximum) return { key: 'maximum', limit: maximum };
  }
  if (schema.type === 'string') {
    const length = [...text].length;
    const shortest = limit('minLength');
    const longest = limit('maxLength');
    if (shortest !== undefined && length < shortest) return { key: 'shorter', limit: shortest };
    if (longest !== undefined && length > longest) return { key: 'longer', limit: longest };
  }
  return undefined;
}

export function isVariableName(name: string): boolean {
  return NAME.test(name);
}

/** A variable that nobody declared is a secret when it is called like one. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}
