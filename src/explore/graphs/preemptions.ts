/**
 * How many preemptions an execution graph needs: the least number over its traces, the linearisations of porf ∪ co ∪ fr
 * ([BUSTER], section 4), and the predicate Φ(G, k) of section 5, "at most k of them".
 *
 * A preemption is a switch away from a thread that could go on. What that means is asked in two ways:
 *
 * - *On the way* (`Counting.PREFIX`), for graphs that will grow. A thread without further events has come to its end as far as the
 *   graph tells, so leaving it is free: this makes the count monotone in prefixes ([BUSTER], lemma 1). So is leaving a thread
 *   before an await, whatever memory holds: a write that is not in the graph yet may keep it waiting at that point. Leaving it
 *   before a lock costs one if the mutex is free, and before a join if the thread to join has ended; the lock operations
 *   before a lock in the graph, and all of a joined thread, are porf-before it, so nothing that comes later changes that. (A
 *   mutex that one thread initialises anew while others use it, which C does not define, would be an exception.)
 * - *At the end* (`Counting.END`), for graphs that are full: as an interleaving counts. A thread could go on if its next operation
 *   would not block on what memory holds then, also where it waits in the end for good.
 *
 * What differs from the paper: it says nothing of awaits and locks, which make the two counts differ; and its search runs each
 * thread as far as it goes. That is not always best: where others wait for what an event changes, it may be worth delaying, so that
 * the others can be left for nothing in the meantime (`mayDelay`). With nothing of the kind it is: take the block of thread t that
 * begins with an event e for which t was left although e was ready, and move e to the end of t's block before. That saves the
 * preemption there, or what leaving t after e costs at most; all other switches cost what they did.
 *
 * Hot code. The search is depth-first over position vectors (how many events of each thread are done), with undo and a budget, and
 * remembers with which budget a vector failed; nothing is kept from one graph to the next. An update is one step. A read that is
 * stuck is none: it is no event of any trace.
 */
import { type EventId, Kind } from '../../graph/graph.ts';
import type { EventStack } from '../../models/model.ts';
import { Step } from '../../program/behaviours.ts';
import { type Column, grown, NONE } from '../../program/columns.ts';
import type { ProgramGraph } from './program-graph.ts';

export const Counting = { PREFIX: 0, END: 1 } as const;
export type Counting = (typeof Counting)[keyof typeof Counting];

export class Preemptions {
  readonly #threads: ProgramGraph;
  #counting: Counting = Counting.PREFIX;
  #threadCount = 0;
  /** Events that are not done. */
  #remaining = 0;
  /** The steps so far, each by its first event. */
  #trail: Column = new Int32Array(64);
  #trailLength = 0;
  /** What was left of the budget when all events were done. */
  #unspent = 0;

  // By thread.
  /** Its next event; NONE: all are done. */
  #cursor: Column = new Int32Array(8);
  /** How many of its events are done. */
  #position: Column = new Int32Array(8);
  /** Joins of it that are not done. */
  #joins: Column = new Int32Array(8);

  // By event.
  /** Of an initialising write: the write that the location holds. */
  #current: Column = new Int32Array(64);
  /** Of a write: its reads that are not done. */
  #unread: Column = new Int32Array(64);
  /** Of an initialising write: operations to come that may block on the location, where that matters to the count. */
  #waiters: Column = new Int32Array(64);

  readonly #failed = new FailedPositions();
  /** By state and value: whether the operation would block; of one epoch. */
  readonly #blocks = new Map<number, boolean>();
  #epoch = 0;

  constructor(threads: ProgramGraph) {
    this.#threads = threads;
  }

  // --------------------------------------------------------------------------------------------------------- asking

  /** Looks at the graph as it is now; what follows is about that. */
  begin(counting: Counting): void {
    const { behaviours } = this.#threads;
    this.#counting = counting;
    if (this.#epoch !== behaviours.epoch) {
      this.#epoch = behaviours.epoch;
      this.#forgetBlocks();
    }
    this.#readGraph();
    this.#failed.clear(this.#threadCount);
  }

  #forgetBlocks(): void {
    this.#blocks.clear();
  }

  /** Φ: whether some trace has at most `budget` preemptions. */
  isWithin(budget: number): boolean {
    if (budget < 0) return false;
    this.#undoTo(0);
    return this.#remaining === 0 || this.#run(0, budget, false);
  }

  /** The least number of preemptions of any trace, which is known to be at least so many. */
  least(atLeast = 0): number {
    let budget = atLeast;
    while (!this.isWithin(budget)) budget++;
    return budget;
  }

  /** How many preemptions the trace that `isWithin(budget)` found has. */
  spentOf(budget: number): number {
    return budget - this.#unspent;
  }

  /** The events of the trace that was found, in its order. */
  linearise(out: EventStack): void {
    const { g } = this.#threads;
    for (let i = 0; i < this.#trailLength; i++) {
      const e = this.#trail[i]!;
      out.push(e);
      if (g.isUpdateRead(e)) out.push(g.poNext[e]!);
    }
  }

  // ---------------------------------------------------------------------------------------------------- the search

  /**
   * Thread t goes on, and the others after it, with at most `budget` preemptions. Takes back what it did if that fails. `hasMoved`:
   * whether it has done anything since it was switched to: if not, leaving it again is no use.
   */
  #run(t: number, budget: number, hasMoved: boolean): boolean {
    const mark = this.#trailLength;
    for (let e = this.#cursor[t]!; e !== NONE && this.#isReady(e); e = this.#cursor[t]!) {
      const mayDelay = this.mayDelay(e, t);
      this.#perform(e, t);
      if (!mayDelay) continue;
      if (this.#run(t, budget, true)) return true;
      this.#undoTo(this.#trailLength - 1);
      break;
    }
    if (!hasMoved && this.#trailLength === mark) return false;
    if (this.#remaining === 0) {
      this.#unspent = budget;
      return true;
    }
    const left = budget - this.#costOfLeaving(t);
    if (left >= 0 && this.#switch(t, left)) return true;
    this.#undoTo(mark);
    return false;
  }

  /** Some other thread than t goes on. */
  #switch(t: number, budget: number): boolean {
    if (this.#failed.has(this.#position, budget)) return false;
    for (let u = 0; u < this.#threadCount; u++) {
      if (u === t || !this.#canGo(u)) continue;
      if (this.#run(u, budget, false)) return true;
    }
    this.#failed.add(this.#position, budget);
    return false;
  }

  #canGo(u: number): boolean {
    const { g } = this.#threads;
    const e = this.#cursor[u]!;
    if (e === NONE) return false;
    if (g.poPrev[e] === NONE && u !== 0 && !this.#isDone(g.spawnedBy[u]!)) return false;
    return this.#isReady(e);
  }

  #isDone(e: EventId): boolean {
    const { g } = this.#threads;
    return g.index[e]! < this.#position[g.thread[e]!]!;
  }

  /** Whether e, the next event of a thread that has begun, comes after nothing that is to come. */
  #isReady(e: EventId): boolean {
    const { g } = this.#threads;
    switch (g.kind[e]) {
      case Kind.READ: {
        const w = g.rf[e]!;
        if (this.#current[g.location[e]!] !== w) return false;
        return !g.isUpdateRead(e) || this.#unread[w] === 1;
      }
      case Kind.WRITE: {
        const before = g.coPrev[e]!;
        return this.#current[g.location[e]!] === before && this.#unread[before] === 0;
      }
      case Kind.JOIN:
        return this.#hasEnded(g.location[e]!);
      default:
        return true;
    }
  }

  /** Whether thread t, which ends in the graph, has ended. */
  #hasEnded(t: number): boolean {
    return this.#isDone(this.#threads.g.lastOrSpawn(t));
  }

  /** What it costs to go on with another thread than t. */
  #costOfLeaving(t: number): number {
    const { behaviours, g } = this.#threads;
    const e = this.#cursor[t]!;
    if (e === NONE) return this.#counting === Counting.END ? this.#costOfLeavingForGood(t) : 0;
    if (g.kind[e] === Kind.JOIN) return this.#hasEnded(g.location[e]!) ? 1 : 0;
    const s = g.state[e]!;
    if (g.kind[e] !== Kind.READ || behaviours.mayBlock[s] === 0) return 1;
    if (this.#isFreeToLeave(s)) return 0;
    return this.#wouldBlock(s, g.location[e]!) ? 0 : 1;
  }

  /** Thread t has no further events: it has ended, or it will wait for ever, perhaps for what memory holds now. */
  #costOfLeavingForGood(t: number): number {
    const { behaviours, g } = this.#threads;
    const s = this.#threads.stateOf(t);
    if (behaviours.step[s] !== Step.STUCK) return 0;
    return this.#wouldBlock(behaviours.stoppedIn(s), g.location[g.last[t]!]!) ? 0 : 1;
  }

  /** Whether leaving a thread before the operation of state s, which may block, is free on the way, whatever memory holds. */
  isFreeOnTheWay(s: number): boolean {
    return !this.#isLock(s);
  }

  #isFreeToLeave(s: number): boolean {
    return this.#counting === Counting.PREFIX && this.isFreeOnTheWay(s);
  }

  #isLock(s: number): boolean {
    return this.#threads.behaviours.operation(s).kind === 'lock';
  }

  #wouldBlock(s: number, location: EventId): boolean {
    const { behaviours, g } = this.#threads;
    const value = g.value[this.#current[location]!]!;
    const key = s * 0x400000 + value;
    const known = this.#blocks.get(key);
    if (known !== undefined) return known;
    const blocks = behaviours.wouldBlock(s, value);
    this.#blocks.set(key, blocks);
    return blocks;
  }

  /**
   * Whether it may be better to leave thread t before its event e, which is ready, than after it: others may wait for what e writes,
   * two may wait for the end of t, or leaving t is free before e and not after. (Who takes a lock makes others wait.)
   */
  protected mayDelay(e: EventId, t: number): boolean {
    const { behaviours, g } = this.#threads;
    const isRead = g.kind[e] === Kind.READ;
    const isWaiting = isRead && behaviours.mayBlock[g.state[e]!] === 1;
    const isLock = isWaiting && this.#isLock(g.state[e]!);
    if (isWaiting && this.#isFreeToLeave(g.state[e]!)) return true;
    const isUpdate = isRead && g.isUpdateRead(e);
    if (!isLock && (isUpdate || g.kind[e] === Kind.WRITE)) {
      if (this.#waiters[g.location[e]!]! > (isWaiting ? 1 : 0)) return true;
    }
    return this.#joins[t]! > 1 && g.poNext[isUpdate ? g.poNext[e]! : e] === NONE;
  }

  #perform(e: EventId, t: number): void {
    const { g } = this.#threads;
    let last = e;
    switch (g.kind[e]) {
      case Kind.READ: {
        const w = g.rf[e]!;
        this.#unread[w] = this.#unread[w]! - 1;
        if (this.#isWaiter(e)) this.#waiters[g.location[e]!] = this.#waiters[g.location[e]!]! - 1;
        if (g.isUpdateRead(e)) {
          last = g.poNext[e]!;
          this.#current[g.location[e]!] = last;
        }
        break;
      }
      case Kind.WRITE:
        this.#current[g.location[e]!] = e;
        break;
      case Kind.JOIN:
        this.#joins[g.location[e]!] = this.#joins[g.location[e]!]! - 1;
        break;
    }
    this.#remaining -= last === e ? 1 : 2;
    this.#position[t] = g.index[last]! + 1;
    this.#cursor[t] = this.#next(last);
    if (this.#trailLength === this.#trail.length) this.#trail = grown(this.#trail, this.#trailLength + 1);
    this.#trail[this.#trailLength++] = e;
  }

  #undoTo(mark: number): void {
    const { g } = this.#threads;
    while (this.#trailLength > mark) {
      const e = this.#trail[--this.#trailLength]!;
      const t = g.thread[e]!;
      let count = 1;
      switch (g.kind[e]) {
        case Kind.READ: {
          const w = g.rf[e]!;
          this.#unread[w] = this.#unread[w]! + 1;
          if (this.#isWaiter(e)) this.#waiters[g.location[e]!] = this.#waiters[g.location[e]!]! + 1;
          if (g.isUpdateRead(e)) {
            count = 2;
            this.#current[g.location[e]!] = w;
          }
          break;
        }
        case Kind.WRITE:
          this.#current[g.location[e]!] = g.coPrev[e]!;
          break;
        case Kind.JOIN:
          this.#joins[g.location[e]!] = this.#joins[g.location[e]!]! + 1;
          break;
      }
      this.#remaining += count;
      this.#position[t] = g.index[e]!;
      this.#cursor[t] = e;
    }
  }

  /** The event after e that counts. */
  #next(e: EventId): EventId {
    const next = this.#threads.g.poNext[e]!;
    return next === NONE || this.#isStuck(next) ? NONE : next;
  }

  #isStuck(e: EventId): boolean {
    const { behaviours, g } = this.#threads;
    return g.kind[e] === Kind.READ && behaviours.step[g.after[e]!] === Step.STUCK;
  }

  /** Whether e may block, and the count depends on whether it would. */
  #isWaiter(e: EventId): boolean {
    const { behaviours, g } = this.#threads;
    const s = g.state[e]!;
    return behaviours.mayBlock[s] === 1 && !this.#isFreeToLeave(s);
  }

  // ----------------------------------------------------------------------------------------------- reading the graph

  #readGraph(): void {
    const { g } = this.#threads;
    this.#threadCount = this.#threads.threadCount();
    this.#fit(this.#threadCount, g.length);
    this.#trailLength = 0;
    this.#remaining = 0;
    for (let t = 0; t < this.#threadCount; t++) {
      this.#position[t] = 0;
      this.#joins[t] = 0;
      const first = g.last[t] === NONE ? NONE : g.first[t]!;
      this.#cursor[t] = first === NONE || this.#isStuck(first) ? NONE : first;
      for (let e = first; e !== NONE; e = g.poNext[e]!) this.#clear(e);
    }
    for (let t = 0; t < this.#threadCount; t++) {
      if (g.last[t] === NONE) continue;
      for (let e = g.first[t]!; e !== NONE; e = g.poNext[e]!) this.#note(e);
    }
  }

  #clear(e: EventId): void {
    const { g } = this.#threads;
    if (g.kind[e] === Kind.WRITE) this.#unread[e] = 0;
    if (g.kind[e] !== Kind.READ && g.kind[e] !== Kind.WRITE) return;
    const init = g.location[e]!;
    this.#current[init] = init;
    this.#unread[init] = 0;
    this.#waiters[init] = 0;
  }

  #note(e: EventId): void {
    const { g } = this.#threads;
    if (g.kind[e] === Kind.JOIN) this.#joins[g.location[e]!] = this.#joins[g.location[e]!]! + 1;
    if (g.kind[e] === Kind.READ) {
      if (this.#isWaiter(e)) this.#waiters[g.location[e]!] = this.#waiters[g.location[e]!]! + 1;
      if (this.#isStuck(e)) return;
      this.#unread[g.rf[e]!] = this.#unread[g.rf[e]!]! + 1;
    }
    this.#remaining++;
  }

  #fit(threads: number, events: number): void {
    if (threads > this.#cursor.length) {
      this.#cursor = grown(this.#cursor, threads);
      this.#position = grown(this.#position, threads);
      this.#joins = grown(this.#joins, threads);
    }
    if (events > this.#current.length) {
      this.#current = grown(this.#current, events);
      this.#unread = grown(this.#unread, events);
      this.#waiters = grown(this.#waiters, events);
    }
  }
}

/** Position vectors, and for each the largest budget with which the search failed from there. */
class FailedPositions {
  /** Entries of `#width` words: the vector, then the budget. */
  #entries: Column = new Int32Array(256);
  #length = 0;
  #width = 1;
  /** Open addressing, by hash: the entry plus one; 0 is free. */
  #slots: Column = new Int32Array(256);

  clear(threads: number): void {
    if (this.#length > 0) this.#slots.fill(0);
    this.#length = 0;
    this.#width = threads + 1;
  }

  has(position: Column, budget: number): boolean {
    const entry = this.#slots[this.#find(position)]! - 1;
    return entry >= 0 && this.#entries[entry * this.#width + this.#width - 1]! >= budget;
  }

  add(position: Column, budget: number): void {
    let slot = this.#find(position);
    if (this.#slots[slot] === 0) {
      if (2 * (this.#length + 1) > this.#slots.length) {
        this.#grow();
        slot = this.#find(position);
      }
      this.#slots[slot] = this.#append(position) + 1;
    }
    this.#entries[(this.#slots[slot]! - 1) * this.#width + this.#width - 1] = budget;
  }

  #append(position: Column): number {
    const start = this.#length * this.#width;
    if (start + this.#width > this.#entries.length) this.#entries = grown(this.#entries, start + this.#width);
    for (let t = 0; t < this.#width - 1; t++) this.#entries[start + t] = position[t]!;
    return this.#length++;
  }

  /** The slot of the vector, or the free one where it belongs. */
  #find(vector: Column, offset = 0): number {
    const mask = this.#slots.length - 1;
    const entries = this.#entries;
    const count = this.#width - 1;
    let hash = 0;
    for (let t = 0; t < count; t++) hash = Math.imul(hash ^ vector[offset + t]!, 0x9e3779b1) + t;
    hash ^= hash >>> 15;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot]! - 1;
      if (entry < 0) return slot;
      let t = 0;
      while (t < count && entries[entry * this.#width + t] === vector[offset + t]) t++;
      if (t === count) return slot;
    }
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let entry = 0; entry < this.#length; entry++) {
      this.#slots[this.#find(this.#entries, entry * this.#width)] = entry + 1;
    }
  }
}
