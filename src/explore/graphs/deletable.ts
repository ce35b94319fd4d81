/**
 * Which events of a graph may yet be deleted ([BUSTER], section 5): those that are not porf-before a write that has revisited, and are
 * none. Such a write, and what it depends on, is never deleted, so along a way of the search only more events become stable: a row of
 * clocks for each revisit on it says how many of each thread are.
 *
 * Hot code: a new row takes the place of those that were undone.
 */
import { type EventId, Kind } from '../../graph/graph.ts';
import { type Column, grown, NONE } from '../../program/columns.ts';
import type { ProgramGraph } from './program-graph.ts';

/** Whether the read r reads from a write that was added after it. */
export function wasRevisited({ g }: ProgramGraph, r: EventId): boolean {
  return g.stamp[g.rf[r]!]! > g.stamp[r]!;
}

export class Deletable {
  readonly #threads: ProgramGraph;
  /** Of each row its length, and then, by thread, how many of its events are stable. */
  #rows: Column = new Int32Array(64);

  constructor(threads: ProgramGraph) {
    this.#threads = threads;
  }

  /** Where the row is, of a graph with that of `before` (NONE: nothing was revisited in it), when w has revisited. */
  afterRevisit(before: number, w: EventId): number {
    const { g } = this.#threads;
    const known = before === NONE ? 0 : this.#rows[before]!;
    const row = before === NONE ? 0 : before + 1 + known;
    const count = this.#threads.threadCount();
    if (row + 1 + count > this.#rows.length) this.#rows = grown(this.#rows, row + 1 + count);
    const rows = this.#rows;
    rows[row] = count;
    for (let t = 0; t < count; t++) {
      const stable = t < known ? rows[before + 1 + t]! : 0;
      const needed = g.porfCount(w, t);
      rows[row + 1 + t] = needed > stable ? needed : stable;
    }
    return row;
  }

  /** The same of a graph of which nothing is known. */
  ofGraph(): number {
    const { g } = this.#threads;
    let row = NONE;
    for (let t = 0; t < this.#threads.threadCount(); t++) {
      for (let r = g.last[t]!; r !== NONE; r = g.poPrev[r]!) {
        if (g.kind[r] === Kind.READ && wasRevisited(this.#threads, r)) row = this.afterRevisit(row, g.rf[r]!);
      }
    }
    return row;
  }

  /**
   * How many threads of the graph with this row have an event that may yet be deleted and is worth a switch. A spawn can come as
   * early as its thread allows and a join right after what it waits for: neither is worth one. A read that is stuck counts: it may
   * be the one that is revisited, whose thread the "less one" of slack is for.
   */
  countThreads(row: number): number {
    const { g } = this.#threads;
    const rows = this.#rows;
    const known = row === NONE ? 0 : rows[row]!;
    const count = this.#threads.threadCount();
    let deletable = 0;
    for (let t = 0; t < count; t++) {
      const stable = t < known ? rows[row + 1 + t]! : 0;
      for (let e = g.last[t]!; e !== NONE && g.index[e]! >= stable; e = g.poPrev[e]!) {
        if (g.kind[e] === Kind.SPAWN || g.kind[e] === Kind.JOIN) continue;
        deletable++;
        break;
      }
    }
    return deletable;
  }
}
