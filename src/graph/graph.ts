/**
 * Execution graphs ([TruSt], definition 3.2): events with program order, reads-from, coherence and the order in which
 * they were added; changed in place, and taken back by undoing the changes from the last to the first.
 *
 * Hot code. An event is a row (`EventId`) of the columns below. Rows are handed out in rising order and given back only
 * by `undoTo`, so the rows of events that a backward revisit deletes keep their content, and restoring them means
 * linking them in again. Invariants:
 *
 * - The events of thread t are last[t], poPrev[last[t]], …; index counts them from 0. Stamps (the order ≤G of the paper)
 *   rise along program order.
 * - Each location is known by its initialising write `init`: thread NONE, stamp 0, porf-before everything. Its writes
 *   are linked from init by coNext in coherence order (where coherence is not tracked, in one that is consistent);
 *   coLast[init] is the last one.
 * - The reads of write w are linked from readers[w] by readNext; the joins of thread t from joiners[t] likewise.
 * - porf rows hold vector clocks of (po ∪ rf ∪ spawn ∪ join)*: entry t of row e counts the events of t that e
 *   depends on, itself included. They are set once, when the event gets its place, and never change.
 * - A removed element keeps its own links, so that adding removed elements back in reverse order restores every list.
 */
import { type Column, grown, NONE } from '../program/columns.ts';
import { areDisjoint, lessExtent, WHOLE } from '../program/extent.ts';

export type EventId = number;

export const Kind = { READ: 0, WRITE: 1, SPAWN: 2, JOIN: 3, CHOOSE: 4, LOCAL: 5, INIT: 6 } as const;

const SEVERAL = -2;

const Undo = { ADD: 0, RF: 1, CO: 2, TRUNCATE: 3, UNLINK: 4, SPAWN: 5, JOIN: 6, MOVE: 7 } as const;

export class Graph {
  // By event.
  kind: Column = new Int32Array(0);
  thread: Column = new Int32Array(0);
  index: Column = new Int32Array(0);
  stamp: Column = new Int32Array(0);
  /** The thread's state (see `Behaviours`) in which the event was performed, and the one after it. */
  state: Column = new Int32Array(0);
  after: Column = new Int32Array(0);
  /** The location of a read or write, as the event that initialises it. For joins and spawns: the other thread. */
  location: Column = new Int32Array(0);
  /** The value a write wrote; the option that a choose took. */
  value: Column = new Int32Array(0);
  /** Its memory order: see `Order`. */
  order: Column = new Int32Array(0);
  /** The bytes of its location that a read or write is to: see extent.ts. */
  extent: Column = new Int32Array(0);
  rf: Column = new Int32Array(0);
  /** For the write of an atomic update: its read. Otherwise NONE. */
  updateRead: Column = new Int32Array(0);
  poPrev: Column = new Int32Array(0);
  poNext: Column = new Int32Array(0);
  coPrev: Column = new Int32Array(0);
  coNext: Column = new Int32Array(0);
  coLast: Column = new Int32Array(0);
  readers: Column = new Int32Array(0);
  readPrev: Column = new Int32Array(0);
  readNext: Column = new Int32Array(0);
  porf: Column = new Int32Array(0);
  /** For an initialising write: the thread that has accessed the location, NONE or SEVERAL. Threads whose accesses were undone may count. */
  accessor: Column = new Int32Array(0);

  // By thread.
  last: Column = new Int32Array(0);
  first: Column = new Int32Array(0);
  spawnedBy: Column = new Int32Array(0);
  joiners: Column = new Int32Array(0);

  /** Whether there was ever a store to a part of a location. */
  hasMerging = false;
  /** How many threads there is room for: the length of a clock row. */
  stride = 0;
  /** The next row. */
  length = 0;
  nextStamp = 1;

  #capacity = 0;
  #undo: Column = new Int32Array(8);
  #undoLength = 0;

  constructor() {
    this.#growThreads(4);
    this.#growEvents(8);
  }

  // ------------------------------------------------------------------------------------------------------- adding

  ensureThreads(count: number): void {
    // rows as short as can be: every clock operation walks one, and they are laid out anew only as new threads appear
    if (count > this.stride) this.#growThreads((count + 3) & ~3);
  }

  /** The initialising write of a new location. */
  addInit(value: number): EventId {
    const e = this.#row();
    this.kind[e] = Kind.INIT;
    this.thread[e] = NONE;
    this.index[e] = NONE;
    this.stamp[e] = 0;
    this.location[e] = e;
    this.value[e] = value;
    this.order[e] = 0;
    this.extent[e] = WHOLE;
    this.coLast[e] = e;
    this.accessor[e] = NONE;
    this.#push(e, 0, Undo.ADD);
    return e;
  }

  /** A new last event of thread t, not yet related to other threads. A read has its clock once it has its reads-from, or `startClock`. */
  add(kind: number, t: number, state: number, location: number): EventId {
    const e = this.#row();
    const before = this.last[t]!;
    this.kind[e] = kind;
    this.thread[e] = t;
    this.index[e] = before === NONE ? 0 : this.index[before]! + 1;
    this.stamp[e] = this.nextStamp++;
    this.state[e] = state;
    this.after[e] = NONE;
    this.location[e] = location;
    this.value[e] = NONE;
    this.order[e] = 0;
    this.extent[e] = WHOLE;
    this.poPrev[e] = before;
    if (before === NONE) this.first[t] = e;
    else this.poNext[before] = e;
    this.last[t] = e;
    if (kind <= Kind.WRITE && this.accessor[location] !== t) {
      this.accessor[location] = this.accessor[location] === NONE ? t : SEVERAL;
    }
    this.#push(e, 0, Undo.ADD);
    if (kind !== Kind.READ) this.#startClock(e, t, before);
    return e;
  }

  /** The clock of the read r, new, of what it depends on without its reads-from. */
  startClock(r: EventId): void {
    this.#startClock(r, this.thread[r]!, this.poPrev[r]!);
  }

  /** Whether no other thread accesses the location of the access e. */
  isPrivate(e: EventId): boolean {
    return this.accessor[this.location[e]!] === this.thread[e];
  }

  /**
   * Calls `visit` for each write that has written bytes which the access e gets if it reads from w: w, unless that is to other bytes,
   * and, as long as bytes are missing, the write that w has read from.
   */
  forEachSource(e: EventId, w: EventId, visit: (source: EventId) => void): void {
    let bytes = this.extent[e]! & WHOLE;
    for (let source = w; ; source = this.rf[this.updateRead[source]!]!) {
      const extent = this.extent[source]!;
      if (!areDisjoint(bytes, extent)) visit(source);
      bytes = lessExtent(bytes, extent);
      if (bytes === 0) return;
    }
  }

  /** Whether the read r needs bytes that the write w, which it reads from, has not written itself. */
  isPartial(r: EventId, w: EventId): boolean {
    return lessExtent(this.extent[r]! & WHOLE, this.extent[w]!) !== 0;
  }

  /** The last write of those that the bytes of the read r come from. */
  sourceOf(r: EventId): EventId {
    let source = this.rf[r]!;
    while (source !== NONE && areDisjoint(this.extent[r]!, this.extent[source]!)) {
      source = this.rf[this.updateRead[source]!]!;
    }
    return source;
  }

  /** A read that a revisit has deleted, in a graph that was saved: a row that is linked nowhere. */
  addDeleted(t: number, location: number, stamp: number): EventId {
    const e = this.#row();
    this.kind[e] = Kind.READ;
    this.thread[e] = t;
    this.location[e] = location;
    this.stamp[e] = stamp;
    return e;
  }

  /** r reads from w. */
  setRf(r: EventId, w: EventId): void {
    this.rf[r] = w;
    this.#linkRead(r, this.readers, w);
    this.#push(r, 0, Undo.RF);
    this.startClockOfRead(r, w); // the row may be that of an option tried before
  }

  /** The clock of r, the last event of its thread, as it is if r reads from w. */
  startClockOfRead(r: EventId, w: EventId): void {
    if (this.thread[w] === NONE) this.#startClock(r, this.thread[r]!, this.poPrev[r]!);
    else this.#startClockAfter(r, this.thread[r]!, this.poPrev[r]!, w);
  }

  /** w comes right after `before` in coherence order. */
  setCo(w: EventId, before: EventId): void {
    const after = this.coNext[before]!;
    this.coPrev[w] = before;
    this.coNext[w] = after;
    this.#relinkCo(w);
    this.#push(w, 0, Undo.CO);
  }

  /** w, which has a place in coherence order, comes right after `before` instead. */
  moveCo(w: EventId, before: EventId): void {
    this.#push(w, this.coPrev[w]!, Undo.MOVE);
    this.#moveCo(w, before);
  }

  /** e spawns `thread`. */
  setSpawn(e: EventId, thread: number): void {
    this.#push(thread, this.spawnedBy[thread]!, Undo.SPAWN);
    this.spawnedBy[thread] = e;
  }

  /** e joins `thread`, which has ended. */
  setJoin(e: EventId, thread: number): void {
    this.#linkRead(e, this.joiners, thread);
    this.#push(e, 0, Undo.JOIN);
    this.#orderAfter(e, this.lastOrSpawn(thread));
  }

  /** Deletes the events of t from `index` on that were added with this stamp or later. */
  truncate(t: number, index: number, stamp = 0): void {
    const oldLast = this.last[t]!;
    let e = oldLast;
    while (e !== NONE && this.stamp[e]! >= stamp && this.index[e]! >= index) {
      this.#unlink(e);
      this.#push(e, 0, Undo.UNLINK);
      e = this.poPrev[e]!;
    }
    if (e === oldLast) return;
    this.last[t] = e;
    this.#push(t, oldLast, Undo.TRUNCATE);
    this.#push(t, e === NONE ? this.first[t]! : this.poNext[e]!, Undo.TRUNCATE);
    if (e !== NONE) this.poNext[e] = NONE;
  }

  // ----------------------------------------------------------------------------------------------------- undoing

  mark(): number {
    return this.#undoLength;
  }

  undoTo(mark: number): void {
    const undo = this.#undo;
    while (this.#undoLength > mark) {
      this.#undoLength -= 2;
      const entry = undo[this.#undoLength]!;
      const subject = entry >> 3;
      switch (entry & 7) {
        case Undo.ADD:
          this.length = subject;
          if (this.thread[subject] !== NONE) this.#undoAdd(subject);
          break;
        case Undo.RF:
          this.#unlinkRead(subject, this.readers, this.rf[subject]!);
          this.rf[subject] = NONE;
          break;
        case Undo.CO:
          this.#unlinkCo(subject);
          this.coPrev[subject] = NONE;
          break;
        case Undo.MOVE:
          this.#moveCo(subject, undo[this.#undoLength + 1]!);
          break;
        case Undo.JOIN:
          this.#unlinkRead(subject, this.joiners, this.location[subject]!);
          break;
        case Undo.SPAWN:
          this.spawnedBy[subject] = undo[this.#undoLength + 1]!;
          break;
        case Undo.UNLINK:
          this.#relink(subject);
          break;
        case Undo.TRUNCATE:
          this.#undoTruncate(subject, undo[this.#undoLength + 1]!);
          break;
      }
    }
  }

  #undoAdd(e: EventId): void {
    const t = this.thread[e]!;
    const before = this.poPrev[e]!;
    this.last[t] = before;
    if (before !== NONE) this.poNext[before] = NONE;
  }

  /** The entry on top holds the first deleted event, the one below it the old last. */
  #undoTruncate(t: number, firstDeleted: EventId): void {
    this.#undoLength -= 2;
    const oldLast = this.#undo[this.#undoLength + 1]!;
    const before = this.last[t]!;
    if (before === NONE) this.first[t] = firstDeleted;
    else this.poNext[before] = firstDeleted;
    this.last[t] = oldLast;
  }

  // ------------------------------------------------------------------------------------------------------ asking

  /** Whether b depends on a: a is b, or program order, reads-from, spawns and joins lead from a to b. */
  porfBefore(a: EventId, b: EventId): boolean {
    const t = this.thread[a]!;
    return t === NONE || this.porf[b * this.stride + t]! > this.index[a]!;
  }

  /** Whether a read after `before` that reads w depends on a. */
  leadsTo(a: EventId, before: EventId, w: EventId): boolean {
    return (before !== NONE && this.porfBefore(a, before)) || (this.thread[w] !== NONE && this.porfBefore(a, w));
  }

  /**
   * The last write to w's location on which w, which has no place yet, depends. A read of an earlier one was not added maximally, if w
   * were to revisit it.
   */
  lastNeededBy(w: EventId): EventId {
    let x = this.coLast[this.location[w]!]!;
    while (!this.porfBefore(x, w)) x = this.coPrev[x]!;
    return x;
  }

  /** Whether e is in the graph: a revisit may have deleted it. */
  has(e: EventId): boolean {
    let other = this.last[this.thread[e]!]!;
    while (other !== NONE && this.index[other]! > this.index[e]!) other = this.poPrev[other]!;
    return other === e;
  }

  /** How many events of t event e depends on. */
  porfCount(e: EventId, t: number): number {
    return this.porf[e * this.stride + t]!;
  }

  /** The event before e in its thread; for the first one, the spawn of the thread; NONE: there is none. */
  eventBefore(e: EventId): EventId {
    const before = this.poPrev[e]!;
    return before === NONE ? this.spawnedBy[this.thread[e]!]! : before;
  }

  /** The last event of thread t; if it has none, its spawn. */
  lastOrSpawn(t: number): EventId {
    return this.last[t] === NONE ? this.spawnedBy[t]! : this.last[t]!;
  }

  /** Whether the read's update has its write in the graph. */
  isUpdateRead(r: EventId): boolean {
    const next = this.poNext[r]!;
    return next !== NONE && this.updateRead[next] === r;
  }

  /** Whether an update reads w and has its place. Nothing comes between the two: atomicity. */
  isFollowedByUpdate(w: EventId): boolean {
    const next = this.coNext[w]!;
    return next !== NONE && this.updateRead[next] !== NONE;
  }

  /** Every invariant of the head of this file; for tests. Returns what is wrong, or undefined. */
  checkInvariants(threads: number): string | undefined {
    for (let t = 0; t < threads; t++) {
      let next: EventId = NONE;
      for (let e = this.last[t]!; e !== NONE; e = this.poPrev[e]!) {
        if (this.thread[e] !== t) return `event ${e} is not of thread ${t}`;
        if (this.poNext[e] !== next) return `poNext of ${e} is ${this.poNext[e]}, not ${next}`;
        if (next !== NONE && this.stamp[next]! <= this.stamp[e]!) return `stamps do not rise from ${e} to ${next}`;
        if (next !== NONE && this.index[next]! !== this.index[e]! + 1)
          return `indices do not count from ${e} to ${next}`;
        if (this.poPrev[e] === NONE && (this.first[t] !== e || this.index[e] !== 0))
          return `first of thread ${t} is wrong`;
        if (this.porfCount(e, t) !== this.index[e]! + 1) return `clock of ${e} misses itself`;
        if (this.kind[e] === Kind.READ && !this.#isListed(this.readers[this.rf[e]!]!, e))
          return `read ${e} is not listed`;
        if (this.kind[e] === Kind.WRITE && !this.#isInCoherence(e)) return `write ${e} is not in coherence order`;
        if (this.kind[e]! <= Kind.WRITE && !this.isPrivate(e) && this.accessor[this.location[e]!] !== SEVERAL)
          return `the access ${e} is not known of`;
        next = e;
      }
    }
    return undefined;
  }

  #isListed(head: EventId, r: EventId): boolean {
    for (let e = head; e !== NONE; e = this.readNext[e]!) if (e === r) return true;
    return false;
  }

  #isInCoherence(w: EventId): boolean {
    const init = this.location[w]!;
    for (let e = init; e !== NONE; e = this.coNext[e]!) {
      if (this.coNext[e] === NONE && this.coLast[init] !== e) return false;
      if (e === w) return true;
    }
    return false;
  }

  // ------------------------------------------------------------------------------------------------------- links

  #linkRead(r: EventId, heads: Column, owner: number): void {
    const head = heads[owner]!;
    this.readPrev[r] = NONE;
    this.readNext[r] = head;
    if (head !== NONE) this.readPrev[head] = r;
    heads[owner] = r;
  }

  #unlinkRead(r: EventId, heads: Column, owner: number): void {
    const before = this.readPrev[r]!;
    const after = this.readNext[r]!;
    if (before === NONE) heads[owner] = after;
    else this.readNext[before] = after;
    if (after !== NONE) this.readPrev[after] = before;
  }

  #relinkRead(r: EventId, heads: Column, owner: number): void {
    const before = this.readPrev[r]!;
    const after = this.readNext[r]!;
    if (before === NONE) heads[owner] = r;
    else this.readNext[before] = r;
    if (after !== NONE) this.readPrev[after] = r;
  }

  #unlinkCo(w: EventId): void {
    const before = this.coPrev[w]!;
    const after = this.coNext[w]!;
    this.coNext[before] = after;
    if (after !== NONE) this.coPrev[after] = before;
    else this.coLast[this.location[w]!] = before;
  }

  #moveCo(w: EventId, before: EventId): void {
    this.#unlinkCo(w);
    this.coPrev[w] = before;
    this.coNext[w] = this.coNext[before]!;
    this.#relinkCo(w);
  }

  #relinkCo(w: EventId): void {
    const after = this.coNext[w]!;
    this.coNext[this.coPrev[w]!] = w;
    if (after !== NONE) this.coPrev[after] = w;
    else this.coLast[this.location[w]!] = w;
  }

  #unlink(e: EventId): void {
    switch (this.kind[e]) {
      case Kind.READ:
        this.#unlinkRead(e, this.readers, this.rf[e]!);
        break;
      case Kind.WRITE:
        if (this.coPrev[e] !== NONE) this.#unlinkCo(e);
        break;
      case Kind.JOIN:
        this.#unlinkRead(e, this.joiners, this.location[e]!);
        break;
      case Kind.SPAWN:
        this.spawnedBy[this.location[e]!] = NONE;
        break;
    }
  }

  #relink(e: EventId): void {
    switch (this.kind[e]) {
      case Kind.READ:
        this.#relinkRead(e, this.readers, this.rf[e]!);
        break;
      case Kind.WRITE:
        if (this.coPrev[e] !== NONE) this.#relinkCo(e);
        break;
      case Kind.JOIN:
        this.#relinkRead(e, this.joiners, this.location[e]!);
        break;
      case Kind.SPAWN:
        this.spawnedBy[this.location[e]!] = e;
        break;
    }
  }

  // ------------------------------------------------------------------------------------------------ rows, clocks

  #startClock(e: EventId, t: number, before: EventId): void {
    const { porf, stride } = this;
    const row = e * stride;
    const origin = before !== NONE ? before : this.spawnedBy[t]!;
    // a loop: calls of fill and copyWithin cost as much as some twenty entries
    if (origin === NONE) for (let i = 0; i < stride; i++) porf[row + i] = 0;
    else for (let i = 0, from = origin * stride; i < stride; i++) porf[row + i] = porf[from + i]!;
    porf[row + t] = this.index[e]! + 1;
  }

  /** The same, and then e comes after w, too. */
  #startClockAfter(e: EventId, t: number, before: EventId, w: EventId): void {
    const { porf, stride } = this;
    const origin = before !== NONE ? before : this.spawnedBy[t]!;
    const row = e * stride;
    const from = origin === NONE ? w * stride : origin * stride;
    const other = w * stride;
    for (let i = 0; i < stride; i++) {
      const a = porf[from + i]!;
      const b = porf[other + i]!;
      porf[row + i] = a > b ? a : b;
    }
    porf[row + t] = this.index[e]! + 1;
  }

  #orderAfter(e: EventId, before: EventId): void {
    const { porf, stride } = this;
    const into = e * stride;
    const from = before * stride;
    for (let t = 0; t < stride; t++) if (porf[from + t]! > porf[into + t]!) porf[into + t] = porf[from + t]!;
  }

  #row(): EventId {
    const e = this.length++;
    if (e >= this.#capacity) this.#growEvents(e + 1);
    this.rf[e] = NONE;
    this.updateRead[e] = NONE;
    this.poPrev[e] = NONE;
    this.poNext[e] = NONE;
    this.coPrev[e] = NONE;
    this.coNext[e] = NONE;
    this.readers[e] = NONE;
    return e;
  }

  #push(subject: number, saved: number, type: number): void {
    if (this.#undoLength + 2 > this.#undo.length) this.#undo = grown(this.#undo, this.#undoLength + 2);
    this.#undo[this.#undoLength] = (subject << 3) | type;
    this.#undo[this.#undoLength + 1] = saved;
    this.#undoLength += 2;
  }

  #growEvents(length: number): void {
    const capacity = Math.max(length, this.#capacity * 2);
    this.kind = grown(this.kind, capacity);
    this.thread = grown(this.thread, capacity);
    this.index = grown(this.index, capacity);
    this.stamp = grown(this.stamp, capacity);
    this.state = grown(this.state, capacity);
    this.after = grown(this.after, capacity);
    this.location = grown(this.location, capacity);
    this.value = grown(this.value, capacity);
    this.order = grown(this.order, capacity);
    this.extent = grown(this.extent, capacity);
    this.rf = grown(this.rf, capacity);
    this.updateRead = grown(this.updateRead, capacity);
    this.poPrev = grown(this.poPrev, capacity);
    this.poNext = grown(this.poNext, capacity);
    this.coPrev = grown(this.coPrev, capacity);
    this.coNext = grown(this.coNext, capacity);
    this.coLast = grown(this.coLast, capacity);
    this.readers = grown(this.readers, capacity);
    this.readPrev = grown(this.readPrev, capacity);
    this.readNext = grown(this.readNext, capacity);
    this.porf = grown(this.porf, capacity * this.stride);
    this.accessor = grown(this.accessor, capacity);
    this.#capacity = capacity;
  }

  #growThreads(stride: number): void {
    const porf = new Int32Array(this.#capacity * stride);
    for (let e = 0; e < this.length; e++) {
      porf.set(this.porf.subarray(e * this.stride, (e + 1) * this.stride), e * stride);
    }
    this.porf = porf;
    this.last = widened(this.last, stride);
    this.first = widened(this.first, stride);
    this.spawnedBy = widened(this.spawnedBy, stride);
    this.joiners = widened(this.joiners, stride);
    this.stride = stride;
  }
}

function widened(old: Column, length: number): Column {
  const column = new Int32Array(length).fill(NONE);
  column.set(old);
  return column;
}
