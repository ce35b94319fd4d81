/**
 * Vector clocks: rows of numbers, of which larger ones know more. What a row stands for (an event, a step) and what its entries
 * count is for the owner to say; entries that are added later are 0. A row may change after others were made from it: then the
 * old one is kept for undoing.
 *
 * Hot code: one array holds all rows.
 */
import { type Column, grown } from './columns.ts';

/** So many numbers are copied one by one in the time that it takes to call copyWithin. */
const SHORT = 24;

export class ClockRows {
  #width = 0;
  /** Rows that there is room for. */
  #capacity = 0;
  #rows: Column = new Int32Array(0);
  /** Rows as they were before a change: the number of the row, then its entries. */
  #saved: Column = new Int32Array(0);
  #savedRows = 0;

  at(row: number, entry: number): number {
    return this.#rows[row * this.#width + entry]!;
  }

  set(row: number, entry: number, count: number): void {
    this.#rows[row * this.#width + entry] = count;
  }

  /** Of `count` rows, one after the other. */
  clear(row: number, count = 1): void {
    const rows = this.#rows;
    const width = this.#width;
    for (let i = row * width; i < (row + count) * width; i++) rows[i] = 0;
  }

  copy(into: number, from: number, count = 1): void {
    const rows = this.#rows;
    const width = this.#width;
    const a = into * width;
    const b = from * width;
    const length = count * width;
    if (length > SHORT) rows.copyWithin(a, b, b + length);
    else for (let i = 0; i < length; i++) rows[a + i] = rows[b + i]!;
  }

  /** Row `into` becomes the larger of the two others, entry by entry. */
  setJoin(into: number, one: number, other: number): void {
    const rows = this.#rows;
    const width = this.#width;
    const row = into * width;
    const a = one * width;
    const b = other * width;
    for (let i = 0; i < width; i++) {
      const x = rows[a + i]!;
      const y = rows[b + i]!;
      rows[row + i] = x > y ? x : y;
    }
  }

  /** Row `into` becomes the larger of the two, entry by entry. */
  join(into: number, from: number): void {
    this.#joinFrom(0, into, from);
  }

  /** The same for a row that others were made from: the old one is kept. Returns whether it changed. */
  joinSaved(into: number, from: number): boolean {
    const rows = this.#rows;
    const width = this.#width;
    const a = into * width;
    const b = from * width;
    let i = 0;
    while (i < width && rows[b + i]! <= rows[a + i]!) i++;
    if (i === width) return false;
    this.save(into);
    this.#joinFrom(i, into, from);
    return true;
  }

  /** The same for a row that is known to change. */
  joinAndSave(into: number, from: number): void {
    const rows = this.#rows;
    const width = this.#width;
    const a = into * width;
    const b = from * width;
    const kept = this.#savedRows++ * (width + 1);
    if (kept + width + 1 > this.#saved.length) this.#saved = grown(this.#saved, kept + width + 1);
    const saved = this.#saved;
    saved[kept] = into;
    for (let i = 0; i < width; i++) {
      const x = rows[a + i]!;
      const y = rows[b + i]!;
      saved[kept + 1 + i] = x;
      if (y > x) rows[a + i] = y;
    }
  }

  mark(): number {
    return this.#savedRows;
  }

  undoTo(mark: number): void {
    const width = this.#width;
    while (this.#savedRows > mark) {
      const from = --this.#savedRows * (width + 1);
      const row = this.#saved[from]! * width;
      for (let i = 0; i < width; i++) this.#rows[row + i] = this.#saved[from + 1 + i]!;
    }
  }

  /** Makes room for so many rows with so many entries each. */
  fit(rows: number, width: number): void {
    if (width > this.#width) this.#widen(width);
    if (rows > this.#capacity) {
      this.#capacity = Math.max(rows, this.#capacity * 2);
      this.#rows = grown(this.#rows, this.#capacity * this.#width);
    }
  }

  // ---------------------------------------------------------------------------------------------------------------

  #joinFrom(start: number, into: number, from: number): void {
    const rows = this.#rows;
    const width = this.#width;
    const a = into * width;
    const b = from * width;
    for (let i = start; i < width; i++) if (rows[b + i]! > rows[a + i]!) rows[a + i] = rows[b + i]!;
  }

  /** Keeps a row as it is now, for `undoTo`. */
  save(row: number): void {
    const width = this.#width;
    const into = this.#savedRows++ * (width + 1);
    if (into + width + 1 > this.#saved.length) this.#saved = grown(this.#saved, into + width + 1);
    this.#saved[into] = row;
    for (let i = 0; i < width; i++) this.#saved[into + 1 + i] = this.#rows[row * width + i]!;
  }

  /** Forgets the row that was kept last if it is again as it was. */
  dropSame(): void {
    const width = this.#width;
    const from = (this.#savedRows - 1) * (width + 1);
    const row = this.#saved[from]! * width;
    for (let i = 0; i < width; i++) if (this.#rows[row + i] !== this.#saved[from + 1 + i]) return;
    this.#savedRows--;
  }

  /** Lays all rows out anew. */
  #widen(width: number): void {
    const old = this.#width;
    const rows = new Int32Array(this.#capacity * width);
    for (let e = 0; e < this.#capacity; e++) rows.set(this.#rows.subarray(e * old, (e + 1) * old), e * width);
    const saved = new Int32Array(this.#savedRows * (width + 1));
    for (let i = 0; i < this.#savedRows; i++) {
      saved.set(this.#saved.subarray(i * (old + 1), (i + 1) * (old + 1)), i * (width + 1));
    }
    this.#rows = rows;
    this.#saved = saved;
    this.#width = width;
  }
}
