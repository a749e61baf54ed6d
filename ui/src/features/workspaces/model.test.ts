import { describe, expect, it } from 'vitest';
import type { WorkspaceEntry } from '@/generated/calls';
import { pictureType } from '@/shared/file/kinds';
import { outcomeOf } from './commands/states';
import { suggested } from './files/encoding';
import { above, folderOf, rowsOf, type Listing } from './files/tree';
import { diffRows } from '@/shared/diff/diff';
import { PLACES, taskFor, taskOf } from './places';

const entry = (name: string, type = 'file'): WorkspaceEntry => ({ name, type, size: 1 });
const listing = (files: WorkspaceEntry[], truncated = false): Listing => ({
  data: { files, truncated },
  failed: false,
});

describe('tree', () => {
  it('has folders first, names as people read them, and what is open below', () => {
    const rows = rowsOf(
      new Map([
        ['', listing([entry('b10'), entry('b2'), entry('z', 'directory'), entry('A')])],
        ['z', listing([entry('in')])],
      ]),
    );
    expect(rows.map(({ path, level, open }) => [path, level, open])).toEqual([
      ['z', 1, true],
      ['z/in', 2, false],
      ['A', 1, false],
      ['b2', 1, false],
      ['b10', 1, false],
    ]);
  });

  it('says what is on its way, what failed, and that there is more', () => {
    const rows = rowsOf(
      new Map<string, Listing>([
        ['', listing([entry('slow', 'directory'), entry('shut', 'directory')], true)],
        ['slow', { data: undefined, failed: false }],
        ['shut', { data: undefined, failed: true }],
      ]),
    );
    expect(rows.map(({ kind, waiting, failed }) => [kind, waiting, failed])).toEqual([
      ['directory', false, true],
      ['directory', true, false],
      ['more', false, false],
    ]);
  });

  it('bears a big folder', () => {
    const files = Array.from({ length: 50_000 }, (_, index) => entry(`f${index}`));
    expect(rowsOf(new Map([['', listing(files)]]))).toHaveLength(50_000);
  });

  it('knows what is above', () => {
    expect(folderOf('a/b/c')).toBe('a/b');
    expect(folderOf('a')).toBe('');
    expect(above('a/b/c')).toEqual(['a', 'a/b']);
  });
});

describe('difference', () => {
  it('numbers the lines of both sides', () => {
    expect(diffRows('--- a\n+++ b\n@@ -3,2 +3,3 @@\n same\n-old\n+new\n+more\n')).toEqual([
      { kind: 'hunk', text: '@@ -3,2 +3,3 @@' },
      { kind: 'same', text: 'same', old: 3, new: 3 },
      { kind: 'removed', text: 'old', old: 4 },
      { kind: 'added', text: 'new', new: 4 },
      { kind: 'added', text: 'more', new: 5 },
    ]);
  });

  it('is not misled by lines that look like its own marks', () => {
    const rows = diffRows('--- a\n+++ b\n@@ -1,2 +1,2 @@\n--- x\n+++ y\n @@ -1 +1 @@\n');
    expect(rows.map(({ kind, text }) => [kind, text])).toEqual([
      ['hunk', '@@ -1,2 +1,2 @@'],
      ['removed', '-- x'],
      ['added', '++ y'],
      ['same', '@@ -1 +1 @@'],
    ]);
  });

  it('tells a missing last line end, and nothing of no difference', () => {
    expect(diffRows('@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n')[2]).toEqual({
      kind: 'note',
      text: 'No newline at end of file',
    });
    expect(diffRows('')).toEqual([]);
  });
});

describe('places', () => {
  it('names a task after its folder, once', () => {
    expect(taskFor('/home/ada/my site/', [])).toBe('my-site');
    expect(taskFor('C:\\work\\site', ['site', 'site-2'])).toBe('site-3');
    expect(taskFor('/周报', [])).toBe('task');
    expect(taskFor(`/${'x'.repeat(200)}`, []).length).toBeLessThanOrEqual(64);
  });

  it('has addresses for tabs', () => {
    expect(PLACES.addressOf('a b', 'history')).toBe('/workspaces/a%20b/history');
    expect(PLACES.addressOf('a')).toBe('/workspaces/a');
    expect(PLACES.tabOf('nonsense')).toBe('files');
    expect(taskOf('task:a')).toBe('a');
    expect(taskOf('filesystem')).toBeUndefined();
  });
});

it('words how a command came out', () => {
  const row = {
    run: '1',
    command: 'x',
    startedAt: 0,
    actor: { kind: 'person', name: 'a' },
  } as const;
  const failed = (code: string) => ({ error: { code, message: '' } });
  expect(outcomeOf({ ...row, state: 'exited', exitCode: 0 })).toBe('done');
  expect(outcomeOf({ ...row, state: 'exited', exitCode: 2 })).toBe('failed');
  expect(outcomeOf({ ...row, state: 'refused', ...failed('command_blocked') })).toBe('blocked');
  expect(outcomeOf({ ...row, state: 'refused', ...failed('too_many_commands') })).toBe('refused');
  expect(outcomeOf({ ...row, state: 'ended', ...failed('command_timeout') })).toBe('timeout');
  expect(outcomeOf({ ...row, state: 'ended', ...failed('toString') })).toBe('ended');
});

it('knows pictures by their names and encodings that can be asked for', () => {
  expect(pictureType('a/B.PNG')).toBe('image/png');
  expect(pictureType('a.constructor')).toBeUndefined();
  expect(suggested({ encoding: 'gb18030' })).toBe('gb18030');
  expect(suggested({ encoding: 'what is it?' })).toBeUndefined();
});
