// jsonwebtoken.
import jwt from 'jsonwebtoken';
import { generateKeyPairSync } from 'node:crypto';
const token = jwt.sign({ name: 'Ada', iat: 1000 }, 'secret', { issuer: 'me' });
console.log(token, jwt.verify(token, 'secret', { issuer: 'me', ignoreExpiration: true }));
for (const [algorithm, type, options] of [['RS256', 'rsa', { modulusLength: 2048 }], ['ES256', 'ec', { namedCurve: 'prime256v1' }], ['PS256', 'rsa', { modulusLength: 2048 }]]) {
  const { publicKey, privateKey } = generateKeyPairSync(type, { ...options, publicKeyEncoding: { type: 'spki', format: 'pem' }, privateKeyEncoding: { type: 'pkcs8', format: 'pem' } });
  console.log(algorithm, jwt.verify(jwt.sign({ a: 1, iat: 1 }, privateKey, { algorithm }), publicKey));
}
try { jwt.verify(token, 'wrong'); } catch (error) { console.log(error.name, error.message); }
try { jwt.verify(jwt.sign({ exp: 5 }, 'k'), 'k'); } catch (error) { console.log(error.name, error.message); }
