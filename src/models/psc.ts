/**
 * The order of seq_cst accesses and fences in RC11 (Lahav et al., PLDI 2017, section 3.2 and figure 4):
 *
 *   scb  = po ∪ po|≠loc; hb; po|≠loc ∪ hb|loc ∪ co ∪ fr
 *   pscB = ([Esc] ∪ [Fsc]; hb?); scb; ([Esc] ∪ hb?; [Fsc])
 *   pscF = [Fsc]; (hb ∪ hb; eco; hb); [Fsc]
 *   psc  = pscB ∪ pscF is acyclic
 *
 * Every access has a position: a write's is its place in the coherence order of its location, a read's is that of the write that
 * it reads. So co ∪ fr leads from x to a write y of a higher position, and eco from x to whatever has a higher position, or from
 * a write to its reads.
 *
 * Of po|≠loc; hb; po|≠loc only the nearest events count: the first one after x, and the last one before y, that are not accesses to
 * the location of x, or y. A thread starts and ends with events of its own, which are not in the graph: in their place stand
 * the spawn and the joins of the thread.
 *
 * The seq_cst events of a thread are ordered by psc as they are by po. So what is reached from one of them is known by the first
 * seq_cst event of each thread that is reached (`frontier`), and every event is looked at once. Likewise, of the events that scb
 * leads to only the first one of each thread counts for the fences that come after them in hb.
 *
 * Hot code: nothing is allocated but where columns grow.
 */
import { type EventId, type Graph, Kind } from '../graph/graph.ts';
import { type Column, grown, NONE } from '../program/columns.ts';
import { Order, strengthOf } from '../program/orders.ts';
import type { HappensBeforeClocks } from './happens-before.ts';
import { EventStack } from './model.ts';

/** A position that no access has: none is reached. */
const NOWHERE = 0x7fffffff;

export class PartialScOrder {
  readonly #g: Graph;
  readonly #hb: HappensBeforeClocks;
  /** The seq_cst events, thread by thread in program order; those of thread t begin at scStart[t]. */
  readonly #sc = new EventStack();
  #scStart: Column = new Int32Array(9);
  #hasFences = false;

  // By event.
  #position: Column = new Int32Array(4);
  /** The first event after it, and the last one before it, in program order that does not access its location. */
  #elsewhereNext: Column = new Int32Array(4);
  #elsewherePrev: Column = new Int32Array(4);
  /** The place in `sc`, NONE for events that are not seq_cst. */
  #place: Column = new Int32Array(4);
  /** By location (init): the least position of an access that the fence happens before which is looked at. */
  #leastPosition: Column = new Int32Array(4);

  // By thread.
  /** The first place in `sc` that is reached, and from which on all were looked at. */
  #frontier: Column = new Int32Array(8);
  #lookedAt: Column = new Int32Array(8);
  /** The first event that leads on to the fences after it; the first event that the fence happens before. */
  #first: Column = new Int32Array(8);
  #after: Column = new Int32Array(8);

  constructor(g: Graph, hb: HappensBeforeClocks) {
    this.#g = g;
    this.#hb = hb;
  }

  /**
   * Whether psc stays acyclic with the new event e, whose clock is known. It can close a cycle only by an edge that leads from it,
   * to writes after the one that it reads or follows, and only if it is seq_cst itself or a seq_cst fence happens before it:
   * the last such fence of a thread, then, as the others come before it.
   */
  allows(e: EventId): boolean {
    const g = this.#g;
    const isLast = g.coNext[g.kind[e] === Kind.READ ? g.rf[e]! : e] === NONE;
    if (isLast) return true;
    this.#collect();
    const isSc = strengthOf(g.order[e]!) === Order.SEQ_CST;
    if (!isSc && !this.#hasFences) return true;
    this.#prepare();
    if (isSc && this.#isOnCycle(e)) return false;
    for (let t = 0; t < g.stride && this.#hasFences; t++) {
      const f = this.#lastFenceBefore(t, e);
      if (f !== NONE && this.#isOnCycle(f)) return false;
    }
    return true;
  }

  #lastFenceBefore(t: number, e: EventId): EventId {
    const g = this.#g;
    for (let i = this.#scStart[t + 1]! - 1; i >= this.#scStart[t]!; i--) {
      const f = this.#sc.items[i]!;
      if (g.kind[f] === Kind.LOCAL && this.#hb.happensBefore(f, e)) return f;
    }
    return NONE;
  }

  // ------------------------------------------------------------------------------------------- events and places

  #collect(): void {
    const g = this.#g;
    this.#fit();
    this.#sc.length = 0;
    this.#hasFences = false;
    for (let t = 0; t < g.stride; t++) {
      this.#scStart[t] = this.#sc.length;
      if (g.last[t] === NONE) continue;
      for (let e = g.first[t]!; e !== NONE; e = g.poNext[e]!) {
        const isSc = strengthOf(g.order[e]!) === Order.SEQ_CST;
        this.#place[e] = isSc ? this.#sc.length : NONE;
        if (!isSc) continue;
        this.#sc.push(e);
        if (g.kind[e] === Kind.LOCAL) this.#hasFences = true;
      }
    }
    this.#scStart[g.stride] = this.#sc.length;
  }

  #fit(): void {
    const { length, stride } = this.#g;
    if (stride > this.#frontier.length) {
      this.#scStart = grown(this.#scStart, stride + 1);
      this.#frontier = grown(this.#frontier, stride);
      this.#lookedAt = grown(this.#lookedAt, stride);
      this.#first = grown(this.#first, stride);
      this.#after = grown(this.#after, stride);
    }
    if (length <= this.#position.length) return;
    this.#position = grown(this.#position, length);
    this.#elsewhereNext = grown(this.#elsewhereNext, length);
    this.#elsewherePrev = grown(this.#elsewherePrev, length);
    this.#place = grown(this.#place, length);
    this.#leastPosition = grown(this.#leastPosition, length);
  }

  /** Positions and neighbours of all events. */
  #prepare(): void {
    const g = this.#g;
    for (let t = 0; t < g.stride; t++) {
      if (g.last[t] === NONE) continue;
      for (let e = g.first[t]!; e !== NONE; e = g.poNext[e]!) {
        // at the first write of each location, all of them get their places
        if (g.kind[e] === Kind.WRITE && g.coPrev[e] === g.location[e]) this.#placeWritesFrom(e);
        const before = g.eventBefore(e);
        const isSame = before !== NONE && this.#isSameLocation(before, e);
        this.#elsewherePrev[e] = isSame ? this.#elsewherePrev[before]! : before;
      }
    }
    for (let t = 0; t < g.stride; t++) {
      for (let e = g.last[t]!; e !== NONE; e = g.poPrev[e]!) {
        if (g.kind[e] === Kind.READ) this.#position[e] = this.#positionOfWrite(g.rf[e]!);
        const next = g.poNext[e]!;
        const isSame = next !== NONE && this.#isSameLocation(next, e);
        this.#elsewhereNext[e] = isSame ? this.#elsewhereNext[next]! : next;
      }
    }
  }

  #placeWritesFrom(first: EventId): void {
    let position = 1;
    for (let w = first; w !== NONE; w = this.#g.coNext[w]!) this.#position[w] = position++;
  }

  #positionOfWrite(w: EventId): number {
    return this.#g.thread[w] === NONE ? 0 : this.#position[w]!;
  }

  // ---------------------------------------------------------------------------------------------------- acyclicity

  /** Whether psc leads from the seq_cst event a back to it. */
  #isOnCycle(a: EventId): boolean {
    const g = this.#g;
    for (let t = 0; t < g.stride; t++) {
      this.#frontier[t] = this.#scStart[t + 1]!;
      this.#lookedAt[t] = this.#scStart[t + 1]!;
    }
    const own = g.thread[a]!;
    this.#lookAt(a);
    for (let t = 0; t < g.stride; ) {
      if (this.#frontier[own]! <= this.#place[a]!) return true;
      if (this.#lookedAt[t]! > this.#frontier[t]!) {
        this.#lookedAt[t] = this.#lookedAt[t]! - 1;
        this.#lookAt(this.#sc.items[this.#lookedAt[t]!]!);
        t = 0;
      } else t++;
    }
    return this.#frontier[own]! <= this.#place[a]!;
  }

  /** Moves the frontier to what psc leads to from n. */
  #lookAt(n: EventId): void {
    this.#reach(this.#g.thread[n]!, this.#place[n]! + 1);
    this.#first.fill(NONE);
    if (this.#g.kind[n] === Kind.LOCAL) this.#lookFromFence(n);
    else this.#lookFromAccess(n);
    if (this.#hasFences) this.#reachFences();
  }

  #reach(t: number, place: number): void {
    if (place < this.#frontier[t]!) this.#frontier[t] = place;
  }

  /** [Esc]; scb; ([Esc] ∪ hb?; [Fsc]) */
  #lookFromAccess(n: EventId): void {
    const g = this.#g;
    const own = g.thread[n]!;
    this.#first[own] = g.poNext[n]!;
    for (let t = 0; t < g.stride; t++) {
      if (t === own || g.last[t] === NONE) continue;
      for (let y = g.first[t]!; y !== NONE; y = g.poNext[y]!) {
        if (this.#scb(n, y) && this.#reachEvent(t, y)) break;
      }
    }
  }

  /** scb leads to y. Whether later events of its thread t make no difference. */
  #reachEvent(t: number, y: EventId): boolean {
    if (this.#first[t] === NONE) this.#first[t] = y;
    if (this.#place[y] === NONE) return false;
    this.#reach(t, this.#place[y]!);
    return true;
  }

  /** x; scb; y for events of different threads. */
  #scb(x: EventId, y: EventId): boolean {
    const g = this.#g;
    if (this.#isSameLocation(x, y)) {
      if (g.kind[y] === Kind.WRITE && this.#position[x]! < this.#position[y]!) return true;
      if (this.#hb.happensBefore(x, y)) return true;
    }
    return this.#isBeforeElsewhere(x, this.#elsewherePrev[y]!);
  }

  /** x; po|≠loc; hb; v, or x; po|≠loc; v */
  #isBeforeElsewhere(x: EventId, v: EventId): boolean {
    if (v === NONE) return false;
    const g = this.#g;
    const u = this.#elsewhereNext[x]!;
    if (u !== NONE) return u === v || this.#hb.happensBefore(u, v);
    for (let j = g.joiners[g.thread[x]!]!; j !== NONE; j = g.readNext[j]!) {
      if (j === v || this.#hb.happensBefore(j, v)) return true;
    }
    return false;
  }

  /** [Fsc]; hb?; scb; ([Esc] ∪ hb?; [Fsc]) and [Fsc]; (hb ∪ hb; eco; hb); [Fsc] */
  #lookFromFence(f: EventId): void {
    const g = this.#g;
    const own = g.thread[f]!;
    this.#findAfter(f);
    for (let t = 0; t < g.stride; t++) {
      if (g.last[t] === NONE) continue;
      const from = t === own ? g.poNext[f]! : this.#firstReachedByHb(f, t);
      let isAfter = false;
      let isDone = false;
      for (let y = g.first[t]!; y !== NONE; y = g.poNext[y]!) {
        if (y === from) isAfter = true;
        if (!isDone && (isAfter || this.#isOvertaking(y))) isDone = this.#reachEvent(t, y);
        if (this.#first[t] === NONE && this.#isReadAfter(f, y)) this.#first[t] = y;
        if (isDone) break;
      }
    }
    this.#reachFencesAfter(f);
  }

  /** By thread: the first event that f happens before; by location: the least position of such an access. */
  #findAfter(f: EventId): void {
    const g = this.#g;
    for (let t = 0; t < g.stride; t++) {
      this.#after[t] = NONE;
      for (let x = g.last[t]!; x !== NONE; x = g.poPrev[x]!)
        if (this.#isAccess(x)) this.#leastPosition[g.location[x]!] = NOWHERE;
    }
    for (let t = 0; t < g.stride; t++) {
      for (let x = g.last[t]!; x !== NONE && this.#hb.happensBefore(f, x); x = g.poPrev[x]!) {
        this.#after[t] = x;
        if (!this.#isAccess(x)) continue;
        const init = g.location[x]!;
        if (this.#position[x]! < this.#leastPosition[init]!) this.#leastPosition[init] = this.#position[x]!;
      }
    }
  }

  /** The first event of t that f; hb?; (po ∪ po|≠loc; hb; po|≠loc ∪ hb|loc) leads to: all but perhaps the first that f happens before. */
  #firstReachedByHb(f: EventId, t: number): EventId {
    const g = this.#g;
    const x = this.#after[t]!;
    if (x === NONE) return NONE;
    const before = this.#elsewherePrev[x]!;
    const isByStart = before !== NONE && g.thread[before] !== t && this.#hb.happensBefore(f, before);
    return isByStart || this.#isAfterSameLocation(f, x) ? x : g.poNext[x]!;
  }

  /** f; hb; hb|loc; x */
  #isAfterSameLocation(f: EventId, x: EventId): boolean {
    const g = this.#g;
    if (!this.#isAccess(x)) return false;
    for (let t = 0; t < g.stride; t++) {
      for (let y = g.last[t]!; y !== NONE && this.#hb.happensBefore(f, y); y = g.poPrev[y]!) {
        if (y !== x && this.#isSameLocation(y, x) && this.#hb.happensBefore(y, x)) return true;
      }
    }
    return false;
  }

  /** f; hb; (co ∪ fr); y, for the fence f of `findAfter`. */
  #isOvertaking(y: EventId): boolean {
    return this.#g.kind[y] === Kind.WRITE && this.#position[y]! > this.#leastPosition[this.#g.location[y]!]!;
  }

  /** f; hb; eco; y where y reads. */
  #isReadAfter(f: EventId, y: EventId): boolean {
    const g = this.#g;
    if (g.kind[y] !== Kind.READ) return false;
    if (this.#position[y]! > this.#leastPosition[g.location[y]!]!) return true;
    return g.thread[g.rf[y]!] !== NONE && this.#hb.happensBefore(f, g.rf[y]!);
  }

  /** [Fsc]; hb; [Fsc] */
  #reachFencesAfter(f: EventId): void {
    for (let t = 0; t < this.#g.stride; t++) {
      for (let i = this.#scStart[t]!; i < this.#frontier[t]!; i++) {
        const end = this.#sc.items[i]!;
        if (this.#g.kind[end] === Kind.LOCAL && this.#hb.happensBefore(f, end)) this.#reach(t, i);
      }
    }
  }

  /** The fences that the first events reached are or happen before. */
  #reachFences(): void {
    for (let t = 0; t < this.#g.stride; t++) {
      for (let i = this.#scStart[t]!; i < this.#frontier[t]!; i++) {
        const fence = this.#sc.items[i]!;
        if (this.#g.kind[fence] === Kind.LOCAL && this.#isReachedBefore(fence)) this.#reach(t, i);
      }
    }
  }

  #isReachedBefore(fence: EventId): boolean {
    for (let t = 0; t < this.#g.stride; t++) {
      const y = this.#first[t]!;
      if (y !== NONE && (y === fence || this.#hb.happensBefore(y, fence))) return true;
    }
    return false;
  }

  #isAccess(e: EventId): boolean {
    const kind = this.#g.kind[e];
    return kind === Kind.READ || kind === Kind.WRITE;
  }

  #isSameLocation(x: EventId, y: EventId): boolean {
    return this.#isAccess(x) && this.#isAccess(y) && this.#g.location[x] === this.#g.location[y];
  }
}
