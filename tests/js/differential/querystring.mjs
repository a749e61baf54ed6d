// querystring.
import qs from 'node:querystring';
import { args, check, random } from './cases.mjs';

const rng = random(2);
const WORDS = ['a', 'b', 'foo', 'a b', 'ü', '中', '%', '%20', '%zz', '%E4%BD', '%F0%9F%A6%80', '+', '=', '&', ';', '[]', 'toString', '__proto__', 'hasOwnProperty', '', '\ud83e\udd80', '%2', '%u0041', '\n', '~', "'", '!', '*', '(', ')'];
const word = () => rng.some(WORDS, 0, 2).join('');
const value = () => rng.pick([word(), word(), word(), rng.int(-5, 5), rng.next(), true, false, null, undefined, NaN, Infinity, 12n, {}, Symbol.iterator, [word(), word()], [], [1, null, 'x'], -0, 1e21, () => 1]);
for (let n = 0; n < 260; n++) {
  const text = rng.times(rng.int(0, 5), () => rng.pick([word(), `${word()}=${word()}`, `${word()}=${word()}=${word()}`])).join(rng.pick(['&', '&', '&', '&&', ';', ',']));
  check(`parse(${args(text)})`, () => qs.parse(text));
  const [sep, eq] = [rng.pick([';', ',', '&&', '', null, 'ab', undefined, '%']), rng.pick([':', '==', '', null, '=', undefined])];
  const options = rng.pick([undefined, { maxKeys: rng.int(-1, 3) }, { maxKeys: '2' }, { decodeURIComponent: (part) => `<${part}>` }, { decodeURIComponent: () => { throw new Error('no'); } }, { decodeURIComponent: 'x' }]);
  check(`parse(${args(text, sep, eq, options)})`, () => qs.parse(text, sep, eq, options));
}
for (let n = 0; n < 200; n++) {
  const object = Object.fromEntries(rng.times(rng.int(0, 4), () => [word(), value()]));
  check(`stringify(${args(object)})`, () => qs.stringify(object));
  const [sep, eq] = [rng.pick([';', '', null, '&&']), rng.pick([':', '', null, '==>'])];
  check(`stringify(${args(object, sep, eq)})`, () => qs.stringify(object, sep, eq, rng.chance(0.3) ? { encodeURIComponent: (part) => part.toUpperCase() } : undefined));
}
for (const odd of [undefined, null, '', 'x', 1, true, [], ['a', 'b'], Symbol('s'), 1n]) {
  check(`stringify(${args(odd)})`, () => qs.stringify(odd));
  check(`parse(${args(odd)})`, () => qs.parse(odd));
  check(`escape(${args(odd)})`, () => qs.escape(odd));
}
for (let n = 0; n < 120; n++) {
  const text = rng.text(12);
  check(`escape(${args(text)})`, () => qs.escape(text));
  check(`unescape(${args(text)})`, () => qs.unescape(text));
  const coded = rng.some(['%', 'a', '4', 'E4', '%BD', '%A0', '%41', '+', 'zz'], 0, 6).join('');
  check(`unescapeBuffer(${args(coded)})`, () => qs.unescapeBuffer(coded));
  check(`unescape(${args(coded)})`, () => qs.unescape(coded));
}
check('members', () => [Object.keys(qs).sort(), qs.decode === qs.parse, qs.encode === qs.stringify]);
