/**
 * A search for a coherence order that first looks for one of sequential consistency (`sc-run.ts`), which is good enough under all
 * models, and where it is all there is, that there is none is good enough, too.
 */
import { type EventId, type Graph, Kind } from '../graph/graph.ts';
import { type Column, NONE } from '../program/columns.ts';
import type { EventStack } from './model.ts';
import type { CoherenceSearch, MayBeLast } from './reads-from.ts';
import { Run, ScRun } from './sc-run.ts';

/** Whether a graph in which all accesses that others may see are like e is consistent only if it is sequentially consistent. */
export type IsStrong = (g: Graph, e: EventId) => boolean;

export class QuickSearch implements CoherenceSearch {
  readonly #g: Graph;
  readonly #slow: CoherenceSearch;
  readonly #run: ScRun;
  readonly #isStrong: IsStrong | undefined;
  /** Whether the order that was found is that of the run. */
  isOfRun = false;

  /** `isStrong` is left out for sequential consistency. */
  constructor(g: Graph, slow: CoherenceSearch, isStrong?: IsStrong) {
    this.#g = g;
    this.#slow = slow;
    this.#run = new ScRun(g);
    this.#isStrong = isStrong;
  }

  get limit(): Column {
    return this.#slow.limit;
  }

  setAll(): void {
    this.#slow.setAll();
  }

  find(r: EventId = NONE, w: EventId = NONE, mayBeLast?: MayBeLast): boolean {
    this.isOfRun = false;
    if (mayBeLast === undefined) {
      const result = this.#run.find(this.limit, r, w);
      this.isOfRun = result === Run.FOUND;
      if (this.isOfRun) return true;
      if (result === Run.FAILED && this.#areStrong()) return false;
    }
    return this.#slow.find(r, w, mayBeLast);
  }

  #areStrong(): boolean {
    const g = this.#g;
    const isStrong = this.#isStrong;
    if (isStrong === undefined) return true;
    for (let t = 0; t < g.stride; t++) {
      for (let e = g.last[t]!; e !== NONE; e = g.poPrev[e]!) {
        const isAccess = g.kind[e] === Kind.READ || g.kind[e] === Kind.WRITE;
        if (isAccess && !g.isPrivate(e) && !isStrong(g, e)) return false;
      }
    }
    return true;
  }

  lastWrite(init: EventId): EventId {
    return this.isOfRun ? this.#run.lastWrite(init) : this.#slow.lastWrite(init);
  }

  pushOrder(e: EventId, out: EventStack): boolean {
    if (!this.isOfRun) return this.#slow.pushOrder(e, out);
    const { items, length } = this.#run.order;
    for (let i = 0; i < length; i++) out.push(items[i]!);
    return true;
  }
}
