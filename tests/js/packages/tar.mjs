// tar.
import * as tar from 'tar';
import fs from 'node:fs';
fs.mkdirSync('made-tar/in/deep', { recursive: true });
fs.writeFileSync('made-tar/in/a.txt', 'a'.repeat(2000));
fs.writeFileSync('made-tar/in/deep/ü.txt', 'x');
await tar.create({ gzip: true, file: 'made-tar/out.tgz', cwd: 'made-tar', portable: true }, ['in']);
const names = [];
await tar.list({ file: 'made-tar/out.tgz', onReadEntry: (entry) => names.push(entry.path) });
console.log(names.sort());
fs.mkdirSync('made-tar/to', { recursive: true });
await tar.extract({ file: 'made-tar/out.tgz', cwd: 'made-tar/to', strip: 1 });
console.log(fs.readdirSync('made-tar/to', { recursive: true }).sort(), fs.readFileSync('made-tar/to/a.txt').length);
