/**
 * Models of machines whose threads keep their writes in buffers for a while, TSO and PSO, with coherence. A graph is consistent
 * if two relations are acyclic (Alglave et al., TOPLAS 2014), where rfe is reads-from between threads:
 *
 *   coherence:  po-loc ∪ rf ∪ co ∪ fr
 *   ghb      =  ppo ∪ fences ∪ rfe ∪ co ∪ fr        (spawns and joins are full fences, and order threads)
 *
 * The models differ in ppo ∪ fences, that is, in the role of each event in its thread:
 * - BEFORE_ALL: all later events follow it in ghb. A read has this role, and a full fence has all three.
 * - BEFORE_WRITES: all later writes follow it.
 * - AFTER_WRITES: it follows all earlier writes. Whatever is BEFORE_WRITES is AFTER_WRITES, too.
 * - A write that has no role is loose. Other events without a role have no part in ghb.
 *
 * A store to a part of a location (extent.ts) waits in the buffer like any other, and keeps the rest when it gets to memory: its read
 * has no role, and what it reads from comes before it by co. A load of more than that part finds only some of its bytes in the buffer of
 * its own thread. As on hardware that does not put bytes from both places together, it waits for the store to get to memory: rf
 * orders the two as between threads.
 *
 * As under sequential consistency (`sc.ts`), no search for cycles is needed. A new event e is last in its thread, and edges
 * lead from it only to the next write x in coherence order. So it closes a cycle of ghb only if x is ghb-before an event
 * that e follows within its thread (x is not before the write that e reads or is placed after, nor before the reads of that
 * one: these come before x). And it closes a cycle of coherence only if x, or a later write, was written or read by its own
 * thread; a write of another thread that its thread has read is ghb-before e. Hence: let m be the coherence-latest write of
 * the location that is of e's own thread or ghb-before e; e may read m or any later write, and be placed anywhere after m.
 * Backward revisits need no more than that, for the reason given there.
 *
 * Hot code. The row of e is a vector clock of ghb with two entries for each thread: e and the events before it include, of the
 * first n events of the thread, all that are BEFORE_ALL (ORDERED); all writes (WRITTEN). So it is known of each event with a
 * role whether it is before e. Loose writes of other threads need no entries: a loose write is before e only by an
 * event of its thread that is AFTER_WRITES, by a read of another thread, or by the next write in coherence order.
 */
import { type EventId, type Graph, Kind } from '../graph/graph.ts';
import { ClockRows } from '../program/clock-rows.ts';
import { type Column, grown, NONE } from '../program/columns.ts';
import { isMerging } from '../program/orders.ts';
import { causalOrder } from './causal-order.ts';
import { CoherenceModel } from './coherence.ts';
import { EventStack } from './model.ts';

export const Role = { NONE: 0, BEFORE_ALL: 1, BEFORE_WRITES: 2, AFTER_WRITES: 4, FULL_FENCE: 7 } as const;

/** The roles of an event that has its memory order; of the read of a store to a part, those of the store. */
export type RoleOf = (g: Graph, e: EventId) => number;

/** Whether e is no write that waits in a buffer: where none does, there is nothing but sequential consistency. */
export function isFenced(roleOf: RoleOf): (g: Graph, e: EventId) => boolean {
  return (g, e) => (g.kind[e] === Kind.READ && !isMerging(g.order[e]!)) || roleOf(g, e) === Role.FULL_FENCE;
}

/** The entries of each thread in a row. */
const ORDERED = 0;
const WRITTEN = 1;
const ENTRIES = 2;

export class StoreBuffers extends CoherenceModel {
  readonly #roleOf: RoleOf;
  readonly #rows = new ClockRows();
  #role: Column = new Int32Array(0);
  /** By event: the last event of its thread, up to it, with each role; if there is none, the spawn of the thread. */
  #beforeAll: Column = new Int32Array(0);
  #beforeWrites: Column = new Int32Array(0);
  #afterWrites: Column = new Int32Array(0);
  /** By event: the last loose write of its thread, up to it, that nothing AFTER_WRITES has come after. */
  #loose: Column = new Int32Array(0);
  readonly #todo = new EventStack();

  protected roleOf(e: EventId): number {
    return this.#roleOf(this.g, e);
  }

  constructor(g: Graph, roleOf: RoleOf) {
    super(g);
    this.#roleOf = roleOf;
  }

  /** The head says why. */
  isListExact(): boolean {
    return true;
  }

  added(e: EventId, isUpdate: boolean): boolean {
    const { g } = this;
    this.#learn(e);
    if (g.kind[e] === Kind.READ) {
      if (isMerging(g.order[e]!)) return true;
      const w = g.rf[e]!;
      // If another update has read w too, there is nobody to tell: see `sc.ts`.
      if (g.coNext[w] !== NONE && !(isUpdate && g.isFollowedByUpdate(w))) this.#propagate(e, g.coNext[w]!);
    } else if (g.kind[e] === Kind.WRITE && g.coNext[e] !== NONE) this.#propagate(e, g.coNext[e]!);
    return true;
  }

  /** The row of e, from those of the events right before it. */
  #learn(e: EventId): void {
    const { g } = this;
    this.#start(e);
    switch (g.kind[e]) {
      case Kind.READ: {
        const w = g.rf[e]!;
        if (g.thread[w] !== NONE && this.#isFromMemory(e, w)) this.#rows.join(e, w);
        break;
      }
      case Kind.WRITE: {
        const w = g.coPrev[e]!;
        if (g.thread[w] !== NONE) this.#rows.join(e, w);
        for (let r = g.readers[w]!; r !== NONE; r = g.readNext[r]!) {
          if (!isMerging(g.order[r]!)) this.#rows.join(e, r);
        }
        break;
      }
      case Kind.JOIN:
        this.#followThread(e, g.location[e]!);
        break;
    }
  }

  override relearn(events: EventStack, isOrdered: boolean): void {
    const { g } = this;
    const { items, length } = events;
    this.#fit();
    for (let i = 0; i < length; i++) {
      this.#rows.save(items[i]!);
      if (isOrdered) {
        this.#learn(items[i]!);
        this.#rows.dropSame();
      } else this.#rows.clear(items[i]!);
    }
    if (isOrdered) return;
    // a row knows those that were made before it; those that are made later are told to it
    for (let i = 0; i < length; i++) {
      this.added(items[i]!, g.kind[items[i]!] === Kind.READ && g.isUpdateRead(items[i]!));
    }
  }

  linearise(out: EventStack): void {
    causalOrder(this.g, out);
  }

  mark(): number {
    return this.#rows.mark();
  }

  undoTo(mark: number): void {
    this.#rows.undoTo(mark);
  }

  // ------------------------------------------------------------------------------------------------ what is before

  /** Whether w is of the thread of e, which has started its row, or is before e by other events than later writes to its location. */
  protected isSettled(w: EventId, e: EventId): boolean {
    const { g } = this;
    const rows = this.#rows;
    const t = g.thread[w]!;
    if (t === NONE || t === g.thread[e] || rows.at(e, ENTRIES * t + WRITTEN) > g.index[w]!) return true;
    if (this.#role[w] !== Role.NONE) return false;
    for (let r = g.readers[w]!; r !== NONE; r = g.readNext[r]!) {
      if (!this.#isFromMemory(r, w)) continue;
      if (rows.at(e, ENTRIES * g.thread[r]! + ORDERED) > g.index[r]!) return true;
    }
    return false;
  }

  /** Whether r, which reads from w, comes after it: not if it finds it in the buffer of its own thread. */
  #isFromMemory(r: EventId, w: EventId): boolean {
    const { g } = this;
    return !isMerging(g.order[r]!) && (g.thread[r] !== g.thread[w] || g.isPartial(r, w));
  }

  protected override begin(e: EventId): void {
    if (this.g.coNext[this.g.location[e]!] !== NONE) this.#start(e);
  }

  /** Starts the row of e, the last event of its thread, with what it follows there. */
  #start(e: EventId): void {
    const { g } = this;
    this.#fit();
    const t = g.thread[e]!;
    const role = this.roleOf(e);
    // the read of a store to a part has the row of the store, for whoever asks where that can be placed, but no role
    const isHidden = g.kind[e] === Kind.READ && isMerging(g.order[e]!);
    const isLoose = role === Role.NONE && (g.kind[e] === Kind.WRITE || isHidden);
    const before = g.poPrev[e]!;
    const spawn = g.spawnedBy[t]!;
    const beforeAll = before === NONE ? spawn : this.#beforeAll[before]!;
    const beforeWrites = before === NONE ? spawn : this.#beforeWrites[before]!;
    const afterWrites = before === NONE ? spawn : this.#afterWrites[before]!;
    const loose = before === NONE ? NONE : this.#loose[before]!;
    const isAfterWrites = (role & Role.AFTER_WRITES) !== 0;
    const shown = isHidden ? Role.NONE : role;
    this.#role[e] = shown;
    this.#beforeAll[e] = (shown & Role.BEFORE_ALL) !== 0 ? e : beforeAll;
    this.#beforeWrites[e] = (shown & Role.BEFORE_WRITES) !== 0 ? e : beforeWrites;
    this.#afterWrites[e] = (shown & Role.AFTER_WRITES) !== 0 ? e : afterWrites;
    this.#loose[e] = isHidden ? loose : isAfterWrites ? NONE : isLoose ? e : loose;
    if (role === Role.NONE && !isLoose) return;
    const rows = this.#rows;
    if (beforeAll === NONE) rows.clear(e);
    else rows.copy(e, beforeAll);
    if (isAfterWrites) this.#followWrites(e, afterWrites, loose);
    else if (isLoose) this.#follow(e, beforeWrites);
    if ((role & Role.BEFORE_ALL) !== 0) rows.set(e, ENTRIES * t + ORDERED, g.index[e]! + 1);
    if (isAfterWrites) rows.set(e, ENTRIES * t + WRITTEN, g.index[e]! + 1);
  }

  #followWrites(e: EventId, afterWrites: EventId, loose: EventId): void {
    const { g } = this;
    this.#follow(e, afterWrites);
    for (let w = loose; w !== NONE; w = g.poPrev[w] === NONE ? NONE : this.#loose[g.poPrev[w]!]!) this.#rows.join(e, w);
  }

  /** e comes after `before`, which is NONE or has a row and is AFTER_WRITES. */
  #follow(e: EventId, before: EventId): void {
    const { g } = this;
    if (before === NONE || this.#rows.at(e, ENTRIES * g.thread[before]! + WRITTEN) > g.index[before]!) return; // then it has its row
    this.#rows.join(e, before);
  }

  /** The join e comes after all events of thread t. */
  #followThread(e: EventId, t: number): void {
    const end = this.g.last[t]!;
    if (end === NONE) {
      this.#follow(e, this.g.spawnedBy[t]!);
      return;
    }
    this.#rows.join(e, this.#beforeAll[end]!);
    this.#followWrites(e, this.#afterWrites[end]!, this.#loose[end]!);
    this.#rows.set(e, ENTRIES * t + WRITTEN, this.g.index[end]! + 1);
  }

  // ------------------------------------------------------------------------------------------------- what is after

  /** e, new, is now ghb-before `target` and all that follows it. */
  #propagate(e: EventId, target: EventId): void {
    const { g } = this;
    const todo = this.#todo;
    todo.length = 0;
    this.#reach(e, target);
    while (todo.length > 0) {
      const x = todo.items[--todo.length]!;
      const t = g.thread[x]!;
      this.#reachFollowers(e, x, g.poNext[x]!, t);
      switch (g.kind[x]) {
        case Kind.WRITE:
          for (let r = g.readers[x]!; r !== NONE; r = g.readNext[r]!) if (this.#isFromMemory(r, x)) this.#reach(e, r);
          if (g.coNext[x] !== NONE) this.#reach(e, g.coNext[x]!);
          break;
        case Kind.READ:
          if (g.coNext[g.rf[x]!] !== NONE) this.#reach(e, g.coNext[g.rf[x]!]!);
          break;
        case Kind.SPAWN: {
          const u = g.location[x]!;
          this.#reachFollowers(e, x, g.last[u] === NONE ? NONE : g.first[u]!, u);
          break;
        }
      }
    }
  }

  /** Of the events of thread t from `first` on: those that follow x, up to one that all others of these follow. */
  #reachFollowers(e: EventId, x: EventId, first: EventId, t: number): void {
    const { g } = this;
    const role = this.#role[x]!;
    for (let y = first; y !== NONE; y = g.poNext[y]!) {
      if (this.#follows(y, role)) this.#reach(e, y);
      if (this.#relays(y, role)) return;
    }
    for (let j = g.joiners[t]!; j !== NONE; j = g.readNext[j]!) this.#reach(e, j);
  }

  /** Whether y follows an earlier event of its thread that has a part in ghb, with these roles. */
  #follows(y: EventId, role: number): boolean {
    const isWrite = this.g.kind[y] === Kind.WRITE;
    if ((role & Role.BEFORE_ALL) !== 0) return isWrite || this.#role[y] !== Role.NONE;
    return (this.#role[y]! & Role.AFTER_WRITES) !== 0 || (isWrite && (role & Role.BEFORE_WRITES) !== 0);
  }

  /** Whether y follows such an event and is followed by whatever comes later and follows it, too. */
  #relays(y: EventId, role: number): boolean {
    if ((role & Role.BEFORE_ALL) !== 0) return (this.#role[y]! & Role.BEFORE_ALL) !== 0;
    if ((role & Role.BEFORE_WRITES) !== 0) return (this.#role[y]! & Role.BEFORE_WRITES) !== 0;
    return (this.#role[y]! & Role.AFTER_WRITES) !== 0;
  }

  #reach(e: EventId, x: EventId): void {
    if (this.#rows.joinSaved(x, e)) this.#todo.push(x);
  }

  #fit(): void {
    const { g } = this;
    this.#rows.fit(g.length, ENTRIES * g.stride);
    if (g.length <= this.#role.length) return;
    this.#role = grown(this.#role, g.length);
    this.#beforeAll = grown(this.#beforeAll, g.length);
    this.#beforeWrites = grown(this.#beforeWrites, g.length);
    this.#afterWrites = grown(this.#afterWrites, g.length);
    this.#loose = grown(this.#loose, g.length);
  }
}
