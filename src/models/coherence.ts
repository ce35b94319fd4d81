/**
 * What all models that track coherence have in common: [TruSt]'s maximality, and what stuck reads mean, are about stamps and
 * coherence alone. What differs is which choices keep a graph consistent.
 */
import { type EventId, type Graph, Kind } from '../graph/graph.ts';
import { NONE } from '../program/columns.ts';
import type { EventStack, GraphModel, HappensBefore } from './model.ts';

export abstract class CoherenceModel implements GraphModel {
  protected readonly g: Graph;
  readonly hasCoherence = true;
  readonly happensBefore: HappensBefore | undefined = undefined;

  constructor(g: Graph) {
    this.g = g;
  }

  /** Called before `isSettled` is asked about the new event e. */
  protected begin(_e: EventId): void {}

  /**
   * Whether the new event e comes after w, another write to its location, so that e neither reads nor is placed before w, nor
   * anything that is before w in coherence order.
   */
  protected abstract isSettled(w: EventId, e: EventId): boolean;

  readCandidates(r: EventId, out: EventStack): void {
    const { g } = this;
    this.begin(r);
    for (let w = g.coLast[g.location[r]!]!; w !== NONE; w = g.coPrev[w]!) {
      out.push(w);
      if (this.isSettled(w, r)) break;
    }
  }

  canRead(r: EventId, w: EventId): boolean {
    const { g } = this;
    this.begin(r);
    for (let x = g.coNext[w]!; x !== NONE; x = g.coNext[x]!) if (this.isSettled(x, r)) return false;
    return true;
  }

  placings(w: EventId, out: EventStack): void {
    const { g } = this;
    const read = g.updateRead[w]!;
    if (read !== NONE) {
      // atomicity: nothing comes between an update and the write it reads
      if (!g.isFollowedByUpdate(g.rf[read]!)) out.push(g.rf[read]!);
      return;
    }
    this.begin(w);
    for (let p = g.coLast[g.location[w]!]!; p !== NONE; p = g.coPrev[p]!) {
      if (!g.isFollowedByUpdate(p)) out.push(p);
      if (this.isSettled(p, w)) break;
    }
  }

  /** Whether the new access e comes after the write w wherever it is put. */
  isAfter(e: EventId, w: EventId): boolean {
    this.begin(e);
    return this.isSettled(w, e);
  }

  /**
   * Of the write w, which r, new, comes after a later one of: whether w may just as well come after that, so that r may read it. False:
   * that is not known.
   */
  mayComeLater(_w: EventId, _r: EventId): boolean {
    return false;
  }

  /**
   * The coherence order of a graph was changed, or events were deleted that were not added maximally; all `events` of the graph are to
   * be looked at anew. They come in the order in which they were added, or, if `isOrdered`, in one in which memory could have run
   * them. What is forgotten comes back by undoing.
   */
  relearn(_events: EventStack, _isOrdered: boolean): void {}

  abstract added(e: EventId, isUpdate: boolean): boolean;
  abstract linearise(out: EventStack, stuck: EventStack): void;
  abstract mark(): number;
  abstract undoTo(mark: number): void;

  beginRevisit(): void {}

  isMaximallyAdded(e: EventId, w: EventId): boolean {
    const { g } = this;
    const stamp = g.stamp[e]!;
    let read = e;
    if (g.kind[e] === Kind.READ) {
      read = g.rf[e]!;
      if (g.stamp[read]! > stamp && !g.porfBefore(read, w)) return false;
    } else if (g.kind[e] === Kind.WRITE) {
      for (let r = g.readers[e]!; r !== NONE; r = g.readNext[r]!) if (g.stamp[r]! < stamp) return false;
    } else {
      return g.kind[e] !== Kind.CHOOSE || g.value[e] === 0;
    }
    for (let x = g.coNext[read]!; x !== NONE; x = g.coNext[x]!) {
      if (g.stamp[x]! <= stamp || g.porfBefore(x, w)) return false;
    }
    return true;
  }

  mayStayStuck(r: EventId, w: EventId): boolean {
    return this.g.coLast[this.g.location[r]!] === w;
  }

  isOvertaken(r: EventId, w: EventId): boolean {
    const { g } = this;
    for (let x = g.coNext[g.rf[r]!]!; x !== NONE; x = g.coNext[x]!) if (g.porfBefore(x, w)) return true;
    return false;
  }

  isStuckForGood(stuck: EventStack): boolean {
    const { g } = this;
    for (let i = 0; i < stuck.length; i++) {
      const r = stuck.items[i]!;
      if (g.coLast[g.location[r]!] !== g.rf[r]) return false;
    }
    return true;
  }

  settles(_stuck: EventStack, reads: EventStack, keeps: (r: EventId, w: EventId) => boolean): boolean {
    const { g } = this;
    for (let i = 0; i < reads.length; i++) {
      const r = reads.items[i]!;
      if (!keeps(r, g.coLast[g.location[r]!]!)) return false;
    }
    return true;
  }

  coherence(out: EventStack): void {
    const { g } = this;
    for (let init = 0; init < g.length; init++) {
      if (g.kind[init] !== Kind.INIT) continue;
      for (let w = g.coNext[init]!; w !== NONE; w = g.coNext[w]!) out.push(w);
    }
  }

  protected isAccess(e: EventId): boolean {
    return this.g.kind[e] === Kind.READ || this.g.kind[e] === Kind.WRITE;
  }
}
