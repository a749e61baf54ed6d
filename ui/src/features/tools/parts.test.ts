import { describe, expect, it } from 'vitest';
import type { Grants, PackageRow, VariableRow } from '@/generated/calls';
import { languageOf } from '@/shared/file/kinds';
import { placeOf, sizeOf, scripted, transitive } from './dependencies';
import { contentsOf, topLevel, withoutTitle } from './manualText';
import { crumbsOf, inside } from './paths';
import { rightsOf, type Kind } from './rights';
import { PLACES } from './places';
import { changeOf, complaintOf, controlOf, isSecretName, isVariableName } from './variables';

const variable = (more: Partial<VariableRow> = {}): VariableRow => ({
  name: 'A',
  description: '',
  schema: { type: 'string' },
  declared: true,
  required: false,
  secret: false,
  source: 'file',
  value: 'x',
  ...more,
});

describe('variables', () => {
  it.each([
    [{ schema: {} }, 'text'],
    [{ schema: { type: 'integer' } }, 'number'],
    [{ schema: { type: 'boolean' }, value: '' }, 'boolean'],
    [{ schema: { type: 'boolean' }, value: 'perhaps' }, 'text'],
    [{ schema: { enum: ['a', 1] } }, 'choice'],
    [{ schema: { enum: ['a'] }, secret: true }, 'secret'],
    [{ schema: { type: 'array' } }, 'lines'],
    [{ value: 'a\nb' }, 'lines'],
    [{ value: 'x'.repeat(101) }, 'lines'],
  ] as const)('%j is edited as %s', (more, control) => {
    expect(controlOf(variable(more))).toBe(control);
  });

  it('asks for nothing when nothing would change', () => {
    expect(changeOf(variable(), undefined)).toBeUndefined();
    expect(changeOf(variable(), 'x')).toBeUndefined();
    expect(changeOf(variable({ secret: true, value: '******' }), '')).toBeUndefined();
    expect(changeOf(variable({ source: 'unset', value: '' }), '')).toBeUndefined();
    expect(changeOf(variable({ source: 'default' }), '')).toBeUndefined();
    expect(changeOf(variable({ secret: true }), 'shown', 'shown')).toBeUndefined();
  });

  it('sets what is typed and takes out what is emptied', () => {
    expect(changeOf(variable(), ' y ')).toEqual({ values: { A: ' y ' }, remove: [] });
    expect(changeOf(variable(), '')).toEqual({ values: {}, remove: ['A'] });
    expect(changeOf(variable({ secret: true }), '', 'shown')).toEqual({
      values: {},
      remove: ['A'],
    });
  });

  it.each([
    [{ type: 'number' }, 'ten', 'number'],
    [{ type: 'number' }, '   ', 'number'],
    [{ type: 'number' }, '1e3', undefined],
    [{ type: 'integer' }, '1.5', 'integer'],
    [{ type: 'integer', minimum: 1 }, '0', 'minimum'],
    [{ type: 'integer', maximum: 60 }, '61', 'maximum'],
    [{ type: 'integer', minimum: 1, maximum: 60 }, '60', undefined],
    [{ type: 'string', minLength: 3 }, '𠮷𠮷', 'shorter'],
    [{ type: 'string', maxLength: 2 }, '𠮷𠮷', undefined],
    [{ type: 'string', maxLength: 2 }, 'abc', 'longer'],
    [{ type: 'integer' }, '', undefined],
    [{}, 'anything', undefined],
  ])('%j of %j is wrong by: %s', (schema, text, key) => {
    expect(complaintOf(schema, text)?.key).toBe(key);
  });

  it('knows names and which of them are secret', () => {
    for (const name of ['A', '_A', 'A_1']) expect(isVariableName(name)).toBe(true);
    for (const name of ['', 'a', '1A', 'A-B', 'A\n', 'Ä']) expect(isVariableName(name)).toBe(false);
    expect(['API_KEY', 'X_TOKEN', 'PASSWORD', 'MY_SECRET'].every(isSecretName)).toBe(true);
    expect(['KEYBOARD', 'TOKENS', 'PATH'].some(isSecretName)).toBe(false);
  });
});

describe('rights', () => {
  const none = { requested: [], granted: [], effective: [] };
  const grants = (more: Partial<Grants>): Grants => ({
    tool: 't',
    ...none,
    network: none,
    processes: { requested: false, granted: false, effective: false },
    ...more,
  });
  const states = (kind: Kind, all: Grants) =>
    rightsOf(kind, all).map(({ value, state, granted }) => `${value} ${state} ${granted}`);

  it('tells used, waiting and idle folders apart', () => {
    const folders = grants({
      requested: ['/own', '/pictures/2026', '/music'],
      granted: ['/pictures', '/old'],
      effective: ['/own', '/pictures/2026'],
    });
    expect(states('folders', folders)).toEqual([
      '/own used false',
      '/pictures/2026 used false',
      '/music waiting false',
      '/pictures used true',
      '/old idle true',
    ]);
  });

  it('does not take a name that begins alike for the folder above', () => {
    const folders = grants({ requested: ['/ab'], granted: ['/a', '/'], effective: ['/ab'] });
    expect(rightsOf('folders', folders).map(({ state }) => state)).toEqual([
      'used',
      'idle',
      'used',
    ]);
  });

  it('says what a grant of every host opens, and what it does not', () => {
    const network = { requested: ['a.example', 'localhost:80'], granted: ['*'] };
    const some = grants({ network: { ...network, effective: ['a.example'] } });
    expect(states('network', some)).toEqual([
      'a.example used false',
      'localhost:80 waiting false',
      '* used true',
    ]);
    const local = { requested: ['localhost:80'], granted: ['*', 'localhost:80'] };
    const ports = grants({ network: { ...local, effective: ['localhost:80'] } });
    expect(states('network', ports)).toEqual(['localhost:80 used true', '* idle true']);
    const one = { requested: ['*'], granted: ['a.example'], effective: ['a.example'] };
    expect(states('network', grants({ network: one }))).toEqual([
      '* waiting false',
      'a.example used true',
    ]);
  });

  it('has one right to start programs', () => {
    const programs = (requested: boolean, granted: boolean, effective: boolean) =>
      states('programs', grants({ processes: { requested, granted, effective } }));
    expect(programs(false, false, false)).toEqual([]);
    expect(programs(true, false, false)).toEqual([' waiting false']);
    expect(programs(true, true, true)).toEqual([' used true']);
    expect(programs(true, false, true)).toEqual([' used false']);
    expect(programs(false, true, false)).toEqual([' idle true']);
  });
});

describe('dependencies', () => {
  const row = (place: string, more: Partial<PackageRow> = {}): PackageRow => ({
    place,
    name: place.split('node_modules/').at(-1) ?? '',
    locked: '1.0.0',
    installed: '1.0.0',
    elsewhere: false,
    script: false,
    scriptAllowed: false,
    ...more,
  });

  it('lists packages with scripts once, those for this machine', () => {
    const found = scripted([
      row('node_modules/b', { script: true }),
      row('node_modules/a/node_modules/b', { script: true }),
      row('node_modules/a', { script: true, scriptAllowed: true }),
      row('node_modules/c'),
      row('node_modules/mac', { script: true, elsewhere: true }),
    ]);
    expect(found).toEqual([
      { name: 'a@1.0.0', allowed: true },
      { name: 'b@1.0.0', allowed: false },
    ]);
  });

  it('tells what came with what is declared', () => {
    const own = row('node_modules/a', { size: 10 });
    const found = {
      tool: 'x',
      declared: [
        { name: 'a', range: '1', from: 'npm' as const, byTool: true, there: true, package: own },
        { name: 'git', range: '', from: 'command' as const, byTool: true, there: true },
      ],
      packages: [own, row('node_modules/a/node_modules/b', { size: 5 }), row('node_modules/b')],
      locked: true,
      settled: true,
    };
    expect(transitive(found).map(({ place }) => place)).toEqual([
      'node_modules/a/node_modules/b',
      'node_modules/b',
    ]);
    expect(sizeOf(found.packages)).toBe(15);
  });

  it('counts only what lies there', () => {
    const { installed, ...gone } = row('node_modules/a', { size: 10 });
    expect([installed, sizeOf([gone])]).toEqual(['1.0.0', 0]);
  });

  it('names places for people', () => {
    expect(placeOf(row('node_modules/@s/a/node_modules/b'))).toBe('@s/a › b');
    expect(placeOf(row('node_modules/alias', { name: 'real' }))).toBe('alias (real)');
  });
});

describe('paths, tabs and the manual', () => {
  it('walks down and names each step', () => {
    expect(crumbsOf('')).toEqual([]);
    expect(crumbsOf('a/b')).toEqual([
      { name: 'a', path: 'a' },
      { name: 'b', path: 'a/b' },
    ]);
    expect(inside('', 'a')).toBe('a');
    expect(inside('a/b', 'c')).toBe('a/b/c');
  });

  it.each([
    ['x.tool.js', 'javascript'],
    ['a/package.JSON', 'json'],
    ['README.md', 'markdown'],
    ['.env', 'text'],
    ['json', 'text'],
  ])('%s is shown as %s', (path, language) => {
    expect(languageOf(path)).toBe(language);
  });

  it('addresses tabs, and takes an unknown one for the manual', () => {
    expect(PLACES.addressOf('a')).toBe('/tools/a');
    expect(PLACES.addressOf('a', 'log')).toBe('/tools/a/log');
    expect(PLACES.tabOf('files')).toBe('files');
    expect(PLACES.tabOf('checks')).toBe('checks');
    expect(PLACES.tabOf('nothing')).toBe('manual');
  });

  it('leaves out a first heading only when it says what stands above it', () => {
    expect(withoutTitle('# pdf\n\n## A', ['pdf'])).toBe('\n## A');
    expect(withoutTitle('# Guide\n\n## A', ['pdf'])).toBe('# Guide\n\n## A');
    expect(withoutTitle('text\n# pdf\n', ['pdf'])).toBe('text\n# pdf\n');
    expect(withoutTitle('# pdf', ['pdf'])).toBe('');
  });

  it('lets no level of headings be left out', () => {
    expect(topLevel('## A', 3)).toBe(2);
    expect(topLevel('## A', 2)).toBe(1);
    expect(topLevel('# Guide\n## A', 2)).toBe(2);
  });

  it('contents are two levels, without a lone title', () => {
    const element = {} as HTMLElement;
    const words = (levels: number[]) =>
      contentsOf(levels.map((level, index) => ({ level, words: String(index), element }))).map(
        (one) => `${one.words}${one.deep ? ' deep' : ''}`,
      );
    expect(words([])).toEqual([]);
    expect(words([3, 3])).toEqual(['0', '1']);
    expect(words([2, 3, 4, 3, 5])).toEqual(['1', '2 deep', '3']);
    expect(words([3, 4, 3, 5])).toEqual(['0', '1 deep', '2']);
    expect(words([3])).toEqual(['0']);
  });
});
