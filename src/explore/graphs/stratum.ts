/**
 * How much may come of a graph, for samples (thinning.ts): what tells graphs apart in TruSt's tree is how much of the program is left to
 * add, and how many reads can still be revisited: only those after which everything was added maximally, but for what the revisiting
 * write depends on. The one path on which all is maximal often leads to most executions, and has to be told from the thousands beside it.
 *
 * This need not be exact, and is not: which write comes next is not known. So the reads are counted twice, as for a write that depends on
 * nothing, and as for one that depends on the newest event, which the next write of the same thread does.
 *
 * Hot code: nothing is allocated.
 */
import { type EventId, type Graph, Kind } from '../../graph/graph.ts';
import { NONE } from '../../program/columns.ts';
import type { ProgramGraph } from './program-graph.ts';

/** More than there are classes of reads, and so few that the number of a stratum is below 2³² with `MOST_STEPS` events. */
const CLASSES = 32;

/**
 * The number of events; of reads that the next write of the newest event's thread may revisit; of those that any write may. Reads are
 * told apart as 0, 1, 2 and 3, 4 to 7, …: with their exact number samples are no better for the same time, but the smallest takes five
 * times as long.
 */
export function stratumOf(threads: ProgramGraph): number {
  const { g } = threads;
  const count = threads.threadCount();
  let events = 0;
  let newest = NONE;
  for (let t = 0; t < count; t++) {
    const e = g.last[t]!;
    if (e === NONE) continue;
    events += g.index[e]! + 1;
    if (newest === NONE || g.stamp[e]! > g.stamp[newest]!) newest = e;
  }
  const any = readsSince(g, count, lastOther(g, count, newest, NONE));
  const next = readsSince(g, count, lastOther(g, count, newest, newest));
  return (events * CLASSES + classOf(next)) * CLASSES + classOf(any);
}

/** When the last event was added that is not maximal, beside those that `write` depends on (NONE: it depends on nothing). */
function lastOther(g: Graph, count: number, newest: EventId, write: EventId): number {
  let last = NONE;
  const first = newest === NONE ? 0 : g.thread[newest]!; // the later it was, the fewer are looked at
  for (let i = 0; i < count; i++) {
    const t = i === 0 ? first : i <= first ? i - 1 : i;
    const needed = write === NONE ? 0 : g.porfCount(write, t);
    // stamps rise along a thread
    for (let e = g.last[t]!; e !== NONE && g.stamp[e]! > last && g.index[e]! >= needed; e = g.poPrev[e]!) {
      if (!wasMaximal(g, e)) last = g.stamp[e]!;
    }
  }
  return last;
}

function classOf(reads: number): number {
  return 32 - Math.clz32(reads);
}

function readsSince(g: Graph, count: number, stamp: number): number {
  let reads = 0;
  for (let t = 0; t < count; t++) {
    for (let e = g.last[t]!; e !== NONE && g.stamp[e]! > stamp; e = g.poPrev[e]!) if (g.kind[e] === Kind.READ) reads++;
  }
  return reads;
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
