/** A form: its tree of nodes, the JSON that it means, and what is wrong with it. */

import {
  computed,
  inject,
  provide,
  reactive,
  ref,
  toRaw,
  type ComputedRef,
  type InjectionKey,
  type Ref,
} from 'vue';
import { isUnsafe, parseJson, type Json } from './json';
import { branchAt, makeNode, nodeAt, setJson, toJson, walk, type FormNode } from './nodes';
import type { Schema } from './schema';
import { validate, type Path, type Problem } from './validate';

/** A problem and the field that shows it. */
export interface Located extends Problem {
  node: FormNode;
  /** The field is that of the path, not one around it. */
  exact: boolean;
}

export interface Form {
  root: FormNode;
  schema: Schema;
  json: ComputedRef<Json>;
  problems: ComputedRef<readonly Located[]>;
  /** Problems of a field that may be shown: it was left, or the form was sent. */
  shown(node: FormNode): readonly Located[];
  submitted: Ref<boolean>;
  set(value: Json): void;
  /** Empties the form. Gives back what brings back all that was written, wrong or right. */
  reset(): () => void;
}

/** More than this nobody reads. */
const MANY = 200;

export function createForm(schema: Schema): Form {
  const make = () => makeNode(schema, { root: schema, required: true });
  const root = reactive(make()) as FormNode;
  const submitted = ref(false);
  const json = computed<Json>(() => toJson(root) ?? {});
  const problems = computed(() => {
    const own = ownProblems(root);
    const unread = new Set(own.map(({ node }) => node.id));
    return [...own, ...ofSchema().filter(({ node }) => !unread.has(node.id))].slice(0, MANY);
  });
  const byNode = computed(() => grouped(problems.value));

  function ofSchema(): Located[] {
    const chosen = (path: Path) => branchAt(root, path);
    return validate(schema, json.value, { chosen }).map((problem) => located(root, problem));
  }

  return {
    root,
    schema,
    json,
    problems,
    submitted,
    shown: (node) => (node.touched || submitted.value ? (byNode.value.get(node.id) ?? []) : []),
    set: (value) => setJson(root, value),
    reset() {
      // The root gets other fields; those that it had are left as they are.
      const had = { ...toRaw(root) };
      const sent = submitted.value;
      Object.assign(root, make());
      submitted.value = false;
      return () => {
        Object.assign(root, had);
        submitted.value = sent;
      };
    },
  };
}

function grouped(problems: readonly Located[]): Map<number, Located[]> {
  const groups = new Map<number, Located[]>();
  for (const problem of problems) {
    const group = groups.get(problem.node.id);
    if (group) group.push(problem);
    else groups.set(problem.node.id, [problem]);
  }
  return groups;
}

function located(root: FormNode, problem: Problem): Located {
  return { ...problem, ...nodeAt(root, problem.path) };
}

/**
 * What cannot be said by a schema: JSON that is none, numbers that would change on the way, names
 * that are there twice or empty.
 */
function ownProblems(root: FormNode): Located[] {
  const found: Located[] = [];
  for (const [node, path] of walk(root)) {
    if (!node.set || node.isNull) continue;
    const text = node.misfit?.text ?? (node.shape.kind === 'json' ? node.text : '');
    const parsed = text.trim() === '' ? undefined : parseJson(text);
    if (parsed && !parsed.ok) {
      const { code, line, column } = parsed;
      found.push({ path, code, args: { line, column }, node, exact: true });
    }
    if (!node.misfit && node.shape.kind === 'number' && isUnsafe(node.text)) {
      found.push({ path, code: 'unsafe', node, exact: true });
    }
    const names = new Set(node.fields.map(({ name }) => name));
    for (const extra of node.extras) {
      if (names.has(extra.name) || extra.name === '') {
        const code = extra.name === '' ? 'required' : 'duplicate';
        found.push({ path: [...path, extra.name], code, node: extra.node, exact: true });
      }
      names.add(extra.name);
    }
  }
  return found;
}

const FORM: InjectionKey<Form> = Symbol('form');

export function provideForm(form: Form): void {
  provide(FORM, form);
}

export function useForm(): Form {
  const form = inject(FORM);
  if (!form) throw new Error('no form is provided');
  return form;
}

/** Id of the field's element, for jumping to it. */
export function fieldId(node: FormNode): string {
  return `field-${node.id}`;
}
