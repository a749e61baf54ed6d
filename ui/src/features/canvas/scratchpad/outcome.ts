/** What a script's answer says, read leniently: it comes from a script. */

import type { RunLine, ScriptResult } from '@/generated/calls';
import type { EditorProblem } from '@/shared/editor/extensions';

export interface ScriptFailure {
  code: string;
  message: string;
  hint?: string;
  line?: number;
  column?: number;
  stack?: string;
  blocked?: string[];
}

export type Outcome =
  { ok: true; value: unknown; picture?: string } | { ok: false; failure: ScriptFailure };

export function outcomeOf({ success, value }: ScriptResult): Outcome {
  if (!success) return { ok: false, failure: failureOf(value) };
  // `{result, images: ["{uuid}.png"]}` when there was a canvas, else the plain value.
  if (isRecord(value) && Array.isArray(value.images) && 'result' in value) {
    const [file] = value.images as unknown[];
    if (typeof file === 'string') {
      return { ok: true, value: value.result, picture: file.replace(/\.png$/, '') };
    }
  }
  return { ok: true, value };
}

function failureOf(value: unknown): ScriptFailure {
  const given = isRecord(value) ? value : {};
  const { error, message, hint, line, column, stack, blocked } = given;
  return {
    code: typeof error === 'string' ? error : 'js_execution_failed',
    message: typeof message === 'string' ? message : JSON.stringify(value),
    ...(typeof hint === 'string' && { hint }),
    ...(typeof line === 'number' && { line }),
    ...(typeof column === 'number' && { column }),
    ...(typeof stack === 'string' && stack.trim() !== '' && { stack }),
    ...(Array.isArray(blocked) && { blocked: blocked.filter((one) => typeof one === 'string') }),
  };
}

/** Where the editor shows a failure: its line, or every place of a name that is not allowed. */
export function problemsOf(failure: ScriptFailure, code: string): EditorProblem[] {
  const { line, column = 1, message, blocked = [] } = failure;
  if (line !== undefined) return [{ line, column, message }];
  return blocked.flatMap((name) => {
    const word = new RegExp(`(?<![\\w$.])${name.replace(/[^\w]/g, '\\$&')}(?![\\w$])`, 'g');
    return [...code.matchAll(word)].map(({ index }) => ({ ...placeOf(code, index), message }));
  });
}

/** Line and column, from 1. */
export function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

export interface ConsoleLine {
  level: RunLine['level'];
  text: string;
}

const LEVELS: Record<string, RunLine['level']> = { Debug: 'DEBUG', Warn: 'WARN', Error: 'ERROR' };

/** `[Warn] text` -> level and text. */
export function consoleLine(line: string): ConsoleLine {
  const [, level, text] = /^\[(Debug|Warn|Error)\] (.*)$/s.exec(line) ?? [];
  return { level: LEVELS[level ?? ''] ?? 'INFO', text: text ?? line };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
