/**
 * Which writes of a location come before which in every coherence order, under release/acquire ([TruSt], section 4.2: wb):
 *
 * - If an access a happens before an access b, the write that a is or reads comes before, or is, the one that b is or reads.
 * - An update comes right after the write that it reads; so writes and the updates that follow them form blocks that nothing
 *   gets into, and whatever comes before or after one member of a block comes before or after all of it.
 *
 * That is all: a graph is consistent if the order of the blocks is acyclic, and then every order of a location's blocks that
 * respects it is a coherence order, whatever is chosen for the other locations. So nothing needs to be searched.
 *
 * Hot code. Only the accesses of one location are looked at, in time linear in their number (times that of the threads). Writes
 * are numbered by thread and index, the initialising one is 0.
 */
import { type EventId, type Graph, Kind } from '../graph/graph.ts';
import { type Column, grown, NONE } from '../program/columns.ts';
import type { HappensBeforeClocks } from './happens-before.ts';
import { EventStack } from './model.ts';

/** More than the length of any block. */
const ALL = 0x7fffffff;

export class WritesBefore {
  readonly #g: Graph;
  readonly #hb: HappensBeforeClocks;
  /** By thread: how many of its events take part. */
  #limit: Column = new Int32Array(8);

  /** The accesses that take part, by thread and index; those of thread t start at from[t]. */
  accesses: Column = new Int32Array(64);
  #from: Column = new Int32Array(9);
  #end: Column = new Int32Array(8);
  /** The same as they were found. */
  readonly #found = new EventStack();
  /** By event: the number of a write. */
  #number: Column = new Int32Array(64);
  /** By number: the write, its block (the number of the first write in it), its place there, and the number of the next. */
  readonly writes = new EventStack();
  #block: Column = new Int32Array(64);
  #place: Column = new Int32Array(64);
  #next: Column = new Int32Array(64);
  /** By block: the number of its last write, whether another block comes after it, the latest of its edges. */
  #tail: Column = new Int32Array(64);
  #hasLater: Column = new Int32Array(64);
  #edgesTo: Column = new Int32Array(64);
  /** Edges: the number of a write that comes before a block, and the next edge to that block. */
  readonly #edgeFrom = new EventStack();
  readonly #edgeNext = new EventStack();
  /** By block: how many of its writes are not visible, see `lookFrom`; NONE if that was not asked. */
  #hidden: Column = new Int32Array(64);
  readonly #todo = new EventStack();

  constructor(g: Graph, hb: HappensBeforeClocks) {
    this.#g = g;
    this.#hb = hb;
  }

  /** Looks at a location; `limit`: how many events of each thread take part. False if one of them reads a write that does not. */
  lookAt(init: EventId, limit: Column): boolean {
    const { stride } = this.#g;
    this.#fitEvents();
    for (let t = 0; t < stride; t++) this.#limit[t] = limit[t]!;
    if (!this.#collect(init)) return false;
    this.#sort();
    this.#numberWrites(init);
    this.#formBlocks();
    this.#connect();
    return true;
  }

  /** How many accesses take part. */
  get count(): number {
    return this.#found.length;
  }

  /** From now on `isVisible` answers for a read right after e; NONE: at the start of the program. */
  lookFrom(e: EventId): void {
    const { stride } = this.#g;
    const items = this.accesses;
    this.#hidden.fill(NONE, 0, this.writes.length);
    if (e === NONE) return;
    this.#todo.length = 0;
    for (let t = 0; t < stride; t++) {
      let i = this.#from[t + 1]! - 1;
      while (i >= this.#from[t]! && items[i] !== e && !this.#hb.happensBefore(items[i]!, e)) i--;
      if (i < this.#from[t]!) continue;
      const n = this.#source(items[i]!);
      this.#hide(this.#block[n]!, this.#place[n]!);
    }
    while (this.#todo.length > 0) {
      const block = this.#todo.items[--this.#todo.length]!;
      if (block !== 0) this.#hide(0, ALL); // the initialising write comes first
      for (let edge = this.#edgesTo[block]!; edge !== NONE; edge = this.#edgeNext.items[edge]!) {
        this.#hide(this.#block[this.#edgeFrom.items[edge]!]!, ALL);
      }
    }
  }

  /** The first `count` writes of a block come before one that is read or written before. */
  #hide(block: number, count: number): void {
    const had = this.#hidden[block]!;
    if (had >= count) return;
    this.#hidden[block] = count;
    if (had === NONE) this.#todo.push(block);
  }

  /** Whether w does not come before a write that is read or written before. */
  isVisible(w: EventId): boolean {
    const n = this.#number[w]!;
    return this.#place[n]! >= this.#hidden[this.#block[n]!]!;
  }

  /** The last write of one of the coherence orders; with the highest number among those that may be last. NONE: there is none. */
  lastWrite(mayBeLast?: (w: EventId) => boolean): EventId {
    for (let n = this.writes.length - 1; n >= 0; n--) {
      const block = this.#block[n]!;
      if (this.#hasLater[block] === 1 || this.#tail[block] !== n) continue;
      const w = this.writes.items[n]!;
      if (mayBeLast === undefined || mayBeLast(w)) return w;
    }
    return NONE;
  }

  /** Whether there is a write and another access that happens neither before nor after it. */
  isContested(): boolean {
    const { stride } = this.#g;
    for (let t = 0; t < stride; t++) {
      if (this.#from[t] === this.#from[t + 1]) continue;
      for (let u = 0; u < t; u++) if (this.#compete(t, u) || this.#compete(u, t)) return true;
    }
    return false;
  }

  /** Whether a write of t is unordered with an access of u. */
  #compete(t: number, u: number): boolean {
    const items = this.accesses;
    const last = this.#from[u + 1]!;
    let next = this.#from[u]!;
    for (let i = this.#from[t]!; i < this.#from[t + 1]! && next < last; i++) {
      const e = items[i]!;
      while (next < last && this.#hb.happensBefore(items[next]!, e)) next++;
      if (this.#g.kind[e] === Kind.WRITE && next < last && !this.#hb.happensBefore(e, items[next]!)) return true;
    }
    return false;
  }

  /** Pushes the writes but the initialising one in one of the coherence orders. */
  pushWrites(out: EventStack): void {
    const { length } = this.writes;
    this.#hidden.fill(0, 0, length); // 1: was pushed
    for (let left = true; left; ) {
      left = false;
      for (let n = 0; n < length; n++) {
        if (this.#block[n] !== n || this.#hidden[n] === 1) continue;
        left = true;
        if (!this.#areEarlierPushed(n)) continue;
        this.#hidden[n] = 1;
        for (let m = n; m !== NONE; m = this.#next[m]!) if (m !== 0) out.push(this.writes.items[m]!);
      }
    }
  }

  #areEarlierPushed(block: number): boolean {
    if (block !== 0 && this.#hidden[0] === 0) return false;
    for (let edge = this.#edgesTo[block]!; edge !== NONE; edge = this.#edgeNext.items[edge]!) {
      if (this.#hidden[this.#block[this.#edgeFrom.items[edge]!]!] === 0) return false;
    }
    return true;
  }

  /** The block of a write: the number of its first write. */
  blockOf(w: EventId): number {
    return this.#block[this.#number[w]!]!;
  }

  numberOf(w: EventId): number {
    return this.#number[w]!;
  }

  /** The number of the update that reads write n; NONE if there is none. */
  nextInBlock(n: number): number {
    return this.#next[n]!;
  }

  /** The last write of a block. */
  tailOf(block: number): EventId {
    return this.writes.items[this.#tail[block]!]!;
  }

  /** Calls `visit` with blocks of which the first comes before the second; all such pairs follow from these. */
  forEachPair(visit: (before: number, after: number) => void): void {
    for (let n = 1; n < this.writes.length; n++) {
      if (this.#block[n] !== n) continue;
      visit(0, n);
      for (let edge = this.#edgesTo[n]!; edge !== NONE; edge = this.#edgeNext.items[edge]!) {
        visit(this.#block[this.#edgeFrom.items[edge]!]!, n);
      }
    }
  }

  // -------------------------------------------------------------------------------------------- accesses and blocks

  #takesPart(e: EventId): boolean {
    return this.#g.index[e]! < this.#limit[this.#g.thread[e]!]!;
  }

  #collect(init: EventId): boolean {
    const g = this.#g;
    this.#found.length = 0;
    this.#from.fill(0);
    for (let w = init; w !== NONE; w = g.coNext[w]!) {
      const isIn = w === init || this.#takesPart(w);
      if (isIn && w !== init) this.#push(w);
      let r = g.readers[w]!;
      if (r === NONE) continue;
      while (g.readNext[r] !== NONE) r = g.readNext[r]!;
      for (; r !== NONE; r = g.readPrev[r]!) {
        if (!this.#takesPart(r)) continue;
        if (!isIn) return false;
        this.#push(r);
      }
    }
    return true;
  }

  #push(e: EventId): void {
    this.#found.push(e);
    const t = this.#g.thread[e]!;
    this.#from[t + 1] = this.#from[t + 1]! + 1;
  }

  #fitEvents(): void {
    const g = this.#g;
    if (this.#from.length <= g.stride) {
      this.#from = grown(this.#from, g.stride + 1);
      this.#end = grown(this.#end, g.stride);
      this.#limit = grown(this.#limit, g.stride);
    }
    if (this.#number.length < g.length) this.#number = grown(this.#number, g.length);
  }

  /** Sorts what was found by thread, and for each thread by insertion: they are nearly in order. */
  #sort(): void {
    const { index, stride, thread } = this.#g;
    const { items: found, length } = this.#found;
    const from = this.#from;
    const end = this.#end;
    for (let t = 0; t < stride; t++) {
      from[t + 1] = from[t + 1]! + from[t]!;
      end[t] = from[t]!;
    }
    if (this.accesses.length < length) this.accesses = grown(this.accesses, length);
    const accesses = this.accesses;
    for (let i = 0; i < length; i++) {
      const e = found[i]!;
      const t = thread[e]!;
      let j = end[t]!;
      for (; j > from[t]! && index[accesses[j - 1]!]! > index[e]!; j--) accesses[j] = accesses[j - 1]!;
      accesses[j] = e;
      end[t] = end[t]! + 1;
    }
  }

  #numberWrites(init: EventId): void {
    const g = this.#g;
    const { writes } = this;
    writes.length = 0;
    writes.push(init);
    this.#number[init] = 0;
    for (let i = 0; i < this.count; i++) {
      const e = this.accesses[i]!;
      if (g.kind[e] !== Kind.WRITE) continue;
      this.#number[e] = writes.length;
      writes.push(e);
    }
    this.#fitWrites(writes.length);
  }

  #fitWrites(length: number): void {
    if (length <= this.#block.length) return;
    this.#block = grown(this.#block, length);
    this.#place = grown(this.#place, length);
    this.#next = grown(this.#next, length);
    this.#tail = grown(this.#tail, length);
    this.#hasLater = grown(this.#hasLater, length);
    this.#edgesTo = grown(this.#edgesTo, length);
    this.#hidden = grown(this.#hidden, length);
  }

  /** Follows updates back to the write that they start from; writes that are met on the way get their places too. */
  #formBlocks(): void {
    const { length } = this.writes;
    this.#block.fill(NONE, 0, length);
    this.#next.fill(NONE, 0, length);
    for (let n = 0; n < length; n++) {
      this.#findBlock(n);
      if (this.#block[n] !== 0) this.#hasLater[0] = 1; // all come after the initialising write
    }
  }

  #findBlock(n: number): void {
    const todo = this.#todo;
    todo.length = 0;
    let m = n;
    while (this.#block[m] === NONE && this.#g.updateRead[this.writes.items[m]!] !== NONE) {
      todo.push(m);
      m = this.#source(this.#g.updateRead[this.writes.items[m]!]!);
    }
    if (this.#block[m] === NONE) {
      this.#block[m] = m;
      this.#place[m] = 0;
      this.#tail[m] = m;
      this.#hasLater[m] = 0;
      this.#edgesTo[m] = NONE;
    }
    const block = this.#block[m]!;
    while (todo.length > 0) {
      const next = todo.items[--todo.length]!;
      this.#block[next] = block;
      this.#place[next] = this.#place[m]! + 1;
      this.#next[m] = next;
      this.#tail[block] = next;
      m = next;
    }
  }

  /** The number of the write that an access is or reads. */
  #source(e: EventId): number {
    const g = this.#g;
    return this.#number[g.kind[e] === Kind.READ ? g.rf[e]! : e]!;
  }

  // ---------------------------------------------------------------------------------------------------------- order

  /** The edges between blocks: for every access and every thread, from the latest access of that thread before it. */
  #connect(): void {
    const { stride } = this.#g;
    const items = this.accesses;
    this.#edgeFrom.length = 0;
    this.#edgeNext.length = 0;
    for (let t = 0; t < stride; t++) {
      const start = this.#from[t]!;
      const end = this.#from[t + 1]!;
      if (start === end) continue;
      for (let u = 0; u < stride; u++) {
        if (u !== t) this.#connectThreads(u, start, end);
      }
      for (let i = start + 1; i < end; i++) this.#addEdge(items[i - 1]!, items[i]!);
    }
  }

  /** Edges from accesses of u to those from `start` to `end`, which are of another thread. */
  #connectThreads(u: number, start: number, end: number): void {
    const first = this.#from[u]!;
    const last = this.#from[u + 1]!;
    const items = this.accesses;
    let next = first;
    for (let i = start; i < end && next < last; i++) {
      const e = items[i]!;
      const had = next;
      while (next < last && this.#hb.happensBefore(items[next]!, e)) next++;
      if (next > had) this.#addEdge(items[next - 1]!, e);
    }
  }

  #addEdge(a: EventId, b: EventId): void {
    const from = this.#source(a);
    const to = this.#block[this.#source(b)]!;
    const block = this.#block[from]!;
    if (block === to) return;
    this.#hasLater[block] = 1;
    this.#edgeNext.push(this.#edgesTo[to]!);
    this.#edgesTo[to] = this.#edgeFrom.length;
    this.#edgeFrom.push(from);
  }
}
