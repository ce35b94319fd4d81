/** C source as a tree of pieces: whatever a reader of a failure could do without is a piece that can be cut out. */

/** A line (or more, which belong together), or lines around a body. */
export type Piece = string | Block;

export interface Block {
  readonly open: string;
  readonly body: readonly Piece[];
  readonly close: string;
}

export const block = (open: string, body: readonly Piece[], close = '}'): Block => ({ open, body, close });

export function render(pieces: readonly Piece[], indent = ''): string {
  return pieces
    .map((piece) => {
      if (typeof piece === 'string') return `${indent}${piece}\n`;
      return `${indent}${piece.open}\n${render(piece.body, `${indent}  `)}${indent}${piece.close}\n`;
    })
    .join('');
}

/** Lists that lack some pieces: long runs first, then single pieces, then pieces inside blocks. */
export function* cuts(pieces: readonly Piece[]): Generator<readonly Piece[], void, undefined> {
  for (let length = pieces.length; length >= 1; length = Math.floor(length / 2)) {
    for (let at = pieces.length - length; at >= 0; at -= length) {
      yield [...pieces.slice(0, at), ...pieces.slice(at + length)];
    }
  }
  for (let index = pieces.length - 1; index >= 0; index--) {
    const piece = pieces[index];
    if (piece === undefined || typeof piece === 'string') continue;
    const before = pieces.slice(0, index);
    const after = pieces.slice(index + 1);
    yield [...before, ...piece.body, ...after];
    for (const body of cuts(piece.body)) yield [...before, { ...piece, body }, ...after];
  }
}

export function countPieces(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + 1 + (typeof piece === 'string' ? 0 : countPieces(piece.body)), 0);
}
