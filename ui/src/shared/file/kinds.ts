/** What a file is shown as. */

/** A file as far as it was read. */
export interface FileData {
  size: number;
  /** All of it was read. */
  whole: boolean;
  /** Absent when it is not text. */
  text?: string | undefined;
  picture?: { base64: string; type: string } | undefined;
}

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

export function pictureType(path: string): string | undefined {
  const ending = endingOf(path);
  return Object.hasOwn(PICTURES, ending) ? PICTURES[ending] : undefined;
}

/** What the editor knows how to colour, by the ending of the name. */
export function languageOf(path: string): 'javascript' | 'json' | 'markdown' | 'text' {
  const ending = endingOf(path);
  if (['js', 'mjs', 'cjs', 'ts'].includes(ending)) return 'javascript';
  if (ending === 'json') return 'json';
  return ending === 'md' ? 'markdown' : 'text';
}

function endingOf(path: string): string {
  return /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}
