/**
 * Sequential consistency without coherence: for the reads-from equivalence. A graph is consistent if some order of its events
 * explains its reads-from (`Linearisation`).
 */
import { type EventId, type Graph, Kind } from '../graph/graph.ts';
import { NONE } from '../program/columns.ts';
import { Linearisation } from './linearisation.ts';
import type { EventStack } from './model.ts';
import { QuickSearch } from './quick-search.ts';
import { ReadsFromModel } from './reads-from.ts';
import { SequentialConsistency } from './sc.ts';
import { Role } from './store-buffers.ts';

export class SequentialConsistencyRf extends ReadsFromModel {
  protected readonly order: SequentialConsistency;
  protected readonly search: QuickSearch;
  readonly #linearisation: Linearisation;

  constructor(g: Graph) {
    super(g);
    this.order = new SequentialConsistency(g);
    this.#linearisation = new Linearisation(g, () => Role.FULL_FENCE);
    this.search = new QuickSearch(g, this.#linearisation);
  }

  protected comesBefore(w: EventId, e: EventId): boolean {
    return this.g.porfBefore(w, e);
  }

  linearise(out: EventStack, stuck: EventStack): void {
    const { g } = this;
    const search = this.#linearisation;
    search.setAll();
    // an event that is being added may have no edges yet: it is the last of its thread and is left out
    for (let t = 0; t < g.stride; t++) {
      const e = g.last[t]!;
      if (e !== NONE && this.#isUnrelated(e)) search.limit[t] = g.index[e]!;
    }
    const isReadByStuck = (w: EventId): boolean => {
      for (let i = 0; i < stuck.length; i++) {
        const r = stuck.items[i]!;
        if (g.location[r] === g.location[w] && g.rf[r] !== w) return false;
      }
      return true;
    };
    if (!search.find(NONE, NONE, isReadByStuck)) throw new Error('the graph is not consistent');
    search.pushOrder(NONE, out);
  }

  #isUnrelated(e: EventId): boolean {
    const { g } = this;
    return (g.kind[e] === Kind.READ && g.rf[e] === NONE) || (g.kind[e] === Kind.WRITE && g.coPrev[e] === NONE);
  }
}
