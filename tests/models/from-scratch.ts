/**
 * The reads-from models as [TruSt]'s Algorithm 2 has them: every question is a search from scratch for a coherence order. The model
 * under test answers; whatever it says is compared, and an answer that differs is an exception.
 */
import { type EventId, type Graph, Kind } from '../../src/graph/graph.ts';
import { HappensBeforeClocks } from '../../src/models/happens-before.ts';
import { Linearisation } from '../../src/models/linearisation.ts';
import { EventStack, type GraphModel, type HappensBefore } from '../../src/models/model.ts';
import { roleUnderPso } from '../../src/models/pso.ts';
import { QuickSearch } from '../../src/models/quick-search.ts';
import { ReleaseAcquireSearch } from '../../src/models/ra-rf.ts';
import { makeRc11Search, Rc11Search } from '../../src/models/rc11-rf.ts';
import type { CoherenceSearch } from '../../src/models/reads-from.ts';
import { type ModelName, models } from '../../src/models/registry.ts';
import { isFenced, Role } from '../../src/models/store-buffers.ts';
import { roleUnderTso } from '../../src/models/tso.ts';
import { NONE } from '../../src/program/columns.ts';

/** The search of which the paper asks that it depends on program order and reads-from alone; no more than it says is compared. */
function canonicalOf(name: ModelName, g: Graph, clocks: HappensBeforeClocks): CoherenceSearch {
  const search = searchOf(name, g, clocks);
  switch (name) {
    case 'sc':
      return new QuickSearch(g, search);
    case 'tso':
      return new QuickSearch(g, search, isFenced(roleUnderTso));
    case 'pso':
      return new QuickSearch(g, search, isFenced(roleUnderPso));
    case 'ra':
      return search;
    case 'rc11':
      return makeRc11Search(g, clocks);
  }
}

function searchOf(name: ModelName, g: Graph, clocks: HappensBeforeClocks): CoherenceSearch {
  switch (name) {
    case 'sc':
      return new Linearisation(g, () => Role.FULL_FENCE);
    case 'tso':
      return new Linearisation(g, roleUnderTso);
    case 'pso':
      return new Linearisation(g, roleUnderPso);
    case 'ra':
      return new ReleaseAcquireSearch(g, clocks);
    case 'rc11':
      return new Rc11Search(g, clocks);
  }
}

/** How often the model was asked what a search has decided, and how often with each answer. */
export interface Asked {
  read: number;
  refused: number;
  maximal: number;
  notMaximal: number;
  /** Of these, how often an order was asked for that is not that of the graph's lists. */
  otherwise: number;
}

export class ComparedWithSearch implements GraphModel {
  readonly hasCoherence = false;
  readonly happensBefore: HappensBefore | undefined;
  readonly #g: Graph;
  readonly #name: ModelName;
  readonly #model: GraphModel;
  readonly #clocks: HappensBeforeClocks;
  readonly #search: CoherenceSearch;
  readonly #canonical: CoherenceSearch;
  readonly #asked: Asked;
  #revisited: EventId = NONE;
  /** Whether all that was asked about was added maximally. */
  #areMaximal = true;

  constructor(name: ModelName, g: Graph, asked: Asked) {
    this.#g = g;
    this.#name = name;
    this.#model = models[name].graph.rf(g);
    this.#clocks = new HappensBeforeClocks(g);
    this.#search = searchOf(name, g, this.#clocks);
    this.#canonical = canonicalOf(name, g, this.#clocks);
    this.#asked = asked;
    this.happensBefore = this.#model.happensBefore;
  }

  #isConsistent(r: EventId = NONE, w: EventId = NONE): boolean {
    this.#search.setAll();
    return this.#search.find(r, w);
  }

  #isSame(what: string, fast: boolean, slow: boolean): void {
    if (fast !== slow) throw new Error(`${this.#name}: ${what}: the model says ${fast}, the search ${slow}`);
  }

  readCandidates(r: EventId, out: EventStack): void {
    const g = this.#g;
    const listed = new EventStack();
    this.#model.readCandidates(r, listed);
    const writes = new Set(listed.items.subarray(0, listed.length));
    if (writes.size !== listed.length) throw new Error('a write is listed twice');
    for (let w = g.coLast[g.location[r]!]!; w !== NONE; w = g.coPrev[w]!) {
      const isConsistent = this.#isConsistent(r, w);
      this.#asked[isConsistent ? 'read' : 'refused']++;
      // under RC11, what psc will refuse may be left out
      if (this.#name !== 'rc11') this.#isSame(`${r} reads ${w}`, writes.has(w), isConsistent);
      else if (writes.has(w) && !isConsistent) throw new Error(`rc11: ${r} reads ${w} which is overwritten`);
      if (this.#name === 'rc11' && isConsistent && !writes.has(w)) this.#isSame('psc', false, this.#isAllowed(r, w));
    }
    for (let i = 0; i < listed.length; i++) out.push(listed.items[i]!);
  }

  /** Whether r may read w although psc counts, too. */
  #isAllowed(r: EventId, w: EventId): boolean {
    const g = this.#g;
    const mark = g.mark();
    g.setRf(r, w);
    this.#clocks.learn(r);
    const isConsistent = this.#isConsistent();
    g.undoTo(mark);
    return isConsistent;
  }

  canRead(r: EventId, w: EventId): boolean {
    const can = this.#model.canRead(r, w);
    const isConsistent = this.#isConsistent(r, w);
    if (this.#name !== 'rc11' || !isConsistent) this.#isSame(`${r} can read ${w}`, can, isConsistent);
    return can;
  }

  placings(w: EventId, out: EventStack): void {
    this.#model.placings(w, out);
  }

  isListExact(e: EventId): boolean {
    return this.#model.isListExact?.(e) === true;
  }

  isLastKnown(): boolean {
    return this.#model.isLastKnown?.() === true;
  }

  added(e: EventId, isUpdate: boolean): boolean {
    const g = this.#g;
    const before = listOf(g, e);
    const isConsistent = this.#model.added(e, isUpdate);
    if (isConsistent && listOf(g, e) !== before) this.#asked.otherwise++;
    this.#clocks.learn(e);
    if (g.kind[e] === Kind.READ) this.#isSame(`${e} was added`, isConsistent, this.#isConsistent());
    else if (!isConsistent) throw new Error(`${e} was refused`);
    return isConsistent;
  }

  beginRevisit(r: EventId, w: EventId): void {
    this.#model.beginRevisit(r, w);
    this.#revisited = r;
    this.#areMaximal = true;
  }

  isMaximallyAdded(e: EventId, w: EventId): boolean {
    const isMaximal = this.#isMaximal(e, w);
    const mayBe = this.#model.isMaximallyAdded(e, w);
    if (isMaximal && !mayBe) throw new Error(`${this.#name}: ${e} was added maximally`);
    this.#areMaximal &&= isMaximal;
    return mayBe;
  }

  areMaximallyAdded(w: EventId): boolean {
    const areMaximal = this.#model.areMaximallyAdded?.(w) ?? true;
    this.#asked[this.#areMaximal ? 'maximal' : 'notMaximal']++;
    this.#isSame(`revisit of ${this.#revisited} by ${w}`, areMaximal, this.#areMaximal);
    return areMaximal;
  }

  deleted(): void {
    this.#model.deleted?.();
  }

  #isMaximal(e: EventId, w: EventId): boolean {
    const g = this.#g;
    const stamp = g.stamp[e]!;
    if (g.kind[e] === Kind.WRITE) {
      for (let r = g.readers[e]!; r !== NONE; r = g.readNext[r]!) if (g.stamp[r]! < stamp) return false;
      return true;
    }
    if (g.kind[e] !== Kind.READ) return g.kind[e] !== Kind.CHOOSE || g.value[e] === 0;
    const source = g.rf[e]!;
    if (g.stamp[source]! > stamp && !g.porfBefore(source, w)) return false;
    return source === this.#maximalWrite(e, w);
  }

  /** The last deleted write before e; if there is none, the last write in the order of what stays; NONE if that has none. */
  #maximalWrite(e: EventId, w: EventId): EventId {
    const g = this.#g;
    const r = this.#revisited;
    let last = NONE;
    for (let x = g.coNext[g.location[e]!]!; x !== NONE; x = g.coNext[x]!) {
      if (g.stamp[x]! >= g.stamp[e]! || g.stamp[x]! <= g.stamp[r]! || g.porfBefore(x, w)) continue;
      if (last === NONE || g.stamp[x]! > g.stamp[last]!) last = x;
    }
    if (last !== NONE) return last;
    const search = this.#canonical;
    search.setAll();
    for (let t = 0; t < g.stride; t++) {
      const needed = g.porfCount(w, t);
      for (let x = g.last[t]!; x !== NONE && g.stamp[x]! >= g.stamp[r]! && g.index[x]! >= needed; x = g.poPrev[x]!) {
        search.limit[t] = g.index[x]!;
      }
    }
    search.limit[g.thread[w]!] = g.index[w]!;
    return search.find() ? search.lastWrite(g.location[e]!) : NONE;
  }

  mayStayStuck(r: EventId, w: EventId): boolean {
    return this.#model.mayStayStuck(r, w);
  }

  isOvertaken(r: EventId, w: EventId): boolean {
    return this.#model.isOvertaken(r, w);
  }

  isStuckForGood(stuck: EventStack, blocks: (r: EventId, w: EventId) => boolean): boolean {
    return this.#model.isStuckForGood(stuck, blocks);
  }

  settles(stuck: EventStack, reads: EventStack, keeps: (r: EventId, w: EventId) => boolean): boolean {
    return this.#model.settles(stuck, reads, keeps);
  }

  linearise(out: EventStack, stuck: EventStack): void {
    this.#model.linearise(out, stuck);
  }

  mark(): number {
    return this.#model.mark();
  }

  undoTo(mark: number): void {
    this.#model.undoTo(mark);
  }
}

/** The writes of e's location in the order of the graph's list, without e. */
function listOf(g: Graph, e: EventId): string {
  const writes: EventId[] = [];
  if (g.kind[e] !== Kind.READ) return '';
  for (let w = g.coNext[g.location[e]!]!; w !== NONE; w = g.coNext[w]!) writes.push(w);
  return writes.join();
}
