// npm packages in their usual ways: each script of packages/ in Node and in ours, same output; and in
// an older Node, bun and deno, to be seen beside.
//
// `node packages.mjs [--write] [NAME…]`. What does not work is in packages/not-yet.json with its
// reason; a package that fails and is not there fails the test, and so does one that is there and
// works. --write writes the table, docs/packages.md; without it the table is compared. A NAME asks for
// that script alone, and for no table.
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inBun, inDeno, inNode, inNode20, inOurs } from './run-both.mjs';

const folder = join(import.meta.dirname, 'packages');
const table = join(import.meta.dirname, '../../docs/packages.md');
const words = process.argv.slice(2);
const asked = words.filter((word) => !word.startsWith('--'));
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const notYet = read(join(folder, 'not-yet.json'));
const lock = read(join(folder, 'package-lock.json'));
const { dependencies: pinned } = read(join(import.meta.dirname, 'package.json'));
const names = readdirSync(folder).filter((file) => file.endsWith('.mjs')).map((file) => file.slice(0, -4)).sort();
const PEERS = { node20: inNode20, bun: inBun, deno: inDeno };

// Where a script is not named as its package's folder in node_modules is.
const FOLDERS = { 'anthropic-sdk': '@anthropic-ai/sdk', 'aws-s3': '@aws-sdk/client-s3', 'mcp-sdk': '@modelcontextprotocol/sdk' };
const packageOf = (name) => {
  const installed = FOLDERS[name] ?? name;
  const entry = lock.packages[`node_modules/${installed}`];
  return { label: entry.name ?? installed, version: entry.version };
};

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
const like = (node, { ok, stdout }) => (ok ? (stdout === node.stdout ? 'works' : 'differs') : 'fails');

const rows = [];
const wrong = [];
const counts = { pm: 0, node20: 0, bun: 0, deno: 0 };
for (const name of names.filter((name) => asked.length === 0 || asked.includes(name))) {
  const [node, ours] = [run(inNode, name), run(inOurs, name)];
  const works = like(node, ours) === 'works';
  const reason = notYet[name];
  if (!node.ok) wrong.push(`${name}: fails in Node: ${node.stderr.slice(-500)}`);
  else if (!works && !reason) wrong.push(`${name}: ${ours.ok ? `differs:\n${difference(node.stdout, ours.stdout)}` : ours.stderr.slice(-800)}`);
  else if (works && reason) wrong.push(`${name} works: it need not stand in not-yet.json`);
  console.log(`${works ? 'works ' : 'NOT   '} ${name}${works ? '' : ` (${reason ?? 'why?'})`}`);
  if (works) counts.pm += 1;
  if (asked.length > 0) continue;
  const peers = Object.entries(PEERS).map(([peer, how]) => {
    const came = like(node, run(how, name));
    if (came === 'works') counts[peer] += 1;
    return came;
  });
  const { label, version } = packageOf(name);
  rows.push(`| ${label} | ${version} | ${works ? 'works' : `not yet: ${reason}`} | ${peers.join(' | ')} |`);
}
function difference(wanted, came) {
  const [left, right] = [wanted.split('\n'), came.split('\n')];
  const at = left.findIndex((line, at) => line !== right[at]);
  return `  node ${left[at]?.slice(0, 400)}\n  pm   ${right[at]?.slice(0, 400)}`;
}

// Ours must be as the table says. What others do is not ours to fail by: a script may be at odds with
// them one time in many.
function compare(before) {
  const own = (table) => table.replace(/^(\|(?:[^|]*\|){3}).*$/gm, '$1');
  if (own(before) !== own(text)) wrong.push('docs/packages.md is not what this run says: node tests/js/packages.mjs --write');
  else if (before !== text) console.log('another engine did otherwise than docs/packages.md says: node tests/js/packages.mjs --write');
}

const text = `# npm packages

Made by \`node tests/js/packages.mjs --write\`, checked by \`cargo xtask test --only js\`: scripts that use
each package in its usual ways, clients and servers on loopback among them. \`pm\` is a worker, the one that
runs tools (\`pm conformance\`), with neither node nor npm to be found. **works**: it prints what Node ${pinned.node}
prints. **differs**: it ends well and prints something else, if only the words of an engine's own error.
**fails**: it does not end well, or not within 30 s. Node ${pinned.node20.replace('npm:node@', '')},
bun ${pinned.bun} and deno ${pinned.deno} run the same scripts unchanged.

| Package | Version | pm | Node 20 | bun | deno |
|---|---|---|---|---|---|
${rows.join('\n')}
| **${rows.length} packages** | | **${counts.pm} work** | **${counts.node20} work** | **${counts.bun} work** | **${counts.deno} work** |
`;
if (asked.length === 0) {
  if (words.includes('--write')) writeFileSync(table, text);
  else compare(readFileSync(table, 'utf8'));
}
for (const line of wrong) console.log(line);
console.log(`${counts.pm} of ${asked.length === 0 ? rows.length : asked.length} packages work`);
process.exitCode = wrong.length > 0 ? 1 : 0;
