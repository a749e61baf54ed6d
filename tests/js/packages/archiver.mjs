// archiver.
import * as archiver from 'archiver';
import AdmZip from 'adm-zip';
const make = archiver.ZipArchive ? new archiver.ZipArchive({ zlib: { level: 9 } }) : archiver.default('zip', { zlib: { level: 9 } });
const parts = [];
make.on('data', (part) => parts.push(part));
make.append('some text '.repeat(100), { name: 'a.txt' });
make.append(Buffer.from([1, 2, 3]), { name: 'b/c.bin' });
const ended = new Promise((resolve, reject) => make.on('end', resolve).on('error', reject));
await make.finalize();
await ended;
const zip = new AdmZip(Buffer.concat(parts));
console.log(zip.getEntries().map((entry) => entry.entryName).sort(), zip.readAsText('a.txt').length);
