// Zip archives: of a few texts, stored as they are; and what is in one that others made.

import { crc32, inflateRawSync } from 'node:zlib';

/** `files`: path -> text. */
export function zip(files) {
  const parts = [];
  const list = [];
  let at = 0;
  for (const [path, text] of Object.entries(files)) {
    const [name, body] = [Buffer.from(path), Buffer.from(text)];
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(1 << 11, 2);
    head.writeUInt16LE(0x21, 8);
    head.writeUInt32LE(crc32(body), 10);
    head.writeUInt32LE(body.length, 14);
    head.writeUInt32LE(body.length, 18);
    head.writeUInt16LE(name.length, 22);
    const local = [Buffer.from('PK\x03\x04'), head, name, body];
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((0o100644 << 16) >>> 0, 6);
    rest.writeUInt32LE(at, 10);
    list.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), head, rest, name);
    for (const part of local) at += part.length;
    parts.push(...local);
  }
  const directory = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  const count = Object.keys(files).length;
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, directory, end]);
}

/** The files of an archive, path -> content; what is only a folder is left out. */
export function unzip(archive) {
  const files = new Map();
  const end = archive.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (end < 0) throw new Error('not a zip archive');
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const method = archive.readUInt16LE(at + 10);
    const sum = archive.readUInt32LE(at + 16);
    const length = archive.readUInt32LE(at + 20);
    const [name, extra, comment] = [28, 30, 32].map((field) => archive.readUInt16LE(at + field));
    const path = archive.toString('utf8', at + 46, at + 46 + name);
    const local = archive.readUInt32LE(at + 42);
    // The local head has an extra field of its own, which may be of another length.
    const from = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const packed = archive.subarray(from, from + length);
    at += 46 + name + extra + comment;
    if (path.endsWith('/')) continue;
    const content = method === 0 ? packed : inflateRawSync(packed);
    if (crc32(content) !== sum) throw new Error(`${path} is not as it was packed`);
    files.set(path, content);
  }
  return files;
}
