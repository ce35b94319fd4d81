/** TSO without coherence: for the reads-from equivalence. A graph is consistent if `Linearisation` finds an order. */
import type { EventId, Graph } from '../graph/graph.ts';
import { NONE } from '../program/columns.ts';
import { causalOrder } from './causal-order.ts';
import { Linearisation } from './linearisation.ts';
import type { EventStack } from './model.ts';
import { QuickSearch } from './quick-search.ts';
import { ReadsFromModel } from './reads-from.ts';
import { isFenced } from './store-buffers.ts';
import { roleUnderTso, TotalStoreOrder } from './tso.ts';

export class TotalStoreOrderRf extends ReadsFromModel {
  protected readonly order: TotalStoreOrder;
  protected readonly search: QuickSearch;

  constructor(g: Graph) {
    super(g);
    this.order = new TotalStoreOrder(g);
    this.search = new QuickSearch(g, new Linearisation(g, roleUnderTso), isFenced(roleUnderTso));
  }

  /**
   * A path of porf from a write leaves its thread by a write, or by a spawn or join, and enters another one by a read, a spawn or a
   * join: so it is one of ghb, unless it stays in the thread. A store to a part reads, and is not before what comes later.
   */
  protected comesBefore(w: EventId, e: EventId): boolean {
    const { g } = this;
    return g.porfBefore(w, e) && (!g.hasMerging || g.thread[w] === NONE || g.thread[w] === g.thread[e]);
  }

  linearise(out: EventStack, _stuck: EventStack): void {
    causalOrder(this.g, out, false);
  }
}
