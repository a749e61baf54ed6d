// string_decoder: characters that arrive in pieces.
import { StringDecoder } from 'node:string_decoder';
import { args, check, random } from './cases.mjs';

const rng = random(4);
const ENCODINGS = ['utf8', 'utf-8', 'utf16le', 'ucs2', 'ucs-2', 'base64', 'base64url', 'hex', 'latin1', 'binary', 'ascii', 'UTF8', 'Utf-16LE'];
const TEXTS = ['a', 'é', '€', '中文', '🦀', 'e\u0301', '\ufeff', '👩‍🔬', '\0'];
for (let n = 0; n < 600; n++) {
  const encoding = rng.pick(ENCODINGS);
  let bytes = rng.chance(0.5) ? rng.bytes(rng.int(0, 14)) : Buffer.from(rng.some(TEXTS, 0, 5).join(''), /16|ucs/i.test(encoding) ? 'utf16le' : 'utf8');
  if (rng.chance(0.25)) bytes = Uint8Array.from([...bytes, rng.pick([0xc2, 0xe2, 0xf0, 0xf4, 0x80, 0xd8, 0xff, 0xed, 0xe0])]);
  const cuts = rng.times(rng.int(0, 4), () => rng.int(0, bytes.length)).sort((a, b) => a - b);
  const pieces = [0, ...cuts].map((from, at) => bytes.subarray(from, cuts[at] ?? bytes.length));
  check(`${encoding} ${args(...pieces)}`, () => {
    const decoder = new StringDecoder(encoding);
    const came = pieces.map((piece) => [decoder.write(Buffer.from(piece)), decoder.lastNeed, decoder.lastTotal]);
    const last = rng.chance(0.3) ? decoder.end(Buffer.from('€').subarray(0, 2)) : decoder.end();
    return [came, last, decoder.write(Buffer.from('x')), decoder.end()];
  });
}
for (const odd of [undefined, null, 'x', 1, '', {}, 'utf-7', 'UCS2']) check(`new(${args(odd)})`, () => new StringDecoder(odd).encoding);
for (const odd of [undefined, null, 'text', 1, {}, [], new Uint16Array([1, 2]), new DataView(new ArrayBuffer(2)), new ArrayBuffer(2)]) check(`write(${args(odd)})`, () => new StringDecoder().write(odd));
