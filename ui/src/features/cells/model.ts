/** Cells as the notebook shows them: their names, what can be done with them, and what needs what. */

import type {
  CanvasCreate,
  CanvasEntry,
  CanvasFormat,
  CanvasView,
  CellDelegation,
  CellDraft,
  CellQuestion,
  CellRef,
  CellState,
  CellView,
} from '@/generated/calls';

/** Who the person in front of the window is in a canvas. */
export const PERSON = 'User';

/** `User:0` */
export const nameOf = ({ originator, seq }: CellRef) => `${originator}:${seq}`;

/** The cell that a text names, if it is one. */
export function refOf(text: string): CellRef | undefined {
  const at = text.lastIndexOf(':');
  const [originator, seq] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  return at > 0 && originator !== '' && /^\d+$/.test(seq)
    ? { originator, seq: Number(seq) }
    : undefined;
}

/** The cells that a list names, separated by commas; `undefined` where one is no name or not there. */
export function refsOf(text: string, known: ReadonlySet<string>): CellRef[] | undefined {
  const names = text.split(/[,，]/).filter((one) => one.trim() !== '');
  const found = names.map(refOf);
  return found.every((one) => one !== undefined && known.has(nameOf(one)))
    ? (found as CellRef[])
    : undefined;
}

/** The states as marks have them: not every word means here what it means elsewhere. */
const MARKS: Record<CellState, string> = {
  idle: 'off',
  queued: 'busy',
  running: 'busy',
  waiting: 'warn',
  delegated: 'warn',
  stale: 'warn',
  done: 'ok',
  stopped: 'off',
  failed: 'bad',
};
export const markOf = (state: CellState) => MARKS[state];

/** What may be put at the end. */
export const KINDS = ['auto', 'javascript', 'python', 'shell', 'chat', 'delegate', 'note'] as const;
export type Kind = (typeof KINDS)[number];

const CONTEXTS: Partial<Record<Kind, string>> = {
  javascript: 'javascript',
  python: 'python',
  shell: 'local_bash_shell',
  chat: 'chat',
};

/** `target`: whom it is delegated to. */
export function draftOf(kind: Kind, text: string, dependsOn: CellRef[], target: string): CellDraft {
  const context = CONTEXTS[kind];
  return {
    originator: PERSON,
    // Said: without it a cell may be taken for the answer to a question.
    type: kind === 'note' ? 'MARKDOWN' : 'EXEC',
    ...(context && { executionContext: context }),
    ...(kind === 'delegate' && { targetCognitor: target.trim() }),
    dependsOn,
    text,
    flags: [],
  };
}

/** A cell that runs, or can. */
export const executes = (cell: CellView) => cell.type === 'EXEC' || cell.route !== undefined;
export const isActive = ({ state }: CellView) =>
  state === 'queued' || state === 'running' || state === 'waiting' || state === 'delegated';

export const cellsOf = (entries: readonly CanvasEntry[]): CellView[] =>
  entries.flatMap((entry) => (entry.kind === 'cell' ? [entry.cell] : []));

/** What waits for somebody at a cell: the question that it asks, or that it was delegated. */
export function waitsAt(view: CanvasView, cell: CellView) {
  const name = nameOf(cell);
  const question: CellQuestion | undefined = view.questions.find(
    (one) => nameOf(one.question) === name,
  );
  const delegation: CellDelegation | undefined = view.delegations.find(
    (one) => nameOf(one.cell) === name,
  );
  return { question, delegation };
}

/** How the text of a cell is coloured. */
export function languageOf(cell: Pick<CellView, 'type' | 'route' | 'executionContext'>) {
  if (cell.type === 'MARKDOWN') return 'markdown';
  const language = cell.route ?? cell.executionContext;
  return language === 'javascript' || language === 'plain' ? 'javascript' : 'text';
}

export interface Node {
  name: string;
  state: CellState;
  /** From 0, downwards. */
  row: number;
}

export interface Edge {
  /** Rows of the cell that is needed, and of the one that needs it. */
  from: number;
  to: number;
}

/** The cells of a window that need others or are needed, in their order. Outputs and answers stand beside their cells anyway. */
export function graphOf(cells: readonly CellView[]): { nodes: Node[]; edges: Edge[] } {
  const own = cells.filter(({ type }) => type !== 'OUTPUT' && type !== 'INPUT');
  const there = new Set(own.map(nameOf));
  const pairs = own.flatMap((cell) =>
    cell.dependsOn
      .map(nameOf)
      .filter((needed) => there.has(needed))
      .map((needed) => [needed, nameOf(cell)] as const),
  );
  const shown = new Set(pairs.flat());
  const nodes = own
    .filter((cell) => shown.has(nameOf(cell)))
    .map((cell, row): Node => ({ name: nameOf(cell), state: cell.state, row }));
  const rows = new Map(nodes.map(({ name, row }) => [name, row]));
  const edges = pairs.flatMap(([needed, name]): Edge[] => {
    const [from, to] = [rows.get(needed), rows.get(name)];
    return from === undefined || to === undefined ? [] : [{ from, to }];
  });
  return { nodes, edges };
}

export const FORMATS = ['acp', 'markdown', 'ipynb'] as const satisfies readonly CanvasFormat[];
const ENDINGS: Record<CanvasFormat, string> = {
  acp: '.acp.xml',
  markdown: '.md',
  ipynb: '.ipynb',
};

/** What a file of this name is; a document of cells where it says nothing. */
export function formatOf(file: string): CanvasFormat {
  const name = file.toLowerCase();
  return FORMATS.find((format) => name.endsWith(ENDINGS[format])) ?? 'acp';
}

/** A notebook that is made of a file: its name says what it is called and how it is written. */
export function notebookOf(file: string, text: string): CanvasCreate {
  const title = file.replace(/(\.acp)?\.[^.]+$/, '').slice(0, 120);
  return { text, format: formatOf(file), ...(title !== '' && { title }) };
}

/** A name for a file of this title. */
export function fileOf(title: string, format: CanvasFormat): string {
  const name = title
    .replace(/[\p{Cc}\s/\\:*?"<>|]+/gu, ' ')
    .trim()
    .slice(0, 80);
  return `${name || 'cells'}${ENDINGS[format]}`;
}
