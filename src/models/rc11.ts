/**
 * RC11 with coherence (Lahav et al., PLDI 2017): release/acquire, and what seq_cst accesses and fences mean (`psc.ts`).
 *
 * Whether an event is seq_cst may depend on what it reads (the failure order of a compare-exchange), so psc is looked at when
 * an event is added, not when its candidates are listed.
 */
import type { EventId, Graph } from '../graph/graph.ts';
import { PartialScOrder } from './psc.ts';
import { ReleaseAcquire } from './ra.ts';

export class Rc11 extends ReleaseAcquire {
  readonly #psc: PartialScOrder;

  constructor(g: Graph) {
    super(g);
    this.#psc = new PartialScOrder(g, this.clocks);
  }

  override added(e: EventId, isUpdate: boolean): boolean {
    super.added(e, isUpdate);
    return !this.isAccess(e) || this.#psc.allows(e);
  }
}
