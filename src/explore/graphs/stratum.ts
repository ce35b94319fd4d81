/**
 * How much may come of a graph, for samples (`sampling.ts`). What tells graphs apart in TruSt's tree is how many reads can still be
 * revisited: only those after which everything was added maximally, but for what the revisiting write depends on. The one path on
 * which all is maximal leads to most executions, often, and has to be told from the thousands beside it.
 *
 * This need not be exact, and is not: which write comes next is not known.
 */
import { type EventId, type Graph, Kind } from '../../graph/graph.ts';
import { NONE } from '../../program/columns.ts';
import type { ProgramGraph } from './program-graph.ts';

/** More than the reads of a graph that are worth telling apart. */
const MANY = 4096;

/** The number of reads since everything was maximal; the same, but for what the newest event depends on. */
export function stratumOf(threads: ProgramGraph): number {
  const { g } = threads;
  const events: EventId[] = [];
  for (let t = threads.threadCount() - 1; t >= 0; t--) {
    for (let e = g.last[t]!; e !== NONE; e = g.poPrev[e]!) events.push(e);
  }
  events.sort((a, b) => g.stamp[b]! - g.stamp[a]!);
  const [newest = NONE] = events;
  let areAllMaximal = true;
  let reads = 0;
  let readsBeside = 0;
  for (const e of events) {
    const isMaximal = wasMaximal(g, e);
    const isBeside = e !== newest && g.index[e]! >= g.porfCount(newest, g.thread[e]!);
    areAllMaximal &&= isMaximal;
    if (isBeside && !isMaximal) break;
    if (g.kind[e] !== Kind.READ) continue;
    if (areAllMaximal) reads++;
    if (isBeside) readsBeside++;
  }
  return reads * MANY + readsBeside;
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
