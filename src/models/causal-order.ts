/**
 * An order in which the events of a graph can be told, for models under which no order of memory explains all of them: causes
 * first (porf), and as close to sequential consistency as that allows. A write is told after the writes before it in
 * coherence order and after their reads; only where that leads nowhere is a write told early, so that the reads that come
 * later and still see an older one are those that saw stale values. If the graph is sequentially consistent there are none.
 *
 * An event that is being added and has no edges yet is the last of its thread, and is left out.
 */
import { type EventId, type Graph, Kind } from '../graph/graph.ts';
import { NONE } from '../program/columns.ts';
import type { EventStack } from './model.ts';

/** Pushes the events of g. `hasCoherence`: whether its lists of writes are coherence orders, and not orders of addition. */
export function causalOrder(g: Graph, out: EventStack, hasCoherence = true): void {
  const told = new Int32Array(g.stride);
  /** By thread: its next event, NONE at the end. */
  const next = new Int32Array(g.stride).fill(NONE);
  for (let t = 0; t < g.stride; t++) if (g.last[t] !== NONE) next[t] = g.first[t]!;

  const isTold = (e: EventId): boolean => g.thread[e] === NONE || g.index[e]! < told[g.thread[e]!]!;

  const haveCausesOf = (e: EventId): boolean => {
    const t = g.thread[e]!;
    if (g.poPrev[e] === NONE && g.spawnedBy[t] !== NONE && !isTold(g.spawnedBy[t]!)) return false;
    switch (g.kind[e]) {
      case Kind.READ:
        return g.rf[e] !== NONE && isTold(g.rf[e]!);
      case Kind.WRITE:
        return g.coPrev[e] !== NONE;
      case Kind.JOIN: {
        const joined = g.location[e]!;
        return isTold(g.last[joined] === NONE ? g.spawnedBy[joined]! : g.last[joined]!);
      }
      default:
        return true;
    }
  };

  /** Whether nobody would have to see an older value once e is told. */
  const isInTime = (e: EventId): boolean => {
    if (!hasCoherence || g.kind[e] !== Kind.WRITE) return true;
    const before = g.coPrev[e]!;
    if (!isTold(before)) return false;
    for (let r = g.readers[before]!; r !== NONE; r = g.readNext[r]!) if (!isTold(r)) return false;
    return true;
  };

  const tell = (t: number): void => {
    const e = next[t]!;
    out.push(e);
    told[t] = told[t]! + 1;
    next[t] = g.poNext[e]!;
  };

  for (;;) {
    let progress = false;
    /** A thread that can only go on with a write that comes too early. */
    let early: number = NONE;
    for (let t = 0; t < g.stride; t++) {
      while (next[t] !== NONE && haveCausesOf(next[t]!) && isInTime(next[t]!)) {
        tell(t);
        progress = true;
      }
      if (early === NONE && next[t] !== NONE && haveCausesOf(next[t]!)) early = t;
    }
    if (progress) continue;
    if (early === NONE) return;
    tell(early);
  }
}
