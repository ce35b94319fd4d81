/**
 * What all models without coherence have in common: for the reads-from equivalence ([TruSt], section 4.2, Algorithm 2). A
 * graph is consistent if some coherence order makes it so. To look for one (`CoherenceSearch`) takes much longer than to add an event,
 * so one is kept, the *witness*: the graph's coherence lists, and beside them the model that tracks coherence, which is asked about
 * every choice as if they were what counts.
 *
 * - What that allows is consistent: the witness, with the new event, shows it. A new write comes last; that of an update right after
 *   the write that the update reads.
 * - The graph is *tight* if every consistent coherence order is the witness. Then what the model refuses is not consistent. A tight
 *   graph stays so when a read is added, or the write of an update (atomicity), or a write that may come last only: a coherence order
 *   of the larger graph is one of the smaller, too.
 * - Otherwise it is *loose*, and what the model refuses is searched for, unless program order and reads-from say enough, or the witness
 *   with one write in another place allows it (`CoherenceModel.mayComeLater`). Where such a choice is taken, the order that the search
 *   finds becomes the witness, and the model learns it from the beginning (`relearn`).
 *
 * Nothing is done to the witness when events are taken back. When a revisit deletes events, what is left of it is a witness for what
 * stays; and if nothing that is deleted comes before what stays, the model knows that already (the head of `sc.ts`), and the graph is
 * as tight as it was: the reasons why two writes that stay have just one order lead by events that come before the second, and so
 * stay. If something does, the model learns the order again, or one that a search has found meanwhile.
 *
 * What differs from the paper: GetConsCO is computed on the graph without r, w and what is deleted, not on the graph with
 * r's old reads-from, so that it depends only on what two revisits with the same result have in common. It is a search, too,
 * and none of the witness, which depends on how the graph came about. It is only done if nothing else tells which write it would
 * put last: all others come before it, or what stays is tight.
 *
 * A new write never makes a graph inconsistent: it may come last, or, if it is that of an update, right after the write that the
 * update reads, unless that place is taken. (Then it only lives on through a revisit.) So only reads are checked.
 */
import { type EventId, type Graph, Kind } from '../graph/graph.ts';
import { type Column, grown, NONE } from '../program/columns.ts';
import type { CoherenceModel } from './coherence.ts';
import { EventStack, type GraphModel, type HappensBefore } from './model.ts';

const noEvents = new EventStack();

/** Whether w may be the last write of its location. */
export type MayBeLast = (w: EventId) => boolean;

/**
 * Looks for a coherence order that makes a part of the graph consistent. The part is a prefix of each thread, closed under
 * porf. The result depends on program order and reads-from alone, not on the order in which events were added: the paper
 * asks that of GetConsCO.
 */
export interface CoherenceSearch {
  /** By thread: how many of its events take part. */
  readonly limit: Column;
  /** All events take part. */
  setAll(): void;
  /** Whether there is such an order. r is taken to read from w (NONE: no such). */
  find(r?: EventId, w?: EventId, mayBeLast?: MayBeLast): boolean;
  /** The last write of a location in the order that was found; NONE if the part is not closed there. */
  lastWrite(init: EventId): EventId;
  /**
   * An order of the whole graph was found: pushes the writes of every location that it matters for now that e was added, those of each
   * in coherence order. Returns whether all events were pushed in an order in which memory could have run them. e is NONE: only that,
   * and of the part.
   */
  pushOrder(e: EventId, out: EventStack): boolean;
  /** Whether what was found is an order in which memory could have run the events. */
  readonly isOfRun: boolean;
}

export abstract class ReadsFromModel implements GraphModel {
  readonly hasCoherence = false;
  readonly happensBefore: HappensBefore | undefined = undefined;
  protected readonly g: Graph;
  /** The model of the witness. */
  protected abstract readonly order: CoherenceModel;
  protected abstract readonly search: CoherenceSearch;
  protected isLoose = false;
  /** Whether the last answer, that a read may read a write, holds whatever the model may find out when the read is added. */
  protected isSure = false;
  /** The writes that a new read comes after, and, by write, whether it is too old to be read: see `#findOverwritten`. */
  readonly #seen = new EventStack();
  #isOverwritten: Column = new Int32Array(64);
  /** The order of a new witness; by location (init), the last one of the writes that have their place. */
  readonly #found = new EventStack();
  /**
   * Orders that were found for what a new read may read, until it does: of each the events, how many these are, the write and the read.
   * The read is of the graph, or was; where another event has its number, it is forgotten (`#forget`).
   */
  readonly #kept = new EventStack();
  #placed: Column = new Int32Array(64);
  /** By event: 1 if it is in the graph. All that are. */
  #isIn: Column = new Int32Array(64);
  readonly #events = new EventStack();

  // The revisit that is being considered.
  #revisited: EventId = NONE;
  /** Whether nothing that is deleted, of what was asked about, comes before what stays. */
  #isClean = true;
  /** Whether `search` holds the order of what stays. */
  #hasOrder = false;
  /** The deleted reads that were added maximally only if what stays has a certain write last. */
  readonly #undecided = new EventStack();

  constructor(g: Graph) {
    this.g = g;
  }

  /**
   * Whether, for a reason that lies in what e depends on, the write w comes before e, another access to its location, in all
   * coherence orders: e writes later, or reads w or a later write. Any relation that is true will do: it saves work.
   */
  protected abstract comesBefore(w: EventId, e: EventId): boolean;

  abstract linearise(out: EventStack, stuck: EventStack): void;

  // --------------------------------------------------------------------------------------------------------- adding

  readCandidates(r: EventId, out: EventStack): void {
    this.order.readCandidates(r, out);
    if (!this.isLoose) return;
    this.#forget(r);
    const oldest = this.g.coPrev[out.items[out.length - 1]!]!;
    if (oldest !== NONE) this.pushOthers(r, oldest, out);
  }

  /** Pushes those of w and the writes before it in the witness that r may read although the witness does not allow it. */
  protected pushOthers(r: EventId, w: EventId, out: EventStack): void {
    const { g } = this;
    this.#findOverwritten(r, w);
    for (let x = w; x !== NONE; x = g.coPrev[x]!) if (this.#isOverwritten[x] === 0 && this.#isFound(r, x)) out.push(x);
  }

  /**
   * Marks those of w and the writes before it in the witness that r cannot read, because r comes after a later one: one that comes
   * before r, or before another one that r comes after. All orders agree about that, so the later one is that in the witness, too.
   */
  #findOverwritten(r: EventId, w: EventId): void {
    const { g } = this;
    if (this.#isOverwritten.length < g.length) this.#isOverwritten = grown(this.#isOverwritten, g.length);
    const seen = this.#seen;
    seen.length = 0;
    let isMarking = false;
    for (let x = g.coLast[g.location[r]!]!; x !== NONE; x = g.coPrev[x]!) {
      if (x === w) isMarking = true;
      const isOverwritten = this.#comesBeforeSeen(x);
      if (isMarking) this.#isOverwritten[x] = isOverwritten ? 1 : 0;
      if (isOverwritten || this.comesBefore(x, r)) seen.push(x);
    }
  }

  #comesBeforeSeen(w: EventId): boolean {
    const { items, length } = this.#seen;
    for (let i = 0; i < length; i++) if (this.#comesBeforeWrite(w, items[i]!)) return true;
    return false;
  }

  /** Whether w comes before x, a write that is later in the witness, or before something that reads x. */
  #comesBeforeWrite(w: EventId, x: EventId): boolean {
    const { g } = this;
    if (this.comesBefore(w, x)) return true;
    for (let r = g.readers[x]!; r !== NONE; r = g.readNext[r]!) if (this.comesBefore(w, r)) return true;
    return false;
  }

  #isFound(r: EventId, w: EventId): boolean {
    const { order, search } = this;
    this.isSure = order.mayComeLater(w, r);
    if (this.isSure) return true;
    search.setAll();
    if (!search.find(r, w)) return false;
    this.isSure = search.isOfRun;
    if (this.isSure) this.#keep(r, w);
    return true;
  }

  canRead(r: EventId, w: EventId): boolean {
    this.#forget(r);
    return this.allows(r, w);
  }

  /** Whether r, new, may read w; all that it may read can be asked. */
  protected allows(r: EventId, w: EventId): boolean {
    return this.order.canRead(r, w) || (this.isLoose && this.#isFound(r, w));
  }

  #keep(r: EventId, w: EventId): void {
    const kept = this.#kept;
    const before = kept.length;
    this.search.pushOrder(r, kept);
    kept.push(kept.length - before);
    kept.push(w);
    kept.push(r);
  }

  /** r is new: what is kept of an event with its number, or of later ones, is of events that are no more. */
  #forget(r: EventId): void {
    const kept = this.#kept;
    while (kept.length > 0 && kept.items[kept.length - 1]! >= r) kept.length -= kept.items[kept.length - 3]! + 3;
  }

  /** Pushes the order that was kept for the read r and what it reads now. Returns false if there is none. */
  #recall(r: EventId, out: EventStack): boolean {
    const { items, length } = this.#kept;
    const w = this.g.rf[r]!;
    let end = length;
    while (end > 0 && items[end - 1]! >= r) {
      const count = items[end - 3]!;
      if (items[end - 1] === r && items[end - 2] === w) {
        for (let i = end - 3 - count; i < end - 3; i++) out.push(items[i]!);
        return true;
      }
      end -= count + 3;
    }
    return false;
  }

  placings(w: EventId, out: EventStack): void {
    const { g } = this;
    if (g.updateRead[w] === NONE) out.push(g.coLast[g.location[w]!]!);
    else this.order.placings(w, out);
  }

  /** Where the graph is loose, tails that read are not followed: what a write comes after makes no difference then. */
  isListExact(e: EventId): boolean {
    const { g } = this;
    const order: GraphModel = this.order;
    if (order.isListExact?.(e) !== true) return false;
    return g.kind[e] !== Kind.WRITE || this.isLoose || this.#isForced(e, g.coLast[g.location[e]!]!);
  }

  isLastKnown(): boolean {
    return !this.isLoose;
  }

  /** Whether the new write w has no other place than after `before`, the last of the other writes. */
  #isForced(w: EventId, before: EventId): boolean {
    const { g } = this;
    if (g.thread[before] === NONE || g.thread[before] === g.thread[w] || g.updateRead[w] !== NONE) return true;
    return this.order.isAfter(w, before);
  }

  added(e: EventId, isUpdate: boolean): boolean {
    const { g, order } = this;
    if (g.kind[e] === Kind.WRITE && !this.isLoose && g.updateRead[e] === NONE) {
      this.isLoose = g.coNext[e] !== NONE || !this.#isForced(e, g.coPrev[e]!); // one that was loaded need not be last
    }
    if (this.isLoose && g.kind[e] === Kind.READ && !order.canRead(e, g.rf[e]!)) {
      this.learn(e);
      return this.#findWitness(e);
    }
    return order.added(e, isUpdate) || (this.isLoose && this.#findWitness(e));
  }

  /** The read e is added although the witness does not allow it; whatever does not depend on coherence is to be learned of it. */
  protected learn(_e: EventId): void {}

  // -------------------------------------------------------------------------------------------------------- witness

  /** Puts another witness in the place of one that does not allow e, which was added. False if there is none. */
  #findWitness(e: EventId): boolean {
    const { search } = this;
    const found = this.#found;
    found.length = 0;
    let isOrdered = this.g.kind[e] === Kind.READ && this.#recall(e, found);
    if (!isOrdered) {
      search.setAll();
      if (!search.find()) return false;
      isOrdered = search.pushOrder(e, found);
    }
    this.#take(found);
    if (isOrdered) this.order.relearn(found, true);
    else this.#relearn();
    return true;
  }

  /** Puts writes in the order in which they are listed. */
  #take({ items, length }: EventStack): void {
    const { g } = this;
    if (this.#placed.length < g.length) this.#placed = grown(this.#placed, g.length);
    const placed = this.#placed;
    for (let i = 0; i < length; i++) if (g.kind[items[i]!] === Kind.WRITE) placed[g.location[items[i]!]!] = NONE;
    for (let i = 0; i < length; i++) {
      const w = items[i]!;
      if (g.kind[w] !== Kind.WRITE) continue;
      const init = g.location[w]!;
      const before = placed[init] === NONE ? init : placed[init]!;
      if (g.coPrev[w] !== before) g.moveCo(w, before);
      placed[init] = w;
    }
  }

  #relearn(): void {
    const { g } = this;
    const events = this.#events;
    events.length = 0;
    if (this.#isIn.length < g.length) this.#isIn = grown(this.#isIn, g.length);
    this.#isIn.fill(0, 0, g.length);
    for (let t = 0; t < g.stride; t++) {
      for (let e = g.last[t]!; e !== NONE; e = g.poPrev[e]!) this.#isIn[e] = 1;
    }
    // the write that revisits has no place yet
    for (let e = 0; e < g.length; e++) {
      if (this.#isIn[e] === 1 && (g.kind[e] !== Kind.WRITE || g.coPrev[e] !== NONE)) events.push(e);
    }
    this.order.relearn(events, false);
  }

  /** Whether porf alone gives the writes of each location just one order. */
  #isTight(): boolean {
    const { g } = this;
    for (let t = 0; t < g.stride; t++) {
      for (let e = g.last[t]!; e !== NONE; e = g.poPrev[e]!) {
        if (g.kind[e] !== Kind.WRITE || g.coPrev[e] === NONE || g.updateRead[e] !== NONE) continue;
        const before = g.coPrev[e]!;
        if (g.thread[before] !== NONE && g.thread[before] !== t && !this.comesBefore(before, e)) return false;
      }
    }
    return true;
  }

  // ------------------------------------------------------------------------------------------------------- revisits

  beginRevisit(r: EventId): void {
    this.#revisited = r;
    this.#isClean = true;
    this.#hasOrder = false;
    this.#undecided.length = 0;
  }

  /** What cannot be said at once is left to `areMaximallyAdded`. */
  isMaximallyAdded(e: EventId, w: EventId): boolean {
    const { g } = this;
    const stamp = g.stamp[e]!;
    if (g.kind[e] === Kind.WRITE) {
      for (let r = g.readers[e]!; r !== NONE; r = g.readNext[r]!) if (g.stamp[r]! < stamp) return false;
      for (let x = g.coNext[e]!; x !== NONE && this.#isClean; x = g.coNext[x]!) this.#isClean = !this.#stays(x, w);
      return true;
    }
    if (g.kind[e] !== Kind.READ) return g.kind[e] !== Kind.CHOOSE || g.value[e] === 0;
    const source = g.rf[e]!;
    if (g.stamp[source]! > stamp && !g.porfBefore(source, w)) return false;
    return this.#readsMaximal(e, source, w);
  }

  #stays(x: EventId, w: EventId): boolean {
    return this.g.stamp[x]! < this.g.stamp[this.#revisited]! || this.g.porfBefore(x, w);
  }

  /** Whether `source` is the last deleted write before e; if there is none, whether it may come last of what stays. */
  #readsMaximal(e: EventId, source: EventId, w: EventId): boolean {
    const { g } = this;
    const stamp = g.stamp[e]!;
    let last = NONE;
    let isAfter = source === g.location[e];
    let hasOther = false;
    let hasLater = false;
    for (let x = g.coNext[g.location[e]!]!; x !== NONE; x = g.coNext[x]!) {
      if (x === source) isAfter = true;
      if (!this.#stays(x, w)) {
        if (g.stamp[x]! < stamp && (last === NONE || g.stamp[x]! > g.stamp[last]!)) last = x;
        continue;
      }
      if (x === source) continue;
      hasOther = true;
      if (!isAfter) continue;
      hasLater = true;
    }
    if (hasLater) this.#isClean = false;
    if (last !== NONE) return source === last;
    if (hasLater && this.#isBeforeOther(source, w)) return false;
    if (hasOther) this.#undecided.push(e);
    return true;
  }

  /** Whether `source` comes before a write that stays. */
  #isBeforeOther(source: EventId, w: EventId): boolean {
    const { g } = this;
    for (let x = g.coNext[source]!; x !== NONE; x = g.coNext[x]!) {
      if (this.#stays(x, w) && this.comesBefore(source, x)) return true;
    }
    return false;
  }

  areMaximallyAdded(w: EventId): boolean {
    const { g } = this;
    const { items, length } = this.#undecided;
    if (!this.isLoose && this.#isClean) return true; // what stays is tight, and each of them reads the last write of the witness
    for (let i = 0; i < length; i++) {
      const e = items[i]!;
      if (this.#isAfterOthers(g.rf[e]!, w)) continue;
      if (!this.#hasOrder && !this.#orderWhatStays(w)) return false;
      if (this.search.lastWrite(g.location[e]!) !== g.rf[e]) return false;
    }
    return true;
  }

  /** Whether all other writes that stay come before `source`. */
  #isAfterOthers(source: EventId, w: EventId): boolean {
    const { g } = this;
    for (let x = g.coNext[g.location[source]!]!; x !== NONE; x = g.coNext[x]!) {
      if (x !== source && this.#stays(x, w) && (g.thread[source] === NONE || !this.comesBefore(x, source)))
        return false;
    }
    return true;
  }

  /** False if an event that stays reads from one that does not, which then was not added maximally. */
  #orderWhatStays(w: EventId): boolean {
    const { g, search } = this;
    const r = this.#revisited;
    search.setAll();
    for (let t = 0; t < g.stride; t++) {
      const needed = g.porfCount(w, t);
      for (let e = g.last[t]!; e !== NONE && g.stamp[e]! >= g.stamp[r]! && g.index[e]! >= needed; e = g.poPrev[e]!) {
        search.limit[t] = g.index[e]!;
      }
    }
    search.limit[g.thread[w]!] = g.index[w]!;
    this.#hasOrder = search.find();
    return this.#hasOrder;
  }

  deleted(): void {
    if (!this.#isClean) {
      const found = this.#found;
      found.length = 0;
      if (this.#hasOrder && this.search.pushOrder(NONE, found)) {
        this.#take(found);
        this.order.relearn(found, true);
      } else this.#relearn();
    }
    if (this.isLoose || !this.#isClean) this.isLoose = !this.#isTight();
  }

  // ---------------------------------------------------------------------------------------------------------- stuck

  mayStayStuck(_r: EventId, w: EventId): boolean {
    const { g } = this;
    for (let x = g.coNext[g.location[w]!]!; x !== NONE; x = g.coNext[x]!)
      if (x !== w && this.comesBefore(w, x)) return false;
    return true;
  }

  isOvertaken(r: EventId, w: EventId): boolean {
    const { g } = this;
    const source = g.rf[r]!;
    for (let x = g.coNext[g.location[r]!]!; x !== NONE; x = g.coNext[x]!) {
      if (x !== source && g.porfBefore(x, w) && this.comesBefore(source, x)) return true;
    }
    return false;
  }

  /** Stuck reads have no part in the class; one order of the rest stands for it, whose last writes they must read. */
  isStuckForGood(stuck: EventStack, blocks: (r: EventId, w: EventId) => boolean): boolean {
    const { g, search } = this;
    if (!this.settles(stuck, noEvents, blocks)) return false;
    for (let i = 0; i < stuck.length; i++) {
      const r = stuck.items[i]!;
      if (search.lastWrite(g.location[r]!) !== g.rf[r]) return false;
    }
    return true;
  }

  settles(stuck: EventStack, reads: EventStack, keeps: (r: EventId, w: EventId) => boolean): boolean {
    const { g, search } = this;
    search.setAll();
    for (let i = 0; i < stuck.length; i++) search.limit[g.thread[stuck.items[i]!]!] = g.index[stuck.items[i]!]!;
    const allKeep = (list: EventStack, w: EventId): boolean => {
      for (let i = 0; i < list.length; i++) {
        const r = list.items[i]!;
        if (g.location[r] === g.location[w] && !keeps(r, w)) return false;
      }
      return true;
    };
    if (!search.find(NONE, NONE, (w) => allKeep(stuck, w) && allKeep(reads, w))) return false;
    for (const list of [stuck, reads]) {
      for (let i = 0; i < list.length; i++) {
        const w = search.lastWrite(g.location[list.items[i]!]!);
        if (w === NONE || !keeps(list.items[i]!, w)) return false;
      }
    }
    return true;
  }

  mark(): number {
    return this.order.mark() * 2 + (this.isLoose ? 1 : 0);
  }

  undoTo(mark: number): void {
    if (mark === 0) this.#kept.length = 0; // another graph may come
    this.order.undoTo(mark >> 1);
    this.isLoose = (mark & 1) === 1;
  }
}
