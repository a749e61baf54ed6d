// In ours: which names of made-names.json are not there, as JSON.
const names = JSON.parse(require('node:fs').readFileSync('made-names.json', 'utf8'));
const gone = new Set();
const found = new Map();
function thing(path) {
  if (found.has(path)) return found.get(path);
  const dot = path.lastIndexOf('.');
  let value;
  try {
    if (path === 'globalThis') value = globalThis;
    else if (dot < 0) value = require(`node:${path}`);
    else value = thing(path.slice(0, dot))?.[path.slice(dot + 1)];
  } catch (error) {
    value = undefined;
  }
  found.set(path, value);
  return value;
}
const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
for (const name of names) {
  const cut = Math.max(name.lastIndexOf('.'), name.lastIndexOf('#'));
  if (cut < 0) {
    if (!isObject(thing(name))) gone.add(name);
    continue;
  }
  const [whole, kind, last] = [name.slice(0, cut), name[cut], name.slice(cut + 1)];
  // Of what is not there nothing else is said.
  if ([...gone].some((one) => whole === one || whole.startsWith(`${one}.`))) continue;
  const value = thing(whole);
  const holder = kind === '#' ? value?.prototype : value;
  if (!isObject(holder) || !(last in holder)) gone.add(name);
}
console.log(JSON.stringify([...gone]));
