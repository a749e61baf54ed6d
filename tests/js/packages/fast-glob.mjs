// fast-glob.
import fs from 'node:fs';
fs.mkdirSync('made-glob/src/deep', { recursive: true });
for (const file of ['a.js', 'b.ts', 'src/c.js', 'src/deep/d.js', 'src/.hidden.js']) fs.writeFileSync(`made-glob/${file}`, file);
import glob from 'fast-glob';
const sorted = (list) => [...list].sort();
console.log(sorted(await glob('**/*.js', { cwd: 'made-glob' })), sorted(glob.sync(['**/*', '!**/*.ts'], { cwd: 'made-glob', dot: true, onlyFiles: true })), glob.isDynamicPattern('a/*.js'));
const found = [];
for await (const entry of glob.stream('src/**', { cwd: 'made-glob' })) found.push(entry);
console.log(sorted(found));
