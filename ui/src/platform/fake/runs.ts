/**
 * Runs of the fake owner: a run takes two seconds, writes lines and says how far it is. What its
 * parameters hold decides about its end: `fail` anywhere fails, `picture`, `many` and `text` choose
 * the result, everything else is a table.
 */

import type {
  RunDetail,
  RunLine,
  RunNews,
  RunRef,
  RunResult,
  RunWatch,
  ToolRun,
} from '@/generated/calls';
import { CallError } from '../transport';
import { stops } from './data/stops';
import type { FakeHandlers } from '.';

const STEPS = 8;
const STEP_MS = 250;
const DOT =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAYAAAAf8/9hAAAAKElEQVR4nGNgoBsoaGv7TwqmyLBRA4a8AaSGNAMDw6gBQ8+A/5RgACWMtYVuJT7OAAAAAElFTkSuQmCC';
const HELP = `# ❌ 路径不在允许的目录内

目录 \`/etc\` 没有授权。

1. 改用允许的目录内的路径；
2. 需要更多目录时，在**配置**页授权。

\`\`\`yaml
mode: configure
\`\`\``;

interface Open {
  lines: RunLine[];
  done: number;
  version: number;
  ended: boolean;
  changed: Set<() => void>;
}

export default function runs(): FakeHandlers {
  const open = new Map<string, Open>();

  async function fly({ tool, parameters, run = '' }: ToolRun): Promise<RunResult> {
    const started = Date.now();
    const state: Open = { lines: [], done: 0, version: 1, ended: false, changed: new Set() };
    open.set(run, state);
    let cancelled = false;
    stops.set(run, () => (cancelled = true));
    const tell = () => {
      state.version += 1;
      state.changed.forEach((one) => one());
    };
    while (state.done < STEPS && !cancelled) {
      await new Promise((resolve) => setTimeout(resolve, STEP_MS));
      state.done += 1;
      state.lines.push(line(state.done));
      tell();
    }
    state.ended = true;
    tell();
    const durationMs = Date.now() - started;
    if (cancelled) {
      const error = { code: 'cancelled', message: 'The run was cancelled.' };
      return { run, success: false, result: null, error, durationMs };
    }
    const wish = JSON.stringify(parameters);
    if (wish.includes('fail')) {
      const error = failure();
      return { run, success: false, result: null, error, help: HELP, durationMs };
    }
    return { run, success: true, result: resultFor(tool, wish), durationMs };
  }

  return {
    'tool.run': fly,
    'run.cancel': ({ run }: RunRef) => {
      stops.get(run)?.();
      return {};
    },
    'run.watch': async ({ run, from, version }: RunWatch): Promise<RunNews> => {
      const state = open.get(run);
      if (!state) return { state: 'waiting', lines: [], next: from, version };
      if (state.version === version && !state.ended) {
        await new Promise<void>((resolve) => state.changed.add(resolve));
      }
      return {
        state: state.ended ? 'ended' : 'running',
        progress: { done: state.done, total: STEPS, text: `step ${state.done} of ${STEPS}` },
        lines: state.lines.slice(from),
        next: state.lines.length,
        version: state.version,
      };
    },
    'run.show': ({ run }: RunRef) => show(run),
  };
}

function line(step: number): RunLine {
  const level = step % 5 === 0 ? 'WARN' : 'INFO';
  return { at: Date.now(), level, text: `step ${step}: looked at ${step * 37} files` };
}

function failure() {
  return {
    code: 'PATH_NOT_ALLOWED',
    message: '路径越权: /etc 不在允许的目录内',
    hint: '改用允许的目录内的路径。',
  };
}

function resultFor(tool: string, wish: string): unknown {
  if (wish.includes('picture')) return { images: [{ data: DOT, mimeType: 'image/png' }] };
  if (wish.includes('text')) return 'First line\nSecond line: 你好\n'.repeat(20);
  const rows = Array.from({ length: wish.includes('many') ? 10_000 : 18 }, (_, index) => ({
    name: `report-${String((index * 7) % 100).padStart(3, '0')}.md`,
    size: (index * 7919) % 65_536,
    modified: new Date(Date.UTC(2026, 10, 1 + (index % 20))).toISOString(),
    tags: index % 3 === 0 ? ['draft', 'weekly'] : [],
  }));
  return { tool, path: '~/Documents', total: rows.length, entries: rows };
}

/** Ids of the Activity page's rows end with their number; every sixth of them has failed. */
function show(run: string): RunDetail {
  const index = Number(run.slice(-6));
  if (Number.isNaN(index))
    throw new CallError({ code: 'run_not_found', message: `No run ${run}.` });
  const failed = index % 6 === 4;
  const script = index % 7 === 1 || index % 7 === 5;
  return {
    id: run,
    subject: script ? 'run_javascript' : 'filesystem',
    startedAt: Date.now() - (index * index + index * 3 + 1) * 60_000,
    durationMs: 18 + ((index * 7919) % 4200),
    success: !failed,
    actor: { kind: 'mcp_client', name: 'claude-code' },
    memory: 12_000_000 + index * 40_000,
    parameters: script
      ? {
          code: "const c = getCanvas(320, 200);\nc.getContext('2d').fillRect(0, 0, 9, 9);\nreturn 1;",
        }
      : { action: 'list', path: '~/Documents', limit: 50 },
    ...(failed
      ? { error: 'PATH_NOT_ALLOWED', failure: failure(), help: HELP }
      : { result: script ? 1 : resultFor('filesystem', '') }),
    lines: [line(1), line(5), line(6)],
  };
}
