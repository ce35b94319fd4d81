/**
 * Release/acquire without coherence: for the reads-from equivalence. See `writes-before.ts` for why nothing needs to be
 * searched, and `ra.ts` for why it makes no difference to a new read what it learns by acquiring.
 */
import type { EventId, Graph } from '../graph/graph.ts';
import { type Column, grown, NONE } from '../program/columns.ts';
import { causalOrder } from './causal-order.ts';
import type { HappensBeforeClocks } from './happens-before.ts';
import type { EventStack, HappensBefore } from './model.ts';
import { ReleaseAcquire } from './ra.ts';
import { type CoherenceSearch, type MayBeLast, ReadsFromModel } from './reads-from.ts';
import { WritesBefore } from './writes-before.ts';

export class ReleaseAcquireRf extends ReadsFromModel {
  protected readonly order: ReleaseAcquire;
  protected readonly search: CoherenceSearch;
  /** Tells what may be read under release/acquire. */
  protected readonly visible: ReleaseAcquireSearch;
  override readonly happensBefore: HappensBefore;

  constructor(g: Graph) {
    super(g);
    this.order = this.makeOrder();
    this.visible = new ReleaseAcquireSearch(g, this.order.clocks);
    this.search = this.makeSearch();
    this.happensBefore = (a, b) => this.order.clocks.happensBefore(a, b);
  }

  protected makeOrder(): ReleaseAcquire {
    return new ReleaseAcquire(this.g);
  }

  protected makeSearch(): CoherenceSearch {
    return this.visible;
  }

  protected override pushOthers(r: EventId, w: EventId, out: EventStack): void {
    const { g, visible } = this;
    visible.setAll();
    visible.lookFromBefore(r);
    for (let x = w; x !== NONE; x = g.coPrev[x]!) if (visible.isVisible(x) && this.mayRead(r, x)) out.push(x);
  }

  /** Whether r, which may read w under release/acquire, is not known to be refused it when it is added. */
  protected mayRead(_r: EventId, _w: EventId): boolean {
    return true;
  }

  protected override learn(e: EventId): void {
    this.order.clocks.learn(e);
  }

  /** By happens-before, or because e is an update that reads from w, or one that follows it. */
  protected comesBefore(w: EventId, e: EventId): boolean {
    const { g } = this;
    if (g.thread[w] === NONE) return true;
    for (let x = e; g.thread[x] !== NONE; x = g.rf[g.updateRead[x]!]!) {
      if (x === w || this.order.clocks.happensBefore(w, x)) return true;
      if (g.updateRead[x] === NONE) return false;
    }
    return false;
  }

  linearise(out: EventStack, _stuck: EventStack): void {
    causalOrder(this.g, out, false);
  }
}

/** One coherence order after the other, as it is asked for: locations have nothing to do with each other. */
export class ReleaseAcquireSearch implements CoherenceSearch {
  protected readonly g: Graph;
  protected readonly writesBefore: WritesBefore;
  limit: Column = new Int32Array(8);
  readonly isOfRun: boolean = false;
  #mayBeLast: MayBeLast | undefined;
  #isLimited = false;
  /** By location: the last write, valid if `asked` is `#asking`. */
  #last: Column = new Int32Array(64);
  #asked: Column = new Int32Array(64);
  #asking = 0;

  constructor(g: Graph, hb: HappensBeforeClocks) {
    this.g = g;
    this.writesBefore = new WritesBefore(g, hb);
  }

  setAll(): void {
    const { g } = this;
    if (this.limit.length < g.stride) this.limit = grown(this.limit, g.stride);
    for (let t = 0; t < g.stride; t++) this.limit[t] = g.last[t] === NONE ? 0 : g.index[g.last[t]!]! + 1;
  }

  /** From now on `isVisible` tells whether the new read r may read a write. */
  lookFromBefore(r: EventId): void {
    const { g, writesBefore } = this;
    this.limit[g.thread[r]!] = g.index[r]!;
    writesBefore.lookAt(g.location[r]!, this.limit);
    writesBefore.lookFrom(g.eventBefore(r));
  }

  isVisible(w: EventId): boolean {
    return this.writesBefore.isVisible(w);
  }

  find(r: EventId = NONE, w: EventId = NONE, mayBeLast?: MayBeLast): boolean {
    this.#asking++;
    if (mayBeLast !== undefined || this.#isLimited) this.#limitLast(mayBeLast);
    if (r === NONE) return true;
    this.lookFromBefore(r);
    return this.isVisible(w);
  }

  #limitLast(mayBeLast?: MayBeLast): void {
    this.#mayBeLast = mayBeLast;
    this.#isLimited = mayBeLast !== undefined;
  }

  /** What the witness says of other locations is as good as before. */
  pushOrder(e: EventId, out: EventStack): boolean {
    if (e === NONE) return false;
    this.writesBefore.lookAt(this.g.location[e]!, this.limit);
    this.writesBefore.pushWrites(out);
    return false;
  }

  lastWrite(init: EventId): EventId {
    if (this.#asked.length < this.g.length) {
      this.#asked = grown(this.#asked, this.g.length);
      this.#last = grown(this.#last, this.g.length);
    }
    if (this.#asked[init] !== this.#asking) {
      this.#asked[init] = this.#asking;
      this.#last[init] = this.writesBefore.lookAt(init, this.limit) ? this.#lastOf() : NONE;
    }
    return this.#last[init]!;
  }

  #lastOf(): EventId {
    return this.#isLimited ? this.#lastAmong() : this.writesBefore.lastWrite();
  }

  #lastAmong(): EventId {
    return this.writesBefore.lastWrite(this.#mayBeLast);
  }
}
