/** Asks the axioms of the oracle about a graph of ours, finished or not. */
import { type EventId, type Graph, Kind } from '../../../src/graph/graph.ts';
import type { Equivalence } from '../../../src/models/registry.ts';
import { NONE } from '../../../src/program/columns.ts';
import { isMerging, LOCKED, Order, strengthOf } from '../../../src/program/orders.ts';
import { axioms, executionOf, graphOf, type ModelName } from '../../oracle/axioms.ts';
import { type Candidate, type Event, INIT } from '../../oracle/candidates.ts';
import { type Coherence, coherencesOf } from '../../oracle/coherence.ts';
import { eventsOf, nameOf } from './drawing.ts';

/** Whether the axioms allow the graph, in which updates are atomic; without coherence: with some coherence order. */
export function axiomsAllow(name: ModelName, g: Graph, equivalence: Equivalence): boolean {
  const picture = pictureOf(g);
  const x = graphOf(picture.candidate);
  if (equivalence === 'co') {
    return axioms[name].isConsistent(executionOf(x, picture.coherence));
  }
  return coherencesOf(picture.candidate).some((coherence) => axioms[name].isConsistent(executionOf(x, coherence)));
}

interface Picture {
  readonly candidate: Candidate;
  readonly coherence: Coherence;
}

/** The graph in the oracle's terms: an update is one event there. */
function pictureOf(g: Graph): Picture {
  const rows: EventId[] = [];
  const numbers = new Map<EventId, number>();
  for (let t = 0; t < g.stride; t++) {
    for (const e of eventsOf(g, t)) {
      if (g.updateRead[e] === NONE) rows.push(e);
      numbers.set(e, rows.length - 1);
    }
  }
  const numberOf = (e: EventId): number => numbers.get(e) ?? INIT;
  const before = beforeOf(g, rows, numberOf);
  const events = rows.map((e, number) => eventOf(g, e, before[number] as number, numberOf));
  const coherence = new Map<string, number[]>();
  for (const e of rows) {
    if (g.kind[e] !== Kind.READ && g.kind[e] !== Kind.WRITE) continue;
    const order: number[] = [];
    for (let w = g.coNext[g.location[e]!]!; w !== NONE; w = g.coNext[w]!) order.push(numberOf(w));
    coherence.set(`${g.location[e]}`, order);
  }
  return { candidate: { events, threads: [], stuck: [] }, coherence };
}

/** (po ∪ spawn ∪ join)+, as a set for each event. */
function beforeOf(g: Graph, rows: readonly EventId[], numberOf: (e: EventId) => number): number[] {
  const known: (number | undefined)[] = rows.map(() => undefined);
  const andBefore = (e: EventId): number => (e === NONE ? 0 : (1 << numberOf(e)) | setOf(numberOf(e)));
  const setOf = (number: number): number => {
    const found = known[number];
    if (found !== undefined) return found;
    const e = rows[number] as EventId;
    const t = g.thread[e]!;
    let set = andBefore(g.poPrev[e] === NONE ? g.spawnedBy[t]! : g.poPrev[e]!);
    if (g.kind[e] === Kind.JOIN) {
      const joined = g.location[e]!;
      set |= andBefore(g.last[joined] === NONE ? g.spawnedBy[joined]! : g.last[joined]!);
    }
    known[number] = set;
    return set;
  };
  return rows.map((_, number) => setOf(number));
}

const orderNames = ['plain', 'relaxed', 'acquire', 'release', 'acq_rel', 'seq_cst'] as const;

function eventOf(g: Graph, e: EventId, before: number, numberOf: (e: EventId) => number): Event {
  const isRead = g.kind[e] === Kind.READ;
  const isAccess = isRead || g.kind[e] === Kind.WRITE;
  const doesWrite = g.kind[e] === Kind.WRITE || (isRead && g.isUpdateRead(e));
  return {
    id: nameOf(g, e),
    path: `${g.thread[e]}`,
    kind: kindOf(g, e),
    label: '',
    location: isAccess ? `${g.location[e]}` : undefined,
    order: orderNames[strengthOf(g.order[e]!)],
    readsFrom: isRead ? numberOf(g.rf[e]!) : undefined,
    writes: doesWrite ? 1 : undefined,
    bytes: g.extent[e]! & 0b11,
    merges: isMerging(g.order[e]!),
    choice: undefined,
    frees: undefined,
    rewrites: false,
    before,
  };
}

/** As far as the axioms care: all read-modify-write instructions are alike to them. */
function kindOf(g: Graph, e: EventId): Event['kind'] {
  const isLocked = (g.order[e]! & LOCKED) !== 0;
  if (isMerging(g.order[e]!)) return 'store';
  switch (g.kind[e]) {
    case Kind.READ:
      return isLocked ? 'fetchAdd' : 'load';
    case Kind.WRITE:
      return isLocked ? 'unlock' : 'store';
    case Kind.SPAWN:
      return 'spawn';
    case Kind.JOIN:
      return 'join';
    case Kind.CHOOSE:
      return 'choose';
    default:
      return strengthOf(g.order[e]!) >= Order.RELAXED ? 'fence' : 'yield';
  }
}
