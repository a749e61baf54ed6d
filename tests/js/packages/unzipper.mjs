// unzipper.
import unzipper from 'unzipper';
import AdmZip from 'adm-zip';
const zip = new AdmZip();
zip.addFile('a.txt', Buffer.from('text '.repeat(100)));
zip.addFile('b/c.txt', Buffer.from('more'));
const folder = await unzipper.Open.buffer(zip.toBuffer());
console.log(folder.files.map(({ path }) => path).sort(), (await folder.files.find(({ path }) => path === 'a.txt').buffer()).length, (await folder.files.find(({ path }) => path === 'b/c.txt').buffer()).toString());
