/**
 * How much may come of a graph, for samples (thinning.ts): what tells graphs apart in TruSt's tree is how much of the program is left to
 * add, and how many reads can still be revisited: only those after which everything was added maximally. The one path on which all
 * is maximal often leads to most executions, and has to be told from the thousands beside it.
 *
 * This need not be exact, and is not: what the revisiting write depends on need not be maximal, but which write comes next is not known.
 */
import { type EventId, type Graph, Kind } from '../../graph/graph.ts';
import { NONE } from '../../program/columns.ts';
import type { ProgramGraph } from './program-graph.ts';

/** More than the reads of a graph that are worth telling apart. */
const MANY = 2 ** 12;

/** The number of events; of reads since everything was maximal. */
export function stratumOf(threads: ProgramGraph): number {
  const { g } = threads;
  const count = threads.threadCount();
  let lastOther = NONE;
  for (let t = 0; t < count; t++) {
    // stamps rise along a thread
    for (let e = g.last[t]!; e !== NONE && g.stamp[e]! > lastOther; e = g.poPrev[e]!) {
      if (!wasMaximal(g, e)) lastOther = g.stamp[e]!;
    }
  }
  let reads = 0;
  for (let t = 0; t < count; t++) {
    for (let e = g.last[t]!; e !== NONE && g.stamp[e]! > lastOther; e = g.poPrev[e]!)
      if (g.kind[e] === Kind.READ) reads++;
  }
  return threads.eventCount() * MANY + Math.min(reads, MANY - 1);
}

/** Whether e came last in memory when it was added. */
function wasMaximal(g: Graph, e: EventId): boolean {
  const kind = g.kind[e];
  if (kind === Kind.CHOOSE) return g.value[e] === 0;
  if (kind !== Kind.READ && kind !== Kind.WRITE) return true;
  const stamp = g.stamp[e]!;
  const source = kind === Kind.READ ? g.rf[e]! : e;
  if (g.thread[source] !== NONE && g.stamp[source]! > stamp) return false;
  for (let w = g.coNext[source]!; w !== NONE; w = g.coNext[w]!) if (g.stamp[w]! < stamp) return false;
  return true;
}
