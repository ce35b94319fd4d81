/**
 * Release/acquire with coherence (Lahav et al., PLDI 2017). With hb as in `happens-before.ts`:
 *
 *   eco = (rf ∪ co ∪ fr)+
 *   coherence: hb; eco? is irreflexive           atomicity: no write comes between an update and what it reads
 *
 * and po ∪ rf acyclic, which the explorer sees to. seq_cst is no more than acq_rel here; RC11 adds what it means.
 *
 * A new event e can offend against coherence only by an eco edge that leads from it back to what happens before it: to a
 * write x that comes after the one it reads, or after itself, or to a reader of such an x. Let m be the coherence-latest write
 * that happens before e or has a reader that does: e may read m or any later write, and be placed anywhere after m. What e
 * learns by acquiring from the write that it reads makes no difference: had that write been preceded by x or a reader of x, it
 * would come after x.
 */
import type { EventId, Graph } from '../graph/graph.ts';
import { NONE } from '../program/columns.ts';
import { causalOrder } from './causal-order.ts';
import { CoherenceModel } from './coherence.ts';
import { HappensBeforeClocks } from './happens-before.ts';
import type { EventStack, HappensBefore } from './model.ts';

export class ReleaseAcquire extends CoherenceModel {
  readonly clocks: HappensBeforeClocks;
  override readonly happensBefore: HappensBefore;

  constructor(g: Graph) {
    super(g);
    this.clocks = new HappensBeforeClocks(g);
    this.happensBefore = (a, b) => this.clocks.happensBefore(a, b);
  }

  isListExact(_e: EventId): boolean {
    return true;
  }

  added(e: EventId, _isUpdate: boolean): boolean {
    this.clocks.learn(e);
    return true;
  }

  linearise(out: EventStack): void {
    causalOrder(this.g, out);
  }

  mark(): number {
    return 0;
  }

  undoTo(_mark: number): void {}

  /** Whether w or a read of it happens before e. */
  protected isSettled(w: EventId, e: EventId): boolean {
    const { g, clocks } = this;
    const before = g.eventBefore(e);
    if (before === NONE) return false;
    if (w === before || clocks.happensBefore(w, before)) return true;
    for (let r = g.readers[w]!; r !== NONE; r = g.readNext[r]!) {
      if (r === before || clocks.happensBefore(r, before)) return true;
    }
    return false;
  }
}
