/** JSON laid out for reading, in pieces that a style can tell apart. */

export type PieceKind = 'key' | 'text' | 'number' | 'word' | 'plain';

export interface Piece {
  kind: PieceKind;
  text: string;
}

const TOKEN =
  /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;

export function pretty(value: unknown): Piece[] {
  const text = JSON.stringify(value, undefined, 2);
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(TOKEN)) {
    if (match.index > from) pieces.push({ kind: 'plain', text: text.slice(from, match.index) });
    const [whole, quoted, colon, number] = match;
    if (quoted !== undefined && colon !== undefined) {
      pieces.push({ kind: 'key', text: quoted }, { kind: 'plain', text: colon });
    } else {
      const kind = quoted !== undefined ? 'text' : number !== undefined ? 'number' : 'word';
      pieces.push({ kind, text: whole });
    }
    from = match.index + whole.length;
  }
  if (from < text.length) pieces.push({ kind: 'plain', text: text.slice(from) });
  return pieces;
}
