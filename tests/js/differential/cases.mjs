// What every script here is made of: random values from a fixed seed, and lines to compare.
//
// A script prints one line a case. The runner (xtask/src/test/differential.rs) runs it in Node and
// in `pm conformance` and compares line by line; a line may hold nothing that differs by itself
// (times, addresses, the order of asynchronous things that Node does not promise).

/** mulberry32: small, and the same everywhere. */
export function random(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const int = (min, max) => min + Math.floor(next() * (max - min + 1));
  const pick = (list) => list[int(0, list.length - 1)];
  const times = (count, make) => Array.from({ length: count }, (_, at) => make(at));
  return {
    next, int, pick, times,
    chance: (odds) => next() < odds,
    some: (list, least, most) => times(int(least, most), () => pick(list)),
    bytes: (length) => Uint8Array.from({ length }, () => int(0, 255)),
    /** Text with what goes wrong most often: other planes, lone halves, control characters. */
    text: (most) => times(int(0, most), () => pick(LETTERS)).join(''),
  };
}
const LETTERS = [...'abcdefgXYZ0189 -_.,/\\%&=?#+:;@!\'"<>[]{}()*~$^|`', 'é', 'ß', 'ñ', '中', '文', '\u3042', '🦀', '👩‍🔬', '\ud800', '\udc00', '\n', '\t', '\r', '\0', '\u007f', '\u00a0', '\u2028', '\ufeff', '\uffff'];

const quoted = (text) => JSON.stringify(text).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
const hex = (bytes) => {
  let sum = 0x811c9dc5;
  let shown = '';
  bytes.forEach((byte, at) => {
    if (at < 64) shown += byte.toString(16).padStart(2, '0');
    sum = Math.imul(sum ^ byte, 0x01000193) >>> 0;
  });
  return bytes.length > 64 ? `${shown}...${bytes.length}:${sum.toString(16)}` : shown;
};

/** A value as text that does not depend on `util.inspect`, which is itself under test. */
export function show(value, depth = 0) {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'symbol') return quoted(String(value));
  if (typeof value === 'function') return `function ${value.name}`;
  if (Object.is(value, -0)) return '-0';
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof Error) return failure(value);
  if (value instanceof ArrayBuffer) return `ArrayBuffer ${hex(new Uint8Array(value))}`;
  if (ArrayBuffer.isView(value)) return `${value.constructor.name} ${hex(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))}`;
  if (value instanceof Date) return `Date ${Number.isNaN(value.getTime()) ? 'Invalid' : value.toISOString()}`;
  if (value instanceof RegExp) return String(value);
  if (depth > 4) return '…';
  const inner = (part) => show(part, depth + 1);
  if (Array.isArray(value)) return `[${Array.from(value, inner).join(', ')}]`;
  if (value instanceof Map) return `Map {${[...value].map(([key, part]) => `${inner(key)} => ${inner(part)}`).join(', ')}}`;
  if (value instanceof Set) return `Set {${[...value].map(inner).join(', ')}}`;
  const kind = Object.getPrototypeOf(value) === null ? '[null] ' : value.constructor === Object ? '' : `${value.constructor?.name} `;
  return `${kind}{${Object.keys(value).map((key) => `${quoted(key)}: ${inner(value[key])}`).join(', ')}}`;
}

/** Errors that Node words are compared word by word; those of the engine by their class alone. */
function failure(error) {
  if (error.code === undefined || typeof error.code === 'number') return `${error.name}`;
  const more = ['errno', 'syscall', 'path', 'dest', 'input'].filter((key) => error[key] !== undefined).map((key) => ` ${key}=${show(error[key])}`);
  return `${error.name} ${error.code} ${quoted(error.message)}${more.join('')}`;
}

// Warnings go to the log here and to the other stream there; what is compared are results.
process.emitWarning = () => {};

let count = 0;
/** One case: its name says what was asked, the rest what came of it. */
export function check(name, work) {
  let came;
  try {
    came = show(work());
  } catch (error) {
    came = `throws ${error instanceof Error ? failure(error) : show(error)}`;
  }
  console.log(`${++count} ${name} => ${came}`);
}
/** The same for what comes later. */
export async function checkLater(name, work) {
  let came;
  try {
    came = show(await work());
  } catch (error) {
    came = `rejects ${error instanceof Error ? failure(error) : show(error)}`;
  }
  console.log(`${++count} ${name} => ${came}`);
}
/** Arguments as a case's name has them. */
export const args = (...values) => values.map((value) => show(value)).join(', ');
