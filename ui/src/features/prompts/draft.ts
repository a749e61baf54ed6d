/** A prompt while it is edited: its variables follow from what stands in its messages. */

import type { PromptArgument, PromptContent } from '@/generated/calls';

/** As the library reads them (crates/prompts, fill.rs). */
const VARIABLE = /\{\{\s*([\p{L}\p{Alphabetic}_][\p{L}\p{N}\p{Alphabetic}_.-]{0,63})\s*\}\}/gu;

/** The names in the messages, each once, in their order. */
export function variablesOf(content: PromptContent): string[] {
  const names = content.messages.flatMap(({ text }) =>
    [...text.matchAll(VARIABLE)].map(([, name = '']) => name),
  );
  return [...new Set(names)];
}

/** Names in the messages that nobody declared. */
export function undeclared(content: PromptContent): string[] {
  const known = new Set(content.arguments.map(({ name }) => name));
  return variablesOf(content).filter((name) => !known.has(name));
}

export function newArgument(name: string): PromptArgument {
  return { name, description: '', type: 'string', required: false };
}

/** The default as it is written in a field, and back; what is no JSON of the type is text. */
export function defaultText({ default: value }: PromptArgument): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function withDefault(argument: PromptArgument, text: string): PromptArgument {
  const rest = { ...argument };
  delete rest.default;
  if (text === '') return rest;
  if (argument.type === 'string') return { ...rest, default: text };
  try {
    return { ...rest, default: JSON.parse(text) as unknown };
  } catch {
    // The owner says what is wrong with it.
    return { ...rest, default: text };
  }
}
