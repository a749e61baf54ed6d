// adm-zip.
import AdmZip from 'adm-zip';
const zip = new AdmZip();
zip.addFile('a.txt', Buffer.from('text '.repeat(50)));
zip.addFile('dir/ünï.json', Buffer.from('{"a":1}'));
const again = new AdmZip(zip.toBuffer());
console.log(again.getEntries().map((entry) => [entry.entryName, entry.header.size, entry.isDirectory]), again.readAsText('a.txt').length, again.readAsText('dir/ünï.json'));
zip.writeZip('made-file.zip');
new AdmZip('made-file.zip').extractAllTo('made-zip', true);
import fs from 'node:fs';
console.log(fs.readdirSync('made-zip').sort(), fs.readFileSync('made-zip/dir/ünï.json', 'utf8'));
