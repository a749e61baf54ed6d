// jszip.
import JSZip from 'jszip';
const zip = new JSZip();
zip.file('a.txt', 'hello '.repeat(100)).folder('b').file('c.bin', Uint8Array.of(1, 2, 3));
const bytes = await zip.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE' });
const again = await JSZip.loadAsync(bytes);
console.log(Object.keys(again.files).sort(), (await again.file('a.txt').async('string')).length, await again.file('b/c.bin').async('uint8array'));
console.log(await JSZip.loadAsync(Buffer.from('no zip')).catch((error) => error.message.slice(0, 30)));
