// RegExp.$1 and its like, which the engine has not: the last match, for old code that asks for it there.
// Read when a file that names them is compiled, since it makes each match a little slower.
const { exec } = RegExp.prototype;
let last = Object.assign([''], { index: 0, input: '' });
internal.leftovers.push(() => {
  last = Object.assign([''], { index: 0, input: '' });
});
const recording = {
  exec(text) {
    const found = Reflect.apply(exec, this, [text]);
    if (found !== null) last = found;
    return found;
  },
};
Object.defineProperty(RegExp.prototype, 'exec', { value: recording.exec, writable: true, configurable: true });
const parts = {
  input: () => last.input, $_: () => last.input, lastMatch: () => last[0], '$&': () => last[0],
  lastParen: () => (last.length > 1 ? last.at(-1) ?? '' : ''), '$+': () => (last.length > 1 ? last.at(-1) ?? '' : ''),
  leftContext: () => last.input.slice(0, last.index), '$`': () => last.input.slice(0, last.index),
  rightContext: () => last.input.slice(last.index + last[0].length), "$'": () => last.input.slice(last.index + last[0].length),
};
for (let n = 1; n < 10; n++) parts[`$${n}`] = () => last[n] ?? '';
for (const [name, get] of Object.entries(parts)) Object.defineProperty(RegExp, name, { get, set() {}, configurable: true });
