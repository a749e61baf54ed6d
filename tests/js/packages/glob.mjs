// glob.
import fs from 'node:fs';
fs.mkdirSync('made-glob/src/deep', { recursive: true });
for (const file of ['a.js', 'b.ts', 'src/c.js', 'src/deep/d.js', 'src/.hidden.js']) fs.writeFileSync(`made-glob/${file}`, file);
import { glob, globSync, hasMagic } from 'glob';
const sorted = (list) => [...list].sort();
console.log(sorted(await glob('**/*.js', { cwd: 'made-glob' })), sorted(globSync('{a,b}.*', { cwd: 'made-glob' })), hasMagic('*.js'), sorted(globSync('src/**', { cwd: 'made-glob', nodir: true, dot: true })));
