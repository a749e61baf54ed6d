import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import { GLOBALS, MEMBERS, signatureOf } from './api';
import { completeScript, receiver, typeOf } from './completion';
import engine from './engineMembers.test.json';

/** Completes at `|`. */
function at(text: string, explicit = false) {
  const pos = text.indexOf('|');
  const state = EditorState.create({ doc: text.replace('|', '') });
  return completeScript(new CompletionContext(state, pos, explicit));
}

const labels = (text: string, explicit = false) =>
  at(text, explicit)?.options.map(({ label }) => label) ?? [];

describe('the lists', () => {
  it.each(Object.keys(MEMBERS) as (keyof typeof MEMBERS)[])(
    'are the members that the engine has: %s',
    (name) => {
      const own = MEMBERS[name].map((line) => signatureOf(line).name).sort();
      expect(new Set(own).size).toBe(own.length);
      const members = engine.members[name];
      // The console has more than a script wants.
      if (name === 'console') expect(members).toEqual(expect.arrayContaining(own));
      else expect(own).toEqual(members);
    },
  );

  it('offer only globals that the engine has', () => {
    const names = GLOBALS.map((line) => signatureOf(line).name);
    expect(names.filter((name) => !engine.globals.includes(name))).toEqual(['input']);
  });

  it('know the type of everything they name', () => {
    const simple = ['number', 'boolean', 'string', 'number[]', 'Uint8Array'];
    const unknown = [...GLOBALS, ...Object.values(MEMBERS).flat()]
      .flatMap((line) => signatureOf(line).type?.split(' | ') ?? [])
      .filter((type) => !simple.includes(type) && !(type in MEMBERS));
    expect(unknown).toEqual([]);
  });
});

describe('after a dot', () => {
  it.each([
    ["const g = getCanvas(400, 300).getContext('2d');\ng.|", 'fillRect'],
    ["const canvas = getCanvas();\nconst c = canvas.getContext('2d');\nc.fil|", 'fillRect'],
    ['getCanvas().|', 'getContext'],
    ["getCanvas().getContext('2d').canvas.|", 'toDataURL'],
    ['ctx.|', 'fillRect'],
    ['const p = new Path2D();\np.|', 'addPath'],
    ['new Path2D("M0 0").|', 'addPath'],
    ['const o = new OffscreenCanvas(2, 2), x = o.getContext("2d"); x.|', 'fillRect'],
    ['const fade = ctx.createLinearGradient(0, 0, (1 + 2) * 3, 0);\nfade.|', 'addColorStop'],
    ['draw.createRadialGradient(0, 0, 1, 0, 0, 2).|', 'addColorStop'],
    ['ctx.measureText("a").|', 'actualBoundingBoxLeft'],
    ['const { data } = 1; let d = ctx.getImageData(0, 0, 1, 1);\nd.|', 'data'],
    ['ctx.getTransform().inverse().|', 'multiplySelf'],
    ['Math.|', 'hypot'],
    ['console.|', 'log'],
    ['ctx?.|', 'fillRect'],
    ['getCanvas(\n  400,\n  300,\n)\n  .|', 'getContext'],
  ])('%s offers %s', (text, member) => {
    expect(labels(text)).toContain(member);
  });

  it.each(['foo.|', 'input.|', '(1 + 2).|', '"text".|', 'const a = a.|', 'a = b; b = a; a.|'])(
    'says nothing about %s',
    (text) => {
      expect(labels(text)).toEqual([]);
    },
  );
});

describe('elsewhere', () => {
  it('offers names of the scope once something was typed or asked for', () => {
    expect(labels('ge|')).toContain('getCanvas');
    expect(labels('|')).toEqual([]);
    expect(labels('|', true)).toEqual(GLOBALS.map((line) => signatureOf(line).name));
  });

  it('replaces the word that was begun', () => {
    expect(at('const a = getC|')?.from).toBe('const a = '.length);
    expect(at('ctx.fillR|')?.from).toBe('ctx.'.length);
  });

  it('shows parameters and what comes out', () => {
    const option = at('ctx.|')?.options.find(({ label }) => label === 'measureText');
    expect(option?.detail).toBe('(text) → TextMetrics');
    const font = at('ctx.|')?.options.find(({ label }) => label === 'font');
    expect(font?.detail).toBe(': string');
  });
});

it('reads the expression before a dot', () => {
  expect(receiver('let a = b + getCanvas(1, (2)).getContext("2d")')).toBe(
    'getCanvas(1, (2)).getContext("2d")',
  );
  expect(receiver('if (x) { ctx')).toBe('ctx');
  expect(receiver('')).toBe('');
});

it('does not follow names in circles', () => {
  expect(typeOf('a', 'a = b\nb = c\nc = a')).toBeUndefined();
});
