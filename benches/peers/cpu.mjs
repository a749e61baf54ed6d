// The CPU set of `cargo xtask bench runtime`: the same file in every engine, one line of JSON for each
// piece of work. What came out is printed too, so that nobody is quick by doing less.
const ROUNDS = 5;

// The same numbers everywhere, without Math.random.
function numbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state >>> 8;
  };
}

function fib(n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

function sieve(most) {
  const composite = new Uint8Array(most + 1);
  let count = 0;
  for (let n = 2; n <= most; n++) {
    if (composite[n]) continue;
    count++;
    for (let multiple = n * n; multiple <= most; multiple += n) composite[multiple] = 1;
  }
  return count;
}

function json(records) {
  const next = numbers(7);
  const list = Array.from({ length: records }, (_, id) => (
    { id, name: `record ${next()}`, tags: ['a', 'b', String(next() % 10)], size: next() / 3, deep: { ok: id % 2 === 0, none: null } }));
  let length = 0;
  let sum = 0;
  for (let round = 0; round < 4; round++) {
    const text = JSON.stringify(list);
    length += text.length;
    for (const record of JSON.parse(text)) sum += record.tags.length + record.deep.ok;
  }
  return [length, sum];
}

function sort(length) {
  const next = numbers(42);
  const list = Array.from({ length }, next);
  const byValue = list.toSorted((a, b) => a - b);
  const byText = list.map((n) => `k${n}`).sort();
  return [byValue[0], byValue[length >> 1], byValue[length - 1], byText[length >> 1]];
}

function regex(lines) {
  const next = numbers(3);
  const text = Array.from({ length: lines }, () => `2026-11-${10 + (next() % 20)} 10:00:00 [${next() % 2 ? 'INFO' : 'WARN'}] user${next() % 100}@example.org took ${next() % 5000} ms`).join('\n');
  let warned = 0;
  let total = 0;
  for (const [, level, , took] of text.matchAll(/^\d{4}-\d\d-\d\d [\d:]+ \[(\w+)\] ([\w.]+@[\w.]+) took (\d+) ms$/gm)) {
    if (level === 'WARN') warned++;
    total += Number(took);
  }
  return [warned, total, text.replace(/user(\d+)@/g, (_, id) => `u-${id} at `).length];
}

function strings(count) {
  let text = '';
  for (let n = 0; n < count; n++) text += `${n},`;
  let hash = 0;
  for (let n = 0; n < text.length; n++) hash = (Math.imul(hash, 31) + text.charCodeAt(n)) | 0;
  const parts = text.split(',');
  return [text.length, hash, parts.map((part) => part.padStart(8, '0')).join('').length];
}

// The same as `fib`, as a module: (i32) -> i32, which calls itself.
const FIB = Uint8Array.from([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 6, 1, 96, 1, 127, 1, 127, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0,
  10, 30, 1, 28, 0, 32, 0, 65, 2, 72, 4, 127, 32, 0, 5, 32, 0, 65, 1, 107, 16, 0, 32, 0, 65, 2, 107, 16, 0, 106, 11, 11,
]);

const WORK = [
  ['fib', () => fib(27)],
  ['sieve', () => sieve(1_000_000)],
  ['json', () => json(2_000)],
  ['sort', () => sort(50_000)],
  ['regex', () => regex(10_000)],
  ['strings', () => strings(100_000)],
  ['wasm', () => new WebAssembly.Instance(new WebAssembly.Module(FIB)).exports.f(27)],
];

for (const [name, work] of WORK) {
  // Once before it counts, for engines that compile what is hot.
  let result = work();
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now();
    result = work();
    times.push(performance.now() - begun);
  }
  console.log(JSON.stringify({ name, result, times }));
}
