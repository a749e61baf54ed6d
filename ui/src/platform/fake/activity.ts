/** Runs of everybody, for the Activity page. */

import type { ActiveRun, Actor, RunQuery, RunRow } from '@/generated/calls';
import type { FakeHandlers, Scene } from '.';

const ACTORS: readonly Actor[] = [
  { kind: 'person', name: 'web' },
  { kind: 'mcp_client', name: 'claude-code' },
  { kind: 'mcp_client', name: 'Cursor' },
  { kind: 'person', name: 'pm' },
  { kind: 'tool', name: 'daily-report' },
];
const SUBJECTS = [
  'filesystem',
  'run_javascript',
  'pdf-reader',
  'web-search',
  'excel-tool',
  'run_javascript',
  'a-tool-with-quite-a-long-name-that-somebody-wanted',
];
const ERRORS = ['timeout', 'invalid_args', 'path_traversal_blocked', 'js_execution_failed'];
const MINUTE = 60_000;

function run(index: number, now: number): RunRow {
  const failed = index % 6 === 4;
  const error = ERRORS[index % ERRORS.length];
  return {
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    subject: SUBJECTS[index % SUBJECTS.length] ?? '',
    startedAt: now - (index * index + index * 3 + 1) * MINUTE,
    durationMs: 18 + ((index * 7919) % 4200),
    success: !failed,
    ...(failed && error && { error }),
    actor: ACTORS[(index * 3) % ACTORS.length] as Actor,
    memory: 12_000_000 + index * 40_000,
  };
}

const COUNTS: Record<Scene, number> = { full: 48, many: 12_000, empty: 0, error: 0, loading: 0 };

export default (scene: Scene): FakeHandlers => {
  const now = Date.now();
  const all = Array.from({ length: COUNTS[scene] }, (_, index) => run(index, now));
  const active: ActiveRun[] =
    scene === 'empty'
      ? []
      : [
          {
            id: '00000000-0000-4000-9000-000000000001',
            subject: 'web-search',
            startedAt: now - 4200,
            actor: ACTORS[1] as Actor,
            progress: { done: 3, total: 8, text: 'page 3' },
          },
        ];
  return {
    'run.list': ({ tool, failed, page }: RunQuery) => {
      const fitting = all.filter(
        (one) => (tool === undefined || one.subject === tool) && (!failed || !one.success),
      );
      return {
        runs: fitting.slice(page.offset, page.offset + page.limit),
        total: fitting.length,
      };
    },
    'run.active': () => ({ runs: active }),
  };
};
