// Parts of file-reader that are tried best by themselves: YAML against a table, encodings against
// texts of many lengths, token counts. Run by `pm conformance` with the tool's folder beside this file.
import assert from 'node:assert/strict';
import { documents } from './file-reader/yaml.js';
import { decode, detect } from './file-reader/charset.js';
import { head, part, tokensOf } from './file-reader/cut.js';
import { dateOf } from './file-reader/xlsx.js';
import { parse } from './file-reader/xml.js';
import { delimiterOf, rowsOf } from './file-reader/csv.js';

const yaml = [
  ['a: 1\nb: [x, "y, z", {c: d}]', [{ a: 1, b: ['x', 'y, z', { c: 'd' }] }]],
  ['- a\n- - b\n  - c\n-\n  d: e\n', [['a', ['b', 'c'], { d: 'e' }]]],
  ['list:\n- one\n- two: 2\n  three: 3\n', [{ list: ['one', { two: 2, three: 3 }] }]],
  ['t: |\n  a\n    b\n\n  c\nu: 1', [{ t: 'a\n  b\n\nc\n', u: 1 }]],
  ['t: |-\n  a\n  b\n', [{ t: 'a\nb' }]],
  ['t: >\n  a\n  b\n\n  c\n', [{ t: 'a b\nc\n' }]],
  ['t: |+\n  a\n\nu: 1', [{ t: 'a\n\n', u: 1 }]],
  ["s: 'it''s'\nd: \"a\\tb\\u4e2d\"", [{ s: "it's", d: 'a\tb中' }]],
  ['p: one\n  two\n  three', [{ p: 'one two three' }]],
  ['u: http://a.b:80/c#d # comment\n# whole\nv: "#no"', [{ u: 'http://a.b:80/c#d', v: '#no' }]],
  ['n: ~\nb: true\ni: -12\nf: 1.5e3\nh: 0x1F\ns: 1.2.3\nt: 12:30\nz: 007', [{ n: null, b: true, i: -12, f: 1500, h: 31, s: '1.2.3', t: '12:30', z: 7 }]],
  ['big: 12345678901234567890', [{ big: '12345678901234567890' }]],
  ['a: &x [1]\nb: *x', [{ a: [1], b: [1] }]],
  ['base: &b {k: 1, l: 2}\nown:\n  <<: *b\n  k: 3', [{ base: { k: 1, l: 2 }, own: { k: 3, l: 2 } }]],
  ['---\na\n---\nb\n...\n', ['a', 'b']],
  ['%YAML 1.2\n---\na: 1', [{ a: 1 }]],
  ['"quoted key": 1\n? x', null],
  ['a: [1,\n  2]\nb: 3', [{ a: [1, 2], b: 3 }]],
  ['on:\n  push:\n    branches: [main]\njobs:\n  x:\n    steps:\n      - run: |\n          a: b\n          c\n        name: n', [{ on: { push: { branches: ['main'] } }, jobs: { x: { steps: [{ run: 'a: b\nc\n', name: 'n' }] } } }]],
  ['', []],
  ['a: 1\na: 2', null],
  ['a:\n  - 1\n - 2', null],
  ['a: [1', null],
  ['a: "x', null],
  ['\ta: 1', null],
  ['a: *none', null],
  [`${'- '.repeat(500)}x`, null],
];
for (const [text, wanted] of yaml) {
  if (wanted === null) assert.throws(() => documents(text), { code: 'INVALID_CONTENT' }, text);
  else assert.deepEqual(documents(text), wanted, text);
}
assert.equal(Object.getPrototypeOf(documents('__proto__: {polluted: 1}')[0]), Object.prototype);
assert.equal({}.polluted, undefined);

// Every beginning of a text in UTF-8 is UTF-8, wherever the sample ends.
const long = Buffer.from('中文字符与 ASCII 混在一起。\n'.repeat(6000));
assert.equal(detect(long), 'utf-8');
assert.equal(decode(long).text.length, 6000 * 18);
assert.equal(detect(Buffer.from('plain')), 'utf-8');
assert.equal(detect(Buffer.alloc(0)), 'utf-8');
// What a server says wrongly is not believed.
assert.equal(decode(Buffer.from('中文'), { declared: 'iso-8859-1' }).text, '中文');
assert.equal(decode(Buffer.from('d6d0cec4', 'hex'), { declared: 'no-such' }).text, '中文');

// A cut text is as long as it may be and no longer; no character is cut in two.
for (const text of ['a'.repeat(1000), '中'.repeat(1000), '😀'.repeat(500), 'a中😀 '.repeat(200)]) {
  for (const budget of [1, 7, 50, 333]) {
    const found = head(text, budget);
    assert.ok(tokensOf(found) <= budget);
    assert.ok(text.startsWith(found) && found.isWellFormed());
    assert.ok(tokensOf(text.slice(0, found.length + 4)) >= budget || found === text);
  }
}
const all = Array.from({ length: 100 }, (_, i) => `line ${i}\n`);
let seen = [];
for (let offset = 0; offset !== undefined; ) {
  const cut = part(all, { offset, limit: Infinity, budget: 37, textOf: (line) => line, shorten: head });
  seen = seen.concat(cut.items);
  offset = cut.nextOffset;
}
assert.deepEqual(seen, all, 'going on from nextOffset gives everything once');

assert.equal(dateOf(1, false), '1900-01-01');
assert.equal(dateOf(61, false), '1900-03-01');
assert.equal(dateOf(45351, false), '2024-02-29');
assert.equal(dateOf(45351.75, false), '2024-02-29T18:00:00');
assert.equal(dateOf(0.5, false), '12:00:00');
assert.equal(dateOf(0, true), '00:00:00');
assert.equal(dateOf(43889, true), '2024-02-29');

assert.deepEqual([...rowsOf('a,"b\n""c""",d\r\n,\n"x"y,z', ',')], [['a', 'b\n"c"', 'd'], ['', ''], ['xy', 'z']]);
assert.deepEqual([...rowsOf('"never closed', ',')], [['never closed']]);
assert.equal(delimiterOf('a;b,c;d\n1;2;3\n'), ';');
assert.equal(delimiterOf('a\tb\n'), '\t');

for (const bad of ['', 'text', '<a>', '</a>', '<a/><b/>', '<a b></a>', '<a b="1></a>', '<1/>', '<a><![CDATA[x</a>', '<!-- <a/>']) {
  assert.throws(() => parse(bad), { code: 'INVALID_CONTENT' }, bad);
}
assert.deepEqual(parse('<?xml version="1.0"?><!-- c --><a b="1 &gt; 0">x<![CDATA[<y>]]>&#x4e2d;</a>'), {
  name: 'a',
  attributes: { b: '1 > 0' },
  children: ['x', '<y>', '中'],
});
console.log('fine');
