/**
 * The points of a schedule, one before each step and one at its end: which threads are to be explored from there, which were, which
 * sleep. Hot code: columns by point and thread, in rows of one width.
 */
import { type Column, grown, NONE } from '../../../program/columns.ts';

/** What is known of a thread at a point: bits. */
export const Mark = {
  ENABLED: 1,
  /** In backtrack(s), because partial-order reduction asks for it without a bound, too. */
  WANTED: 2,
  /** In backtrack(s) for the sake of the bound: to be explored only if the bound refused something below this point. */
  LATER: 4,
  /** It was explored from here, or refused. */
  DONE: 8,
  /** It was explored from here, with all its options. */
  EXPLORED: 16,
  /** What its next step leads to was explored from an earlier point. */
  ASLEEP: 32,
  /** Of a thread that was explored or is asleep: the bound refused something there. */
  CUT: 64,
  /** Of a thread that was explored: it can go on after its step. */
  GOES_ON: 128,
  /** Its next step may enable another thread; the fair bound holds it back. Only kept where there is a fair bound. */
  RELEASES: 256,
  HELD_BACK: 512,
} as const;

export class Points {
  /** By point and thread. */
  marks: Column = new Int32Array(0);
  /** Of a thread that is asleep: the cost of the schedule if its step comes at the point where it was explored, not here. */
  costBefore: Column = new Int32Array(0);
  width = 0;

  // By point.
  /** Whether the bound refused something in what was explored from here. */
  isCut: Column = new Int32Array(64);
  /** The thread that is being explored, and the option that it takes if it is at a choose. */
  current: Column = new Int32Array(64);
  choice: Column = new Int32Array(64);
  /** How many threads were taken. */
  taken: Column = new Int32Array(64);

  /** By step: the first step of the block that it is in, all of one thread. */
  blockStart: Column = new Int32Array(64);

  /** Point d is new: nothing is known of it. */
  arrive(d: number, threads: number): void {
    if (threads > this.width) this.#widen(Math.max(threads, this.width * 2));
    if (d >= this.isCut.length) {
      this.isCut = grown(this.isCut, d + 1);
      this.current = grown(this.current, d + 1);
      this.choice = grown(this.choice, d + 1);
      this.taken = grown(this.taken, d + 1);
      this.blockStart = grown(this.blockStart, d + 1);
    }
    const end = (d + 1) * this.width;
    if (end > this.marks.length) {
      this.marks = grown(this.marks, end);
      this.costBefore = grown(this.costBefore, end);
    }
    this.marks.fill(0, end - this.width, end);
    this.isCut[d] = 0;
    this.current[d] = NONE;
    this.choice[d] = 0;
    this.taken[d] = 0;
  }

  has(d: number, t: number, mark: number): boolean {
    return (this.marks[d * this.width + t]! & mark) !== 0;
  }

  set(d: number, t: number, mark: number): void {
    const at = d * this.width + t;
    this.marks[at] = this.marks[at]! | mark;
  }

  /** A thread with one of the marks that has not been taken from point d and does not sleep there; NONE: there is none. */
  next(d: number, mark: number): number {
    const { marks, width } = this;
    const row = d * width;
    for (let t = 0; t < width; t++) {
      const m = marks[row + t]!;
      if ((m & mark) !== 0 && (m & (Mark.DONE | Mark.ASLEEP)) === 0) return t;
    }
    return NONE;
  }

  /** A thread that is enabled at point d and does not sleep there; NONE: there is none. */
  awake(d: number): number {
    const { marks, width } = this;
    const row = d * width;
    for (let t = 0; t < width; t++) if ((marks[row + t]! & (Mark.ENABLED | Mark.ASLEEP)) === Mark.ENABLED) return t;
    return NONE;
  }

  /** backtrack(s) = enabled(s). */
  addAll(d: number, mark: number): void {
    const { marks, width } = this;
    const row = d * width;
    for (let t = 0; t < width; t++) if ((marks[row + t]! & Mark.ENABLED) !== 0) marks[row + t] = marks[row + t]! | mark;
  }

  /** Thread t no longer sleeps at point d, if the bound refused something where it was explored. */
  wake(d: number, t: number): void {
    const at = d * this.width + t;
    if ((this.marks[at]! & Mark.CUT) === 0) return;
    this.marks[at] = this.marks[at]! & ~Mark.ASLEEP;
    this.addAll(d, Mark.LATER);
  }

  /** How many threads of point d have one of the marks. */
  count(d: number, mark: number): number {
    let count = 0;
    for (let t = 0; t < this.width; t++) if ((this.marks[d * this.width + t]! & mark) !== 0) count++;
    return count;
  }

  #widen(width: number): void {
    const rows = this.width === 0 ? 64 : this.marks.length / this.width;
    this.marks = widened(this.marks, rows, this.width, width);
    this.costBefore = widened(this.costBefore, rows, this.width, width);
    this.width = width;
  }
}

function widened(old: Column, rows: number, oldWidth: number, width: number): Column {
  const column = new Int32Array(Math.ceil(rows) * width);
  for (let row = 0; row * oldWidth < old.length && oldWidth > 0; row++) {
    column.set(old.subarray(row * oldWidth, Math.min(old.length, (row + 1) * oldWidth)), row * width);
  }
  return column;
}
