// jimp: pictures made, turned, encoded, read.
import { Jimp } from 'jimp';
const i = new Jimp({ width: 20, height: 10, color: 0xff0000ff });
i.resize({ w: 10, h: 5 }).rotate(90).greyscale();
const b = await i.getBuffer('image/png');
const again = await Jimp.read(b);
console.log(again.width, again.height, again.getPixelColor(1, 1).toString(16), (await again.getBuffer('image/jpeg')).length > 100);
