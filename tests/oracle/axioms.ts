/**
 * The memory models, as axioms over execution graphs, written as in the papers: TSO and PSO in the style of [Alglave14], RA and RC11
 * after [Lahav17], with the release sequences of C++20.
 *
 * An update is one event, which reads and writes. That no other write is between it and the write that it reads from, and that
 * po ∪ rf is acyclic, holds of all graphs that are asked about: see candidates.ts and coherence.ts.
 */
import { type Candidate, type Event, INIT } from './candidates.ts';
import type { Coherence } from './coherence.ts';
import {
  between,
  closure,
  difference,
  type EventSet,
  intersection,
  inverse,
  isAcyclic,
  isIrreflexive,
  lessPairs,
  optional,
  type Relation,
  relationOf,
  sequence,
  setOf,
  union,
} from './relations.ts';

/** Sets of events and relations of an execution. */
interface Base {
  readonly events: readonly Event[];
  readonly all: EventSet;
  readonly reads: EventSet;
  readonly writes: EventSet;
  readonly updates: EventSet;
  readonly accesses: EventSet;
  readonly fences: EventSet;
  /** Program order: within a thread. */
  readonly po: Relation;
  /** (po ∪ spawn ∪ join)+: program order, if the threads that a thread starts and joins are taken as parts of it. */
  readonly spo: Relation;
  readonly rf: Relation;
  /**
   * From the writes that bytes come from to what reads these bytes: rf, where all accesses are to all of their locations. What only
   * keeps the rest of a location reads nothing.
   */
  readonly rfBytes: Relation;
  readonly sameLocation: Relation;
}

/** An execution without its coherence order, and what follows from that much. */
export interface Graph extends Base {
  /** What full fences order under TSO and PSO. */
  readonly fenced: Relation;
  /** Happens-before under RA and RC11. */
  readonly hb: Relation;
}

export function graphOf(candidate: Candidate): Graph {
  const base = baseOf(candidate);
  return { ...base, fenced: fullFences(base), hb: happensBefore(base) };
}

function baseOf({ events }: Candidate): Base {
  const count = events.length;
  // what only keeps the rest of a location reads nothing
  const reads = setOf(events, ({ readsFrom, merges }) => readsFrom !== undefined && !merges);
  const writes = setOf(events, (event) => event.writes !== undefined);
  const spo = inverse(events.map(({ before }) => before));
  const pathOf = (e: number) => events[e]?.path;
  const locationOf = (e: number) => events[e]?.location;
  return {
    events,
    all: setOf(events, () => true),
    reads,
    writes,
    updates: reads & writes,
    accesses: reads | writes,
    fences: setOf(events, ({ kind }) => kind === 'fence'),
    po: intersection(
      spo,
      relationOf(count, (a, b) => pathOf(a) === pathOf(b)),
    ),
    spo,
    rf: relationOf(count, (a, b) => events[b]?.readsFrom === a),
    rfBytes: relationOf(count, (a, b) => sourcesOf(events, b).has(a)),
    sameLocation: relationOf(count, (a, b) => locationOf(a) !== undefined && locationOf(a) === locationOf(b)),
  };
}

/** The writes that the bytes come from which an event reads: to the others that it reads from the bytes were handed on. */
function sourcesOf(events: readonly Event[], e: number): Set<number> {
  const { bytes, merges, readsFrom } = events[e] as Event;
  const found = new Set<number>();
  if (merges || readsFrom === undefined) return found;
  for (const byte of [1, 2]) {
    let source = readsFrom;
    while (source !== INIT && ((events[source] as Event).bytes & byte) === 0)
      source = (events[source] as Event).readsFrom!;
    if ((bytes & byte) !== 0 && source !== INIT) found.add(source);
  }
  return found;
}

/** A graph with its coherence order. */
export interface Execution extends Graph {
  readonly co: Relation;
  readonly fr: Relation;
  /** (rf ∪ co ∪ fr)+ */
  readonly eco: Relation;
}

export function executionOf(g: Graph, coherence: Coherence): Execution {
  const place = g.events.map((_, e) => coherence.get(g.events[e]?.location ?? '')?.indexOf(e) ?? -1);
  const both = between(g.writes, g.sameLocation, g.writes);
  const co = intersection(
    both,
    relationOf(g.events.length, (a, b) => place[a]! < place[b]!),
  );
  /** fr = rf⁻¹; co, less the pairs of an update with itself. What reads the initial value comes before all writes. */
  const readsInit = setOf(g.events, ({ readsFrom }) => readsFrom === INIT);
  const beforeAll = between(readsInit, g.sameLocation, g.writes);
  const identity = relationOf(g.events.length, (a, b) => a === b);
  const fr = difference(union(sequence(inverse(g.rf), co), beforeAll), identity);
  return { ...g, co, fr, eco: closure(union(g.rf, co, fr)) };
}

export const modelNames = ['sc', 'tso', 'pso', 'ra', 'rc11'] as const;
export type ModelName = (typeof modelNames)[number];

/** A model: what it makes of a graph, and whether it allows a coherence order of that graph. */
interface Axioms {
  /** Happens-before, which says what races. */
  happensBefore(g: Graph): Relation;
  isConsistent(x: Execution): boolean;
}

/** acyclic(po ∪ rf ∪ co ∪ fr) */
function isSequentiallyConsistent({ spo, rf, co, fr }: Execution): boolean {
  return isAcyclic(union(spo, rf, co, fr));
}

// ------------------------------------------------------------------------------------------------- TSO and PSO

/** acyclic(po-loc ∪ rf ∪ co ∪ fr) */
function isScPerLocation({ spo, sameLocation, rf, co, fr }: Execution): boolean {
  return isAcyclic(union(intersection(spo, sameLocation), rf, co, fr));
}

/**
 * acyclic(ppo ∪ fences ∪ rfe ∪ co ∪ fr), where a read of more bytes than the write has written that it reads from finds that in
 * memory, whatever thread it is of.
 */
function isGloballyOrdered({ events, rf, co, fr, po }: Execution, ppo: Relation, fences: Relation): boolean {
  const isPartial = relationOf(events.length, (a, b) => (events[b]!.bytes & ~events[a]!.bytes) !== 0);
  const rfe = union(difference(rf, po), intersection(rf, isPartial));
  return isAcyclic(union(ppo, fences, rfe, co, fr));
}

/** What full fences order: all that is before with all that is after. */
function fullFences({ events, all, spo }: Base): Relation {
  const fences = setOf(events, ({ kind, order }) => {
    return kind === 'spawn' || kind === 'join' || (kind === 'fence' && order === 'seq_cst');
  });
  // Read-modify-write instructions, whether they write or not, and unlocks: a fence before and a fence after.
  const locked = setOf(events, ({ kind }) => lockedKinds.has(kind));
  // The fence after a seq_cst store.
  const drained = setOf(events, ({ kind, order }) => kind === 'store' && order === 'seq_cst');
  const through = (set: EventSet) => sequence(between(all, spo, set), spo);
  return union(through(fences | locked | drained), between(locked | drained, spo, all), between(all, spo, locked));
}

const lockedKinds: ReadonlySet<Event['kind']> = new Set([
  'exchange',
  'fetchAdd',
  'compareExchange',
  'awaitUpdate',
  'lock',
  'tryLock',
  'unlock',
]);

/** ppo: program order less write → read. */
function isTotalStoreOrder(x: Execution): boolean {
  const ppo = lessPairs(between(x.accesses, x.spo, x.accesses), x.writes, x.reads);
  return isScPerLocation(x) && isGloballyOrdered(x, ppo, x.fenced);
}

/** ppo: also less write → write to other locations. What releases keeps the writes before it before it. */
function isPartialStoreOrder(x: Execution): boolean {
  const { accesses, fences, reads, sameLocation, spo, writes } = x;
  const orders = lessPairs(between(accesses, spo, accesses), writes, reads);
  const ppo = difference(orders, difference(between(writes, spo, writes), sameLocation));
  const releases = setOf(x.events, isRelease);
  const releaseStores = between(writes, spo, writes & releases);
  const releaseFences = sequence(between(writes, spo, fences & releases), between(fences, spo, writes));
  return isScPerLocation(x) && isGloballyOrdered(x, ppo, union(x.fenced, releaseStores, releaseFences));
}

/** (po ∪ reads-from between atomic accesses ∪ spawn ∪ join)+ */
function happensBeforeByReads({ all, events, spo, rfBytes }: Graph): Relation {
  const atomic = all & ~setOf(events, ({ order }) => order === 'plain');
  return closure(union(spo, between(atomic, rfBytes, atomic)));
}

// ------------------------------------------------------------------------------------------------ RA and RC11

function isRelease({ order }: Event): boolean {
  return order === 'release' || order === 'acq_rel' || order === 'seq_cst';
}

function isAcquire({ order }: Event): boolean {
  return order === 'acquire' || order === 'acq_rel' || order === 'seq_cst';
}

/** hb = (po ∪ sw ∪ spawn ∪ join)+ */
function happensBefore(g: Base): Relation {
  return closure(union(g.spo, synchronisesWith(g)));
}

/** sw = [≥release]; ([F]; po)?; rs; rf; [R, ≥relaxed]; (po; [F])?; [≥acquire], with rs = [W, ≥relaxed]; (rf; rmw)*; rf by bytes */
function synchronisesWith({ all, events, fences, po, reads, rfBytes, updates, writes }: Base): Relation {
  const atomic = all & ~setOf(events, ({ order }) => order === 'plain');
  const releases = setOf(events, isRelease) & (writes | fences);
  const acquires = setOf(events, isAcquire) & (reads | fences);
  const rs = between(writes & atomic, optional(closure(between(all, rfBytes, updates))), all);
  const first = between(releases, optional(between(fences, po, all)), all);
  const last = between(all, optional(between(all, po, fences)), acquires);
  return sequence(first, rs, between(all, rfBytes, reads & atomic), last);
}

/** irreflexive(hb; eco?) */
function isReleaseAcquire({ hb, eco }: Execution): boolean {
  return isIrreflexive(sequence(hb, optional(eco)));
}

/** RA, and acyclic(psc). */
function isRc11(x: Execution): boolean {
  return isReleaseAcquire(x) && isAcyclic(partialSc(x));
}

/**
 * scb  = po ∪ po|≠loc; hb; po|≠loc ∪ hb|loc ∪ co ∪ fr
 * pscB = ([Esc] ∪ [Fsc]; hb?); scb; ([Esc] ∪ hb?; [Fsc])
 * pscF = [Fsc]; (hb ∪ hb; eco; hb); [Fsc]
 * psc  = pscB ∪ pscF
 */
function partialSc(x: Execution): Relation {
  const { all, co, eco, events, fences, fr, hb, sameLocation, spo } = x;
  const sc = setOf(events, ({ order }) => order === 'seq_cst');
  const fenceSc = sc & fences;
  const poNotLoc = difference(spo, sameLocation);
  const scb = union(spo, sequence(poNotLoc, hb, poNotLoc), intersection(hb, sameLocation), co, fr);
  const identity = relationOf(events.length, (a, b) => a === b);
  const first = union(between(sc, identity, all), between(fenceSc, optional(hb), all));
  const last = union(between(all, identity, sc), between(all, optional(hb), fenceSc));
  const pscB = sequence(first, scb, last);
  const pscF = between(fenceSc, union(hb, sequence(hb, eco, hb)), fenceSc);
  return union(pscB, pscF);
}

// ------------------------------------------------------------------------------------------------------------

export const axioms: Readonly<Record<ModelName, Axioms>> = {
  sc: { happensBefore: happensBeforeByReads, isConsistent: isSequentiallyConsistent },
  tso: { happensBefore: happensBeforeByReads, isConsistent: isTotalStoreOrder },
  pso: { happensBefore: happensBeforeByReads, isConsistent: isPartialStoreOrder },
  ra: { happensBefore: ({ hb }) => hb, isConsistent: isReleaseAcquire },
  rc11: { happensBefore: ({ hb }) => hb, isConsistent: isRc11 },
};
