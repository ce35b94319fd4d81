/**
 * Vector clocks of hb = (po ∪ rf ∪ co ∪ fr ∪ spawn ∪ join)+, the order of sequential consistency, for graphs in which it is acyclic:
 * entry t of row e counts the events of t that are hb-before e, itself included.
 *
 * Hot code. An event with an edge to older events (a read of an old write, a write placed in the middle) changes their rows; the
 * old rows are kept for undoing. A backward revisit leaves the rows of what stays as they are: the head of `sc.ts` says why.
 */
import { type EventId, type Graph, Kind } from '../graph/graph.ts';
import { ClockRows } from '../program/clock-rows.ts';
import { NONE } from '../program/columns.ts';
import { EventStack } from './model.ts';

export class ScClocks {
  readonly #g: Graph;
  readonly #ofWrites: boolean;
  readonly #clock = new ClockRows();
  readonly #todo = new EventStack();

  /**
   * `ofWrites`: who only asks about writes (`isBeforeThread`) does without the others. Entry t then counts the events of t up to its last
   * write that is hb-before, so that a read has nothing to tell that its thread has not told before.
   */
  constructor(g: Graph, ofWrites = false) {
    this.#g = g;
    this.#ofWrites = ofWrites;
  }

  /** How many events of t are hb-before e, itself included. */
  at(e: EventId, t: number): number {
    return this.#clock.at(e, t);
  }

  /** Whether the write w is hb-before the event before e in e's thread. */
  isBeforeThread(w: EventId, e: EventId): boolean {
    const g = this.#g;
    const before = g.eventBefore(e);
    if (before === NONE) return false;
    const t = g.thread[w]!;
    return t === NONE || this.#clock.at(before, t) > g.index[w]!;
  }

  /** e has all its edges, and closes no cycle. */
  add(e: EventId, isUpdate: boolean): void {
    const g = this.#g;
    this.#clock.fit(g.length, g.stride);
    this.#start(e);
    if (g.kind[e] === Kind.READ) {
      const w = g.rf[e]!;
      // If another update has read w too, this graph only lives on through a revisit that deletes that update, and with
      // it, as it was added maximally, all that comes after w: there is nobody to tell.
      if (g.coNext[w] !== NONE && !(isUpdate && g.isFollowedByUpdate(w))) this.#propagate(e, g.coNext[w]!);
    } else if (g.kind[e] === Kind.WRITE && g.coNext[e] !== NONE) this.#propagate(e, g.coNext[e]!);
  }

  /** The row of e, from those of the events right before it. */
  #start(e: EventId): void {
    const g = this.#g;
    const clock = this.#clock;
    const before = g.eventBefore(e);
    const other = this.#otherBefore(e);
    if (before === NONE) clock.clear(e);
    else if (other === NONE) clock.copy(e, before);
    else clock.setJoin(e, before, other);
    if (!this.#ofWrites || g.kind[e] === Kind.WRITE) clock.set(e, g.thread[e]!, g.index[e]! + 1);
    if (g.kind[e] !== Kind.WRITE) return;
    for (let r = g.readers[g.coPrev[e]!]!; r !== NONE; r = g.readNext[r]!) clock.join(e, r);
  }

  /** The event of another thread, or of e's own, that e comes right after by what it reads, overwrites or joins; NONE: there is none. */
  #otherBefore(e: EventId): EventId {
    const g = this.#g;
    switch (g.kind[e]) {
      case Kind.READ:
        return g.thread[g.rf[e]!] === NONE ? NONE : g.rf[e]!;
      case Kind.WRITE:
        return g.thread[g.coPrev[e]!] === NONE ? NONE : g.coPrev[e]!;
      case Kind.JOIN:
        return g.lastOrSpawn(g.location[e]!);
      default:
        return NONE;
    }
  }

  /** The order of coherence has changed: the rows of these events, all there are, are made anew. `isOrdered`: in an order of hb. */
  relearn(events: EventStack, isOrdered: boolean): void {
    const g = this.#g;
    const { items, length } = events;
    this.#clock.fit(g.length, g.stride);
    for (let i = 0; i < length; i++) {
      this.#clock.save(items[i]!);
      if (isOrdered) {
        this.#start(items[i]!);
        this.#clock.dropSame();
      } else this.#clock.clear(items[i]!);
    }
    if (isOrdered) return;
    // a row knows those that were made before it; those that are made later are told to it
    for (let i = 0; i < length; i++) this.add(items[i]!, g.kind[items[i]!] === Kind.READ && g.isUpdateRead(items[i]!));
  }

  mark(): number {
    return this.#clock.mark();
  }

  /** From now on `mark` is more than it was before. */
  markOff(e: EventId): number {
    this.#clock.fit(this.#g.length, this.#g.stride);
    this.#clock.save(e);
    return this.#clock.mark();
  }

  undoTo(mark: number): void {
    this.#clock.undoTo(mark);
  }

  // ---------------------------------------------------------------------------------------------------------------

  /** e, new, is now hb-before `target` and all that follows it. */
  #propagate(e: EventId, target: EventId): void {
    const g = this.#g;
    const todo = this.#todo;
    todo.length = 0;
    this.#reach(e, target);
    while (todo.length > 0) {
      const x = todo.items[--todo.length]!;
      if (g.poNext[x] !== NONE) this.#reach(e, g.poNext[x]!);
      else this.#reachAll(e, g.joiners[g.thread[x]!]!);
      switch (g.kind[x]) {
        case Kind.WRITE:
          this.#reachAll(e, g.readers[x]!);
          if (g.coNext[x] !== NONE) this.#reach(e, g.coNext[x]!);
          break;
        case Kind.READ:
          if (g.coNext[g.rf[x]!] !== NONE) this.#reach(e, g.coNext[g.rf[x]!]!);
          break;
        case Kind.SPAWN: {
          const t = g.location[x]!;
          if (g.last[t] !== NONE) this.#reach(e, g.first[t]!);
          else this.#reachAll(e, g.joiners[t]!);
          break;
        }
      }
    }
  }

  #reachAll(e: EventId, listed: EventId): void {
    for (let r = listed; r !== NONE; r = this.#g.readNext[r]!) this.#reach(e, r);
  }

  #reach(e: EventId, x: EventId): void {
    // who knows of e knows all that e does
    if (!this.#ofWrites && this.#clock.at(x, this.#g.thread[e]!) > this.#g.index[e]!) return;
    if (x !== e && this.#clock.joinSaved(x, e)) this.#todo.push(x);
  }
}
