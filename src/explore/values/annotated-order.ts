/**
 * Annotated partial orders ([VC], section 4.1): the events of an execution that is being put together, a partial order P on them, and
 * what each read may read. One thread is the *root*, the others are *leaves*.
 *
 * Events are numbered in the order in which they were added, and taken back in the opposite one. Every operation that a thread has
 * performed is one event; the k-th of its thread has index k. An update, a lock and a successful trylock are one event that reads and
 * writes.
 *
 * P is kept as vector clocks: entry t of the row of event e is how many events of thread t are before e or are e. So "a before b" is one
 * comparison, whatever was added in between. An order between two events that are there already is passed on to all that come after.
 *
 * A good write of a read r ([VC]: GoodW(r)) is a write with the value that r reads, on its side, that was there when r was added and
 * that was not considered for r before. No set is kept: `isGood` compares numbers.
 *
 * Hot code: columns by event, by thread, and by location and thread, in rows of one width.
 */
import { type Behaviours, STALE, Step } from '../../program/behaviours.ts';
import { ClockRows } from '../../program/clock-rows.ts';
import { type Column, grown, NONE } from '../../program/columns.ts';
import { InputError } from '../../program/input-error.ts';

/** In the place of an event: the initial value of a location, a write of nobody, before everything. */
export const INITIAL_WRITE = -1;

/** The sides of the root's reads ([VC]: S(r)): whether they read from the root's own writes or from others. */
export const Side = { ANY: 0, LOCAL: 1, REMOTE: 2 } as const;
export type Side = (typeof Side)[keyof typeof Side];

/** Whether reads are told apart by the values that they read, or by the writes: the latter is DC-DPOR. */
export type Observed = 'values' | 'writes';

export class AnnotatedOrder {
  readonly behaviours: Behaviours;
  readonly observed: Observed;
  /** The path of the root. */
  readonly #rootPath: string;
  /** Its number; NONE as long as it has not been spawned. */
  root = NONE;
  length = 0;

  // By event.
  thread: Column = new Int32Array(64);
  index: Column = new Int32Array(64);
  /** The thread's states before and after. */
  before: Column = new Int32Array(64);
  after: Column = new Int32Array(64);
  choice: Column = new Int32Array(64);
  /** The events of its thread before and after it. */
  previous: Column = new Int32Array(64);
  /** The location that it accesses; NONE: it is no access. */
  location: Column = new Int32Array(64);
  /** The values that it reads and writes; NONE: it does not. */
  valueRead: Column = new Int32Array(64);
  valueWritten: Column = new Int32Array(64);
  /** The write of its thread to its location before it. */
  previousWrite: Column = new Int32Array(64);
  /** The read of its location that was added before it. */
  previousRead: Column = new Int32Array(64);
  /** Of a read of the root: where it reads from. */
  #side: Column = new Int32Array(64);
  /** Of a read: the one write that it may read, where reads are told apart by that. */
  #source: Column = new Int32Array(64);
  /** Of a read: whether the initial value was considered for it before. */
  #isInitialUsed: Column = new Int32Array(64);
  /** Of a read, by thread: how many events of it were considered before ([VC]: the causal map C). */
  #used: Column = new Int32Array(64 * 8);
  /** Of a write: how many reads it is good for. */
  goodFor: Column = new Int32Array(64);
  readonly #clock = new ClockRows();

  // By thread.
  #state: Column = new Int32Array(8).fill(NONE);
  #last: Column = new Int32Array(8).fill(NONE);
  #spawn: Column = new Int32Array(8).fill(NONE);
  /** C(r) of the thread's next event, if it reads: by thread, and whether anything was considered. */
  #considered: Column = new Int32Array(8 * 8);
  #isConsidered: Column = new Int32Array(8);
  /** The rows of `#used`, `#considered` and `#lastWrite` have room for so many threads. */
  #width = 8;

  // By location, and by location and thread.
  #lastRead: Column = new Int32Array(16).fill(NONE);
  #lastWrite: Column = new Int32Array(16 * 8).fill(NONE);

  /** Told of each event whose row is about to change, and of each read and write that was added. */
  onChange: (e: number) => void = () => {};

  constructor(behaviours: Behaviours, rootPath: string, observed: Observed) {
    this.behaviours = behaviours;
    this.#rootPath = rootPath;
    this.observed = observed;
    this.#clock.fit(64, 8);
    if (rootPath === '0') this.root = 0;
    this.#state[0] = behaviours.main();
  }

  get threadCount(): number {
    return Math.min(this.behaviours.threads.length, this.#width);
  }

  /** The state of thread t; NONE if it does not exist. */
  stateOf(t: number): number {
    return this.#state[t]!;
  }

  /** The last event of thread t; NONE if it has none. */
  lastOf(t: number): number {
    return this.#last[t]!;
  }

  /** The last event of thread t; if it has none, the one that spawned it; NONE for the main thread. */
  lastOrSpawn(t: number): number {
    return this.#last[t] === NONE ? this.#spawn[t]! : this.#last[t]!;
  }

  /** How many events thread t has. */
  countOf(t: number): number {
    return this.#last[t] === NONE ? 0 : this.index[this.#last[t]!]! + 1;
  }

  reads(e: number): boolean {
    return this.valueRead[e] !== NONE;
  }

  writes(e: number): boolean {
    return this.valueWritten[e] !== NONE;
  }

  isOfRoot(e: number): boolean {
    return this.thread[e] === this.root;
  }

  /** The read of the location that was added last; NONE: there is none. */
  lastRead(location: number): number {
    return location < this.#lastRead.length ? this.#lastRead[location]! : NONE;
  }

  /** The last write of thread t to the location; NONE: there is none. */
  lastWrite(location: number, t: number): number {
    return location < this.#lastRead.length ? this.#lastWrite[location * this.#width + t]! : NONE;
  }

  // --------------------------------------------------------------------------------------------------------- order

  /** Whether a is before b in P. */
  isBefore(a: number, b: number): boolean {
    return a !== b && this.#clock.at(b, this.thread[a]!) > this.index[a]!;
  }

  /** How many events of thread t are before e or are e. */
  known(e: number, t: number): number {
    return this.#clock.at(e, t);
  }

  /** Adds a → b to P, and what follows from it. False if b is before a already. */
  order(a: number, b: number): boolean {
    if (a === b || this.isBefore(b, a)) return false;
    if (this.isBefore(a, b)) return true;
    const clock = this.#clock;
    const { thread, index, previous } = this;
    const ta = thread[a]!;
    const ia = index[a]!;
    const tb = thread[b]!;
    const ib = index[b]!;
    for (let t = 0; t < this.threadCount; t++) {
      for (let x = this.#last[t]!; x !== NONE && clock.at(x, tb) > ib; x = previous[x]!) {
        if (clock.at(x, ta) > ia) continue;
        this.onChange(x);
        clock.joinSaved(x, a);
      }
    }
    return true;
  }

  /** Where orders that were added can be taken back to; events that were added since must be taken back, too. */
  mark(): number {
    return this.#clock.mark();
  }

  undoOrders(mark: number): void {
    this.#clock.undoTo(mark);
  }

  // --------------------------------------------------------------------------------------------------- good writes

  /** Whether read r may read write w, or the initial value: w ∈ GoodW(r). */
  isGood(r: number, w: number): boolean {
    if (this.observed === 'writes') return this.#source[r] === w;
    if (w === INITIAL_WRITE) {
      if (this.#isInitialUsed[r] === 1 || this.#side[r] === Side.LOCAL) return false;
      return this.behaviours.initialValue(this.location[r]!) === this.valueRead[r];
    }
    if (w >= r || this.valueWritten[w] !== this.valueRead[r]) return false;
    const t = this.thread[w]!;
    if (this.#used[r * this.#width + t]! > this.index[w]!) return false;
    const side = this.#side[r];
    return side === Side.ANY || (side === Side.LOCAL) === (t === this.root);
  }

  /** Whether anything was considered for the next read of thread t. */
  wasConsidered(t: number): boolean {
    return this.#isConsidered[t] === 1;
  }

  /** Whether write w was considered for the next read of thread t; the initial value is one. */
  isConsidered(t: number, w: number): boolean {
    if (w === INITIAL_WRITE) return this.#isConsidered[t] === 1;
    return this.#considered[t * this.#width + this.thread[w]!]! > this.index[w]!;
  }

  /** C(r) := all that is there, for the next read of thread t. What it was is put into `saved` from `at` on, for `width` threads. */
  considerAll(t: number, saved: number[], at: number, width: number): void {
    const row = t * this.#width;
    saved[at] = this.#isConsidered[t]!;
    for (let u = 0; u < width; u++) {
      saved[at + 1 + u] = this.#considered[row + u]!;
      this.#considered[row + u] = this.countOf(u);
    }
    this.#isConsidered[t] = 1;
  }

  /** C(r) of the next read of thread t is what it was. Threads that there was no room for had not begun. */
  reconsider(t: number, saved: readonly number[], at: number, width: number): void {
    const row = t * this.#width;
    this.#isConsidered[t] = saved[at]!;
    for (let u = 0; u < this.#width; u++) this.#considered[row + u] = u < width ? saved[at + 1 + u]! : 0;
  }

  /** For so many threads there is room. */
  get width(): number {
    return this.#width;
  }

  // -------------------------------------------------------------------------------------------------------- events

  /**
   * The next operation of thread t, which is a READ, with this value and from this write, on this side. The thread does not go on
   * before `goOn`: what it would do is of interest only if P can be closed.
   */
  addRead(t: number, value: number, source: number, side: Side): number {
    const b = this.behaviours;
    const s = this.#state[t]!;
    const e = this.#append(t, s);
    const location = b.location[s]!;
    this.valueRead[e] = value;
    this.valueWritten[e] = b.writtenBy(s, value);
    this.#side[e] = side;
    this.#source[e] = source;
    this.#isInitialUsed[e] = this.#isConsidered[t]!;
    const row = e * this.#width;
    const from = t * this.#width;
    for (let u = 0; u < this.#width; u++) {
      this.#used[row + u] = this.#considered[from + u]!;
      this.#considered[from + u] = 0;
    }
    this.#isConsidered[t] = 0;
    this.after[e] = NONE;
    this.#enlist(e, location);
    this.#countGood(e, 1);
    this.onChange(e);
    return e;
  }

  /** The thread of event e, a read that was added last, goes on. */
  goOn(e: number): void {
    this.#arrive(e, this.#stateAfter(e));
  }

  /** Whether thread t can perform an operation that is no read: a join only if its thread has ended. */
  canExtend(t: number): boolean {
    const b = this.behaviours;
    const s = this.#state[t]!;
    if (s === NONE) return false;
    const step = b.step[s]!;
    if (step === Step.JOIN) {
      const target = b.operand[s]!;
      return target !== NONE && this.#state[target] !== NONE && b.step[this.#state[target]!] === Step.END;
    }
    return step > Step.READ && step < Step.END;
  }

  /** Performs it; a choose takes option `choice`. */
  extend(t: number, choice: number): number {
    const b = this.behaviours;
    const s = this.#state[t]!;
    const e = this.#append(t, s);
    this.choice[e] = choice;
    switch (b.step[s]) {
      case Step.WRITE:
        this.valueWritten[e] = b.value[s]!;
        this.#enlist(e, b.location[s]!);
        this.#arrive(e, this.#stateAfter(e));
        this.onChange(e);
        break;
      case Step.JOIN:
        this.#clock.join(e, this.lastOrSpawn(b.operand[s]!));
        this.#arrive(e, this.#stateAfter(e));
        break;
      case Step.SPAWN:
        this.#arrive(e, this.#stateAfter(e));
        this.#spawnThread(b.operand[s]!, e, s);
        break;
      default:
        this.#arrive(e, this.#stateAfter(e));
    }
    return e;
  }

  /** What the thread of event e, the last one of its thread, comes to. */
  #stateAfter(e: number): number {
    const b = this.behaviours;
    const s = this.before[e]!;
    switch (b.step[s]) {
      case Step.READ:
        return b.advance(s, this.valueRead[e]!);
      case Step.JOIN:
        return b.advance(s, b.value[this.#state[b.operand[s]!]!]!);
      case Step.CHOOSE:
        return b.advance(s, b.values.idOf(this.choice[e]!));
      default:
        return b.advanceOnly(s);
    }
  }

  /**
   * Gives the memory of the behaviours back once it has grown too large: all threads run from their start along the events, which get
   * their states and locations in the new epoch. All else is about events and values, which stay. No read is pending.
   */
  tidy(): void {
    const b = this.behaviours;
    if (!b.isLarge(this.length)) return;
    b.resetStates();
    this.#state.fill(NONE);
    this.#state[0] = b.main();
    this.#lastRead.fill(NONE);
    this.#lastWrite.fill(NONE);
    for (let e = 0; e < this.length; e++) {
      const t = this.thread[e]!;
      const s = this.#state[t]!;
      this.before[e] = s;
      if (this.location[e] !== NONE) this.#moveTo(e, b.location[s]!);
      this.#arrive(e, this.#stateAfter(e));
      if (b.step[s] === Step.SPAWN) this.#state[b.operand[s]!] = b.spawned(s);
    }
  }

  /** The location of event e has another number now; the events before it are in its lists. */
  #moveTo(e: number, location: number): void {
    if (location >= this.#lastRead.length) this.#growLocations(location + 1);
    this.location[e] = location;
    if (this.reads(e)) this.#lastRead[location] = e;
    if (this.writes(e)) this.#lastWrite[location * this.#width + this.thread[e]!] = e;
  }

  /** Takes the last event back. Orders that were added since must have been taken back. */
  undo(): void {
    const e = --this.length;
    const b = this.behaviours;
    const t = this.thread[e]!;
    const s = this.before[e]!;
    this.#state[t] = s;
    this.#last[t] = this.previous[e]!;
    if (b.step[s] === Step.SPAWN) {
      const child = b.operand[s]!;
      this.#state[child] = NONE;
      this.#spawn[child] = NONE;
      if (child === this.root) this.root = NONE;
    }
    const location = this.location[e]!;
    if (location === NONE) return;
    if (this.writes(e)) this.#lastWrite[location * this.#width + t] = this.previousWrite[e]!;
    if (!this.reads(e)) return;
    this.#lastRead[location] = this.previousRead[e]!;
    this.#countGood(e, -1);
    const row = t * this.#width;
    const from = e * this.#width;
    for (let u = 0; u < this.#width; u++) this.#considered[row + u] = this.#used[from + u]!;
    this.#isConsidered[t] = this.#isInitialUsed[e]!;
  }

  // ---------------------------------------------------------------------------------------------------------------

  #append(t: number, s: number): number {
    this.#ensure();
    const e = this.length++;
    if (e >= this.thread.length) this.#growEvents();
    const clock = this.#clock;
    const origin = this.lastOrSpawn(t);
    if (origin === NONE) clock.clear(e);
    else clock.copy(e, origin);
    this.thread[e] = t;
    this.index[e] = this.countOf(t);
    clock.set(e, t, this.index[e]! + 1);
    this.before[e] = s;
    this.choice[e] = 0;
    this.previous[e] = this.#last[t]!;
    this.location[e] = NONE;
    this.valueRead[e] = NONE;
    this.valueWritten[e] = NONE;
    this.#last[t] = e;
    return e;
  }

  /** Adds the event to the lists of its location. */
  #enlist(e: number, location: number): void {
    if (location >= this.#lastRead.length) this.#growLocations(location + 1);
    this.location[e] = location;
    this.goodFor[e] = 0;
    if (this.reads(e)) {
      this.previousRead[e] = this.#lastRead[location]!;
      this.#lastRead[location] = e;
    }
    if (!this.writes(e)) return;
    const at = location * this.#width + this.thread[e]!;
    this.previousWrite[e] = this.#lastWrite[at]!;
    this.#lastWrite[at] = e;
  }

  #arrive(e: number, state: number): void {
    if (state === STALE) throw new InputError(noObjects);
    this.after[e] = state;
    this.#state[this.thread[e]!] = state;
  }

  #spawnThread(child: number, e: number, s: number): void {
    this.#ensure();
    this.#state[child] = this.behaviours.spawned(s);
    this.#spawn[child] = e;
    this.#last[child] = NONE;
    if (this.behaviours.threads[child]?.path === this.#rootPath) this.root = child;
  }

  /** Read r has come, or goes: its good writes are good for one read more or less. */
  #countGood(r: number, change: 1 | -1): void {
    const location = this.location[r]!;
    for (let t = 0; t < this.threadCount; t++) {
      for (let w = this.lastWrite(location, t); w !== NONE; w = this.previousWrite[w]!) {
        if (this.isGood(r, w)) this.goodFor[w] = this.goodFor[w]! + change;
      }
    }
  }

  #ensure(): void {
    const threads = this.behaviours.threads.length;
    if (threads > this.#width) this.#widen(threads * 2);
  }

  #growEvents(): void {
    const length = this.thread.length * 2;
    this.thread = grown(this.thread, length);
    this.index = grown(this.index, length);
    this.before = grown(this.before, length);
    this.after = grown(this.after, length);
    this.choice = grown(this.choice, length);
    this.previous = grown(this.previous, length);
    this.location = grown(this.location, length);
    this.valueRead = grown(this.valueRead, length);
    this.valueWritten = grown(this.valueWritten, length);
    this.previousWrite = grown(this.previousWrite, length);
    this.previousRead = grown(this.previousRead, length);
    this.#side = grown(this.#side, length);
    this.#source = grown(this.#source, length);
    this.#isInitialUsed = grown(this.#isInitialUsed, length);
    this.#used = grown(this.#used, length * this.#width);
    this.goodFor = grown(this.goodFor, length);
    this.#clock.fit(length, this.#width);
  }

  #growLocations(count: number): void {
    const old = this.#lastRead.length;
    this.#lastRead = grown(this.#lastRead, count).fill(NONE, old);
    this.#lastWrite = grown(this.#lastWrite, this.#lastRead.length * this.#width).fill(NONE, old * this.#width);
  }

  /** Lays the rows out anew. */
  #widen(width: number): void {
    const old = this.#width;
    this.#used = widened(this.#used, old, width, 0);
    this.#considered = widened(this.#considered, old, width, 0);
    if (this.#considered.length < width * width) this.#considered = grown(this.#considered, width * width);
    this.#lastWrite = widened(this.#lastWrite, old, width, NONE);
    this.#state = grown(this.#state, width).fill(NONE, this.#state.length);
    this.#last = grown(this.#last, width).fill(NONE, this.#last.length);
    this.#spawn = grown(this.#spawn, width).fill(NONE, this.#spawn.length);
    this.#isConsidered = grown(this.#isConsidered, width);
    this.#clock.fit(this.thread.length, width);
    this.#width = width;
  }
}

function widened(old: Column, oldWidth: number, width: number, fill: number): Column {
  const rows = Math.ceil(old.length / oldWidth);
  const column = new Int32Array(rows * width).fill(fill);
  for (let row = 0; row < rows; row++) column.set(old.subarray(row * oldWidth, (row + 1) * oldWidth), row * width);
  return column;
}

const noObjects =
  'the algorithms vc and dc cannot check programs that store objects or functions in shared variables; ' +
  'store numbers or strings, or take another algorithm (trust, optimal, source, dpor).';
