// Every scene in pm: `pm conformance draw.mjs` leaves drawn/NAME.png beside this file, outside of which
// it may not write.
import fs from 'node:fs';
import { LIBRARIES } from './libraries.mjs';
import { SCENES } from './scenes.mjs';

const create = (width, height) => Object.assign(document.createElement('canvas'), { width, height });
fs.mkdirSync('drawn', { recursive: true });
for (const [name, { draw, width = 560, height = 400 }] of Object.entries(SCENES)) {
  const canvas = create(width, height);
  draw(canvas.getContext('2d'), width, height, { ...LIBRARIES, create });
  fs.writeFileSync(`drawn/${name}.png`, canvas.toBuffer('image/png', { compressionLevel: 9 }));
}
