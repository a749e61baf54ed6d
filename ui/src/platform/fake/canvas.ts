/**
 * Pictures for `?fake=…`: drawn by the browser itself, a few motifs in many colours. `&pictures=N`
 * sets their number. Scripts are not run: what they draw here is a motif, `throw` fails, and
 * `while (true)` goes on until it is cancelled.
 */

import type {
  ArtifactDetail,
  ArtifactList,
  Page,
  ScriptParams,
  ScriptResult,
} from '@/generated/calls';
import { CallError } from '../transport';
import type { FakeHandlers, Scene } from './index';
import { MOTIFS, paint } from './data/motifs';
import { stops } from './data/stops';

const HOUR = 3_600_000;
const SIZES: [number, number][] = [
  [800, 600],
  [600, 600],
  [1200, 500],
  [480, 720],
  [64, 64],
  [800, 480],
];
const ACTORS: ArtifactDetail['actor'][] = [
  { kind: 'mcp_client', name: 'desktop-client' },
  { kind: 'person', name: 'web' },
  { kind: 'agent', name: 'painter' },
  { kind: 'tool', name: 'chart-maker' },
];

export default (scene: Scene): FakeHandlers => {
  let pictures = Array.from({ length: numberOf(scene) }, (_, at) => picture(at, timeOf(at)));
  const trash = new Map<string, ArtifactDetail>();

  const find = (id: string) => {
    const found = pictures.find((one) => one.id === id);
    if (!found) throw new CallError({ code: 'artifact_not_found', message: `No artifact ${id}.` });
    return drawn(found);
  };

  return {
    'artifact.list': ({ offset, limit }: Page): ArtifactList => ({
      artifacts: pictures.slice(offset, offset + limit).map(drawn),
      total: pictures.length,
    }),
    'artifact.show': ({ id }: { id: string }) => find(id),
    'artifact.remove': ({ id }: { id: string }) => {
      trash.set(id, find(id));
      pictures = pictures.filter((one) => one.id !== id);
      return {};
    },
    'artifact.restore': ({ id }: { id: string }) => {
      const back = trash.get(id);
      if (!back) throw new CallError({ code: 'artifact_not_found', message: `No artifact ${id}.` });
      pictures = [...pictures, back].sort((a, b) => b.createdAt - a.createdAt);
      return {};
    },
    async run_javascript({ code, run = '' }: ScriptParams): Promise<ScriptResult> {
      const started = Date.now();
      const stopped = new Promise<boolean>((resolve) => stops.set(run, () => resolve(true)));
      const ended = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 500));
      const cancelled = await (/while \(true\)/.test(code)
        ? stopped
        : Promise.race([stopped, ended]));
      const answer = (success: boolean, value: unknown): ScriptResult => ({
        run,
        success,
        value,
        durationMs: Date.now() - started,
        log: ['drawing…', '[Warn] the third value is missing', '{ seeds: 900 }'],
      });
      if (cancelled) return answer(false, { error: 'cancelled', message: 'Cancelled.' });
      const line = code.split('\n').findIndex((text) => text.includes('throw')) + 1;
      if (line > 0) return answer(false, thrown(line));
      const made = { ...picture(pictures.length, Date.now()), code };
      pictures = [{ ...made, title: titleOf(code) }, ...pictures];
      return answer(true, { result: { seeds: 900 }, images: [made.file] });
    },
  };
};

function numberOf(scene: Scene): number {
  const asked = new URLSearchParams(globalThis.location?.search).get('pictures');
  if (asked !== null) return Math.min(20_000, Math.max(0, Number(asked) || 0));
  return { full: 12, empty: 0, error: 0, loading: 0, many: 5000 }[scene];
}

/** Several a day, some days without any. */
function timeOf(at: number): number {
  return Date.now() - (at * 2.3 + Math.floor(at / 9) * 18) * HOUR - 240_000;
}

function picture(at: number, createdAt: number): ArtifactDetail {
  const id = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
  const [width, height] = SIZES[at % SIZES.length] ?? [800, 600];
  const motif = MOTIFS[at % MOTIFS.length] ?? '';
  return {
    id,
    file: `${id}.png`,
    title: at % 7 === 5 ? `${motif}，一个特别长的标题 that does not fit into one line` : motif,
    kind: 'image/png',
    size: 12_000 + ((at * 7919) % 190_000),
    width,
    height,
    source: 'run_javascript',
    createdAt,
    actor: ACTORS[at % ACTORS.length] ?? { kind: 'person', name: 'web' },
    url: '',
    thumb: '',
    code: `// ${motif}\nconst ctx = getCanvas(${width}, ${height}).getContext('2d');\nctx.fillStyle = 'hsl(${(at * 47) % 360} 70% 60%)';\nctx.fillRect(0, 0, ${width}, ${height});\nreturn { number: ${at} };\n`,
  };
}

/** With its pictures, which are made when first asked for. */
function drawn(row: ArtifactDetail): ArtifactDetail {
  const number = Number(row.id.slice(-12));
  const look = { motif: number % MOTIFS.length, hue: (number % 24) * 15 };
  const scale = Math.min(1, 320 / row.width, 240 / row.height);
  return {
    ...row,
    url: paint(look, row.width, row.height),
    thumb: paint(look, Math.round(row.width * scale), Math.round(row.height * scale)),
  };
}

function thrown(line: number) {
  return {
    error: 'js_execution_failed',
    message: 'TypeError: the brush is dry',
    hint: 'Mend the script and run it again.',
    line,
    column: 1,
    stack: `    at <anonymous> (script.js:${line}:1)\n`,
  };
}

function titleOf(code: string): string {
  return (code.split('\n')[0] ?? '').replace(/^[/*\s]+/, '').slice(0, 60);
}
