// A key of the form that Tauri's updater reads (minisign), and what it signs: Ed25519 over BLAKE2b of the bytes, and once
// more over that signature with its trusted comment.

import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const base64 = (...parts) => Buffer.concat(parts.map((part) => Buffer.from(part))).toString('base64');

export class Signer {
  #key;
  #id = randomBytes(8);

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    this.#key = privateKey;
    const point = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
    /** As `publicKey` of a channel. */
    this.publicKey = base64(`untrusted comment: a test's\n${base64('Ed', this.#id, point)}\n`);
  }

  /** The signature of these bytes as the package of a version, or of none. */
  sign(bytes, version) {
    const own = sign(null, createHash('blake2b512').update(bytes).digest(), this.#key);
    const comment = ['timestamp:1700000000', 'file:package', version && `version:${version}`]
      .filter(Boolean)
      .join('\t');
    const both = sign(null, Buffer.concat([own, Buffer.from(comment)]), this.#key);
    return base64(
      `untrusted comment: a test's\n${base64('ED', this.#id, own)}\n`,
      `trusted comment: ${comment}\n${base64(both)}\n`,
    );
  }
}
