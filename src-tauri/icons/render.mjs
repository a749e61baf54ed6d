// Draws every icon file from icon.svg. Run after changing it: `node src-tauri/icons/render.mjs`.
// Needs rsvg-convert (Debian: librsvg2-bin). The results are committed; no build runs this.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const png = (size) =>
  execFileSync('rsvg-convert', ['-w', size, '-h', size, join(folder, 'icon.svg')]);
const save = (name, bytes) => writeFileSync(join(folder, name), bytes);

save('32x32.png', png(32));
save('128x128.png', png(128));
save('128x128@2x.png', png(256));
save('icon.png', png(512));
save('icon.ico', ico([16, 24, 32, 48, 64, 256]));
save('icon.icns', icns({ icp4: 16, icp5: 32, icp6: 64, ic07: 128, ic08: 256, ic09: 512, ic10: 1024 }));

/** A directory of 16 bytes an entry, then the PNG files themselves. */
function ico(sizes) {
  const pictures = sizes.map(png);
  const head = Buffer.alloc(6 + 16 * sizes.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(sizes.length, 4);
  let offset = head.length;
  sizes.forEach((size, index) => {
    const at = 6 + 16 * index;
    head.writeUInt8(size % 256, at); // 0 means 256
    head.writeUInt8(size % 256, at + 1);
    head.writeUInt16LE(1, at + 4); // planes
    head.writeUInt16LE(32, at + 6); // bits a pixel
    head.writeUInt32LE(pictures[index].length, at + 8);
    head.writeUInt32LE(offset, at + 12);
    offset += pictures[index].length;
  });
  return Buffer.concat([head, ...pictures]);
}

/** `icns`, the length of all, then type, length and PNG of each picture. */
function icns(types) {
  const entry = (type, bytes) => {
    const head = Buffer.alloc(8);
    head.write(type, 0, 'latin1');
    head.writeUInt32BE(8 + bytes.length, 4);
    return Buffer.concat([head, bytes]);
  };
  const entries = Object.entries(types).map(([type, size]) => entry(type, png(size)));
  return entry('icns', Buffer.concat(entries));
}
