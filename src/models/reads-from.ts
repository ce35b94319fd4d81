/**
 * What all models without coherence have in common: for the reads-from equivalence ([TruSt], section 4.2, Algorithm 2). A
 * graph is consistent if some coherence order makes it so; a `CoherenceSearch` of the model looks for one. The graph's
 * coherence lists hold the writes of a location in the order in which they were added.
 *
 * What differs from the paper: GetConsCO is computed on the graph without r, w and what is deleted, not on the graph with
 * r's old reads-from, so that it depends only on what two revisits with the same result have in common.
 *
 * A new write never makes a graph inconsistent: it may come last, or, if it is that of an update, right after the write that the
 * update reads, unless that place is taken. (Then it only lives on through a revisit.) So only reads are checked.
 */
import { type EventId, type Graph, Kind } from '../graph/graph.ts';
import { type Column, grown, NONE } from '../program/columns.ts';
import { EventStack, type GraphModel, type HappensBefore } from './model.ts';

const noEvents = new EventStack();

/** Whether w may be the last write of its location. */
export type MayBeLast = (w: EventId) => boolean;

/**
 * Looks for a coherence order that makes a part of the graph consistent. The part is a prefix of each thread, closed under
 * porf. The result depends on program order and reads-from alone, not on the order in which events were added: the paper
 * asks that of GetConsCO.
 */
export interface CoherenceSearch {
  /** By thread: how many of its events take part. */
  limit: Column;
  /** All events take part. */
  setAll(): void;
  /** Whether there is such an order. r is taken to read from w (NONE: no such). */
  find(r?: EventId, w?: EventId, mayBeLast?: MayBeLast): boolean;
  /** The last write of a location in the order that was found; NONE if the part is not closed there. */
  lastWrite(init: EventId): EventId;
}

export abstract class ReadsFromModel implements GraphModel {
  readonly hasCoherence = false;
  readonly happensBefore: HappensBefore | undefined = undefined;
  protected readonly g: Graph;
  protected abstract readonly search: CoherenceSearch;
  /** By thread: see `#findSeen`. */
  #seen: Column = new Int32Array(8);
  #revisited: EventId = NONE;
  /** Whether `search` holds the order of what stays in the revisit that is being considered. */
  #hasOrder = false;

  constructor(g: Graph) {
    this.g = g;
  }

  /**
   * Whether, for a reason that lies in what e depends on, the write w comes before e, another access to its location, in all
   * coherence orders: e writes later, or reads w or a later write. Any relation that is true will do: it saves work.
   */
  protected abstract comesBefore(w: EventId, e: EventId): boolean;

  abstract linearise(out: EventStack, stuck: EventStack): void;

  readCandidates(r: EventId, out: EventStack): void {
    const { g } = this;
    const from = out.length;
    this.#findSeen(r);
    for (let w = g.coLast[g.location[r]!]!; w !== NONE; w = g.coPrev[w]!) if (!this.#isOverwritten(w)) out.push(w);
    if (out.length === from + 1) return;
    let kept = from;
    for (let i = from; i < out.length; i++) {
      const w = out.items[i]!;
      if (this.canRead(r, w)) out.items[kept++] = w;
    }
    out.length = kept;
  }

  /** Finds, for each thread, the last write that r reads or comes after. */
  #findSeen(r: EventId): void {
    const { g } = this;
    if (this.#seen.length < g.stride) this.#seen = grown(this.#seen, g.stride);
    this.#seen.fill(NONE, 0, g.stride);
    for (let x = g.coNext[g.location[r]!]!; x !== NONE; x = g.coNext[x]!) {
      if (this.comesBefore(x, r)) this.#seen[g.thread[x]!] = x; // those of a thread are listed in program order
    }
  }

  /** Whether one of these comes after w. */
  #isOverwritten(w: EventId): boolean {
    for (let t = 0; t < this.g.stride; t++) {
      const x = this.#seen[t]!;
      if (x !== NONE && x !== w && this.comesBefore(w, x)) return true;
    }
    return false;
  }

  canRead(r: EventId, w: EventId): boolean {
    this.search.setAll();
    return this.search.find(r, w);
  }

  placings(w: EventId, out: EventStack): void {
    const { g } = this;
    const read = g.updateRead[w]!;
    if (read !== NONE) {
      for (let r = g.readers[g.rf[read]!]!; r !== NONE; r = g.readNext[r]!) {
        if (r !== read && g.isUpdateRead(r)) return; // two updates of one write
      }
    }
    out.push(g.coLast[g.location[w]!]!);
  }

  added(_e: EventId, _isUpdate: boolean): boolean {
    return true;
  }

  beginRevisit(r: EventId): void {
    this.#revisited = r;
    this.#hasOrder = false;
  }

  isMaximallyAdded(e: EventId, w: EventId): boolean {
    const { g } = this;
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
    const { g } = this;
    for (let x = g.coLast[g.location[e]!]!; g.thread[x] !== NONE; x = g.coPrev[x]!) {
      if (g.stamp[x]! < g.stamp[e]! && g.stamp[x]! > g.stamp[this.#revisited]! && !g.porfBefore(x, w)) return x;
    }
    if (!this.#hasOrder && !this.#orderWhatStays(w)) return NONE;
    return this.search.lastWrite(g.location[e]!);
  }

  /** False if an event that stays reads from one that does not, which then was not added maximally. */
  #orderWhatStays(w: EventId): boolean {
    const { g, search } = this;
    const r = this.#revisited;
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
    const { g } = this;
    for (let x = g.coNext[g.location[w]!]!; x !== NONE; x = g.coNext[x]!)
      if (x !== w && this.comesBefore(w, x)) return false;
    return true;
  }

  isOvertaken(r: EventId, w: EventId): boolean {
    const { g } = this;
    const source = g.rf[r]!;
    for (let x = g.coNext[g.location[r]!]!; x !== NONE; x = g.coNext[x]!) {
      if (x !== source && g.porfBefore(x, w) && this.comesBefore(source, x)) return true;
    }
    return false;
  }

  /** Stuck reads have no part in the class; one order of the rest stands for it, whose last writes they must read. */
  isStuckForGood(stuck: EventStack, blocks: (r: EventId, w: EventId) => boolean): boolean {
    const { g, search } = this;
    if (!this.settles(stuck, noEvents, blocks)) return false;
    for (let i = 0; i < stuck.length; i++) {
      const r = stuck.items[i]!;
      if (search.lastWrite(g.location[r]!) !== g.rf[r]) return false;
    }
    return true;
  }

  settles(stuck: EventStack, reads: EventStack, keeps: (r: EventId, w: EventId) => boolean): boolean {
    const { g, search } = this;
    search.setAll();
    for (let i = 0; i < stuck.length; i++) search.limit[g.thread[stuck.items[i]!]!] = g.index[stuck.items[i]!]!;
    const allKeep = (list: EventStack, w: EventId): boolean => {
      for (let i = 0; i < list.length; i++) {
        const r = list.items[i]!;
        if (g.location[r] === g.location[w] && !keeps(r, w)) return false;
      }
      return true;
    };
    if (!search.find(NONE, NONE, (w) => allKeep(stuck, w) && allKeep(reads, w))) return false;
    for (const list of [stuck, reads]) {
      for (let i = 0; i < list.length; i++) {
        const w = search.lastWrite(g.location[list.items[i]!]!);
        if (w === NONE || !keeps(list.items[i]!, w)) return false;
      }
    }
    return true;
  }

  mark(): number {
    return 0;
  }

  undoTo(): void {}
}
