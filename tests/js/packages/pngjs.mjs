// pngjs.
import { PNG } from 'pngjs';
const png = new PNG({ width: 4, height: 3 });
for (let at = 0; at < png.data.length; at++) png.data[at] = (at * 7) % 256;
const bytes = PNG.sync.write(png);
const again = PNG.sync.read(bytes);
console.log(again.width, again.height, again.data.equals(png.data), again.gamma);
new PNG().parse(bytes, (error, read) => console.log(error, read.width, read.data.equals(png.data)));
const parts = [];
png.pack().on('data', (part) => parts.push(part)).on('end', () => console.log(PNG.sync.read(Buffer.concat(parts)).data.equals(png.data)));
try { PNG.sync.read(Buffer.from('not a picture')); } catch (error) { console.log(error.message); }
