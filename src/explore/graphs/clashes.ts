/**
 * Accesses that clash in an execution graph: data races, and what is done to an object that is freed. They are looked for as
 * events are added, and cost nothing in programs that have neither plain accesses nor objects that can be freed.
 *
 * Two accesses to a location race if one of them writes, one of them is plain, and neither happens before the other. Some
 * models say what happens before what (RA, RC11). In the others happens-before is made of program order, spawns, joins and
 * reads-from between accesses that are not plain. As long as no race was found, that is porf: a write that a plain access takes
 * part in passing on happens before its reader anyway. Once one was found, or if nobody looks for races, paths of the graph
 * are followed. Accesses to different parts of a location do not race. A store to a part is taken to be ordered after the write
 * that it keeps the rest of, which is too much; but under those models a pair that races can be performed one right after the other,
 * with no such store in between. (Within a bound that does not help, and paths are followed.)
 *
 * An object comes into being by its allocation: in those models that say what happens before what, where a pointer may be passed
 * on without an order, the allocation races with accesses as a plain write to all of the object would. In the others whoever has
 * the pointer is ordered after, or has it by a race.
 *
 * A read that is stuck is judged when it goes on, or at the end of the execution if it never does: the thread has been looking at
 * the memory since it came to the wait.
 */
import { type EventId, Kind } from '../../graph/graph.ts';
import { EventStack, type GraphModel } from '../../models/model.ts';
import { Step } from '../../program/behaviours.ts';
import { NONE } from '../../program/columns.ts';
import type { Execution } from '../../program/execution.ts';
import { areDisjoint } from '../../program/extent.ts';
import { Trait } from '../../program/location-table.ts';
import { learns } from '../../program/orders.ts';
import { rewrites } from '../../program/outcome.ts';
import type { ClashingAccess, ClashKind, Findings } from '../findings.ts';
import type { ProgramGraph } from './program-graph.ts';

function placeIn(order: EventStack, e: EventId): number {
  for (let i = 0; i < order.length; i++) if (order.items[i] === e) return i;
  return NONE;
}

interface Deferred {
  readonly kind: ClashKind;
  readonly a: EventId;
  readonly b: EventId;
  /** The access that is not performed yet: see `#found`. */
  readonly next: EventId;
  readonly witness: Execution;
  /** The mark of the graph when it was found. */
  readonly mark: number;
}

export class Clashes {
  readonly #threads: ProgramGraph;
  readonly #model: GraphModel;
  readonly #findings: Findings;
  readonly #races: boolean;
  readonly #judgesAllocations: boolean;
  /** The steps before an event, which is left for its thread to ask for. */
  readonly #witness: (last: EventId) => Execution;
  /** Those found on the way to the graph before us, where they are told at its end. */
  readonly #deferred: Deferred[] | undefined;
  /** Whether there are any. */
  hasDeferred = false;

  /** `isDeferred`: whether clashes are told at the ends of executions (`tellDeferred`), not when they are found. */
  constructor(
    threads: ProgramGraph,
    model: GraphModel,
    findings: Findings,
    races: boolean,
    isDeferred: boolean,
    witness: (last: EventId) => Execution,
  ) {
    this.#deferred = isDeferred ? [] : undefined;
    this.#threads = threads;
    this.#model = model;
    this.#findings = findings;
    this.#races = races;
    this.#judgesAllocations = races && model.happensBefore !== undefined;
    this.#witness = witness;
  }

  /** The read or write e is new. An atomic read may yet get an edge that orders it: see `lookAtRead`. */
  lookAtNew(e: EventId): void {
    const { locationTable } = this.#threads.behaviours;
    if (!locationTable.hasPlain && !locationTable.hasLifetimes) return;
    const { behaviours, g } = this.#threads;
    const s = g.state[e]!;
    const traits = locationTable.traits[behaviours.location[s]!]!;
    if (this.#races && (traits & Trait.PLAIN) !== 0) {
      if (g.updateRead[e] !== NONE && behaviours.mayBlock[s] === 1) this.#lookWhileWaiting(g.updateRead[e]!, e);
      if (behaviours.plain[s] === 1 || g.kind[e] === Kind.WRITE) this.#lookForRaces(e, this.#orderedUpTo(e));
    }
    if (this.#judgesAllocations && (traits & (Trait.MORTAL | Trait.LIFETIME)) !== 0) this.#lookForNewAccess(e);
    if ((traits & Trait.MORTAL) !== 0) this.#lookForFree(e, behaviours.location[s]!);
    else if ((traits & Trait.LIFETIME) !== 0) this.#lookForUses(e, behaviours.location[s]!);
  }

  /** The read e, which is not that of an update, has its reads-from now, and goes on with it. (An update is judged by its write.) */
  lookAtRead(e: EventId): void {
    const { behaviours, g } = this.#threads;
    const { locationTable } = behaviours;
    const s = g.state[e]!;
    if (behaviours.mayBlock[s] === 1) this.#lookAtWait(e, e);
    else if ((locationTable.hasMixed || locationTable.hasHeap) && this.#races && behaviours.plain[s] === 0) {
      const traits = locationTable.traits[behaviours.location[s]!]!;
      if ((traits & Trait.PLAIN) !== 0) {
        this.#lookForRaces(e, this.#model.happensBefore === undefined ? this.#orderedUpTo(e) : e);
      }
      if (this.#judgesAllocations && (traits & Trait.MORTAL) !== 0) this.#lookForAllocation(e, e);
    }
  }

  /** The event e, new, is no access: it may join a thread, or allocate an object. */
  lookAtOther(e: EventId): void {
    const { behaviours, g } = this.#threads;
    if (g.kind[e] === Kind.JOIN) this.#lookForJoins(e);
    else if (this.#judgesAllocations && behaviours.allocates(g.state[e]!)) this.#lookForEarlyUses(e);
  }

  #lookForJoins(e: EventId): void {
    const { behaviours, g } = this.#threads;
    for (let other = g.joiners[g.location[e]!]!; other !== NONE; other = g.readNext[other]!) {
      if (other !== e && behaviours.joinsOnce(g.state[e]!)) this.#found('abort', other, e);
    }
  }

  #lookForEarlyUses(e: EventId): void {
    const { behaviours, g } = this.#threads;
    const upTo = g.eventBefore(e);
    const look = (a: EventId): void => {
      if (!this.#happensBefore(a, upTo)) this.#found('race', a, e);
    };
    const lifetime = behaviours.operand[g.state[e]!]!;
    this.#forEachUse(lifetime, look);
    for (let f = this.#threads.initOf(lifetime); f !== NONE; f = g.coNext[f]!) if (g.thread[f] !== NONE) look(f);
  }

  /** The execution has ended, and the read r of a wait is stuck for good. */
  lookAtStuck(r: EventId): void {
    this.#lookAtWait(r, NONE);
  }

  /** `next`: the access that is not performed yet; NONE if all are, but for r. */
  #lookAtWait(r: EventId, next: EventId): void {
    const { behaviours, g } = this.#threads;
    const { locationTable } = behaviours;
    if (!locationTable.hasPlain && !locationTable.hasLifetimes) return;
    const location = behaviours.location[g.state[r]!]!;
    const traits = locationTable.traits[location]!;
    if (this.#races && (traits & Trait.PLAIN) !== 0) this.#lookWhileWaiting(r, next);
    if ((traits & Trait.MORTAL) === 0) return;
    if (this.#judgesAllocations) this.#lookForAllocation(r, g.eventBefore(r), next);
    this.#lookForFree(r, location, next);
  }

  /**
   * A thread looks at the location of an await from when it comes to it, so that what the read r gets in the end does not order
   * what comes before.
   */
  #lookWhileWaiting(r: EventId, next: EventId): void {
    const { behaviours, g } = this.#threads;
    const arrival = g.eventBefore(r);
    const look = (a: EventId): void => {
      if (g.thread[a] === g.thread[r] || this.#isHarmless(a, r) || this.#happensBefore(a, arrival)) return;
      this.#found('race', a, r, next);
    };
    const alsoReads = rewrites(behaviours.operation(g.state[r]!));
    for (let w = g.location[r]!; w !== NONE; w = g.coNext[w]!) {
      if (w !== g.location[r]) look(w);
      if (!alsoReads) continue;
      for (let reader = g.readers[w]!; reader !== NONE; reader = g.readNext[reader]!) {
        if (behaviours.step[g.after[reader]!] !== Step.STUCK) look(reader);
      }
    }
  }

  /** Whether both are atomic, or they are to different bytes. */
  #isHarmless(a: EventId, b: EventId): boolean {
    const { behaviours, g } = this.#threads;
    const isAtomic = behaviours.plain[g.state[a]!] === 0 && behaviours.plain[g.state[b]!] === 0;
    return isAtomic || areDisjoint(g.extent[a]!, g.extent[b]!);
  }

  /** `upTo`: what happens before e is this event and what happens before it. */
  #lookForRaces(e: EventId, upTo: EventId): void {
    const { g } = this.#threads;
    if (g.isPrivate(e)) return;
    for (let w = g.coNext[g.location[e]!]!; w !== NONE; w = g.coNext[w]!) this.#lookForRace(w, e, upTo);
    if (g.kind[e] !== Kind.WRITE) return;
    for (let w = g.location[e]!; w !== NONE; w = g.coNext[w]!) {
      for (let r = g.readers[w]!; r !== NONE; r = g.readNext[r]!) this.#lookForRace(r, e, upTo);
    }
  }

  #lookForRace(a: EventId, e: EventId, upTo: EventId): void {
    const { behaviours, g } = this.#threads;
    if (g.thread[a] === g.thread[e] || this.#isHarmless(a, e) || behaviours.step[g.after[a]!] === Step.STUCK) return;
    if (!this.#happensBefore(a, upTo)) this.#foundRace(a, e, e);
  }

  #foundRace(a: EventId, b: EventId, next: EventId): void {
    this.#found('race', a, b, next);
  }

  /**
   * The last event that e, new, is ordered after in its own thread. Where a model says what happens before what, that is the
   * event before e: only once it is added does e itself stand in that order. Where porf does, it is e itself, unless e (or
   * the read of its update) reads a plain write, or e is a store to a part, which reads only to keep the rest.
   */
  #orderedUpTo(e: EventId): EventId {
    const { behaviours, g } = this.#threads;
    if (this.#model.happensBefore !== undefined) return this.#threads.g.eventBefore(e);
    const r = g.updateRead[e] === NONE ? e : g.updateRead[e]!;
    if (r !== e && !learns(g.order[r]!)) return g.eventBefore(r);
    const w = g.sourceOf(r);
    if (w === NONE || g.thread[w] === NONE || behaviours.plain[g.state[w]!] === 0) return e;
    return this.#threads.g.eventBefore(r);
  }

  /** The access e, new, is to an object, or frees it. An atomic read may yet be ordered: see `lookAtRead`. */
  #lookForNewAccess(e: EventId): void {
    const { behaviours, g } = this.#threads;
    const r = g.updateRead[e]!;
    const waits = r !== NONE && behaviours.mayBlock[g.state[e]!] === 1;
    if (waits) this.#lookForAllocation(e, g.eventBefore(r));
    else if (behaviours.plain[g.state[e]!] === 1 || g.kind[e] === Kind.WRITE)
      this.#lookForAllocation(e, g.eventBefore(e));
  }

  /** The allocation of the object that e accesses or frees happens before e if it is `upTo`, or happens before that. */
  #lookForAllocation(e: EventId, upTo: EventId, next = e): void {
    const { behaviours, g } = this.#threads;
    const location = behaviours.location[g.state[e]!]!;
    const isFree = (behaviours.locationTable.traits[location]! & Trait.LIFETIME) !== 0;
    const lifetime = isFree ? location : behaviours.lifetimeOf(location);
    const allocator = behaviours.locationTable.allocatorOf(lifetime);
    if (allocator === NONE || allocator === g.thread[e]) return;
    const allocation = this.#threads.allocationOf(lifetime, allocator);
    if (allocation !== NONE && !this.#happensBefore(allocation, upTo)) this.#foundRace(allocation, e, next);
  }

  /** The access e is to an object: if that is freed in the graph, e does not happen before. */
  #lookForFree(e: EventId, location: number, next = e): void {
    const { behaviours, g } = this.#threads;
    const lifetime = this.#threads.initOf(behaviours.lifetimeOf(location));
    if (lifetime === NONE) return;
    for (let f = g.coNext[lifetime]!; f !== NONE; f = g.coNext[f]!) this.#foundFree(f, e, next);
  }

  #foundFree(free: EventId, e: EventId, next: EventId): void {
    this.#found('use-after-free', free, e, next);
  }

  /** The free f must be the only one of its object, and all accesses happen before it. */
  #lookForUses(f: EventId, lifetime: number): void {
    const { g } = this.#threads;
    for (let other = g.coNext[g.location[f]!]!; other !== NONE; other = g.coNext[other]!) {
      this.#found('double-free', other, f);
    }
    const upTo = this.#model.happensBefore === undefined ? f : this.#threads.g.eventBefore(f);
    this.#forEachUse(lifetime, (a) => {
      if (!this.#happensBefore(a, upTo)) this.#found('use-after-free', a, f);
    });
  }

  /** Calls `look` for each access to the object with this lifetime, but for waits that have not ended. */
  #forEachUse(lifetime: number, look: (a: EventId) => void): void {
    const { behaviours, g } = this.#threads;
    for (const part of behaviours.partsOf(lifetime)) {
      for (let w = this.#threads.initOf(part); w !== NONE; w = g.coNext[w]!) {
        if (g.thread[w] !== NONE) look(w);
        for (let r = g.readers[w]!; r !== NONE; r = g.readNext[r]!) {
          if (behaviours.step[g.after[r]!] !== Step.STUCK) look(r);
        }
      }
    }
  }

  #happensBefore(a: EventId, b: EventId): boolean {
    if (b === NONE) return false;
    const { happensBefore } = this.#model;
    if (happensBefore !== undefined) return a === b || happensBefore(a, b);
    if (!this.#threads.g.porfBefore(a, b)) return false;
    return this.#isPorfEnough() || this.#threads.isOrdered(a, b);
  }

  /**
   * Whether porf may be taken for happens-before. Where clashes are told by what an execution needs, one that shows the pair that
   * a store to a part keeps apart may be beyond the bound.
   */
  #isPorfEnough(): boolean {
    const isExact = this.#deferred !== undefined && this.#threads.g.hasMerging;
    return this.#races && !this.#findings.hasErrors && !isExact;
  }

  /** `next`: the access that is not performed yet, NONE if all are but for a stuck one. */
  #found(kind: ClashKind, a: EventId, b: EventId, next = b): void {
    if (this.#deferred === undefined) {
      this.#findings.clash(kind, this.#access(a), this.#access(b), () => this.#witness(next));
      return;
    }
    this.#findings.defer();
    if (this.#deferred.some((other) => other.kind === kind && other.a === a && other.b === b)) return;
    this.#deferred.push({ kind, a, b, next, witness: this.#witness(next), mark: this.#threads.g.mark() });
    this.hasDeferred = true;
  }

  /**
   * The execution has ended: tells those of its clashes that are still in the graph, until the search is over. `order`: its events as
   * they shall be told.
   */
  tellDeferred(order: () => EventStack): void {
    for (const deferred of this.#deferred ?? []) {
      const { g } = this.#threads;
      if (this.#findings.isOver) return;
      if (!g.has(deferred.a) || !g.has(deferred.b)) continue;
      const { kind, a, b, witness } = deferred;
      const places = [placeIn(order(), a), placeIn(order(), b)] as const;
      // who waits in the end is in no order
      const isStored = deferred.next !== b || places.includes(NONE);
      if (isStored) this.#findings.clash(kind, this.#access(a), this.#access(b), () => witness);
      else if (places[0] < places[1]) this.#tellInOrder(kind, a, b, places[1], order());
      else this.#tellInOrder(kind, b, a, places[0], order());
    }
  }

  /** `first` comes before `second`, at `place` in the order, which is left for its thread to ask for. */
  #tellInOrder(kind: ClashKind, first: EventId, second: EventId, place: number, order: EventStack): void {
    const until = place - (this.#threads.g.updateRead[second] === NONE ? 0 : 1);
    const before = new EventStack();
    for (let i = 0; i < until; i++) before.push(order.items[i]!);
    this.#findings.clash(kind, this.#access(first), this.#access(second), () => this.#threads.witness(before, NONE));
  }

  /** The graph is taken back to this mark of its own. */
  undoTo(mark: number): void {
    if (this.hasDeferred) this.#dropDeferred(mark);
  }

  #dropDeferred(mark: number): void {
    const deferred = this.#deferred ?? [];
    while (deferred.length > 0 && (deferred.at(-1) as Deferred).mark > mark) deferred.pop();
    this.hasDeferred = deferred.length > 0;
  }

  #access(e: EventId): ClashingAccess {
    const { g } = this.#threads;
    return { thread: g.thread[e]!, state: g.state[e]! };
  }
}
