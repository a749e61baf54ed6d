/**
 * Completion for scripts: members after a dot when what stands before it is understood, names
 * elsewhere. It reads the text alone: assignments such as `const ctx = canvas.getContext('2d')` and
 * chains of calls. What it cannot know it says nothing about.
 */

import {
  snippetCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { GLOBALS, isInterface, MEMBERS, signatureOf, type Interface } from './api';

/** Names that people give these things before they have assigned them. */
const USUAL: Record<string, Interface> = {
  ctx: 'CanvasRenderingContext2D',
  context: 'CanvasRenderingContext2D',
  canvas: 'HTMLCanvasElement',
};

/** Assignments of assignments that are followed. */
const DEPTH = 8;

const globals = new Map(GLOBALS.map((line) => [signatureOf(line).name, signatureOf(line)]));
const members = Object.fromEntries(
  Object.entries(MEMBERS).map(([name, lines]) => [name, lines.map(signatureOf)]),
) as Record<Interface, ReturnType<typeof signatureOf>[]>;

const globalOptions = GLOBALS.map(optionOf);
const memberOptions = Object.fromEntries(
  Object.entries(MEMBERS).map(([name, lines]) => [name, lines.map(optionOf)]),
) as Record<Interface, Completion[]>;

export function completeScript(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/[\w$]*/);
  const from = word?.from ?? context.pos;
  const before = context.state.sliceDoc(0, from);
  const validFor = /^[\w$]*$/;
  if (/\.\s*$/.test(before)) {
    const type = typeOf(receiver(before.replace(/\??\.\s*$/, '')), context.state.doc.toString());
    return type ? { from, options: memberOptions[type], validFor } : null;
  }
  if (from === context.pos && !context.explicit) return null;
  return { from, options: globalOptions, validFor };
}

function optionOf(line: string): Completion {
  const { name, parameters, type } = signatureOf(line);
  const detail = [parameters, type].filter(Boolean).join(parameters ? ' → ' : '');
  const option: Completion = {
    label: name,
    detail: parameters ? detail : type ? `: ${type}` : '',
    type: parameters ? 'method' : 'property',
  };
  if (!parameters || !/^[a-z]/.test(name)) return option;
  // The cursor goes between the brackets, or after them where there is nothing to say.
  return snippetCompletion(parameters === '()' ? `${name}()\${}` : `${name}(\${})`, option);
}

/**
 * The expression that a text ends with: names, dots, and calls with their brackets. Walks backwards;
 * brackets inside of strings are rare enough there to be taken as they come.
 */
export function receiver(text: string): string {
  let at = text.length;
  for (;;) {
    const start = at;
    while (at > 0 && /\s/.test(text[at - 1] ?? '')) at -= 1;
    if (text[at - 1] === ')') at = opening(text, at - 1);
    const name = /[\w$]+$/.exec(text.slice(0, at))?.[0] ?? '';
    at -= name.length;
    if (at === start) break;
    const dot = /\??\.\s*$/.exec(text.slice(0, at))?.[0];
    if (dot === undefined) break;
    at -= dot.length;
  }
  return text.slice(at).trim();
}

function opening(text: string, close: number): number {
  let depth = 0;
  for (let at = close; at >= 0; at -= 1) {
    if (text[at] === ')') depth += 1;
    if (text[at] === '(') depth -= 1;
    if (depth === 0) return at;
  }
  return close;
}

/** The interface of an expression, as far as the text tells. */
export function typeOf(expression: string, text: string, depth = 0): Interface | undefined {
  const steps = stepsOf(expression);
  const [first, ...rest] = steps;
  if (!first || depth > DEPTH) return undefined;
  let type = typeOfName(first, text, depth);
  for (const { name } of rest) {
    const found: string | undefined = type && members[type].find((one) => one.name === name)?.type;
    // A call on something unknown may still say by its name what comes out.
    type = isInterface(found) ? found : type ? undefined : resultOf(name);
  }
  return type;
}

function typeOfName(step: { name: string; called: boolean }, text: string, depth: number) {
  const { name, called } = step;
  const known = globals.get(name);
  if (known && (called || !known.parameters))
    return isInterface(known.type) ? known.type : undefined;
  const assigned = new RegExp(
    `(?:^|[^\\w$.])${name.replaceAll('$', '\\$')}\\s*=(?![=>])\\s*(?:await\\s+)?(?:new\\s+)?([^;\\n]+)`,
    'g',
  );
  for (const [, value = ''] of text.matchAll(assigned)) {
    // The assignment itself is being written: `const a = a.`
    if (stepsOf(value.trim())[0]?.name === name) continue;
    const type = typeOf(value.trim(), text, depth + 1);
    if (type) return type;
  }
  return called ? undefined : USUAL[name];
}

function resultOf(name: string): Interface | undefined {
  for (const list of [members.CanvasRenderingContext2D, members.HTMLCanvasElement]) {
    const type = list.find((one) => one.name === name)?.type;
    if (isInterface(type)) return type;
  }
  return undefined;
}

/** `a.b(c).d` -> a, b called, d. Empty when it is anything else. */
function stepsOf(expression: string): { name: string; called: boolean }[] {
  const steps: { name: string; called: boolean }[] = [];
  let rest = expression;
  for (;;) {
    const name = /^[A-Za-z_$][\w$]*/.exec(rest)?.[0];
    if (name === undefined) return [];
    rest = rest.slice(name.length).trimStart();
    const called = rest.startsWith('(');
    if (called) rest = rest.slice(closing(rest) + 1).trimStart();
    steps.push({ name, called });
    const dot = /^\??\.\s*/.exec(rest)?.[0];
    if (dot === undefined) return steps;
    rest = rest.slice(dot.length);
    if (rest === '') return steps;
  }
}

function closing(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}
