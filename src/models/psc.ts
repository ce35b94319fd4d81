/**
 * The order of seq_cst accesses and fences in RC11 (Lahav et al., PLDI 2017, section 3.2 and figure 4):
 *
 *   scb  = po ∪ po|≠loc; hb; po|≠loc ∪ hb|loc ∪ co ∪ fr
 *   pscB = ([Esc] ∪ [Fsc]; hb?); scb; ([Esc] ∪ hb?; [Fsc])
 *   pscF = [Fsc]; (hb ∪ hb; eco; hb); [Fsc]
 *   psc  = pscB ∪ pscF is acyclic
 *
 * Every access has a position: a write's is its place in the coherence order of its location, a read's is that of the write that
 * it reads. So co ∪ fr leads from x to a write y of a higher position, and eco from x to whatever has a
 * higher position, or from a write to its reads.
 *
 * Of po|≠loc; hb; po|≠loc only the nearest events count: the first one after x, and the last one before y, that are not accesses to
 * the location of x, or y. A thread starts and ends with events of its own, which are not in the graph: in their place stand
 * the spawn and the joins of the thread.
 *
 * Hot code: nothing is allocated but where columns grow.
 */
import { type EventId, type Graph, Kind } from '../graph/graph.ts';
import { type Column, grown, NONE } from '../program/columns.ts';
import { Order, strengthOf } from '../program/orders.ts';
import type { HappensBeforeClocks } from './happens-before.ts';
import { EventStack } from './model.ts';

const Colour = { WHITE: 0, GREY: 1, BLACK: 2 } as const;

export class PartialScOrder {
  readonly #g: Graph;
  readonly #hb: HappensBeforeClocks;
  readonly #events = new EventStack();
  /** The seq_cst accesses, and the seq_cst fences. */
  readonly #accesses = new EventStack();
  readonly #fences = new EventStack();
  /** By event. */
  #position: Column = new Int32Array(64);
  /** The first event after it, and the last one before it, in program order that does not access its location. */
  #elsewhereNext: Column = new Int32Array(64);
  #elsewherePrev: Column = new Int32Array(64);
  /** Whether scb leads to it from where the search stands; valid if it is `#visit`. */
  #reached: Column = new Int32Array(64);
  #visit = 0;
  #colour: Column = new Int32Array(64);
  readonly #path = new EventStack();
  /** Successors that are yet to be looked at, and for each event of the path where its own begin. */
  readonly #todo = new EventStack();
  readonly #bases = new EventStack();

  constructor(g: Graph, hb: HappensBeforeClocks) {
    this.#g = g;
    this.#hb = hb;
  }

  /**
   * Whether psc stays acyclic with the new event e, whose clock is known. It can close a cycle only by an edge that leads from it,
   * to writes after the one that it reads or follows, and only if it is seq_cst itself or a seq_cst fence happens before it.
   */
  allows(e: EventId): boolean {
    const g = this.#g;
    const isLast = g.coNext[g.kind[e] === Kind.READ ? g.rf[e]! : e] === NONE;
    if (isLast) return true;
    this.#collect();
    if (!this.#canClose(e)) return true;
    this.#placeByCoherence();
    this.#startSearch();
    if (strengthOf(g.order[e]!) === Order.SEQ_CST && this.#findsCycle(e)) return false;
    const fences = this.#fences;
    for (let i = 0; i < fences.length; i++) {
      const f = fences.items[i]!;
      if (this.#hb.happensBefore(f, e) && this.#findsCycle(f)) return false;
    }
    return true;
  }

  #canClose(e: EventId): boolean {
    if (strengthOf(this.#g.order[e]!) === Order.SEQ_CST) return true;
    const fences = this.#fences;
    for (let i = 0; i < fences.length; i++) if (this.#hb.happensBefore(fences.items[i]!, e)) return true;
    return false;
  }

  // ------------------------------------------------------------------------------------------- events and places

  /** All events, and the seq_cst ones. */
  #collect(): void {
    const g = this.#g;
    this.#events.length = 0;
    this.#accesses.length = 0;
    this.#fences.length = 0;
    for (let t = 0; t < g.stride; t++) {
      if (g.last[t] === NONE) continue;
      for (let e = g.first[t]!; e !== NONE; e = g.poNext[e]!) {
        this.#events.push(e);
        if (strengthOf(g.order[e]!) !== Order.SEQ_CST) continue;
        if (g.kind[e] === Kind.LOCAL) this.#fences.push(e);
        else this.#accesses.push(e);
      }
    }
  }

  #fit(): void {
    const { length } = this.#g;
    if (length <= this.#position.length) return;
    this.#position = grown(this.#position, length);
    this.#elsewhereNext = grown(this.#elsewhereNext, length);
    this.#elsewherePrev = grown(this.#elsewherePrev, length);
    this.#reached = grown(this.#reached, length);
    this.#colour = grown(this.#colour, length);
  }

  #placeByCoherence(): void {
    const g = this.#g;
    this.#fit();
    const position = this.#position;
    const { items, length } = this.#events;
    for (let i = 0; i < length; i++) {
      // at the first write of each location, all of them get their places
      const e = items[i]!;
      if (g.kind[e] === Kind.WRITE && g.coPrev[e] === g.location[e]) this.#placeWritesFrom(e);
    }
    for (let i = 0; i < length; i++) {
      const e = items[i]!;
      if (g.kind[e] === Kind.READ) position[e] = g.thread[g.rf[e]!] === NONE ? 0 : position[g.rf[e]!]!;
    }
  }

  #placeWritesFrom(first: EventId): void {
    let place = 1;
    for (let w = first; w !== NONE; w = this.#g.coNext[w]!) this.#position[w] = place++;
  }

  #findNeighbours(): void {
    const g = this.#g;
    const { items, length } = this.#events;
    for (let i = 0; i < length; i++) {
      const e = items[i]!;
      const before = g.poPrev[e] === NONE ? g.spawnedBy[g.thread[e]!]! : g.poPrev[e]!;
      this.#elsewherePrev[e] =
        before !== NONE && this.#isSameLocation(before, e) ? this.#elsewherePrev[before]! : before;
    }
    for (let i = length - 1; i >= 0; i--) {
      const e = items[i]!;
      const next = g.poNext[e]!;
      this.#elsewhereNext[e] = next !== NONE && this.#isSameLocation(next, e) ? this.#elsewhereNext[next]! : next;
    }
  }

  // ---------------------------------------------------------------------------------------------------- acyclicity

  #startSearch(): void {
    this.#findNeighbours();
    const { items, length } = this.#events;
    for (let i = 0; i < length; i++) this.#colour[items[i]!] = Colour.WHITE;
  }

  /** A depth-first search over the seq_cst events, on an explicit stack. */
  #findsCycle(start: EventId): boolean {
    const path = this.#path;
    const todo = this.#todo;
    const bases = this.#bases;
    path.length = 0;
    todo.length = 0;
    bases.length = 0;
    if (this.#colour[start] === Colour.WHITE) this.#enter(start);
    while (path.length > 0) {
      if (todo.length === bases.items[bases.length - 1]!) {
        this.#colour[path.items[--path.length]!] = Colour.BLACK;
        bases.length--;
        continue;
      }
      const next = todo.items[--todo.length]!;
      if (this.#colour[next] === Colour.GREY) return true;
      if (this.#colour[next] === Colour.WHITE) this.#enter(next);
    }
    return false;
  }

  #enter(e: EventId): void {
    this.#colour[e] = Colour.GREY;
    this.#path.push(e);
    this.#bases.push(this.#todo.length);
    if (this.#g.kind[e] === Kind.LOCAL) this.#pushSuccessorsOfFence(e);
    else this.#pushSuccessorsOfAccess(e);
  }

  /** [Esc]; scb; ([Esc] ∪ hb?; [Fsc]) */
  #pushSuccessorsOfAccess(a: EventId): void {
    if (this.#fences.length === 0) {
      const { items, length } = this.#accesses;
      for (let i = 0; i < length; i++) {
        if (this.#colour[items[i]!] !== Colour.BLACK && this.#scb(a, items[i]!)) this.#todo.push(items[i]!);
      }
      return;
    }
    this.#visit++;
    this.#reachByScb(a);
    this.#pushReached();
  }

  /** [Fsc]; hb?; scb; ([Esc] ∪ hb?; [Fsc]) and [Fsc]; (hb ∪ hb; eco; hb); [Fsc] */
  #pushSuccessorsOfFence(f: EventId): void {
    const { items, length } = this.#events;
    this.#visit++;
    this.#reachByScb(f);
    for (let i = 0; i < length; i++) if (this.#hb.happensBefore(f, items[i]!)) this.#reachByScb(items[i]!);
    this.#pushReached();
    const fences = this.#fences;
    for (let i = 0; i < fences.length; i++) {
      const end = fences.items[i]!;
      if (end !== f && this.#hb.happensBefore(f, end)) this.#todo.push(end);
      else if (this.#isBeforeByEco(f, end)) this.#todo.push(end);
    }
  }

  /** Marks every y with scb from x to y. */
  #reachByScb(x: EventId): void {
    const { items, length } = this.#events;
    const reached = this.#reached;
    for (let i = 0; i < length; i++) {
      const y = items[i]!;
      if (reached[y] !== this.#visit && this.#scb(x, y)) reached[y] = this.#visit;
    }
  }

  /** Pushes what is reached, as far as it is a seq_cst access, and the seq_cst fences that it happens before, or is. */
  #pushReached(): void {
    const reached = this.#reached;
    const accesses = this.#accesses;
    for (let i = 0; i < accesses.length; i++) {
      if (reached[accesses.items[i]!] === this.#visit) this.#todo.push(accesses.items[i]!);
    }
    const fences = this.#fences;
    for (let i = 0; i < fences.length; i++)
      if (this.#isReachedBefore(fences.items[i]!)) this.#todo.push(fences.items[i]!);
  }

  #isReachedBefore(fence: EventId): boolean {
    const { items, length } = this.#events;
    if (this.#reached[fence] === this.#visit) return true;
    for (let i = 0; i < length; i++) {
      if (this.#reached[items[i]!] === this.#visit && this.#hb.happensBefore(items[i]!, fence)) return true;
    }
    return false;
  }

  #scb(x: EventId, y: EventId): boolean {
    const g = this.#g;
    if (x === y) return false;
    if (g.thread[x] === g.thread[y] && g.index[x]! < g.index[y]!) return true;
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

  /** f; hb; eco; hb; end */
  #isBeforeByEco(f: EventId, end: EventId): boolean {
    const { items, length } = this.#events;
    for (let i = 0; i < length; i++) {
      const x = items[i]!;
      if (!this.#isAccess(x) || !this.#hb.happensBefore(f, x)) continue;
      for (let j = 0; j < length; j++) {
        const y = items[j]!;
        if (this.#isSameLocation(x, y) && this.#eco(x, y) && this.#hb.happensBefore(y, end)) return true;
      }
    }
    return false;
  }

  #eco(x: EventId, y: EventId): boolean {
    const position = this.#position;
    if (position[x]! < position[y]!) return true;
    const { kind } = this.#g;
    return position[x] === position[y] && kind[x] === Kind.WRITE && kind[y] === Kind.READ;
  }

  #isAccess(e: EventId): boolean {
    const kind = this.#g.kind[e];
    return kind === Kind.READ || kind === Kind.WRITE;
  }

  #isSameLocation(x: EventId, y: EventId): boolean {
    return this.#isAccess(x) && this.#isAccess(y) && this.#g.location[x] === this.#g.location[y];
  }
}
