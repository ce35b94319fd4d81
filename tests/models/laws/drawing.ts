/** An execution graph on paper: what it is, without the order in which its events were added. */
import { type EventId, type Graph, Kind } from '../../../src/graph/graph.ts';
import { type Behaviours, Step } from '../../../src/program/behaviours.ts';
import { NONE } from '../../../src/program/columns.ts';

/** `THREAD:INDEX` of an event, or `init`. */
export type Ref = string;

/** How a step is added: the write that it reads from, the one that it comes right after, or the option that it takes. */
export interface Way {
  readonly from?: Ref;
  readonly after?: Ref;
  readonly choice?: number;
}

export interface Drawing {
  /** By thread: its steps. Where a write comes in coherence order is said below. */
  readonly steps: readonly (readonly Way[])[];
  /** By location: its writes in order. */
  readonly coherence: readonly (readonly Ref[])[];
}

export function nameOf(g: Graph, e: EventId): Ref {
  return g.thread[e] === NONE ? 'init' : `${g.thread[e]}:${g.index[e]}`;
}

/** The event of this name; the initial value is that of `location`. NONE if it is not there. */
export function eventAt(g: Graph, name: Ref, location: EventId): EventId {
  if (name === 'init') return location;
  const [thread = NONE, index = NONE] = name.split(':').map(Number);
  let e = thread < g.stride ? g.last[thread]! : NONE;
  while (e !== NONE && g.index[e]! > index) e = g.poPrev[e]!;
  return e !== NONE && g.index[e] === index ? e : NONE;
}

/** The events of a thread, in program order. */
export function eventsOf(g: Graph, t: number): EventId[] {
  const events: EventId[] = [];
  for (let e = g.last[t]!; e !== NONE; e = g.poPrev[e]!) events.push(e);
  return events.reverse();
}

/** What is in the graph now, without reads that are stuck. */
export function drawingOf(g: Graph, behaviours: Behaviours): Drawing {
  const steps: Way[][] = [];
  const locations = new Set<EventId>();
  for (let t = 0; t < g.stride; t++) {
    const ways: Way[] = [];
    for (const e of eventsOf(g, t)) {
      const isAccess = g.kind[e] === Kind.READ || g.kind[e] === Kind.WRITE;
      if (isAccess) locations.add(g.location[e]!);
      if (g.updateRead[e] !== NONE || behaviours.step[g.after[e]!] === Step.STUCK) continue;
      if (g.kind[e] === Kind.READ) ways.push({ from: nameOf(g, g.rf[e]!) });
      else ways.push(g.kind[e] === Kind.CHOOSE ? { choice: g.value[e]! } : {});
    }
    steps.push(ways);
  }
  return { steps, coherence: [...locations].map((init) => writesOf(g, init)) };
}

function writesOf(g: Graph, init: EventId): Ref[] {
  const writes: Ref[] = [];
  for (let w = g.coNext[init]!; w !== NONE; w = g.coNext[w]!) writes.push(nameOf(g, w));
  return writes;
}

export function sizeOf({ steps }: Drawing): number {
  return steps.reduce((sum, ways) => sum + ways.length, 0);
}

export function showDrawing({ steps, coherence }: Drawing): string {
  const showWay = ({ from, choice }: Way) =>
    from !== undefined ? `<- ${from}` : choice !== undefined ? `= ${choice}` : '·';
  const threads = steps.map((ways, t) => `  thread ${t}: ${ways.map(showWay).join(' | ')}`);
  const orders = coherence.filter((writes) => writes.length > 1).map((writes) => `  co: ${writes.join(' ')}`);
  return [...threads.filter((_, t) => steps[t]!.length > 0), ...orders].join('\n');
}
