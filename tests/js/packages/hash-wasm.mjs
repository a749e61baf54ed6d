// hash-wasm: hashes, each a small module.
import { adler32, argon2id, bcrypt, bcryptVerify, blake3, crc32, createSHA256, createXXHash64, md5, scrypt, sha3, whirlpool, xxhash64 } from 'hash-wasm';
const data = Uint8Array.from({ length: 10_000 }, (_, at) => (at * 31) & 255);
for (const hash of [adler32, blake3, crc32, md5, sha3, whirlpool, xxhash64]) console.log(await hash(data), await hash('text'), await hash(''));
const salt = Uint8Array.from({ length: 16 }, (_, at) => at);
console.log(await argon2id({ password: 'secret', salt, parallelism: 1, iterations: 2, memorySize: 256, hashLength: 32, outputType: 'encoded' }));
console.log(await scrypt({ password: 'secret', salt, costFactor: 64, blockSize: 8, parallelism: 1, hashLength: 32 }));
const hashed = await bcrypt({ password: 'secret', salt, costFactor: 4, outputType: 'encoded' });
console.log(hashed, await bcryptVerify({ password: 'secret', hash: hashed }), await bcryptVerify({ password: 'other', hash: hashed }));
const sha = await createSHA256();
sha.init();
for (let n = 0; n < 100; n++) sha.update(data.subarray(n, n * 90));
const saved = sha.save();
console.log(sha.digest());
sha.load(saved);
sha.update('more');
console.log(sha.digest());
console.log((await createXXHash64(1, 2)).init().update('a').digest('hex'));
