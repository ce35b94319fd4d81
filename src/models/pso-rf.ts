/** PSO without coherence: for the reads-from equivalence. A graph is consistent if `BufferedLinearisation` finds an order. */
import type { EventId, Graph } from '../graph/graph.ts';
import { NONE } from '../program/columns.ts';
import { BufferedLinearisation } from './buffered-linearisation.ts';
import { causalOrder } from './causal-order.ts';
import type { EventStack } from './model.ts';
import { roleUnderPso } from './pso.ts';
import { ReadsFromModel } from './reads-from.ts';
import { Role } from './store-buffers.ts';

export class PartialStoreOrderRf extends ReadsFromModel {
  protected readonly search: BufferedLinearisation;

  constructor(g: Graph) {
    super(g);
    this.search = new BufferedLinearisation(g, roleUnderPso);
  }

  /** As under TSO, if w is a full fence: a path may leave its thread by another write, which could overtake w. */
  protected comesBefore(w: EventId, e: EventId): boolean {
    const { g } = this;
    if (!g.porfBefore(w, e)) return false;
    return g.thread[w] === NONE || g.thread[w] === g.thread[e] || roleUnderPso(g, w) === Role.FULL_FENCE;
  }

  linearise(out: EventStack, _stuck: EventStack): void {
    causalOrder(this.g, out, false);
  }
}
