/**
 * Updates that wait, and who keeps them waiting (docs/algorithms/trust.md, rules 5 to 7 and the argument).
 *
 * An exclusion says that the write w of an update has taken what the update of thread t at index i had read, which was in the graph
 * with this stamp then and would be stuck on w. In [TruSt] it would stay in the graph, reading from w, and the graph in which w is
 * overtaken without revisiting it would have to be explored as well: something may still delete either, if only by a revisit of a
 * read that came between. Here the waiting read leaves the graph, and comes back when it can go on. What is left of it does what the read
 * did, so that each graph has one way to it:
 * - w is not deleted, as if the read, which is older, still read from it (`areMaximal`).
 * - A revisit that deletes what was added from that stamp on deletes the exclusion (`deleteFrom`), if it was as it would be whenever all
 *   that the revisit leaves were there (`#isInChain`).
 * - The read goes on only with writes in whose chains w is (`allows`): with others it is revisited, as in the paper, and not excluded.
 *
 * Lists are made anew as they change, which only the revisits of updates that wait do.
 */
import type { EventId, Graph } from '../../graph/graph.ts';
import { NONE } from '../../program/columns.ts';

export interface Exclusion {
  readonly write: EventId;
  readonly thread: number;
  readonly index: number;
  readonly stamp: number;
}

interface Before {
  readonly list: readonly Exclusion[];
  /** The mark of the graph when it was changed. */
  readonly mark: number;
}

export class Exclusions {
  readonly #g: Graph;
  #list: readonly Exclusion[] = [];
  readonly #log: Before[] = [];
  /** How many there are, and how many changes of the list are kept. */
  count = 0;
  #changes = 0;

  constructor(g: Graph) {
    this.#g = g;
  }

  get list(): readonly Exclusion[] {
    return this.#list;
  }

  /** The graph has been changed before, since the last point to which it may be taken back. */
  add(write: EventId, thread: number, index: number, stamp: number): void {
    this.#change([...this.#list, { write, thread, index, stamp }]);
  }

  /** Whether the read of thread t at index i may go on with w: all that have kept it waiting are in its chain. */
  allows(t: number, i: number, w: EventId): boolean {
    for (const { write, thread, index } of this.#list) {
      if (thread === t && index === i && !this.#isInChain(write, w)) return false;
    }
    return true;
  }

  /**
   * Whether a revisit by w that deletes what was added from `stamp` on, and w does not depend on, can do so: a write that excludes
   * stays, and an exclusion that goes was maximal.
   */
  areMaximal(stamp: number, w: EventId): boolean {
    const g = this.#g;
    for (const { write, stamp: excluded } of this.#list) {
      if (g.stamp[write]! >= stamp && !g.porfBefore(write, w)) return false;
      if (excluded >= stamp && !this.#isInChain(write, w)) return false;
    }
    return true;
  }

  /** Whether `write` is in the chain of w: in that of the last write to its location on which w depends, or w itself. */
  #isInChain(write: EventId, w: EventId): boolean {
    const g = this.#g;
    for (let v = w; v !== write; v = this.#lastBefore(v, write)) {
      if (g.thread[v] === NONE || !g.porfBefore(write, v)) return false;
    }
    return true;
  }

  /** The last write to the location of `write`, on which w depends, of all that w depends on. */
  #lastBefore(w: EventId, write: EventId): EventId {
    const g = this.#g;
    let last = g.coLast[g.location[write]!]!;
    while (last !== write && (last === w || !g.porfBefore(last, w))) last = g.coPrev[last]!;
    return last;
  }

  /** All reads from `stamp` on that wait are deleted. The graph has been changed, as for `add`. */
  deleteFrom(stamp: number): void {
    if (this.#list.some((exclusion) => exclusion.stamp >= stamp)) {
      this.#change(this.#list.filter((exclusion) => exclusion.stamp < stamp));
    }
  }

  /** The graph is taken back to this mark of its own. */
  undoTo(mark: number): void {
    if (this.#changes > 0) this.#undoChanges(mark);
  }

  #undoChanges(mark: number): void {
    const log = this.#log;
    while (log.length > 0 && (log[log.length - 1] as Before).mark > mark) this.#list = (log.pop() as Before).list;
    this.count = this.#list.length;
    this.#changes = log.length;
  }

  #change(list: readonly Exclusion[]): void {
    this.#log.push({ list: this.#list, mark: this.#g.mark() });
    this.#list = list;
    this.count = list.length;
    this.#changes = this.#log.length;
  }
}
