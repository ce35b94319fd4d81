/**
 * Vector clocks, one row for each event, with `entries` entries for each thread. A row may change after others were made from
 * it; the old ones are kept for undoing.
 *
 * Hot code: one array holds all rows.
 */
import type { EventId } from '../graph/graph.ts';
import { type Column, grown } from '../program/columns.ts';

export class ClockRows {
  readonly #entries: number;
  #width = 0;
  /** Rows that there is room for. */
  #capacity = 0;
  #rows: Column = new Int32Array(0);
  /** Rows as they were before a change: the event, then its row. */
  #saved: Column = new Int32Array(0);
  #savedRows = 0;

  constructor(entries: number) {
    this.#entries = entries;
  }

  at(e: EventId, thread: number, entry: number): number {
    return this.#rows[e * this.#width + thread * this.#entries + entry]!;
  }

  set(e: EventId, thread: number, entry: number, count: number): void {
    this.#rows[e * this.#width + thread * this.#entries + entry] = count;
  }

  clear(e: EventId): void {
    this.#rows.fill(0, e * this.#width, (e + 1) * this.#width);
  }

  copy(into: EventId, from: EventId): void {
    this.#rows.copyWithin(into * this.#width, from * this.#width, (from + 1) * this.#width);
  }

  /** Row `into` becomes the larger of the two, entry by entry. */
  join(into: EventId, from: EventId): void {
    this.#joinFrom(0, into, from);
  }

  /** The same for a row that others were made from: the old one is kept. Returns whether it changed. */
  joinSaved(into: EventId, from: EventId): boolean {
    const rows = this.#rows;
    const width = this.#width;
    const a = into * width;
    const b = from * width;
    let i = 0;
    while (i < width && rows[b + i]! <= rows[a + i]!) i++;
    if (i === width) return false;
    this.#save(into);
    this.#joinFrom(i, into, from);
    return true;
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

  /** Makes room for rows of so many events and threads. */
  fit(events: number, threads: number): void {
    if (threads * this.#entries !== this.#width) this.#widen(threads * this.#entries);
    if (events > this.#capacity) {
      this.#capacity = Math.max(events, this.#capacity * 2);
      this.#rows = grown(this.#rows, this.#capacity * this.#width);
    }
  }

  // ---------------------------------------------------------------------------------------------------------------

  #joinFrom(start: number, into: EventId, from: EventId): void {
    const rows = this.#rows;
    const width = this.#width;
    const a = into * width;
    const b = from * width;
    for (let i = start; i < width; i++) if (rows[b + i]! > rows[a + i]!) rows[a + i] = rows[b + i]!;
  }

  #save(e: EventId): void {
    const width = this.#width;
    const into = this.#savedRows++ * (width + 1);
    if (into + width + 1 > this.#saved.length) this.#saved = grown(this.#saved, into + width + 1);
    this.#saved[into] = e;
    for (let i = 0; i < width; i++) this.#saved[into + 1 + i] = this.#rows[e * width + i]!;
  }

  /** Lays all rows out anew. */
  #widen(width: number): void {
    const old = this.#width;
    const rows = new Int32Array(this.#capacity * width);
    for (let e = 0; e < this.#capacity; e++) rows.set(this.#rows.subarray(e * old, (e + 1) * old), e * width);
    const saved = new Int32Array(Math.max(1024, this.#savedRows * (width + 1)));
    for (let i = 0; i < this.#savedRows; i++) {
      saved.set(this.#saved.subarray(i * (old + 1), (i + 1) * (old + 1)), i * (width + 1));
    }
    this.#rows = rows;
    this.#saved = saved;
    this.#width = width;
  }
}
