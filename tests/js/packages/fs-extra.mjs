// fs-extra.
import fs from 'fs-extra';
await fs.outputJson('made-extra/a/b.json', { x: [1, 2] }, { spaces: 2 });
console.log(await fs.readJson('made-extra/a/b.json'), await fs.pathExists('made-extra/none'));
await fs.copy('made-extra/a', 'made-extra/copy');
await fs.move('made-extra/copy/b.json', 'made-extra/moved.json');
console.log(fs.readdirSync('made-extra').sort(), fs.readFileSync('made-extra/moved.json', 'utf8'));
await fs.ensureDir('made-extra/x/y');
await fs.emptyDir('made-extra/a');
await fs.remove('made-extra/x');
console.log(fs.readdirSync('made-extra').sort(), await fs.readJson('made-extra/none.json').catch((error) => error.code));
