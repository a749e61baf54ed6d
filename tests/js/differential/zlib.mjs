// zlib: what one side compresses the other opens; sizes of compressed data are nobody's promise.
import zlib from 'node:zlib';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { args, check, checkLater, random } from './cases.mjs';
import { PACKED, WRONG } from './packed.mjs';

const rng = random(11);
const bytes = () => rng.pick([() => Buffer.from(rng.bytes(rng.int(0, 400))), () => Buffer.from('abc '.repeat(rng.int(0, 500))), () => Buffer.alloc(rng.int(0, 3000), rng.int(0, 255)), () => Buffer.from(rng.text(80)), () => Buffer.alloc(0)])();
const PAIRS = [['deflateSync', 'inflateSync'], ['deflateRawSync', 'inflateRawSync'], ['gzipSync', 'gunzipSync'], ['gzipSync', 'unzipSync'], ['deflateSync', 'unzipSync'], ['brotliCompressSync', 'brotliDecompressSync'], ['zstdCompressSync', 'zstdDecompressSync']];
for (const [pack, open] of PAIRS) {
  for (let n = 0; n < 40; n++) {
    const data = bytes();
    const options = pack.startsWith('brotli') ? rng.pick([undefined, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: rng.int(0, 11) } }, { params: { [zlib.constants.BROTLI_PARAM_MODE]: 1, [zlib.constants.BROTLI_PARAM_LGWIN]: rng.int(10, 22) } }]) : pack.startsWith('zstd') ? rng.pick([undefined, { params: { [zlib.constants.ZSTD_c_compressionLevel]: rng.int(1, 12) } }]) : Object.fromEntries(rng.some([['level', rng.int(-1, 9)], ['memLevel', rng.int(1, 9)], ['strategy', rng.int(0, 4)], ['windowBits', rng.int(9, 15)]], 0, 3));
    check(`${pack} ${open} ${args(data, options)}`, () => zlib[open](zlib[pack](data, options)));
  }
}
// Made by Node, so that both open the same.
for (const [name, { with: open, data, dictionary }] of Object.entries(PACKED)) check(`opens ${name}`, () => zlib[open](Buffer.from(data, 'base64'), dictionary ? { dictionary: Buffer.from(dictionary) } : undefined));
for (const [name, { with: open, data }] of Object.entries(WRONG)) check(`refuses ${name}`, () => zlib[open](Buffer.from(data, 'base64')));
for (const [, open] of PAIRS) {
  for (const odd of [undefined, null, 1, {}, [], 'text', Buffer.from('text'), Buffer.alloc(0)]) check(`${open}(${args(odd)})`, () => zlib[open](odd));
  check(`${open} over the limit`, () => zlib[open](Buffer.from(Object.values(PACKED).find((one) => one.with === open)?.data ?? '', 'base64'), { maxOutputLength: 4 }));
}
for (const [pack] of PAIRS) for (const odd of [undefined, null, 1, {}, []]) check(`${pack}(${args(odd)})`, () => zlib[pack](odd));
for (const options of [{ level: 10 }, { level: 'x' }, { windowBits: 3 }, { memLevel: 0 }, { strategy: 9 }, { chunkSize: 1 }, { flush: 99 }, { finishFlush: -1 }, { level: 1.5 }]) check(`deflateSync ${args(options)}`, () => zlib.inflateSync(zlib.deflateSync('x', options)));
for (const text of ['', 'a', 'hello world', 'é']) for (const start of [undefined, 0, 5, 0xffffffff]) check(`crc32(${args(text, start)})`, () => [zlib.crc32(text, start), zlib.crc32(Buffer.from(text), start)]);
for (const name of ['gzip', 'deflate', 'deflateRaw', 'brotliCompress', 'gunzip', 'inflate', 'brotliDecompress']) {
  await checkLater(`${name} with a callback`, () => new Promise((resolve, reject) => zlib[name](Buffer.from('x'), (error, out) => (error ? reject(error) : resolve(out.length > 0)))));
}
for (const [pack, open] of [['Gzip', 'Gunzip'], ['Deflate', 'Inflate'], ['DeflateRaw', 'InflateRaw'], ['Gzip', 'Unzip'], ['BrotliCompress', 'BrotliDecompress'], ['ZstdCompress', 'ZstdDecompress']]) {
  await checkLater(`stream ${pack} ${open}`, async () => {
    const parts = [];
    const source = new PassThrough();
    const sink = new PassThrough();
    sink.on('data', (part) => parts.push(part));
    const done = pipeline(source, zlib[`create${pack}`](), zlib[`create${open}`](), sink);
    for (let n = 0; n < 5; n++) source.write('piece '.repeat(n * 100));
    source.end();
    await done;
    return Buffer.concat(parts);
  });
  await checkLater(`stream ${pack} in small pieces`, async () => {
    const packed = zlib[`${pack[0].toLowerCase()}${pack.slice(1)}Sync`](Buffer.from('some text '.repeat(200)));
    const stream = zlib[`create${open}`]();
    const parts = [];
    stream.on('data', (part) => parts.push(part));
    for (const byte of packed) stream.write(Buffer.of(byte));
    stream.end();
    await new Promise((resolve, reject) => stream.on('end', resolve).on('error', reject));
    return [Buffer.concat(parts), stream.bytesWritten === packed.length];
  });
}
await checkLater('flush gives what there is', () => new Promise((resolve, reject) => {
  const stream = zlib.createDeflate();
  const open = zlib.createInflate();
  stream.pipe(open);
  open.once('data', (data) => resolve(data.toString()));
  open.on('error', reject);
  stream.write('now');
  stream.flush();
}));
await checkLater('a stream of wrong data', () => new Promise((resolve, reject) => { const stream = zlib.createGunzip(); stream.on('error', reject).on('end', resolve); stream.resume(); stream.end('nothing of gzip'); }));
await checkLater('a stream that is cut', () => new Promise((resolve, reject) => { const stream = zlib.createGunzip(); stream.on('error', reject).on('end', resolve); stream.resume(); stream.end(zlib.gzipSync('some text').subarray(0, 15)); }));
check('without new', () => [zlib.Inflate(), zlib.Deflate(), zlib.Gzip({ level: 1 })].map((one) => one.constructor.name));
check('constants', () => Object.keys(zlib.constants).filter((name) => /^(Z_|BROTLI_(PARAM|OPERATION|MODE))/.test(name)).sort().map((name) => [name, zlib.constants[name]]));
check('codes', () => zlib.codes);
check('members', () => Object.keys(zlib).sort());
