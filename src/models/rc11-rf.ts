/**
 * RC11 without coherence: for the reads-from equivalence. Release/acquire, and among its coherence orders one that makes psc
 * acyclic (`psc-search.ts`).
 *
 * Whether a read is seq_cst may depend on what it reads (the failure order of a compare-exchange), so psc is looked at when it is
 * added, not when its candidates are listed.
 */
import { type EventId, type Graph, Kind } from '../graph/graph.ts';
import { NONE } from '../program/columns.ts';
import { WHOLE } from '../program/extent.ts';
import { LOCKED, Order, strengthOf } from '../program/orders.ts';
import type { HappensBeforeClocks } from './happens-before.ts';
import type { EventStack } from './model.ts';
import { PscSearch } from './psc-search.ts';
import { QuickSearch } from './quick-search.ts';
import { ReleaseAcquireRf, ReleaseAcquireSearch } from './ra-rf.ts';
import { Rc11 } from './rc11.ts';
import type { MayBeLast } from './reads-from.ts';

export class Rc11Rf extends ReleaseAcquireRf {
  declare protected readonly order: Rc11;
  declare protected readonly search: QuickSearch;
  /** Whether all that was listed for the last read is consistent, psc included. */
  #isExact = true;

  protected override makeOrder(): Rc11 {
    return new Rc11(this.g);
  }

  protected override makeSearch(): QuickSearch {
    return makeRc11Search(this.g, this.order.clocks);
  }

  override readCandidates(r: EventId, out: EventStack): void {
    this.#isExact = true;
    super.readCandidates(r, out);
  }

  protected override mayRead(r: EventId, w: EventId): boolean {
    const isKnown = (this.g.order[r]! & LOCKED) === 0;
    if (isKnown && !this.allows(r, w)) return false;
    if (!isKnown || !this.isSure) this.#isExact = false;
    return true;
  }

  /** psc is not looked at for what the witness does not allow. */
  override isListExact(e: EventId): boolean {
    return (!this.isLoose || (this.#isExact && this.g.kind[e] === Kind.READ)) && super.isListExact(e);
  }
}

/** Where all accesses are seq_cst, psc is all of hb (see `rc11.ts`). */
export function makeRc11Search(g: Graph, hb: HappensBeforeClocks): QuickSearch {
  return new QuickSearch(g, new Rc11Search(g, hb), isSeqCst);
}

function isSeqCst(g: Graph, e: EventId): boolean {
  return strengthOf(g.order[e]!) === Order.SEQ_CST && g.extent[e] === WHOLE;
}

export class Rc11Search extends ReleaseAcquireSearch {
  readonly #psc: PscSearch;
  /** Whether the order that was found is that of `#psc`. */
  #isPsc = false;

  constructor(g: Graph, hb: HappensBeforeClocks) {
    super(g, hb);
    this.#psc = new PscSearch(g, hb, this.writesBefore);
  }

  override find(r: EventId = NONE, w: EventId = NONE, mayBeLast?: MayBeLast): boolean {
    this.#isPsc = r === NONE && this.#psc.lookAt(this.limit);
    return super.find(r, w, mayBeLast) && (!this.#isPsc || this.#psc.find(mayBeLast));
  }

  override pushOrder(e: EventId, out: EventStack): boolean {
    if (e === NONE) return false;
    if (!this.#isPsc || !this.#psc.pushWrites(e, out)) super.pushOrder(e, out);
    return false;
  }

  override lastWrite(init: EventId): EventId {
    const last = this.#isPsc ? this.#psc.lastWrite(init) : NONE;
    return last === NONE ? super.lastWrite(init) : last;
  }
}
