/** Sets of small numbers, one per row, as bits. Hot code: callers keep a matrix and `reset` it instead of making new ones. */
import { type Column, grown } from '../program/columns.ts';

export class BitMatrix {
  #bits: Column = new Int32Array(0);
  #rows = 0;
  #words = 0;

  /** `rows` empty sets of numbers below `columns`. */
  reset(rows: number, columns: number): void {
    this.#rows = rows;
    this.#words = (columns + 31) >>> 5;
    const length = rows * this.#words;
    if (length > this.#bits.length) this.#bits = grown(this.#bits, length);
    this.#bits.fill(0, 0, length);
  }

  add(row: number, n: number): void {
    const at = row * this.#words + (n >>> 5);
    this.#bits[at] = this.#bits[at]! | (1 << (n & 31));
  }

  has(row: number, n: number): boolean {
    return (this.#bits[row * this.#words + (n >>> 5)]! & (1 << (n & 31))) !== 0;
  }

  remove(row: number, n: number): void {
    const at = row * this.#words + (n >>> 5);
    this.#bits[at] = this.#bits[at]! & ~(1 << (n & 31));
  }

  /** Adds a set of another matrix (or this one) with as many columns. Returns whether that changed anything. */
  addAll(row: number, other: BitMatrix, from: number): boolean {
    const words = this.#words;
    let changed = false;
    for (let i = 0; i < words; i++) {
      const old = this.#bits[row * words + i]!;
      const all = old | other.#bits[from * words + i]!;
      if (all === old) continue;
      this.#bits[row * words + i] = all;
      changed = true;
    }
    return changed;
  }

  clear(row: number): void {
    this.#bits.fill(0, row * this.#words, (row + 1) * this.#words);
  }

  /** Whether a row of this matrix and one of another with as many columns have a number in common. */
  meets(row: number, other: BitMatrix, from: number): boolean {
    const words = this.#words;
    for (let i = 0; i < words; i++) {
      if ((this.#bits[row * words + i]! & other.#bits[from * words + i]!) !== 0) return true;
    }
    return false;
  }

  /** Whether all numbers of a row are in one of another matrix with as many columns. */
  isWithin(row: number, other: BitMatrix, from: number): boolean {
    const words = this.#words;
    for (let i = 0; i < words; i++) {
      if ((this.#bits[row * words + i]! & ~other.#bits[from * words + i]!) !== 0) return false;
    }
    return true;
  }

  isEmpty(row: number): boolean {
    const words = this.#words;
    for (let i = 0; i < words; i++) if (this.#bits[row * words + i] !== 0) return false;
    return true;
  }

  /** How many numbers are in a row. */
  count(row: number): number {
    const words = this.#words;
    let count = 0;
    for (let i = row * words; i < (row + 1) * words; i++) {
      for (let word = this.#bits[i]!; word !== 0; word &= word - 1) count++;
    }
    return count;
  }

  /** A text that says what is in a row. */
  key(row: number): string {
    return this.#bits.subarray(row * this.#words, (row + 1) * this.#words).join();
  }

  copy(): Column {
    return this.#bits.slice(0, this.#rows * this.#words);
  }

  restore(copy: Column): void {
    this.#bits.set(copy);
  }
}
