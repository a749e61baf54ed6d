// brotli-wasm: made by wasm-bindgen, for Node by require.
import { createRequire } from 'node:module';
import zlib from 'node:zlib';
const brotli = createRequire(import.meta.url)('brotli-wasm');
const text = new TextEncoder().encode('to be or not to be, that is the question. '.repeat(200));
for (const quality of [1, 5, 11]) {
  const packed = brotli.compress(text, { quality });
  console.log(quality, packed.length, Buffer.from(brotli.decompress(packed)).equals(Buffer.from(text)), zlib.brotliDecompressSync(packed).length);
}
try {
  brotli.decompress(Uint8Array.of(1, 2, 3, 4));
} catch (error) {
  console.log(typeof error, String(error.message ?? error).slice(0, 40));
}
const stream = new brotli.DecompressStream();
const { buf, code } = stream.decompress(brotli.compress(text), 100);
console.log(buf.length, code === brotli.BrotliStreamResultCode.NeedsMoreOutput);
