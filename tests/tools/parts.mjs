// Parts of file-reader that are tried best by themselves: YAML against a table, encodings against
// texts of many lengths, token counts. Run by `pm conformance` with the tool's folder beside this file.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { documents } from './file-reader/yaml.js';
import { decode, detect } from './file-reader/charset.js';
import { head, part, tokensOf } from './file-reader/cut.js';
import { dateOf, isDateFormat } from './file-reader/xlsx.js';
import { parse } from './file-reader/xml.js';
import { delimiterOf, rowsOf } from './file-reader/csv.js';
import { sourceOf } from './file-reader/source.js';

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
  ['a:\n- b\n-\n- c', [{ a: ['b', null, 'c'] }]],
  ['a: "x\\\\\n  y"\nb: "x\\\n  y"\nc: "x\n\n  y "', [{ a: 'x\\ y', b: 'xy', c: 'x\ny ' }]],
  ['a: |\n  x\n  \ty\n', [{ a: 'x\n\ty\n' }]],
  ['a: >\n\n\n  x\n  y\n', [{ a: '\n\nx y\n' }]],
  ['a: >\n  x\n\n    deep\n\n  y\n', [{ a: 'x\n\n  deep\n\ny\n' }]],
  ['{"id": 12345678901234567890, "a": [1]}', [{ id: '12345678901234567890', a: [1] }]],
  ['[a,#b, # a comment: with ]\n "c]" ]', [['a', '#b', 'c]']]],
  ['"a b" : 1\n\'it\'\'s\': 2\nc#d: 3\ne f: g:h\n', [{ 'a b': 1, "it's": 2, 'c#d': 3, 'e f': 'g:h' }]],
];
for (const [text, wanted] of yaml) {
  if (wanted === null) assert.throws(() => documents(text), { code: 'INVALID_CONTENT' }, text);
  else assert.deepEqual(documents(text), wanted, text);
}
assert.equal(Object.getPrototypeOf(documents('__proto__: {polluted: 1}')[0]), Object.prototype);
assert.equal({}.polluted, undefined);
// Reading takes as long as the text is: nothing is looked through again for every line.
const spaces = ' '.repeat(50000);
const flowFile = `[\n${Array.from({ length: 5000 }, (_, i) => `  {id: ${i}, name: "n ${i}"}, # c\n`).join('')}]`;
const started = Date.now();
assert.equal(documents(flowFile)[0].length, 5000);
assert.equal(documents(`${flowFile.replaceAll(' # c', '').replace(/(id|name)/g, '"$1"').replace(/,\n\]$/, '\n]')}`)[0].length, 5000);
assert.deepEqual(documents(`a: b${spaces}c`), [{ a: `b${spaces}c` }]);
assert.deepEqual(documents(`a${spaces}b`), [`a${spaces}b`]);
assert.deepEqual(documents(`a: b\n${'\n'.repeat(30000)}  c`), [{ a: `b${'\n'.repeat(30000)}c` }]);
assert.ok(Date.now() - started < 20000, `${Date.now() - started} ms`);

// Every beginning of a text in UTF-8 is UTF-8, wherever the sample ends.
const long = Buffer.from('中文字符与 ASCII 混在一起。\n'.repeat(6000));
assert.equal(detect(long), 'utf-8');
assert.equal(decode(long).text.length, 6000 * 18);
for (const before of ['', 'a', 'ab']) assert.equal(detect(Buffer.from(before + '中'.repeat(40000))), 'utf-8');
assert.equal(detect(Buffer.from('plain')), 'utf-8');
// Cut in the middle of a character, said to be UTF-8 or not.
for (const declared of [undefined, 'utf-8']) {
  const half = decode(Buffer.from('中文').subarray(0, 5), { declared, cut: true });
  assert.deepEqual(half, { text: '中', encoding: 'utf-8', replaced: false });
}
// One bad byte does not make the rest of it another encoding.
const log = Buffer.from('一行日志，说了一些话。\n'.repeat(5));
log[30] = 0xff;
const mended = decode(log);
assert.deepEqual([mended.encoding, mended.replaced, mended.text.startsWith('一行日志')], ['utf-8', true, true]);
assert.equal(decode(Buffer.from('caf\xe9', 'latin1'), { declared: 'utf-8' }).text, 'café');
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
assert.equal(delimiterOf('销售表，2024\na;b;c\n1;2,5;3\n4;5;6\n'), ';');
for (const code of ['[h]:mm:ss', '[mm]:ss', 'yyyy"年"']) assert.ok(isDateFormat(code), code);
for (const code of ['[Red]0.00', '[$-804]0', '"h"0', 'General']) assert.ok(!isDateFormat(code), code);
assert.deepEqual(parse('<a>&constructor;&lt;</a>').children, ['&constructor;<']);

for (const bad of ['', 'text', '<a>', '</a>', '<a/><b/>', '<a b></a>', '<a b="1></a>', '<1/>', '<a><![CDATA[x</a>', '<!-- <a/>']) {
  assert.throws(() => parse(bad), { code: 'INVALID_CONTENT' }, bad);
}
assert.deepEqual(parse('<?xml version="1.0"?><!-- c --><a b="1 &gt; 0">x<![CDATA[<y>]]>&#x4e2d;</a>'), {
  name: 'a',
  attributes: { b: '1 > 0' },
  children: ['x', '<y>', '中'],
});

// UTF-16 in parts: 上 is 0A 4E, no line ends in it; a part that shows no encoding by itself is read as the file's.
const wideFile = path.join(import.meta.dirname, 'wide.txt');
const wideLine = '上下上下上下上下上下上下上下上下上下上\n';
for (const [mark, order] of [['fffe', (one) => one], ['feff', (one) => one.swap16()]]) {
  fs.writeFileSync(wideFile, Buffer.concat([Buffer.from(mark, 'hex'), order(Buffer.from(wideLine.repeat(260000), 'utf16le'))]));
  const reader = { resolvePromptManagerPath: async (one) => one, api: { environment: { get() {} } } };
  let total = 0;
  let parts = 0;
  for (let from = 0; from !== undefined; parts += 1) {
    const { bytes, encoding, window } = await sourceOf(reader, { path: wideFile, start_byte: from });
    assert.equal(encoding, mark === 'fffe' ? 'utf-16le' : 'utf-16be');
    const start = decode(bytes.subarray(0, 400), { encoding }).text;
    assert.ok(start.replace('\ufeff', '').startsWith(wideLine), 'a part begins with a line');
    total += bytes.length;
    from = window.nextByte;
  }
  assert.equal(total, fs.statSync(wideFile).size);
  assert.ok(parts > 1);
}
fs.rmSync(wideFile);
console.log('fine');
