// npm packages in their usual ways: each script of packages/ in Node and in ours, same output.
//
// `node packages.mjs [--write] [NAME…]`. What does not work is in packages/not-yet.json with its
// reason; a package that fails and is not there fails the test, and so does one that is there and
// works. --write writes the table, docs/packages.md; without it the table is compared.
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inNode, inOurs } from './run-both.mjs';

const folder = join(import.meta.dirname, 'packages');
const table = join(import.meta.dirname, '../../docs/packages.md');
const words = process.argv.slice(2);
const asked = words.filter((word) => !word.startsWith('--'));
const notYet = JSON.parse(readFileSync(join(folder, 'not-yet.json'), 'utf8'));
const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
const names = readdirSync(folder).filter((file) => file.endsWith('.mjs')).map((file) => file.slice(0, -4)).sort();

const clear = () => {
  for (const file of readdirSync(folder)) if (file.startsWith('made-')) rmSync(join(folder, file), { recursive: true });
};
function run(how, name) {
  clear();
  try {
    return how(join(folder, `${name}.mjs`));
  } finally {
    clear();
  }
}

const rows = [];
const wrong = [];
for (const name of names.filter((name) => asked.length === 0 || asked.includes(name))) {
  const [node, ours] = [run(inNode, name), run(inOurs, name)];
  const works = ours.ok && node.stdout === ours.stdout;
  const reason = notYet[name];
  if (!node.ok) wrong.push(`${name}: fails in Node: ${node.stderr.slice(-500)}`);
  else if (!works && !reason) wrong.push(`${name}: ${ours.ok ? `differs:\n${difference(node.stdout, ours.stdout)}` : ours.stderr.slice(-800)}`);
  else if (works && reason) wrong.push(`${name} works: it need not stand in not-yet.json`);
  console.log(`${works ? 'works ' : 'NOT   '} ${name}${works ? '' : ` (${reason ?? 'why?'})`}`);
  rows.push(`| ${name} | ${lock.packages[`node_modules/${name}`].version} | ${works ? 'works' : `not yet: ${reason}`} |`);
}
function difference(wanted, came) {
  const [left, right] = [wanted.split('\n'), came.split('\n')];
  const at = left.findIndex((line, at) => line !== right[at]);
  return `  node ${left[at]?.slice(0, 400)}\n  pm   ${right[at]?.slice(0, 400)}`;
}

const text = `# npm packages

Made by \`node tests/js/packages.mjs --write\`, checked by \`cargo xtask test --only js\`: scripts that use
each package in its usual ways give the same output in Node ${readVersion()} and in a worker (\`pm conformance\`, with
neither node nor npm to be found).

| Package | Version | |
|---|---|---|
${rows.join('\n')}
`;
function readVersion() {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')).dependencies.node;
}
if (asked.length === 0) {
  if (words.includes('--write')) writeFileSync(table, text);
  else if (readFileSync(table, 'utf8') !== text) wrong.push('docs/packages.md is not what this run says: node tests/js/packages.mjs --write');
}
for (const line of wrong) console.log(line);
console.log(`${rows.filter((row) => row.includes('| works |')).length} of ${rows.length} packages work`);
process.exitCode = wrong.length > 0 ? 1 : 0;
