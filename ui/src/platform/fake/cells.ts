/** Notebooks: one with every state that a cell can have, one whose entries need pages. */

import type {
  CanvasChange,
  CanvasCreate,
  CanvasEntry,
  CanvasOpen,
  CanvasQuery,
  CanvasRef,
  CanvasRow,
  CanvasView,
  CellAppend,
  CellState,
  CellView,
} from '@/generated/calls';
import { CallError } from '../transport';
import type { FakeHandlers, Scene } from '.';

const HOUR = 3_600_000;

export const row = (id: string, title: string, more: Partial<CanvasRow> = {}): CanvasRow => ({
  id,
  title,
  arena: 'Arena',
  createdAt: Date.now() - 5 * HOUR,
  changedAt: Date.now() - HOUR,
  version: 12,
  cells: 8,
  actor: { kind: 'person', name: 'web' },
  ...more,
});

export const cell = (
  name: string,
  state: CellState,
  text: string,
  more: Partial<CellView> = {},
): CellView => {
  const [originator = '', seq = '0'] = name.split(':');
  return {
    originator,
    seq: Number(seq),
    type: 'EXEC',
    dependsOn: [],
    value: { text, type: 'NORMAL' },
    stdout: [],
    logs: [],
    flags: [],
    attributes: {},
    state,
    pictures: [],
    route: 'javascript',
    ...more,
  };
};

const output = (seq: number, of: string, more: Partial<CellView>): CanvasEntry => {
  const made = cell(`Arena:${seq}`, 'idle', '', {
    type: 'OUTPUT',
    dependsOn: [refOf(of)],
    ...more,
  });
  delete made.route;
  return { kind: 'cell', cell: made };
};

const refOf = (name: string) => {
  const [originator = '', seq = '0'] = name.split(':');
  return { originator, seq: Number(seq) };
};

const log = (...messages: string[]): CanvasEntry => ({
  kind: 'log',
  logs: messages.map((message, seq) => ({ originator: 'Arena', level: 'INFO', seq, message })),
});

function entries(): CanvasEntry[] {
  const note = cell('User:0', 'idle', '# Circles\n\nHow large is it, and what does it look like?', {
    type: 'MARKDOWN',
  });
  delete note.route;
  const of = (one: CellView): CanvasEntry => ({ kind: 'cell', cell: one });
  return [
    of(note),
    of(cell('User:1', 'done', 'const radius = 60;\nradius', { executionContext: 'javascript' })),
    log('User:1 is an EXEC. Route: JavaScript.', 'User:1 is done.'),
    output(0, 'User:1', { value: { text: '60', type: 'NORMAL' } }),
    of(
      cell('User:2', 'stale', 'Math.PI * radius ** 2', {
        executionContext: 'javascript',
        dependsOn: [refOf('User:1')],
      }),
    ),
    output(1, 'User:2', {
      value: { text: '11309.733552923255', type: 'NORMAL' },
      stdout: [
        { seq: 0, text: 'area of a circle' },
        { seq: 1, text: 'radius 60' },
      ],
      logs: [{ originator: 'Arena', level: 'DEBUG', seq: 0, message: 'took 4 ms' }],
    }),
    of(
      cell('User:3', 'waiting', "const name = input('What is your name?');\nprint(name);", {
        executionContext: 'javascript',
      }),
    ),
    output(2, 'User:3', {
      value: { text: 'What is your name?', type: 'INPUT_HINT' },
      flags: ['WAIT_User'],
    }),
    of(
      cell('Bot:0', 'delegated', 'ls -la ~/pictures', {
        executionContext: 'local_bash_shell',
        targetCognitor: 'User',
        dependsOn: [refOf('User:2')],
        route: 'delegate',
      }),
    ),
    of(cell('User:4', 'failed', 'area(3)', { dependsOn: [refOf('User:1')] })),
    output(3, 'User:4', {
      value: { text: 'ReferenceError: area is not defined (1:1)', type: 'NORMAL' },
    }),
    of(cell('User:5', 'running', 'for (;;);', { executionContext: 'javascript', run: 'r' })),
  ];
}

export default function cells(scene: Scene): FakeHandlers {
  const long = Array.from({ length: 1234 }, (_, seq): CanvasEntry => ({
    kind: 'cell',
    cell: cell(`User:${seq}`, 'done', `${seq} * 2`),
  }));
  const texts = new Map<string, CanvasEntry[]>();
  let all: CanvasRow[] = [];
  if (scene !== 'empty') {
    all = [row('circles', 'Circles'), row('notes', 'Notes of a week', { taskId: 'site' })];
    texts.set('circles', entries());
    texts.set('notes', []);
  }
  if (scene === 'many') {
    all = [
      row('long', 'A long one', { cells: long.length }),
      ...Array.from({ length: 10_000 }, (_, n) => row(`n${n}`, `Notebook ${n}`)),
    ];
    texts.set('long', long);
  }
  const modes = new Map<string, { automatic: boolean; paused: boolean }>();

  function open({ canvas, offset = 0, limit = 500 }: CanvasOpen): CanvasView {
    const found = all.find(({ id, removedAt }) => id === canvas && removedAt === undefined);
    if (!found) throw new CallError({ code: 'canvas_not_found', args: { canvas } });
    const own = texts.get(canvas) ?? [];
    const there = new Set(
      own.flatMap((one) => (one.kind === 'cell' ? [`${one.cell.originator}:${one.cell.seq}`] : [])),
    );
    const full = there.has('Bot:0');
    return {
      canvas: found,
      entries: own.slice(offset, offset + limit),
      total: own.length,
      running: full,
      paused: false,
      automatic: false,
      ...modes.get(canvas),
      questions: full
        ? [
            {
              cell: refOf('User:3'),
              question: refOf('Arena:2'),
              from: 'User',
              hint: 'What is your name?',
            },
          ]
        : [],
      delegations: full
        ? [
            {
              cell: refOf('Bot:0'),
              to: 'User',
              context: 'local_bash_shell',
              text: 'ls -la ~/pictures',
            },
          ]
        : [],
      expected: full ? [{ originator: 'Bot', after: refOf('User:4') }] : [],
      types: [],
      diagnostics: [],
    };
  }

  const changed = (canvas: string) => ({
    version: all.find(({ id }) => id === canvas)?.version ?? 0,
  });

  return {
    'cells.list': ({ removed }: CanvasQuery) => ({
      canvases: all.filter(({ removedAt }) => (removedAt !== undefined) === removed),
    }),
    'cells.create': ({ title = 'Untitled' }: CanvasCreate) => {
      const made = row(`n${all.length}`, title, { cells: 0 });
      all = [made, ...all];
      texts.set(made.id, []);
      return open({ canvas: made.id, offset: 0 });
    },
    'cells.open': open,
    'cells.append': ({ canvas, cell: draft }: CellAppend) => {
      const own = texts.get(canvas) ?? [];
      const originator = draft.originator ?? 'User';
      const seq = own.filter(
        (one) => one.kind === 'cell' && one.cell.originator === originator,
      ).length;
      const { text, dependsOn } = draft;
      const made = cell(`${originator}:${seq}`, 'done', text, {
        dependsOn,
        type: draft.type ?? 'EXEC',
      });
      texts.set(canvas, [...own, { kind: 'cell', cell: made }]);
      return { ...changed(canvas), cell: { originator, seq } };
    },
    'cells.run': ({ canvas }: CanvasRef) => changed(canvas),
    'cells.run_stale': ({ canvas }: CanvasRef) => changed(canvas),
    'cells.edit': ({ canvas }: CanvasRef) => changed(canvas),
    'cells.answer': ({ canvas }: CanvasRef) => changed(canvas),
    'cells.refuse': ({ canvas }: CanvasRef) => changed(canvas),
    'cells.interrupt': ({ canvas }: CanvasRef) => changed(canvas),
    'cells.change': ({ canvas, title, automatic, paused }: CanvasChange) => {
      all = all.map((one) => (one.id === canvas && title ? { ...one, title } : one));
      const { automatic: was = false, paused: held = false } = modes.get(canvas) ?? {};
      modes.set(canvas, { automatic: automatic ?? was, paused: paused ?? held });
      return changed(canvas);
    },
    'cells.source': ({ canvas }: CanvasRef) => open({ canvas, offset: 0 }),
    'cells.export': () => ({
      text: '<Canvas>\n  <Cell originator="User" seq="0" type="EXEC">\n    <value>1 + 1</value>\n  </Cell>\n</Canvas>\n',
    }),
    'cells.check': ({ text }: { text: string }) => ({
      diagnostics: [],
      formatted: text,
      canvases: 1,
      cells: 1,
    }),
    'cells.remove': ({ canvas }: CanvasRef) => {
      all = all.map((one) => (one.id === canvas ? { ...one, removedAt: Date.now() } : one));
      return {};
    },
    'cells.restore': ({ canvas }: CanvasRef) => {
      all = all.map((one) => {
        if (one.id !== canvas) return one;
        const back = { ...one };
        delete back.removedAt;
        return back;
      });
      return {};
    },
  };
}
