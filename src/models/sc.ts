/**
 * Sequential consistency with coherence: a graph is consistent if po ∪ rf ∪ co ∪ fr is acyclic ([TruSt], section 2; spawns
 * and joins count as program order). Call the transitive closure of that relation hb.
 *
 * No general cycle check is needed. A new event e is last in its thread. Whatever it reads, or wherever in coherence
 * order it is placed, edges lead from it only to the next write x in coherence order, so a cycle means that x is
 * hb-before the event before e in its thread (x is never hb-before the write that e reads or follows, nor before the
 * reads of that write: these come before x). Hence: let m be the coherence-latest write that happens before that event;
 * e may read m or any later write, and be placed anywhere after m.
 *
 * A backward revisit needs no more than that. The events that it deletes were added maximally, so that no edge leads
 * from them to an event that stays: the clocks of what stays are right as they are. Then w is placed and r added anew,
 * as the last event of its thread, reading w: two additions as above.
 *
 * Hot code. `sc-clocks.ts` has the vector clocks of hb.
 */
import type { EventId, Graph } from '../graph/graph.ts';
import { NONE } from '../program/columns.ts';
import { CoherenceModel } from './coherence.ts';
import type { EventStack } from './model.ts';
import { ScClocks } from './sc-clocks.ts';

export class SequentialConsistency extends CoherenceModel {
  readonly #clocks: ScClocks;

  constructor(g: Graph) {
    super(g);
    this.#clocks = new ScClocks(g);
  }

  protected isSettled(w: EventId, e: EventId): boolean {
    return this.#clocks.isBeforeThread(w, e);
  }

  precedes(a: EventId, b: EventId): boolean {
    return this.#clocks.at(b, this.g.thread[a]!) > this.g.index[a]!;
  }

  isListExact(): boolean {
    return true;
  }

  added(e: EventId, isUpdate: boolean): boolean {
    this.#clocks.add(e, isUpdate);
    return true;
  }

  override mayComeLater(w: EventId, r: EventId): boolean {
    return this.#clocks.mayComeLater(w, r);
  }

  override relearn(events: EventStack, isOrdered: boolean): void {
    this.#clocks.relearn(events, isOrdered);
  }

  linearise(out: EventStack): void {
    const { g } = this;
    const done = new Int32Array(g.stride);
    const isReady = (e: EventId): boolean => {
      for (let t = 0; t < g.stride; t++) {
        const needed = this.#clocks.at(e, t) - (t === g.thread[e] ? 1 : 0);
        if (needed > done[t]!) return false;
      }
      return true;
    };
    const next = (t: number): EventId => {
      if (g.last[t] === NONE || g.index[g.last[t]!]! < done[t]!) return NONE;
      let e = g.first[t]!;
      while (g.index[e]! < done[t]!) e = g.poNext[e]!;
      return e;
    };
    for (let progress = true; progress; ) {
      progress = false;
      for (let t = 0; t < g.stride; t++) {
        for (let e = next(t); e !== NONE && isReady(e); e = g.poNext[e]!) {
          out.push(e);
          done[t] = done[t]! + 1;
          progress = true;
        }
      }
    }
  }

  mark(): number {
    return this.#clocks.mark();
  }

  undoTo(mark: number): void {
    this.#clocks.undoTo(mark);
  }
}
