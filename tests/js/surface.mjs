// Every name of Node's modules and globals, looked for in ours.
//
// `node surface.mjs [--write]`. What is not there is in surface/absent.json with its reason, by name or by
// the beginning of names (`tls.`); a name that is missing and has no reason fails the test, and so does a
// reason that nothing needs any more. --write writes docs/node-modules.md, and leaves out such reasons;
// without it the file is compared.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inNode, inOurs } from './run-both.mjs';

const folder = join(import.meta.dirname, 'surface');
const list = join(folder, 'made-names.json');
const table = join(import.meta.dirname, '../../docs/node-modules.md');
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const reasons = read(join(folder, 'absent.json'));
const { dependencies: pinned } = read(join(import.meta.dirname, 'package.json'));

function answer(how, script) {
  const { ok, stdout, stderr } = how(join(folder, script));
  if (!ok) throw new Error(`${script}: ${stderr.slice(-2000)}`);
  return JSON.parse(stdout);
}
const names = answer(inNode, 'names.cjs');
let missing;
try {
  writeFileSync(list, JSON.stringify(names));
  missing = answer(inOurs, 'missing.cjs');
} finally {
  rmSync(list, { force: true });
}

const wrong = [];
const groups = new Map(Object.entries(reasons).map(([reason, beginnings]) => [reason, { beginnings, names: [] }]));
const used = new Set();
for (const name of missing) {
  let known = false;
  for (const group of groups.values()) {
    const beginning = group.beginnings.find((one) => name === one || (/[.#]$/.test(one) && name.startsWith(one)));
    if (beginning === undefined) continue;
    used.add(beginning);
    group.names.push(name);
    known = true;
    break;
  }
  if (!known) wrong.push(`${name} is missing, and surface/absent.json says nothing of it`);
}
const write = process.argv.includes('--write');
if (write) {
  const kept = Object.entries(reasons).map(([reason, beginnings]) => [reason, beginnings.filter((one) => used.has(one))]);
  writeFileSync(join(folder, 'absent.json'), `${JSON.stringify(Object.fromEntries(kept.filter(([, beginnings]) => beginnings.length > 0)), null, 2)}\n`);
} else for (const { beginnings } of groups.values()) for (const one of beginnings) if (!used.has(one)) wrong.push(`${one} is there: it need not stand in surface/absent.json`);

const counted = (all) => all.reduce((counts, name) => {
  const [module] = /^[^.#]*/.exec(name);
  return counts.set(module, (counts.get(module) ?? 0) + 1);
}, new Map());
const gone = counted(missing);
const rows = [...counted(names)].map(([module, count]) => `| ${module === 'globalThis' ? 'globals' : `\`${module}\``} | ${count} | ${gone.get(module) ?? 0} |`);
const sections = [...groups].filter(([, group]) => group.names.length > 0).map(([reason, group]) => `**${reason}**: ${group.names.map((name) => `\`${name.replace('#', '.prototype.').replace(/^globalThis\./, '')}\``).join(', ')}.`);
const text = `# Node's modules and globals

Made by \`node tests/js/surface.mjs --write\`, checked by \`cargo xtask test --only js\`: every name that the
modules and globals of Node ${pinned.node} have (their members, statics and methods), looked for in a worker.
${names.length - missing.length} of ${names.length} are there. Whether they do what Node's do is what
\`tests/js/differential\` and [packages.md](packages.md) are about.

| Module | Names | Missing |
|---|---|---|
${rows.join('\n')}

## What is missing, and why

${sections.join('\n\n')}
`;
if (write) writeFileSync(table, text);
else if (readFileSync(table, 'utf8') !== text) wrong.push('docs/node-modules.md is not what this run says: node tests/js/surface.mjs --write');
for (const line of wrong) console.log(line);
console.log(`${names.length - missing.length} of ${names.length} names are there`);
process.exitCode = wrong.length > 0 ? 1 : 0;
