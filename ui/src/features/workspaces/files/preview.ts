/** What a file is shown as. */

/** Pictures that a browser can show, by the ending of the name. */
const PICTURES: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  bmp: 'image/bmp',
  ico: 'image/x-icon',
  svg: 'image/svg+xml',
};

/** Lines of a text, and bytes of a picture, that are shown at most. */
export const LINES = 5000;
export const PICTURE_BYTES = 8 * 1024 * 1024;

export function pictureType(path: string): string | undefined {
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(PICTURES, ending) ? PICTURES[ending] : undefined;
}

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

/** The encoding that a refusal to read as UTF-8 suggests, when it is one that can be read. */
export function suggested(args: Record<string, unknown>): string | undefined {
  const { encoding } = args;
  return typeof encoding === 'string' && /^[\w-]+$/.test(encoding) ? encoding : undefined;
}
