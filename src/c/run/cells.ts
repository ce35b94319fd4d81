/**
 * How an object's bytes are divided into the cells that operations work on. A cell is what a program accesses as one: an
 * `int`, a pointer. Two accesses of different sizes to the same bytes divide them into smaller cells; a plain access to
 * several cells is then several operations. What is accessed atomically stays one cell: where atomic accesses of different sizes
 * meet, it is as large as all of them together, and others, plain ones too, are to parts of it (parts.ts).
 *
 * All objects that come from one place (a variable, a call of malloc) are divided alike. A division is learned from the
 * accesses, and all threads must see the same one, so a cell that has to be divided voids all that was explored before:
 * `ProgramRefined`. Bytes that were in no cell so far may become one at any time.
 */
import { ProgramRefined } from '../../program/operation.ts';
import type { Division, Piece } from './knowledge.ts';

export interface CellOfObject {
  readonly offset: number;
  readonly size: number;
  /** Whether it was accessed atomically. */
  isAtomic: boolean;
}

/** A cell that is larger than any scalar: it was written as a whole, and will be accessed in parts. */
const LARGEST_SCALAR = 8;
/** So many divisions of large cells by accesses of one size, and the rest is taken to be an array of that size. */
const MOST_CUTS = 4;

export class Cells {
  /** By byte: the cell that it belongs to. */
  readonly #byByte = new Map<number, CellOfObject>();
  /** Called when a cell is divided: what was made for the old cells is void. */
  readonly #onChange: () => void;
  /** Whether some access was not to exactly one cell. */
  #isMixed = false;
  /** By size of access: how often it divided a large cell. */
  readonly #cuts = new Map<number, number>();
  /** Where the scalars of the object begin, if its type is known. */
  readonly #scalars: () => readonly number[];

  /** Called before a cell is divided or an access refused: if the objects can be told apart by something else, it throws. */
  readonly #onClash: (() => void) | undefined;

  /** `known`: what an earlier run of the program has found. */
  constructor(
    onChange: () => void,
    known: Pick<Division, 'cells' | 'isSimple'> = { cells: [], isSimple: true },
    onClash?: () => void,
    scalars: () => readonly number[] = () => [],
  ) {
    this.#scalars = scalars;
    this.#onChange = onChange;
    this.#onClash = onClash;
    this.become(known.cells, known.isSimple !== true);
  }

  /** All cells, if some access was not to exactly one of them; else each access says itself what its cell is. */
  get division(): Piece[] {
    return this.#isMixed ? this.all : [];
  }

  get all(): Piece[] {
    const cells = [...new Set(this.#byByte.values())].sort((a, b) => a.offset - b.offset);
    return cells.map(({ offset, size, isAtomic }) => ({ offset, size, isAtomic }));
  }

  /** From now on these are all the cells. */
  become(cells: readonly Piece[], isMixed: boolean): void {
    this.#byByte.clear();
    this.#isMixed = isMixed;
    for (const { offset, size, isAtomic } of cells) this.#add(offset, size).isAtomic = isAtomic;
  }

  /** Whether the access is to exactly one cell; else it is to several (see `pieces`) or, if it is atomic, to a part of one (see `around`). */
  isOne(offset: number, size: number, isAtomic: boolean): boolean {
    const cell = this.#byByte.get(offset);
    if (cell !== undefined && cell.offset === offset && cell.size === size) {
      if (isAtomic) cell.isAtomic = true;
      return true;
    }
    const pieces = this.pieces(offset, size);
    const [first] = pieces;
    if (pieces.length === 1 && first?.offset === offset && first.size === size) {
      if (isAtomic) first.isAtomic = true;
      return true;
    }
    if (!isAtomic) return false;
    this.#onClash?.();
    if (pieces.length === 1 && first?.isAtomic === true) return false;
    return this.#join(pieces, offset, offset + size);
  }

  /** The cell that a byte is in. */
  around(offset: number): CellOfObject {
    return this.#byByte.get(offset) as CellOfObject;
  }

  /**
   * The cells that make up the bytes from `offset` on; bytes that were in no cell become one. The first and the last may reach
   * beyond, if they are accessed atomically: such a cell is not divided.
   */
  pieces(offset: number, size: number): readonly CellOfObject[] {
    const end = offset + size;
    const pieces: CellOfObject[] = [];
    for (let at = offset; at < end; ) {
      const cell = this.#byByte.get(at) ?? this.#fillGap(at, end);
      const isInside = cell.offset >= at && cell.offset + cell.size <= end;
      if (!isInside && !cell.isAtomic) this.#divide(cell, offset, end);
      pieces.push(cell);
      at = cell.offset + cell.size;
    }
    const [first] = pieces;
    if (first?.offset !== offset || first.size !== size) this.#isMixed = true;
    return pieces;
  }

  #fillGap(at: number, end: number): CellOfObject {
    let to = at + 1;
    while (to < end && !this.#byByte.has(to)) to++;
    return this.#add(at, to - at);
  }

  #add(offset: number, size: number): CellOfObject {
    const cell: CellOfObject = { offset, size, isAtomic: false };
    for (let b = offset; b < offset + size; b++) this.#byByte.set(b, cell);
    return cell;
  }

  /** Parts are accessed atomically as a whole: a struct that is initialised member by member, a word and its bytes. */
  #join(pieces: readonly CellOfObject[], from: number, to: number): never {
    const start = Math.min(from, ...pieces.map(({ offset }) => offset));
    const end = Math.max(to, ...pieces.map(({ offset, size }) => offset + size));
    this.#add(start, end - start).isAtomic = true;
    this.#isMixed = true;
    this.#onChange();
    throw new ProgramRefined();
  }

  #divide(cell: CellOfObject, from: number, to: number): never {
    this.#onClash?.();
    const end = cell.offset + cell.size;
    const wanted = [from, to, ...(cell.size > LARGEST_SCALAR ? this.#cutsOfLarge(cell, from, to) : [])];
    const inside = [...new Set(wanted)].filter((cut) => cut > cell.offset && cut < end).sort((a, b) => a - b);
    const cuts = [cell.offset, ...inside, end];
    for (const [i, cut] of cuts.slice(1).entries()) this.#add(cuts[i] as number, cut - (cuts[i] as number));
    this.#isMixed = true;
    this.#onChange();
    throw new ProgramRefined();
  }

  /** A large cell is divided into its scalars at once, else each of them would make the search start over. */
  #cutsOfLarge(cell: CellOfObject, from: number, to: number): readonly number[] {
    const scalars = this.#scalars();
    if (scalars.length > 0) return scalars;
    const size = to - from;
    const count = (this.#cuts.get(size) ?? 0) + 1;
    this.#cuts.set(size, count);
    if (count < MOST_CUTS) return [];
    const first = cell.offset + ((((from - cell.offset) % size) + size) % size);
    return Array.from({ length: Math.ceil((cell.offset + cell.size - first) / size) }, (_, i) => first + i * size);
  }
}
