// jose.
import * as jose from 'jose';
const secret = new TextEncoder().encode('a secret of at least thirty-two bytes!');
const token = await new jose.SignJWT({ a: 1 }).setProtectedHeader({ alg: 'HS256' }).setIssuedAt(1000).setExpirationTime(4_102_444_800).sign(secret);
console.log(token, (await jose.jwtVerify(token, secret)).payload.a, jose.decodeProtectedHeader(token));
const { publicKey, privateKey } = await jose.generateKeyPair('ES256', { extractable: true });
const signed = await new jose.CompactSign(new TextEncoder().encode('text')).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
console.log(new TextDecoder().decode((await jose.compactVerify(signed, publicKey)).payload), (await jose.exportJWK(publicKey)).crv);
const sealed = await new jose.CompactEncrypt(new TextEncoder().encode('hidden')).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(secret.subarray(0, 32));
console.log(new TextDecoder().decode((await jose.compactDecrypt(sealed, secret.subarray(0, 32))).plaintext));
console.log(await jose.jwtVerify(`${token}x`, secret).catch((error) => error.code), await jose.calculateJwkThumbprint({ kty: 'oct', k: 'AAAA' }));
