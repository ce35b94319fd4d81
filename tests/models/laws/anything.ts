/** The model that allows anything but what no model does, for graphs that are put together without asking: updates are atomic. */
import type { EventId } from '../../../src/graph/graph.ts';
import { causalOrder } from '../../../src/models/causal-order.ts';
import { CoherenceModel } from '../../../src/models/coherence.ts';
import type { EventStack } from '../../../src/models/model.ts';
import { NONE } from '../../../src/program/columns.ts';

export class Anything extends CoherenceModel {
  protected isSettled(_w: EventId, _e: EventId): boolean {
    return false;
  }

  override placings(w: EventId, out: EventStack): void {
    const { g } = this;
    const read = g.updateRead[w]!;
    if (read !== NONE) {
      if (!this.#isTaken(g.rf[read]!, read)) out.push(g.rf[read]!);
      return;
    }
    for (let p = g.coLast[g.location[w]!]!; p !== NONE; p = g.coPrev[p]!)
      if (!this.g.isFollowedByUpdate(p)) out.push(p);
  }

  added(_e: EventId, _isUpdate: boolean): boolean {
    return true;
  }

  linearise(out: EventStack): void {
    causalOrder(this.g, out);
  }

  mark(): number {
    return 0;
  }

  undoTo(_mark: number): void {}

  /** Whether another update reads w. */
  #isTaken(w: EventId, read: EventId): boolean {
    const { g } = this;
    for (let r = g.readers[w]!; r !== NONE; r = g.readNext[r]!) if (r !== read && g.isUpdateRead(r)) return true;
    return false;
  }
}
