/**
 * RC11 without coherence: for the reads-from equivalence. Release/acquire, and among its coherence orders one that makes psc
 * acyclic (`psc-search.ts`).
 *
 * Whether a read is seq_cst may depend on what it reads (the failure order of a compare-exchange), so psc is looked at when it is
 * added, not when its candidates are listed.
 */
import { type EventId, type Graph, Kind } from '../graph/graph.ts';
import { NONE } from '../program/columns.ts';
import type { HappensBeforeClocks } from './happens-before.ts';
import { PscSearch } from './psc-search.ts';
import { ReleaseAcquireRf, ReleaseAcquireSearch } from './ra-rf.ts';
import type { MayBeLast } from './reads-from.ts';

export class Rc11Rf extends ReleaseAcquireRf {
  protected override makeSearch(): ReleaseAcquireSearch {
    return new Rc11Search(this.g, this.clocks);
  }

  override added(e: EventId, isUpdate: boolean): boolean {
    super.added(e, isUpdate);
    if (this.g.kind[e] !== Kind.READ) return true;
    this.search.setAll();
    return this.search.readsLast(e) || this.search.find();
  }
}

class Rc11Search extends ReleaseAcquireSearch {
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

  override lastWrite(init: EventId): EventId {
    const last = this.#isPsc ? this.#psc.lastWrite(init) : NONE;
    return last === NONE ? super.lastWrite(init) : last;
  }
}
