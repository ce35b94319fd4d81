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

  /**
   * Of the write w, which r, new, comes after a later one of: whether hb stays acyclic if w comes right after the last of these, m. Then w
   * has new edges only from m and its readers, and to what comes after m, as m and its readers had. So a cycle leads from w to one of
   * these, by what comes after w in its thread, or after a reader of w in that one's: these edges do not depend on the place of w. (hb
   * has more, by way of the place that w has had: then it is not known. An update that follows w is such a write after a reader.)
   */
  mayComeLater(w: EventId, r: EventId): boolean {
    const g = this.#g;
    if (g.thread[w] === NONE || g.updateRead[w] !== NONE) return false;
    let m = g.coLast[g.location[w]!]!;
    while (m !== w && !this.isBeforeThread(m, r)) m = g.coPrev[m]!;
    if (m === w || g.isFollowedByUpdate(m) || this.#leadsOnTo(w, m)) return false;
    for (let b = g.readers[m]!; b !== NONE; b = g.readNext[b]!) if (this.#leadsOnTo(w, b)) return false;
    return true;
  }

  /** Whether something after w in its thread, or after a reader of w, is hb-before e or is e. */
  #leadsOnTo(w: EventId, e: EventId): boolean {
    const g = this.#g;
    if (this.#isAfterNext(w, e)) return true;
    for (let q = g.readers[w]!; q !== NONE; q = g.readNext[q]!) if (this.#isAfterNext(q, e)) return true;
    return false;
  }

  /** Whether what comes next after a in its thread is hb-before e or is e. */
  #isAfterNext(a: EventId, e: EventId): boolean {
    const g = this.#g;
    if (!this.#ofWrites) return this.#clock.at(e, g.thread[a]!) > g.index[a]! + 1;
    return g.poNext[a] !== NONE ? this.#isAfter(g.poNext[a]!, e) : this.#isAfterJoins(g.thread[a]!, e);
  }

  /** Whether s is hb-before e or is e. Rows tell of writes alone, so the way from s to the first of them is followed. */
  #isAfter(s: EventId, e: EventId): boolean {
    const g = this.#g;
    for (let x = s; x !== NONE; x = g.poNext[x]!) {
      if (x === e) return true;
      const kind = g.kind[x]!;
      if (kind === Kind.WRITE) return this.#clock.at(e, g.thread[x]!) > g.index[x]!;
      if (kind === Kind.SPAWN && this.#isAfterStart(g.location[x]!, e)) return true;
      if (kind !== Kind.READ || g.rf[x] === NONE) continue;
      const next = g.coNext[g.rf[x]!]!;
      if (next !== NONE && this.#clock.at(e, g.thread[next]!) > g.index[next]!) return true;
    }
    return this.#isAfterJoins(g.thread[s]!, e);
  }

  #isAfterStart(t: number, e: EventId): boolean {
    return this.#g.last[t] !== NONE ? this.#isAfter(this.#g.first[t]!, e) : this.#isAfterJoins(t, e);
  }

  #isAfterJoins(t: number, e: EventId): boolean {
    const g = this.#g;
    for (let j = g.joiners[t]!; j !== NONE; j = g.readNext[j]!) if (this.#isAfter(j, e)) return true;
    return false;
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
