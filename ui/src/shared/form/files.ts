/** Files as base64, the way that they travel in JSON. */

/** Parameters travel in one request and are kept with the run. */
export const MOST_BYTES = 4 * 1024 * 1024;

/** `btoa` wants a string; a whole file as arguments would be too many. */
const PIECE = 0x8000;

export async function readBase64(file: Blob): Promise<string> {
  const all = new Uint8Array(await file.arrayBuffer());
  const pieces: string[] = [];
  for (let at = 0; at < all.length; at += PIECE) {
    pieces.push(String.fromCharCode(...all.subarray(at, at + PIECE)));
  }
  return btoa(pieces.join(''));
}

/** Bytes that a base64 text stands for. */
export function base64Size(text: string): number {
  const padding = /={1,2}$/.exec(text)?.[0].length ?? 0;
  return Math.max(0, Math.floor((text.length * 3) / 4) - padding);
}

/** The bytes; `undefined` when the text is no base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}
