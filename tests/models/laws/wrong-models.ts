/** Models that are wrong, each in its own way, so that the laws can be seen to notice. */
import { type EventId, type Graph, Kind } from '../../../src/graph/graph.ts';
import type { EventStack } from '../../../src/models/model.ts';
import { ReleaseAcquire } from '../../../src/models/ra.ts';
import { SequentialConsistency } from '../../../src/models/sc.ts';
import { SequentialConsistencyRf } from '../../../src/models/sc-rf.ts';
import { Role, StoreBuffers } from '../../../src/models/store-buffers.ts';
import { roleUnderTso } from '../../../src/models/tso.ts';
import { NONE } from '../../../src/program/columns.ts';
import { ByAxioms } from './by-axioms.ts';
import { eventsOf } from './drawing.ts';

/** Takes back nothing. */
export class WithoutUndo extends SequentialConsistency {
  override undoTo(_mark: number): void {}
}

/** Lets a write come last only where it can come nowhere else. */
export class NeverLast extends SequentialConsistency {
  override placings(w: EventId, out: EventStack): void {
    const from = out.length;
    super.placings(w, out);
    if (out.length < from + 2) return;
    out.items.copyWithin(from, from + 1, out.length);
    out.length -= 1;
  }
}

/** Has no place for the write of an update that reads from another thread. */
export class WithoutForeignUpdates extends SequentialConsistency {
  override placings(w: EventId, out: EventStack): void {
    const read = this.g.updateRead[w]!;
    if (read === NONE || this.g.thread[this.g.rf[read]!] === NONE) super.placings(w, out);
  }
}

/** Does not look at what was read before, so that a later read may see an older write. */
export class WithoutReads extends ReleaseAcquire {
  override readCandidates(r: EventId, out: EventStack): void {
    const { g } = this;
    for (let w = g.coLast[g.location[r]!]!; w !== NONE; w = g.coPrev[w]!) {
      out.push(w);
      if (this.#isBefore(w, r)) break;
    }
  }

  override canRead(r: EventId, w: EventId): boolean {
    for (let x = this.g.coNext[w]!; x !== NONE; x = this.g.coNext[x]!) if (this.#isBefore(x, r)) return false;
    return true;
  }

  #isBefore(w: EventId, r: EventId): boolean {
    const before = this.g.eventBefore(r);
    return before !== NONE && (w === before || this.clocks.happensBefore(w, before));
  }
}

/** Says yes to whoever asks about a single write. */
export class Agreeable extends ReleaseAcquire {
  override canRead(_r: EventId, _w: EventId): boolean {
    return true;
  }
}

/** TSO that knows no fences. */
export class WithoutFences extends StoreBuffers {
  constructor(g: Graph) {
    super(g, (graph, e) => (graph.kind[e] === Kind.LOCAL ? Role.NONE : roleUnderTso(graph, e)));
  }
}

/** Takes the first coherence order for the only one, and never looks for another that explains the reads. */
export class WithoutSearch extends SequentialConsistencyRf {
  override added(e: EventId, isUpdate: boolean): boolean {
    const isConsistent = super.added(e, isUpdate);
    this.isLoose = false;
    return isConsistent;
  }
}

/** Sequential consistency, until a fence is seen. */
export class UntilFence extends ByAxioms {
  constructor(g: Graph) {
    super(g, 'sc');
  }

  override added(e: EventId, isUpdate: boolean): boolean {
    return this.#hasFence() || super.added(e, isUpdate);
  }

  #hasFence(): boolean {
    const { g } = this;
    return Array.from({ length: g.stride }, (_, t) => eventsOf(g, t))
      .flat()
      .some((e) => g.kind[e] === Kind.LOCAL);
  }
}

/** Sequential consistency that is looked after as a read is added, and not as a write is. */
export class OnlyAtReads extends ByAxioms {
  constructor(g: Graph) {
    super(g, 'sc');
  }

  override added(e: EventId, isUpdate: boolean): boolean {
    return this.g.kind[e] !== Kind.READ || super.added(e, isUpdate);
  }
}
