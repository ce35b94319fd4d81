/**
 * Sequential consistency without coherence: for the reads-from equivalence ([TruSt], section 4.2, Algorithm 2). A graph
 * is consistent if some order of its events explains its reads-from (`Linearisation`). The graph's coherence lists hold
 * the writes of a location in the order in which they were added.
 *
 * What differs from the paper: GetConsCO is computed on the graph without r, w and what is deleted, not on the graph with
 * r's old reads-from, so that it depends only on what two revisits with the same result have in common.
 */
import { type EventId, type Graph, Kind } from '../graph/graph.ts';
import { NONE } from '../program/columns.ts';
import { Linearisation } from './linearisation.ts';
import type { EventStack, GraphModel } from './model.ts';

export class SequentialConsistencyRf implements GraphModel {
  readonly happensBefore = undefined;
  readonly #g: Graph;
  readonly #search: Linearisation;
  #revisited: EventId = NONE;
  /** Whether `#search` holds the order of what stays in the revisit that is being considered. */
  #hasOrder = false;

  constructor(g: Graph) {
    this.#g = g;
    this.#search = new Linearisation(g);
  }

  readCandidates(r: EventId, out: EventStack): void {
    const g = this.#g;
    const from = out.length;
    for (let w = g.coLast[g.location[r]!]!; w !== NONE; w = g.coPrev[w]!) if (!this.#isOverwritten(w, r)) out.push(w);
    if (out.length === from + 1) return;
    let kept = from;
    for (let i = from; i < out.length; i++) {
      const w = out.items[i]!;
      if (this.canRead(r, w)) out.items[kept++] = w;
    }
    out.length = kept;
  }

  /** Whether another write to the location comes between w and r in program order and reads-from. */
  #isOverwritten(w: EventId, r: EventId): boolean {
    const g = this.#g;
    for (let x = g.coNext[g.location[r]!]!; x !== NONE; x = g.coNext[x]!) {
      if (x !== w && g.porfBefore(w, x) && g.porfBefore(x, r)) return true;
    }
    return false;
  }

  canRead(r: EventId, w: EventId): boolean {
    this.#search.setAll();
    return this.#search.find(r, w);
  }

  placings(w: EventId, out: EventStack): void {
    const g = this.#g;
    const read = g.updateRead[w]!;
    if (read !== NONE) {
      for (let r = g.readers[g.rf[read]!]!; r !== NONE; r = g.readNext[r]!) {
        if (r !== read && g.isUpdateRead(r)) return; // two updates of one write
      }
    }
    out.push(g.coLast[g.location[w]!]!);
  }

  added(): boolean {
    return true;
  }

  beginRevisit(r: EventId): void {
    this.#revisited = r;
    this.#hasOrder = false;
  }

  isMaximallyAdded(e: EventId, w: EventId): boolean {
    const g = this.#g;
    const stamp = g.stamp[e]!;
    if (g.kind[e] === Kind.WRITE) {
      for (let r = g.readers[e]!; r !== NONE; r = g.readNext[r]!) if (g.stamp[r]! < stamp) return false;
      return true;
    }
    if (g.kind[e] !== Kind.READ) return g.kind[e] !== Kind.CHOOSE || g.value[e] === 0;
    const source = g.rf[e]!;
    if (g.stamp[source]! > stamp && !g.porfBefore(source, w)) return false;
    return source === this.#maximalWrite(e, w);
  }

  /** The last deleted write before e; if there is none, the last write in the order of what stays; NONE if that has none. */
  #maximalWrite(e: EventId, w: EventId): EventId {
    const g = this.#g;
    for (let x = g.coLast[g.location[e]!]!; g.thread[x] !== NONE; x = g.coPrev[x]!) {
      if (g.stamp[x]! < g.stamp[e]! && g.stamp[x]! > g.stamp[this.#revisited]! && !g.porfBefore(x, w)) return x;
    }
    if (!this.#hasOrder && !this.#orderWhatStays(w)) return NONE;
    return this.#search.lastWrite(g.location[e]!);
  }

  /** False if an event that stays reads from one that does not, which then was not added maximally. */
  #orderWhatStays(w: EventId): boolean {
    const g = this.#g;
    const r = this.#revisited;
    const search = this.#search;
    search.setAll();
    for (let t = 0; t < g.stride; t++) {
      const needed = g.porfCount(w, t);
      for (let e = g.last[t]!; e !== NONE && g.stamp[e]! >= g.stamp[r]! && g.index[e]! >= needed; e = g.poPrev[e]!) {
        search.limit[t] = g.index[e]!;
      }
    }
    search.limit[g.thread[w]!] = g.index[w]!;
    this.#hasOrder = search.find();
    return this.#hasOrder;
  }

  mayStayStuck(_r: EventId, w: EventId): boolean {
    const g = this.#g;
    for (let x = g.coNext[g.location[w]!]!; x !== NONE; x = g.coNext[x]!)
      if (x !== w && g.porfBefore(w, x)) return false;
    return true;
  }

  isOvertaken(r: EventId, w: EventId): boolean {
    const g = this.#g;
    const source = g.rf[r]!;
    for (let x = g.coNext[g.location[r]!]!; x !== NONE; x = g.coNext[x]!) {
      if (x !== source && g.porfBefore(source, x) && g.porfBefore(x, w)) return true;
    }
    return false;
  }

  /** Stuck reads have no part in the class; one order of the rest stands for it, whose last writes they must read. */
  isStuckForGood(stuck: EventStack, blocks: (r: EventId, w: EventId) => boolean): boolean {
    const g = this.#g;
    const search = this.#search;
    search.setAll();
    for (let i = 0; i < stuck.length; i++) search.limit[g.thread[stuck.items[i]!]!] = g.index[stuck.items[i]!]!;
    const all = (test: (r: EventId) => boolean): boolean => {
      for (let i = 0; i < stuck.length; i++) if (!test(stuck.items[i]!)) return false;
      return true;
    };
    if (!search.find(NONE, NONE, (last) => all((r) => blocks(r, last(g.location[r]!))))) return false;
    return all((r) => search.lastWrite(g.location[r]!) === g.rf[r]);
  }

  linearise(out: EventStack, stuck: EventStack): void {
    const g = this.#g;
    const search = this.#search;
    search.setAll();
    // an event that is being added may have no edges yet: it is the last of its thread and is left out
    for (let t = 0; t < g.stride; t++) {
      const e = g.last[t]!;
      if (e !== NONE && this.#isUnrelated(e)) search.limit[t] = g.index[e]!;
    }
    const staysLast = (last: (init: EventId) => EventId): boolean => {
      for (let i = 0; i < stuck.length; i++)
        if (last(g.location[stuck.items[i]!]!) !== g.rf[stuck.items[i]!]) return false;
      return true;
    };
    if (!search.find(NONE, NONE, staysLast)) throw new Error('the graph is not consistent');
    for (const e of search.order) out.push(e);
  }

  #isUnrelated(e: EventId): boolean {
    const g = this.#g;
    return (g.kind[e] === Kind.READ && g.rf[e] === NONE) || (g.kind[e] === Kind.WRITE && g.coPrev[e] === NONE);
  }

  mark(): number {
    return 0;
  }

  undoTo(): void {}
}
