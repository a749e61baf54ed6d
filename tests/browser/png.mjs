// Pictures without a canvas.

import { deflateSync } from 'node:zlib';

function crc(bytes) {
  let value = ~0;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  }
  return ~value >>> 0;
}

function chunk(kind, data) {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc(body), body.length + 4);
  return out;
}

/** A picture in one colour with a bar in another. */
export function png(number, width = 640, height = 400) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const row = (bar) => {
    const line = Buffer.alloc(1 + width * 3);
    for (let x = 0; x < width; x += 1) {
      const on = bar && x < (number * 37) % width;
      line.set(on ? [255, 255, 255] : [(number * 5) % 256, (number * 3) % 256, 120], 1 + x * 3);
    }
    return line;
  };
  const [plain, bar] = [row(false), row(true)];
  const rows = Buffer.concat(Array.from({ length: height }, (_, y) => (y > height * 0.45 && y < height * 0.55 ? bar : plain)));
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
