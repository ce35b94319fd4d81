/** PSO without coherence: for the reads-from equivalence. A graph is consistent if `Linearisation` finds an order. */
import type { EventId, Graph } from '../graph/graph.ts';
import { NONE } from '../program/columns.ts';
import { causalOrder } from './causal-order.ts';
import { Linearisation } from './linearisation.ts';
import type { EventStack } from './model.ts';
import { PartialStoreOrder, roleUnderPso } from './pso.ts';
import { QuickSearch } from './quick-search.ts';
import { ReadsFromModel } from './reads-from.ts';
import { isFenced, Role } from './store-buffers.ts';

export class PartialStoreOrderRf extends ReadsFromModel {
  protected readonly order: PartialStoreOrder;
  protected readonly search: QuickSearch;

  constructor(g: Graph) {
    super(g);
    this.order = new PartialStoreOrder(g);
    this.search = new QuickSearch(g, new Linearisation(g, roleUnderPso), isFenced(roleUnderPso));
  }

  /**
   * As under TSO, if w is a full fence or there is one between w and e: otherwise a path of porf may leave the thread by a write
   * that has overtaken w.
   */
  protected comesBefore(w: EventId, e: EventId): boolean {
    const { g } = this;
    if (!g.porfBefore(w, e)) return false;
    if (g.thread[w] === NONE || g.thread[w] === g.thread[e]) return true;
    if (g.hasMerging) return false;
    for (let x = w; x !== NONE && g.porfBefore(x, e); x = g.poNext[x]!) {
      if (roleUnderPso(g, x) === Role.FULL_FENCE) return true;
    }
    return false;
  }

  linearise(out: EventStack, _stuck: EventStack): void {
    causalOrder(this.g, out, false);
  }
}
