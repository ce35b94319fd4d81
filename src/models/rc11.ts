/**
 * RC11 with coherence (Lahav et al., PLDI 2017): release/acquire, and what seq_cst accesses and fences mean (`psc.ts`).
 *
 * Whether an event is seq_cst may depend on what it reads (the failure order of a compare-exchange), so psc is looked at when
 * an event is added, not when its candidates are listed.
 *
 * To look at psc means to walk over all events, and is seldom needed. Beside hb of RC11, the clocks of sequential consistency are
 * kept (`sc-clocks.ts`), of H = (po ∪ rf ∪ co ∪ fr ∪ spawn ∪ join)+, as long as H is acyclic.
 * - psc ⊆ H, so while H is acyclic so is psc. A new event closes a cycle of H only by its edge to the next write in coherence order
 *   (the head of `sc.ts`): one comparison.
 * - An edge of rf, co or fr is *loose* if not both of its ends are seq_cst, nor does the one happen before the other in any case. As
 *   long as no edge was loose (an access to a part of its location counts as none that is seq_cst), a cycle of H is one of psc: H is then made of po, spawns, joins and edges between seq_cst accesses.
 *   The latter are in scb (rf because it synchronises: hb|loc), and so is what leads by po, spawns and joins from one seq_cst
 *   access to the next: po, or, where it leads to another thread, po|≠loc; hb; po|≠loc, because spawns and joins access nothing.
 * - Otherwise psc is looked at. If it is acyclic where H is not, the graph is *weak*, and psc is looked at for all that is added to
 *   it. What a revisit deletes may have been all that was loose or weak: then more is looked at than need be.
 */
import { type EventId, type Graph, Kind } from '../graph/graph.ts';
import { NONE } from '../program/columns.ts';
import { WHOLE } from '../program/extent.ts';
import { LOCKED, Order, strengthOf } from '../program/orders.ts';
import type { EventStack } from './model.ts';
import { PartialScOrder } from './psc.ts';
import { ReleaseAcquire } from './ra.ts';
import { ScClocks } from './sc-clocks.ts';

/** Later than all marks. */
const NEVER = 0x7fffffff;

export class Rc11 extends ReleaseAcquire {
  readonly #psc: PartialScOrder;
  readonly #order: ScClocks;
  /** The marks from which on an edge is loose, and H has a cycle. */
  #looseSince = NEVER;
  #weakSince = NEVER;

  constructor(g: Graph) {
    super(g);
    this.#psc = new PartialScOrder(g, this.clocks);
    this.#order = new ScClocks(g, true);
  }

  override added(e: EventId, isUpdate: boolean): boolean {
    this.clocks.learn(e);
    const isAccess = this.isAccess(e);
    if (this.#weakSince !== NEVER) return !isAccess || this.#psc.allows(e);
    if (isAccess) {
      const { g } = this;
      if (this.#looseSince === NEVER && this.#hasLooseEdge(e)) this.#looseSince = this.#order.markOff(e);
      const next = g.coNext[g.kind[e] === Kind.READ ? g.rf[e]! : e]!;
      if (next !== NONE && this.#order.isBeforeThread(next, e)) {
        if (this.#looseSince === NEVER || !this.#psc.allows(e)) return false;
        this.#weakSince = this.#order.markOff(e);
        return true;
      }
    }
    this.#order.add(e, isUpdate);
    return true;
  }

  override relearn(events: EventStack, isOrdered: boolean): void {
    const { g } = this;
    const { items, length } = events;
    const order = this.#order;
    const last = items[length - 1]!;
    order.relearn(events, isOrdered);
    if (this.#looseSince === NEVER) {
      for (let i = 0; i < length && this.#looseSince === NEVER; i++) {
        if (this.isAccess(items[i]!) && this.#hasLooseEdge(items[i]!)) this.#looseSince = order.markOff(last);
      }
    }
    if (this.#weakSince !== NEVER) return;
    for (let i = 0; i < length && this.#weakSince === NEVER; i++) {
      const e = items[i]!;
      if (!this.isAccess(e)) continue;
      const next = g.coNext[g.kind[e] === Kind.READ ? g.rf[e]! : e]!;
      if (next !== NONE && order.at(e, g.thread[next]!) > g.index[next]!) this.#weakSince = order.markOff(last);
    }
  }

  override mark(): number {
    return this.#order.mark();
  }

  override undoTo(mark: number): void {
    this.#order.undoTo(mark);
    if (mark < this.#looseSince) this.#looseSince = NEVER;
    if (mark < this.#weakSince) this.#weakSince = NEVER;
  }

  /** While H is acyclic, the graph is consistent. */
  override mayComeLater(w: EventId, r: EventId): boolean {
    return this.#weakSince === NEVER && this.#order.mayComeLater(w, r);
  }

  /** What psc will refuse need not be tried. */
  protected override isSettled(w: EventId, e: EventId): boolean {
    return super.isSettled(w, e) || (this.#isKnownToBeSc(e) && this.#order.isBeforeThread(w, e) && this.#areSc(w));
  }

  /** Where all is seq_cst, what would close a cycle was not listed. */
  override isListExact(e: EventId): boolean {
    return this.#weakSince === NEVER && this.#isKnownToBeSc(e) && this.#areSc(this.g.coLast[this.g.location[e]!]!);
  }

  /** Whether a cycle of H that e closes by an edge to a seq_cst write is one of psc. */
  #isKnownToBeSc(e: EventId): boolean {
    const { g } = this;
    if (this.#looseSince !== NEVER || !this.#isSc(e)) return false;
    return g.kind[e] === Kind.WRITE || (g.order[e]! & LOCKED) === 0;
  }

  /** Whether w and all writes before it in coherence order are seq_cst. */
  #areSc(w: EventId): boolean {
    const { g } = this;
    for (let x = w; g.thread[x] !== NONE; x = g.coPrev[x]!) if (!this.#isSc(x)) return false;
    return true;
  }

  /** Whether e is seq_cst, and all that reads from it or that it reads from synchronises: not so where accesses are to parts. */
  #isSc(e: EventId): boolean {
    return strengthOf(this.g.order[e]!) === Order.SEQ_CST && this.g.extent[e] === WHOLE;
  }

  #hasLooseEdge(e: EventId): boolean {
    const { g } = this;
    const isSc = this.#isSc(e);
    const isRead = g.kind[e] === Kind.READ;
    const source = isRead ? g.rf[e]! : g.coPrev[e]!;
    const next = g.coNext[isRead ? source : e]!;
    if (next !== NONE && !(isSc && this.#isSc(next))) return true;
    if (!this.#isTight(source, e, isSc)) return true;
    if (isRead) return false;
    for (let r = g.readers[source]!; r !== NONE; r = g.readNext[r]!) if (!this.#isTight(r, e, isSc)) return true;
    return false;
  }

  /** Whether the edge from a to e, new, is not loose. */
  #isTight(a: EventId, e: EventId, isSc: boolean): boolean {
    const { g } = this;
    if (g.thread[a] === NONE || (isSc && this.#isSc(a))) return true;
    const before = g.eventBefore(e);
    return before !== NONE && (a === before || this.clocks.happensBefore(a, before));
  }
}
