/**
 * Vector clocks: rows of numbers, of which larger ones know more. What a row stands for (an event, a step) and what its entries
 * count is for the owner to say; entries that are added later are 0. A row may change after others were made from it: then what
 * it was is kept for undoing.
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
  /** Entries as they were before a change: the place in `rows`, then what was there. */
  #saved: Column = new Int32Array(0);
  #savedLength = 0;

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
    const rows = this.#rows;
    const width = this.#width;
    const a = into * width;
    const b = from * width;
    for (let i = 0; i < width; i++) if (rows[b + i]! > rows[a + i]!) rows[a + i] = rows[b + i]!;
  }

  /** The same for a row that others were made from: what changes is kept. Returns whether anything did. */
  joinSaved(into: number, from: number): boolean {
    const rows = this.#rows;
    const width = this.#width;
    const a = into * width;
    const b = from * width;
    let length = this.#savedLength;
    if (length + 2 * width > this.#saved.length) this.#saved = grown(this.#saved, length + 2 * width);
    const saved = this.#saved;
    for (let i = 0; i < width; i++) {
      const x = rows[a + i]!;
      const y = rows[b + i]!;
      if (y <= x) continue;
      saved[length] = a + i;
      saved[length + 1] = x;
      rows[a + i] = y;
      length += 2;
    }
    if (length === this.#savedLength) return false;
    this.#savedLength = length;
    return true;
  }

  mark(): number {
    return this.#savedLength;
  }

  undoTo(mark: number): void {
    const rows = this.#rows;
    const saved = this.#saved;
    let length = this.#savedLength;
    while (length > mark) {
      length -= 2;
      rows[saved[length]!] = saved[length + 1]!;
    }
    this.#savedLength = length;
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

  /** Keeps all of a row as it is now, for `undoTo`. */
  save(row: number): void {
    const width = this.#width;
    const from = this.#savedLength;
    if (from + 2 * width > this.#saved.length) this.#saved = grown(this.#saved, from + 2 * width);
    for (let i = 0; i < width; i++) {
      this.#saved[from + 2 * i] = row * width + i;
      this.#saved[from + 2 * i + 1] = this.#rows[row * width + i]!;
    }
    this.#savedLength = from + 2 * width;
  }

  /** Forgets the row of which all was kept last if it is again as it was. */
  dropSame(): void {
    const from = this.#savedLength - 2 * this.#width;
    for (let i = from; i < this.#savedLength; i += 2) {
      if (this.#rows[this.#saved[i]!] !== this.#saved[i + 1]) return;
    }
    this.#savedLength = from;
  }

  /** Lays all rows out anew. */
  #widen(width: number): void {
    const old = this.#width;
    const rows = new Int32Array(this.#capacity * width);
    for (let e = 0; e < this.#capacity; e++) rows.set(this.#rows.subarray(e * old, (e + 1) * old), e * width);
    const saved = this.#saved;
    for (let i = 0; i < this.#savedLength; i += 2) {
      const entry = saved[i]! % old;
      saved[i] = ((saved[i]! - entry) / old) * width + entry;
    }
    this.#rows = rows;
    this.#width = width;
  }
}
