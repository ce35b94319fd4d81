/**
 * Is there an order of events in which memory could have run them, if only program order and reads-from are known? For
 * sequential consistency, TSO and PSO: what they ask of the order differs in ppo ∪ fences, that is, in the roles of events (see
 * `store-buffers.ts`; under sequential consistency everything is a full fence). A read of another thread's write comes after
 * that write; a read reads the last write to its location that came before it, or that is before it in its own thread. (So a
 * read may see a write of its own thread that is yet to come: it is still in the buffer.)
 *
 * A store to a part of a location reads the last write that is in memory when it gets there; and a read of more than what a write of its
 * own thread has written comes after that write (`store-buffers.ts`).
 *
 * The problem is NP-complete; so first every order that is forced is derived (saturation, which settles nearly all cases),
 * then a search runs the events, reads as early as they can, and tries the writes in turn.
 *
 * Hot code. Events that have a role, or write, are numbered by thread and index. The two events of an update are one here:
 * whatever comes after its read comes after its write. The initialising writes have the last numbers; they have run before the
 * search starts.
 */
import { type EventId, type Graph, Kind } from '../graph/graph.ts';
import { type Column, grown, NONE } from '../program/columns.ts';
import { isMerging } from '../program/orders.ts';
import { BitMatrix } from './bit-matrix.ts';
import { EventStack } from './model.ts';
import type { CoherenceSearch, MayBeLast } from './reads-from.ts';
import { Role, type RoleOf } from './store-buffers.ts';

export class Linearisation implements CoherenceSearch {
  readonly #g: Graph;
  readonly #roleOf: RoleOf;
  limit: Column = new Int32Array(8);
  readonly isOfRun: boolean = false;
  /** A read whose reads-from is not set yet, and what it is taken to read. */
  #read: EventId = NONE;
  #readFrom: EventId = NONE;

  /** By number: the event; of an update its read. */
  readonly #events = new EventStack();
  /** How many events take part, without initialising writes. */
  #count = 0;
  /** By event (of locations: initialising write): its number. */
  #numberOf: Column = new Int32Array(64);
  /** By number: its role; the initialising write of its location, for accesses; what it reads from, for reads; NONE for others. */
  #role: Column = new Int32Array(64);
  #location: Column = new Int32Array(64);
  #source: Column = new Int32Array(64);
  #isWrite: Column = new Int32Array(64);
  /** 1 for a store to a part; its write may not be there yet. */
  #isMerging: Column = new Int32Array(64);
  /** 1 for a read that comes after what it reads from, whatever thread that is of. */
  #isFromMemory: Column = new Int32Array(64);
  /** By write: the next one of its location; by initialising write: the first, and the last. */
  #nextWrite: Column = new Int32Array(64);
  #lastOfList: Column = new Int32Array(64);
  readonly #reads = new EventStack();
  /** By thread: its first number. */
  #first: Column = new Int32Array(9);

  /** By number: what comes before it, transitively. */
  readonly #before = new BitMatrix();
  /** Pairs of numbers: what orders threads. */
  readonly #edges = new EventStack();
  /** Of the thread that is looked at: its last writes to each location that later writes may overtake. */
  readonly #loose = new EventStack();
  /** By thread: the end of its part of `#ends`, the events that a join of it comes after. */
  readonly #ends = new EventStack();
  #endOf: Column = new Int32Array(9);

  // The search.
  readonly #done = new BitMatrix();
  readonly #ran = new EventStack();
  /** By thread: its first event that has not run. */
  #next: Column = new Int32Array(8);
  /** By initialising write: the write that ran last. By write: its reads that have not run; the write that it replaced. */
  #last: Column = new Int32Array(64);
  #unread: Column = new Int32Array(64);
  #replaced: Column = new Int32Array(64);
  readonly #failed = new Set<string>();
  #mayBeLast: MayBeLast | undefined;

  constructor(g: Graph, roleOf: RoleOf) {
    this.#g = g;
    this.#roleOf = roleOf;
  }

  setAll(): void {
    const g = this.#g;
    if (this.limit.length < g.stride) this.limit = grown(this.limit, g.stride);
    for (let t = 0; t < g.stride; t++) this.limit[t] = g.last[t] === NONE ? 0 : g.index[g.last[t]!]! + 1;
  }

  find(r: EventId = NONE, w: EventId = NONE, mayBeLast?: MayBeLast): boolean {
    this.#read = r;
    this.#readFrom = w;
    this.#mayBeLast = mayBeLast;
    this.#collect();
    if (!this.#relate()) return false;
    this.#connect();
    if (!this.#saturate()) return false;
    this.#startSearch();
    return this.#search();
  }

  /** Pushes the events that have a role in the order that was found. */
  pushOrder(_e: EventId, out: EventStack): boolean {
    for (let i = 0; i < this.#ran.length; i++) {
      const n = this.#ran.items[i]!;
      out.push(this.#events.items[n]!);
      if (this.#isWrite[n] === 1 && this.#source[n] !== NONE) out.push(this.#writeOf(n));
    }
    return true;
  }

  lastWrite(init: EventId): EventId {
    const n = this.#numberOf[init]!;
    if (n < this.#count || n >= this.#events.length || this.#events.items[n] !== init) return init;
    return this.#writeOf(this.#last[n]!);
  }

  // --------------------------------------------------------------------------------------------------------- events

  #collect(): void {
    const g = this.#g;
    this.#fit();
    this.#events.length = 0;
    for (let t = 0; t < g.stride; t++) {
      this.#first[t] = this.#events.length;
      if (g.last[t] === NONE) continue;
      for (let e = g.first[t]!; e !== NONE && g.index[e]! < this.limit[t]!; e = g.poNext[e]!) this.#add(e);
    }
    this.#count = this.#events.length;
    this.#first[g.stride] = this.#count;
  }

  #fit(): void {
    const g = this.#g;
    if (this.#first.length <= g.stride) {
      this.#first = new Int32Array(g.stride + 1);
      this.#endOf = new Int32Array(g.stride + 1);
      this.#next = new Int32Array(g.stride);
    }
    if (this.#numberOf.length >= g.length) return;
    this.#numberOf = grown(this.#numberOf, g.length);
    this.#role = grown(this.#role, g.length);
    this.#location = grown(this.#location, g.length);
    this.#source = grown(this.#source, g.length);
    this.#isWrite = grown(this.#isWrite, g.length);
    this.#isMerging = grown(this.#isMerging, g.length);
    this.#isFromMemory = grown(this.#isFromMemory, g.length);
    this.#nextWrite = grown(this.#nextWrite, g.length);
    this.#lastOfList = grown(this.#lastOfList, g.length);
    this.#last = grown(this.#last, g.length);
    this.#unread = grown(this.#unread, g.length);
    this.#replaced = grown(this.#replaced, g.length);
  }

  #add(e: EventId): void {
    const g = this.#g;
    if (g.updateRead[e] !== NONE) {
      this.#numberOf[e] = this.#events.length - 1;
      this.#isWrite[this.#events.length - 1] = 1;
      return;
    }
    const role = this.#roleOf(g, e);
    const isWrite = g.kind[e] === Kind.WRITE;
    const isPart = isMerging(g.order[e]!);
    if (role === Role.NONE && !isWrite && !isPart) return;
    const n = this.#events.length;
    this.#events.push(e);
    this.#numberOf[e] = n;
    this.#role[n] = role;
    this.#isWrite[n] = isWrite ? 1 : 0;
    this.#isMerging[n] = isPart ? 1 : 0;
  }

  /** Finds locations, writes and sources. False if an event reads from one that does not take part. */
  #relate(): boolean {
    const g = this.#g;
    this.#reads.length = 0;
    for (let n = 0; n < this.#count; n++) {
      const e = this.#events.items[n]!;
      this.#location[n] = NONE;
      this.#source[n] = NONE;
      this.#unread[n] = 0;
      if (g.kind[e] !== Kind.READ && g.kind[e] !== Kind.WRITE) continue;
      const init = this.#initOf(g.location[e]!);
      this.#location[n] = init;
      if (this.#isWrite[n] === 1) this.#list(n, init);
    }
    for (let n = 0; n < this.#count; n++) {
      const e = this.#events.items[n]!;
      if (g.kind[e] !== Kind.READ) continue;
      const source = e === this.#read ? this.#readFrom : g.rf[e]!;
      if (g.thread[source] !== NONE && g.index[source]! >= this.limit[g.thread[source]!]!) return false;
      this.#source[n] = this.#numberOf[source]!;
      const isForeign = g.thread[source] !== g.thread[e];
      this.#isFromMemory[n] = isForeign || this.#isMerging[n] === 1 || g.isPartial(e, source) ? 1 : 0;
      this.#unread[this.#source[n]!] = this.#unread[this.#source[n]!]! + 1;
      this.#reads.push(n);
    }
    return true;
  }

  /** The number of an initialising write. */
  #initOf(init: EventId): number {
    const known = this.#numberOf[init]!;
    if (known >= this.#count && known < this.#events.length && this.#events.items[known] === init) return known;
    const n = this.#events.length;
    this.#events.push(init);
    this.#numberOf[init] = n;
    this.#nextWrite[n] = NONE;
    this.#lastOfList[n] = n;
    this.#last[n] = n;
    this.#unread[n] = 0;
    return n;
  }

  #list(w: number, init: number): void {
    this.#nextWrite[w] = NONE;
    this.#nextWrite[this.#lastOfList[init]!] = w;
    this.#lastOfList[init] = w;
  }

  /** The write itself: that of an update, for an update. */
  #writeOf(n: number): EventId {
    const e = this.#events.items[n]!;
    return this.#g.kind[e] === Kind.READ ? this.#g.poNext[e]! : e;
  }

  // -------------------------------------------------------------------------------------------- ppo ∪ fences ∪ rfe

  #connect(): void {
    const g = this.#g;
    this.#before.reset(this.#count, this.#count);
    this.#edges.length = 0;
    this.#ends.length = 0;
    for (let t = 0; t < g.stride; t++) {
      this.#connectThread(t);
      this.#endOf[t] = this.#ends.length;
    }
    for (let n = 0; n < this.#count; n++) {
      const e = this.#events.items[n]!;
      const source = this.#source[n]!;
      if (source !== NONE && source < this.#count && this.#isFromMemory[n] === 1) this.#connectPair(source, n);
      if (g.kind[e] === Kind.JOIN) this.#connectJoin(n, g.location[e]!);
    }
    this.#close();
  }

  #connectPair(a: number, b: number): void {
    this.#edges.push(a);
    this.#edges.push(b);
  }

  #connectThread(t: number): void {
    const g = this.#g;
    const spawn = this.#first[t] === this.#first[t + 1] ? NONE : g.spawnedBy[t]!;
    /** What all later events come after; what all later writes come after. */
    let first = spawn === NONE ? NONE : this.#numberOf[spawn]!;
    let firstForWrites = first;
    this.#loose.length = 0;
    for (let n = this.#first[t]!; n < this.#first[t + 1]!; n++) {
      const role = this.#role[n]!;
      if (first !== NONE) this.#connectPair(first, n);
      if (this.#isWrite[n] === 1 || this.#isMerging[n] === 1 || (role & Role.AFTER_WRITES) !== 0) {
        if (firstForWrites !== NONE && firstForWrites !== first) this.#connectPair(firstForWrites, n);
        this.#connectLoose(n, (role & Role.AFTER_WRITES) !== 0);
      }
      if ((role & Role.BEFORE_ALL) !== 0) first = n;
      if ((role & Role.BEFORE_WRITES) !== 0) {
        firstForWrites = n;
        this.#loose.length = 0;
      } else if (this.#isWrite[n] === 1) this.#loosen(n);
    }
    if (first !== NONE) this.#ends.push(first);
    if (firstForWrites !== NONE) this.#ends.push(firstForWrites);
    for (let i = 0; i < this.#loose.length; i++) this.#ends.push(this.#loose.items[i]!);
  }

  /** n comes after the loose writes: all of them, or the one to its location. */
  #connectLoose(n: number, isAfterAll: boolean): void {
    for (let i = 0; i < this.#loose.length; i++) {
      const w = this.#loose.items[i]!;
      if (isAfterAll || this.#location[w] === this.#location[n]) this.#connectPair(w, n);
    }
  }

  #loosen(w: number): void {
    const { items, length } = this.#loose;
    for (let i = 0; i < length; i++) {
      if (this.#location[items[i]!] !== this.#location[w]) continue;
      items[i] = w;
      return;
    }
    this.#loose.push(w);
  }

  #connectJoin(n: number, t: number): void {
    const from = t === 0 ? 0 : this.#endOf[t - 1]!;
    for (let i = from; i < this.#endOf[t]!; i++) this.#connectPair(this.#ends.items[i]!, n);
    if (from === this.#endOf[t]) this.#connectPair(this.#numberOf[this.#g.spawnedBy[t]!]!, n);
  }

  #close(): void {
    const before = this.#before;
    const { items, length } = this.#edges;
    for (let i = 0; i < length; i += 2) before.add(items[i + 1]!, items[i]!);
    for (let changed = true; changed; ) {
      changed = false;
      for (let i = 0; i < length; i += 2) if (before.addAll(items[i + 1]!, before, items[i]!)) changed = true;
    }
  }

  // ----------------------------------------------------------------------------------------------------- saturation

  /** Whether a is known to come before b. */
  #isBefore(a: number, b: number): boolean {
    if (a >= this.#count) return a !== b;
    return b < this.#count && this.#before.has(b, a);
  }

  /** Derives every forced order; false if it is cyclic. */
  #saturate(): boolean {
    for (let changed = true; changed; ) {
      changed = false;
      for (let i = 0; i < this.#reads.length; i++) {
        const result = this.#orderWritesAround(this.#reads.items[i]!);
        if (result === 'cycle') return false;
        if (result === 'changed') changed = true;
      }
    }
    return true;
  }

  /** No other write comes between the one that r reads and r. */
  #orderWritesAround(r: number): 'same' | 'changed' | 'cycle' {
    const w = this.#source[r]!;
    let result: 'same' | 'changed' = 'same';
    for (let x = this.#nextWrite[this.#location[r]!]!; x !== NONE; x = this.#nextWrite[x]!) {
      if (x === w || x === r) continue;
      if (!this.#isBefore(x, w) && (this.#isBefore(x, r) || this.#isOwn(x, r))) {
        if (!this.#order(x, w)) return 'cycle';
        result = 'changed';
      }
      if (!this.#isBefore(r, x) && this.#isBefore(w, x)) {
        if (!this.#order(r, x)) return 'cycle';
        result = 'changed';
      }
    }
    return result;
  }

  /** Whether x, which accesses the same location, is before r in its own thread. */
  #isOwn(x: number, r: number): boolean {
    const { thread } = this.#g;
    return x < r && thread[this.#events.items[x]!] === thread[this.#events.items[r]!];
  }

  /** a comes before b; false if that closes a cycle. */
  #order(a: number, b: number): boolean {
    if (b >= this.#count || this.#isBefore(b, a)) return false;
    const before = this.#before;
    for (let n = 0; n < this.#count; n++) {
      if (n !== b && !before.has(n, b)) continue;
      before.addAll(n, before, a);
      before.add(n, a);
    }
    return true;
  }

  // --------------------------------------------------------------------------------------------------------- search

  #startSearch(): void {
    this.#done.reset(1, this.#count);
    this.#ran.length = 0;
    this.#failed.clear();
    for (let t = 0; t < this.#g.stride; t++) this.#next[t] = this.#first[t]!;
  }

  /** Runs the events; where several writes could come next, tries them in turn. (A loop: executions may be long.) */
  #search(): boolean {
    /** The writes that were chosen, and before each, how many events had run. */
    const chosen: { readonly ran: number; readonly w: number }[] = [];
    let from = 0;
    while (this.#runReads());
    for (;;) {
      const isDone = this.#ran.length === this.#count;
      if (isDone && this.#isGoal()) return true;
      const isKnown = !isDone && from === 0 && this.#failed.size > 0 && this.#failed.has(this.#key());
      const w = isDone || isKnown ? NONE : this.#writeFrom(from);
      if (w !== NONE) {
        chosen.push({ ran: this.#ran.length, w });
        this.#run(w);
        while (this.#runReads());
        from = 0;
        continue;
      }
      if (!isDone) this.#failed.add(this.#key());
      const last = chosen.pop();
      if (last === undefined) return false;
      this.#takeBack(last.ran);
      from = last.w + 1;
    }
  }

  #isGoal(): boolean {
    if (this.#mayBeLast === undefined) return true;
    for (let n = this.#count; n < this.#events.length; n++) {
      if (!this.#mayBeLast(this.#writeOf(this.#last[n]!))) return false;
    }
    return true;
  }

  #key(): string {
    return `${this.#done.key(0)} ${this.#last.subarray(this.#count, this.#events.length).join()}`;
  }

  #isReady(n: number): boolean {
    return !this.#done.has(0, n) && this.#before.isWithin(n, this.#done, 0);
  }

  /** Runs every event that writes nothing and can run. */
  #runReads(): boolean {
    let ran = false;
    for (let t = 0; t < this.#g.stride; t++) {
      const end = this.#first[t + 1]!;
      let n = this.#next[t]!;
      while (n < end && this.#done.has(0, n)) n++;
      this.#next[t] = n;
      for (; n < end; n++) {
        if (this.#isWrite[n] === 0 && this.#isReady(n) && this.#seesSource(n)) {
          this.#run(n);
          ran = true;
        } else if (this.#role[n] === Role.FULL_FENCE && !this.#done.has(0, n)) break;
      }
    }
    return ran;
  }

  /** Whether n, which is ready, can run because it is no read, or what it reads is last in memory or in its thread's buffer. */
  #seesSource(n: number): boolean {
    const source = this.#source[n]!;
    if (source === NONE || this.#last[this.#location[n]!] === source) return true;
    return source < this.#count && this.#isFromMemory[n] === 0 && this.#isOwn(source, n);
  }

  /** The first write from n on that can run and by which no read would miss its write. */
  #writeFrom(n: number): number {
    for (let w = n; w < this.#count; w++) {
      if (this.#isWrite[w] === 0 || !this.#isReady(w)) continue;
      const current = this.#last[this.#location[w]!]!;
      const source = this.#source[w]!;
      if (source === NONE ? this.#unread[current] === 0 : source === current && this.#unread[current] === 1) return w;
    }
    return NONE;
  }

  #run(n: number): void {
    this.#ran.push(n);
    this.#done.add(0, n);
    const source = this.#source[n]!;
    if (source !== NONE) this.#unread[source] = this.#unread[source]! - 1;
    if (this.#isWrite[n] === 0) return;
    const init = this.#location[n]!;
    this.#replaced[n] = this.#last[init]!;
    this.#last[init] = n;
  }

  #takeBack(length: number): void {
    while (this.#ran.length > length) {
      const n = this.#ran.items[--this.#ran.length]!;
      this.#done.remove(0, n);
      const t = this.#g.thread[this.#events.items[n]!]!;
      if (n < this.#next[t]!) this.#next[t] = n;
      const source = this.#source[n]!;
      if (source !== NONE) this.#unread[source] = this.#unread[source]! + 1;
      if (this.#isWrite[n] === 1) this.#last[this.#location[n]!] = this.#replaced[n]!;
    }
  }
}
